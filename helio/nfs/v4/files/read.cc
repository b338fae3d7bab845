#include <algorithm>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/vfs/open_files.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.22. With an open file the rights were checked when it was opened, and the file may have lost
// its name since.
Task<nfsstat4> read(Compound& compound, const READ4args& args, READ4res& out) {
    const state::Found found = compound.find(args.stateid, state::kRead);
    if (found.status != NFS4_OK) co_return found.status;
    Status status = Status::ok;
    if (compound.room() == 0) co_return compound.too_big();
    const std::size_t besides = compound.request.call().results_bytes_max() - compound.room();
    vfs::ReadOut got;
    if (found.file == nullptr || !vfs::reads(found.file->access())) {
        status = co_await ops::read(compound.request, compound.current(), args.offset, args.count,
                                    besides, got);
    } else {
        status = co_await ops::read_open(compound.request, compound.file(), *found.file,
                                         args.offset, args.count, besides, got);
    }
    if (status != Status::ok) co_return to_nfs4(status);
    compound.use(padded(got.data.size()));
    out = READ4res::of_resok4({.eof = got.end, .data = got.data});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
