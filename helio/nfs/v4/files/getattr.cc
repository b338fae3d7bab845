#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/attributes.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.7. Most calls end without waiting, and then they need no coroutine.
bool getattr_now(Compound& compound, const GETATTR4args& args, GETATTR4res& out, nfsstat4& status) {
    const Wanted wanted{args.attr_request};
    if (wanted.write_only()) {
        status = NFS4ERR_INVAL;
        return true;
    }
    return describe_current_now(compound, wanted, out.emplace_resok4(NFS4_OK).obj_attributes,
                                status);
}

Task<nfsstat4> getattr(Compound& compound, const GETATTR4args& args, GETATTR4res& out) {
    const Wanted wanted{args.attr_request};
    co_return co_await describe_current(compound, wanted,
                                        out.emplace_resok4(NFS4_OK).obj_attributes);
}

}  // namespace helio::nfs::v4
