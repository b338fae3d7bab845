#include "helio/nfs/v4/operations_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

// §18.46: which session and slot, and whether this call was executed before.
nfsstat4 sequence(Compound& compound, const SEQUENCE4args& args, SEQUENCE4res& out) {
    state::SequenceDone done = compound.state().sequence({.session = args.sa_sessionid,
                                                          .sequence = args.sa_sequenceid,
                                                          .slot = args.sa_slotid,
                                                          .highest_slot = args.sa_highest_slotid,
                                                          .fingerprint = compound.fingerprint,
                                                          .operations = compound.operations,
                                                          .request_bytes = compound.request_bytes},
                                                         compound.now());
    if (done.status != NFS4_OK) return done.status;
    SEQUENCE4resok& ok = out.emplace_sr_resok4(NFS4_OK);
    ok.sr_sessionid = args.sa_sessionid;
    ok.sr_sequenceid = args.sa_sequenceid;
    ok.sr_slotid = args.sa_slotid;
    ok.sr_highest_slotid = done.slot_target;
    ok.sr_target_highest_slotid = done.slot_target;
    ok.sr_status_flags = done.flags;
    switch (done.kind) {
        case state::SequenceDone::Kind::fresh:
            compound.session = std::move(done.session);
            compound.slot = args.sa_slotid;
            compound.cache_reply = args.sa_cachethis;
            break;
        case state::SequenceDone::Kind::replay:
            compound.replay = std::move(done.reply);
            break;
        case state::SequenceDone::Kind::uncached_retry:
            compound.uncached_retry = true;
            break;
    }
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
