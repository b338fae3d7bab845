#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<GETATTR3res> getattr(const ServiceContext& service, rpc::Call& call, GETATTR3args args) {
    Request request{service, call};
    vfs::Attributes attributes;
    const Status status = co_await ops::getattr(request, args.object.data, attributes);
    if (status != Status::ok) co_return GETATTR3res::of(to_nfs3(status));
    co_return GETATTR3res::of_resok({to_wire(attributes)});
}

}  // namespace helio::nfs::v3
