#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/attributes.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.7.
Task<nfsstat4> getattr(Compound& compound, const GETATTR4args& args, GETATTR4res& out) {
    const Wanted wanted{args.attr_request};
    if (wanted.write_only()) co_return NFS4ERR_INVAL;
    fattr4 attributes;
    const nfsstat4 status = co_await describe_current(compound, wanted, attributes);
    if (status != NFS4_OK) co_return status;
    out = GETATTR4res::of_resok4({attributes});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
