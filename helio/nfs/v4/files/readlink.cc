#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.24.
Task<nfsstat4> readlink(Compound& compound, READLINK4res& out) {
    vfs::LinkText text;
    const Status status = co_await ops::readlink(compound.request, compound.current(), text);
    if (status != Status::ok)
        co_return status == Status::invalid ? NFS4ERR_WRONG_TYPE : to_nfs4(status);
    if (padded(text.text.size()) > compound.room()) co_return compound.too_big();
    compound.use(padded(text.text.size()));
    out = READLINK4res::of_resok4({text.text});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
