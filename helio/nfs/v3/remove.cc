#include "helio/nfs/v3/bodies_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

REMOVE3res remove(Request& request, const REMOVE3args& args) {
    vfs::Change change;
    const Status status = ops::remove(request, args.object.dir.data, args.object.name, change);
    if (status != Status::ok) return REMOVE3res::of_resfail(to_nfs3(status), {to_wire(change)});
    return REMOVE3res::of_resok({to_wire(change)});
}

RMDIR3res rmdir(Request& request, const RMDIR3args& args) {
    vfs::Change change;
    const Status status = ops::rmdir(request, args.object.dir.data, args.object.name, change);
    if (status != Status::ok) return RMDIR3res::of_resfail(to_nfs3(status), {to_wire(change)});
    return RMDIR3res::of_resok({to_wire(change)});
}

RENAME3res rename(Request& request, const RENAME3args& args) {
    vfs::Change from;
    vfs::Change to;
    const Status status = ops::rename(request, args.from.dir.data, args.from.name, args.to.dir.data,
                                      args.to.name, from, to);
    if (status != Status::ok)
        return RENAME3res::of_resfail(to_nfs3(status), {to_wire(from), to_wire(to)});
    return RENAME3res::of_resok({to_wire(from), to_wire(to)});
}

LINK3res link(Request& request, const LINK3args& args) {
    std::optional<vfs::Attributes> file;
    vfs::Change directory;
    const Status status =
        ops::link(request, args.file.data, args.link.dir.data, args.link.name, file, directory);
    if (status != Status::ok)
        return LINK3res::of_resfail(to_nfs3(status), {to_wire(file), to_wire(directory)});
    return LINK3res::of_resok({to_wire(file), to_wire(directory)});
}

}  // namespace helio::nfs::v3
