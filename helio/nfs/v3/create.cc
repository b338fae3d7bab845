#include "helio/nfs/v3/make_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

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

}  // namespace helio::nfs::v3
