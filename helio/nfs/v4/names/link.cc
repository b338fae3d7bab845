#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.9: the saved file gets a name in the current directory.
Task<nfsstat4> link(Compound& compound, const LINK4args& args, LINK4res& out) {
    if (compound.saved().empty()) co_return NFS4ERR_NOFILEHANDLE;
    if (args.newname.empty()) co_return NFS4ERR_INVAL;
    if (args.newname == "." || args.newname == "..") co_return NFS4ERR_BADNAME;
    if (const nfsstat4 status =
            check_own_name(compound, compound.current(), args.newname, NFS4ERR_EXIST);
        status != NFS4_OK)
        co_return status;
    std::optional<vfs::Attributes> file;
    vfs::Change directory;
    const Status status = co_await ops::link(compound.request, compound.saved(), compound.current(),
                                             args.newname, file, directory);
    if (status != Status::ok) co_return to_nfs4(status);
    out = LINK4res::of_resok4({to_wire(directory)});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
