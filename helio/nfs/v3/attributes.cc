#include "helio/nfs/v3/bodies_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

GETATTR3res getattr(Request& request, const GETATTR3args& args) {
    vfs::Attributes attributes;
    const Status status = ops::getattr(request, args.object.data, attributes);
    if (status != Status::ok) return GETATTR3res::of(to_nfs3(status));
    return GETATTR3res::of_resok({to_wire(attributes)});
}

SETATTR3res setattr(Request& request, const SETATTR3args& args) {
    std::optional<vfs::Time> guard;
    if (args.guard) guard = from_wire(*args.guard);
    vfs::Change change;
    const Status status =
        ops::setattr(request, args.object.data, from_wire(args.new_attributes), guard, change);
    if (status != Status::ok) return SETATTR3res::of_resfail(to_nfs3(status), {to_wire(change)});
    return SETATTR3res::of_resok({to_wire(change)});
}

// The bits have the same names and numbers in vfs.
ACCESS3res access(Request& request, const ACCESS3args& args) {
    static_assert(
        ACCESS3_READ == vfs::access::kRead && ACCESS3_LOOKUP == vfs::access::kLookup &&
        ACCESS3_MODIFY == vfs::access::kModify && ACCESS3_EXTEND == vfs::access::kExtend &&
        ACCESS3_DELETE == vfs::access::kDelete && ACCESS3_EXECUTE == vfs::access::kExecute);
    vfs::AccessOut out;
    const Status status = ops::access(request, args.object.data, args.access, out);
    if (status != Status::ok) return ACCESS3res::of_resfail(to_nfs3(status), {to_wire(out.after)});
    return ACCESS3res::of_resok({to_wire(out.after), out.granted});
}

}  // namespace helio::nfs::v3
