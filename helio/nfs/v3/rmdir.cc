#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<RMDIR3res> rmdir(const ServiceContext& service, rpc::Call& call, RMDIR3args args) {
    Request request{service, call};
    vfs::Change change;
    const Status status =
        co_await ops::rmdir(request, args.object.dir.data, args.object.name, change);
    if (status != Status::ok) co_return RMDIR3res::of_resfail(to_nfs3(status), {to_wire(change)});
    co_return RMDIR3res::of_resok({to_wire(change)});
}

}  // namespace helio::nfs::v3
