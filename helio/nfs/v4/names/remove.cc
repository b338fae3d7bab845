#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.25: files and directories alike. Most names are files.
Task<nfsstat4> remove(Compound& compound, const REMOVE4args& args, REMOVE4res& out) {
    if (args.target.empty()) co_return NFS4ERR_INVAL;
    if (args.target == "." || args.target == "..") co_return NFS4ERR_BADNAME;
    if (const nfsstat4 status =
            check_own_name(compound, compound.current(), args.target, NFS4ERR_ROFS);
        status != NFS4_OK)
        co_return status;
    vfs::Change directory;
    Status status =
        co_await ops::remove(compound.request, compound.current(), args.target, directory);
    if (status == Status::is_a_directory)
        status = co_await ops::rmdir(compound.request, compound.current(), args.target, directory);
    if (status != Status::ok) co_return to_nfs4(status);
    out = REMOVE4res::of_resok4({to_wire(directory)});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
