#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/attributes.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

// §18.30. A change of the size goes through the open file that the stateid names, like a WRITE.
Task<nfsstat4> setattr(Compound& compound, const SETATTR4args& args, SETATTR4res& out) {
    if (compound.context().names != nullptr)
        if (const nfsstat4 status = co_await learn_owners(compound, args.obj_attributes);
            status != NFS4_OK)
            co_return status;
    vfs::Changes changes;
    if (const nfsstat4 status = changes_in(compound, args.obj_attributes, changes);
        status != NFS4_OK)
        co_return status;
    vfs::Change change;
    std::shared_ptr<vfs::OpenFile> open;
    if (changes.size) {
        state::StateId id;
        if (!compound.resolve(args.stateid, id)) co_return NFS4ERR_BAD_STATEID;
        const Status opened = compound.open(Intent::change);
        if (opened != Status::ok) co_return to_nfs4(opened);
        if (const nfsstat4 grace = compound.check_stateless(id, state::kWrite); grace != NFS4_OK)
            co_return grace;
        const state::Found found =
            compound.state().find(*compound.session, id, compound.key(), state::kWrite);
        if (found.status != NFS4_OK) co_return found.status;
        open = found.file;
    }
    const vfs::Changes asked = changes;
    Status status = Status::stale;
    if (open == nullptr) {
        status = co_await ops::setattr(compound.request, compound.current(), changes, {}, change);
        if (status == Status::stale) open = compound.any_open();
    }
    if (open != nullptr)
        status = co_await ops::setattr_open(compound.request, compound.current(), *open, changes,
                                            change);
    // The size of something that is not a regular file. NFS4ERR_ISDIR is not for SETATTR (§15.2).
    if (status == Status::is_a_directory) co_return NFS4ERR_WRONG_TYPE;
    if (status != Status::ok) co_return to_nfs4(status);
    out = {.status = NFS4_OK, .attrsset = bits_of(compound, asked)};
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
