#include "helio/nfs/v3/bodies_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

namespace {

// CREATE, MKDIR, SYMLINK and MKNOD answer alike, each with types of its own.
template <class Res>
Res made(Status status, const ops::Object& object, const vfs::Change& directory) {
    if (status != Status::ok) return Res::of_resfail(to_nfs3(status), {to_wire(directory)});
    return Res::of_resok({to_wire(object.handle), to_wire(object.attributes), to_wire(directory)});
}

template <class Res>
Res make(Request& request, const diropargs3& where, const vfs::NewNode& what) {
    ops::Object object;
    vfs::Change directory;
    const Status status = ops::make(request, where.dir.data, where.name, what, object, directory);
    return made<Res>(status, object, directory);
}

// Regular is what ops refuses: MKNOD makes neither files nor directories nor links.
vfs::FileType node_type(ftype3 type) {
    switch (type) {
        case NF3BLK:
            return vfs::FileType::block_device;
        case NF3CHR:
            return vfs::FileType::character_device;
        case NF3SOCK:
            return vfs::FileType::socket;
        case NF3FIFO:
            return vfs::FileType::fifo;
        case NF3REG:
        case NF3DIR:
        case NF3LNK:
            return vfs::FileType::regular;
    }
    return vfs::FileType::regular;
}

}  // namespace

CREATE3res create(Request& request, const CREATE3args& args) {
    vfs::NewFile how;
    if (const createverf3* const verifier = args.how.if_verf()) {
        how.mode = vfs::CreateMode::exclusive;
        how.verifier = from_verifier(*verifier);
    } else {
        how.mode =
            args.how.mode() == GUARDED ? vfs::CreateMode::guarded : vfs::CreateMode::unchecked;
        how.attributes = from_wire(args.how.obj_attributes());
    }
    ops::Object object;
    vfs::Change directory;
    const Status status =
        ops::create(request, args.where.dir.data, args.where.name, how, object, directory);
    return made<CREATE3res>(status, object, directory);
}

MKDIR3res mkdir(Request& request, const MKDIR3args& args) {
    vfs::NewNode what;
    what.attributes = from_wire(args.attributes);
    return make<MKDIR3res>(request, args.where, what);
}

SYMLINK3res symlink(Request& request, const SYMLINK3args& args) {
    vfs::NewNode what;
    what.type = vfs::FileType::symlink;
    what.attributes = from_wire(args.symlink.symlink_attributes);
    what.target = args.symlink.symlink_data;
    return make<SYMLINK3res>(request, args.where, what);
}

MKNOD3res mknod(Request& request, const MKNOD3args& args) {
    vfs::NewNode what;
    what.type = node_type(args.what.type());
    if (const devicedata3* const device = args.what.if_device()) {
        what.attributes = from_wire(device->dev_attributes);
        what.device_major = device->spec.specdata1;
        what.device_minor = device->spec.specdata2;
    } else if (const sattr3* const attributes = args.what.if_pipe_attributes()) {
        what.attributes = from_wire(*attributes);
    }
    return make<MKNOD3res>(request, args.where, what);
}

}  // namespace helio::nfs::v3
