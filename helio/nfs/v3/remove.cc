#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<REMOVE3res> remove(const ServiceContext& service, rpc::Call& call, REMOVE3args args) {
    Request request{service, call};
    vfs::Change change;
    const Status status =
        co_await ops::remove(request, args.object.dir.data, args.object.name, change);
    if (status != Status::ok) co_return REMOVE3res::of_resfail(to_nfs3(status), {to_wire(change)});
    co_return REMOVE3res::of_resok({to_wire(change)});
}

}  // namespace helio::nfs::v3
