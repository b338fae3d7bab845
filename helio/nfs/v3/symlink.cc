#include "helio/nfs/v3/make_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<SYMLINK3res> symlink(const ServiceContext& service, rpc::Call& call, SYMLINK3args args) {
    vfs::NewNode what;
    what.type = vfs::FileType::symlink;
    what.attributes = from_wire(args.symlink.symlink_attributes);
    what.target = args.symlink.symlink_data;
    return make<SYMLINK3res>(service, call, args.where, what);
}

}  // namespace helio::nfs::v3
