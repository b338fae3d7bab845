#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.1. The bits are those of version 3; those of extended attributes (RFC 8276) are not supported
// yet.
Task<nfsstat4> access(Compound& compound, const ACCESS4args& args, ACCESS4res& out) {
    constexpr std::uint32_t supported = ACCESS4_READ | ACCESS4_LOOKUP | ACCESS4_MODIFY |
                                        ACCESS4_EXTEND | ACCESS4_DELETE | ACCESS4_EXECUTE;
    vfs::AccessOut got;
    const std::uint32_t wanted = args.access & supported;
    const Status status = co_await ops::access(compound.request, compound.current(), wanted, got);
    if (status != Status::ok) co_return to_nfs4(status);
    out = ACCESS4res::of_resok4({.supported = wanted, .access = got.granted & wanted});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
