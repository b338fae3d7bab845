#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.26: from the saved directory to the current one.
Task<nfsstat4> rename(Compound& compound, const RENAME4args& args, RENAME4res& out) {
    if (compound.saved().empty()) co_return NFS4ERR_NOFILEHANDLE;
    if (args.oldname.empty() || args.newname.empty()) co_return NFS4ERR_INVAL;
    for (const std::string_view name : {args.oldname, args.newname})
        if (name == "." || name == "..") co_return NFS4ERR_BADNAME;
    nfsstat4 own = check_own_name(compound, compound.saved(), args.oldname, NFS4ERR_ROFS);
    if (own == NFS4_OK)
        own = check_own_name(compound, compound.current(), args.newname, NFS4ERR_ROFS);
    if (own != NFS4_OK) co_return own;
    vfs::Change from, to;
    const Status status = co_await ops::rename(compound.request, compound.saved(), args.oldname,
                                               compound.current(), args.newname, from, to);
    if (status != Status::ok) co_return to_nfs4(status);
    out = RENAME4res::of_resok4({to_wire(from), to_wire(to)});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
