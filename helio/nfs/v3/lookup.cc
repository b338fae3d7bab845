#include "helio/nfs/v3/bodies_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

LOOKUP3res lookup(Request& request, const LOOKUP3args& args) {
    ops::Object found;
    std::optional<vfs::Attributes> directory;
    const Status status =
        ops::lookup(request, args.what.dir.data, args.what.name, found, directory);
    if (status != Status::ok) return LOOKUP3res::of_resfail(to_nfs3(status), {to_wire(directory)});
    return LOOKUP3res::of_resok({{found.handle}, to_wire(found.attributes), to_wire(directory)});
}

READLINK3res readlink(Request& request, const READLINK3args& args) {
    vfs::LinkText out;
    const Status status = ops::readlink(request, args.symlink.data, out);
    if (status != Status::ok)
        return READLINK3res::of_resfail(to_nfs3(status), {to_wire(out.after)});
    return READLINK3res::of_resok({to_wire(out.after), out.text});
}

}  // namespace helio::nfs::v3
