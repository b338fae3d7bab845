// Shared by CREATE, MKDIR, SYMLINK and MKNOD: the same reply, each with its own types.
#pragma once

#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

template <class Res>
Res made(vfs::Status status, const ops::Object& object, const vfs::Change& directory) {
    if (status != vfs::Status::ok) return Res::of_resfail(to_nfs3(status), {to_wire(directory)});
    return Res::of_resok({to_wire(object.handle), to_wire(object.attributes), to_wire(directory)});
}

template <class Res>
Task<Res> make(const ServiceContext& service, rpc::Call& call, nfs3::diropargs3 where,
               vfs::NewNode what) {
    Request request{service, call};
    ops::Object object;
    vfs::Change directory;
    const vfs::Status status =
        co_await ops::make(request, where.dir.data, where.name, what, object, directory);
    co_return made<Res>(status, object, directory);
}

}  // namespace helio::nfs::v3
