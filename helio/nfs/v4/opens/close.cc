// The operations on stateids that need no file system (RFC 8881 §18.2, §18.6, §18.18, §18.38,
// §18.48).
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;

nfsstat4 close(Compound& compound, const CLOSE4args& args, CLOSE4res& out) {
    state::StateId id, gone;
    if (!compound.resolve(args.open_stateid, id)) return NFS4ERR_BAD_STATEID;
    const vfs::Status opened = compound.open(Intent::read);
    if (opened != vfs::Status::ok) return to_nfs4(opened);
    const nfsstat4 status = compound.state().close(*compound.session, id, compound.key(), gone);
    if (status != NFS4_OK) return status;
    out = CLOSE4res::of_open_stateid(to_wire(gone));
    return NFS4_OK;
}

nfsstat4 open_downgrade(Compound& compound, const OPEN_DOWNGRADE4args& args,
                        OPEN_DOWNGRADE4res& out) {
    state::StateId id;
    if (!compound.resolve(args.open_stateid, id)) return NFS4ERR_BAD_STATEID;
    if (args.share_access > OPEN4_SHARE_ACCESS_BOTH || args.share_deny > OPEN4_SHARE_DENY_BOTH)
        return NFS4ERR_INVAL;
    const vfs::Status opened = compound.open(Intent::read);
    if (opened != vfs::Status::ok) return to_nfs4(opened);
    const state::OpenDone done = compound.state().downgrade(
        *compound.session, id, compound.key(), static_cast<std::uint8_t>(args.share_access),
        static_cast<std::uint8_t>(args.share_deny));
    if (done.status != NFS4_OK) return done.status;
    compound.set_stateid(done.id);
    out = OPEN_DOWNGRADE4res::of_resok4({to_wire(done.id)});
    return NFS4_OK;
}

// No delegation has ever been given.
nfsstat4 delegreturn(Compound&, const DELEGRETURN4args&, DELEGRETURN4res&) {
    return NFS4ERR_BAD_STATEID;
}

nfsstat4 free_stateid(Compound& compound, const FREE_STATEID4args& args, FREE_STATEID4res&) {
    return compound.state().free(*compound.session, from_wire(args.fsa_stateid));
}

nfsstat4 test_stateid(Compound& compound, const TEST_STATEID4args& args, TEST_STATEID4res& out) {
    const std::size_t count = args.ts_stateids.size();
    if (4 * count > compound.room()) return compound.too_big();
    compound.use(4 * count);
    auto* const results = compound.request.arena().make<nfsstat4>(count);
    if (results == nullptr) return NFS4ERR_SERVERFAULT;
    for (std::size_t i = 0; i < count; ++i)
        results[i] = compound.state().test(*compound.session, from_wire(args.ts_stateids[i]));
    out = TEST_STATEID4res::of_tsr_resok4({{results, count}});
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
