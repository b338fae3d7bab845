#include "helio/nfs/v3/make_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

namespace {

// `regular` is rejected by ops: MKNOD makes neither files nor directories nor links.
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
