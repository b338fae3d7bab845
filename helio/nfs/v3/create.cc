#include "helio/nfs/v3/procedures_internal.h"

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
Task<Res> make(const ServiceContext& service, rpc::Call& call, diropargs3 where,
               vfs::NewNode what) {
    Request request{service, call};
    ops::Object object;
    vfs::Change directory;
    const Status status =
        co_await ops::make(request, where.dir.data, where.name, what, object, directory);
    co_return made<Res>(status, object, directory);
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

Task<CREATE3res> create(const ServiceContext& service, rpc::Call& call, CREATE3args args) {
    Request request{service, call};
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
        co_await ops::create(request, args.where.dir.data, args.where.name, how, object, directory);
    co_return made<CREATE3res>(status, object, directory);
}

Task<MKDIR3res> mkdir(const ServiceContext& service, rpc::Call& call, MKDIR3args args) {
    vfs::NewNode what;
    what.attributes = from_wire(args.attributes);
    return make<MKDIR3res>(service, call, args.where, what);
}

Task<SYMLINK3res> symlink(const ServiceContext& service, rpc::Call& call, SYMLINK3args args) {
    vfs::NewNode what;
    what.type = vfs::FileType::symlink;
    what.attributes = from_wire(args.symlink.symlink_attributes);
    what.target = args.symlink.symlink_data;
    return make<SYMLINK3res>(service, call, args.where, what);
}

Task<MKNOD3res> mknod(const ServiceContext& service, rpc::Call& call, MKNOD3args args) {
    vfs::NewNode what;
    what.type = node_type(args.what.type());
    if (const devicedata3* const device = args.what.if_device()) {
        what.attributes = from_wire(device->dev_attributes);
        what.device_major = device->spec.specdata1;
        what.device_minor = device->spec.specdata2;
    } else if (const sattr3* const attributes = args.what.if_pipe_attributes()) {
        what.attributes = from_wire(*attributes);
    }
    return make<MKNOD3res>(service, call, args.where, what);
}

}  // namespace helio::nfs::v3
