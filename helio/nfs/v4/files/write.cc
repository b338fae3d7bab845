#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/nfs/wire/verifier.h"
#include "helio/vfs/open_files.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

vfs::Stability from_wire(stable_how4 how) {
    return how == UNSTABLE4    ? vfs::Stability::unstable
           : how == DATA_SYNC4 ? vfs::Stability::data
                               : vfs::Stability::file;
}
stable_how4 to_wire(vfs::Stability how) {
    return how == vfs::Stability::unstable ? UNSTABLE4
           : how == vfs::Stability::data   ? DATA_SYNC4
                                           : FILE_SYNC4;
}

}  // namespace

// §18.32.
Task<nfsstat4> write(Compound& compound, const WRITE4args& args, WRITE4res& out) {
    const state::Found found = compound.find(args.stateid, state::kWrite);
    if (found.status != NFS4_OK) co_return found.status;
    Status status = Status::ok;
    vfs::WriteOut done;
    std::uint64_t verifier = 0;
    const ByteView data = args.data.bytes();
    if (found.file == nullptr)
        status = co_await ops::write(compound.request, compound.current(), args.offset,
                                     static_cast<std::uint32_t>(data.size()), data,
                                     from_wire(args.stable), done, verifier);
    else
        status =
            co_await ops::write_open(compound.request, compound.file(), *found.file, args.offset,
                                     data, from_wire(args.stable), done, verifier);
    if (status != Status::ok) co_return to_nfs4(status);
    out = WRITE4res::of_resok4({.count = done.count,
                                .committed = to_wire(done.stability),
                                .writeverf = to_verifier(verifier)});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
