#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<RENAME3res> rename(const ServiceContext& service, rpc::Call& call, RENAME3args args) {
    Request request{service, call};
    vfs::Change from;
    vfs::Change to;
    const Status status = co_await ops::rename(request, args.from.dir.data, args.from.name,
                                               args.to.dir.data, args.to.name, from, to);
    if (status != Status::ok)
        co_return RENAME3res::of_resfail(to_nfs3(status), {to_wire(from), to_wire(to)});
    co_return RENAME3res::of_resok({to_wire(from), to_wire(to)});
}

}  // namespace helio::nfs::v3
