#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<COMMIT3res> commit(const ServiceContext& service, rpc::Call& call, COMMIT3args args) {
    Request request{service, call};
    vfs::Change change;
    std::uint64_t verifier = 0;
    const Status status =
        co_await ops::commit(request, args.file.data, args.offset, args.count, change, verifier);
    if (status != Status::ok) co_return COMMIT3res::of_resfail(to_nfs3(status), {to_wire(change)});
    co_return COMMIT3res::of_resok({to_wire(change), to_verifier(verifier)});
}

}  // namespace helio::nfs::v3
