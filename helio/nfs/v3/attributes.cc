#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<GETATTR3res> getattr(const ServiceContext& service, rpc::Call& call, GETATTR3args args) {
    Request request{service, call};
    vfs::Attributes attributes;
    const Status status = co_await ops::getattr(request, args.object.data, attributes);
    if (status != Status::ok) co_return GETATTR3res::of(to_nfs3(status));
    co_return GETATTR3res::of_resok({to_wire(attributes)});
}

Task<SETATTR3res> setattr(const ServiceContext& service, rpc::Call& call, SETATTR3args args) {
    Request request{service, call};
    std::optional<vfs::Time> guard;
    if (args.guard) guard = from_wire(*args.guard);
    vfs::Change change;
    const Status status = co_await ops::setattr(request, args.object.data,
                                                from_wire(args.new_attributes), guard, change);
    if (status != Status::ok) co_return SETATTR3res::of_resfail(to_nfs3(status), {to_wire(change)});
    co_return SETATTR3res::of_resok({to_wire(change)});
}

// The bits have the same names and numbers in vfs.
Task<ACCESS3res> access(const ServiceContext& service, rpc::Call& call, ACCESS3args args) {
    Request request{service, call};
    static_assert(
        ACCESS3_READ == vfs::access::kRead && ACCESS3_LOOKUP == vfs::access::kLookup &&
        ACCESS3_MODIFY == vfs::access::kModify && ACCESS3_EXTEND == vfs::access::kExtend &&
        ACCESS3_DELETE == vfs::access::kDelete && ACCESS3_EXECUTE == vfs::access::kExecute);
    vfs::AccessOut out;
    const Status status = co_await ops::access(request, args.object.data, args.access, out);
    if (status != Status::ok)
        co_return ACCESS3res::of_resfail(to_nfs3(status), {to_wire(out.after)});
    co_return ACCESS3res::of_resok({to_wire(out.after), out.granted});
}

}  // namespace helio::nfs::v3
