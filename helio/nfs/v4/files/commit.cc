#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/nfs/wire/verifier.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.3.
Task<nfsstat4> commit(Compound& compound, const COMMIT4args& args, COMMIT4res& out) {
    vfs::Change change;
    std::uint64_t verifier = 0;
    Status status = co_await ops::commit(compound.request, compound.current(), args.offset,
                                         args.count, change, verifier);
    if (status == Status::stale)
        if (const auto open = compound.any_open())
            status = co_await ops::commit_open(compound.request, compound.current(), *open,
                                               args.offset, args.count, change, verifier);
    // Not a regular file. NFS4ERR_INVAL is not for COMMIT (§15.2).
    if (status == Status::invalid) co_return NFS4ERR_WRONG_TYPE;
    if (status != Status::ok) co_return to_nfs4(status);
    out = COMMIT4res::of_resok4({to_verifier(verifier)});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
