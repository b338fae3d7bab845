#include "helio/nfs/v3/make_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<MKDIR3res> mkdir(const ServiceContext& service, rpc::Call& call, MKDIR3args args) {
    vfs::NewNode what;
    what.attributes = from_wire(args.attributes);
    return make<MKDIR3res>(service, call, args.where, what);
}

}  // namespace helio::nfs::v3
