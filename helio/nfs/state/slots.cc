// SEQUENCE: calls that execute exactly once (RFC 8881 §2.10.6, §18.46).
#include "helio/nfs/state/state_internal.h"

namespace helio::nfs::state {

using namespace nfs4;

SequenceDone State::sequence(const Sequence& event, Instant now) {
    const Lock lock{mutex_};
    const auto at = sessions_.find(event.session);
    if (at == sessions_.end()) return {.status = NFS4ERR_BADSESSION};
    Session& session = *at->second;
    if (event.slot >= session.fore_.slots) return {.status = NFS4ERR_BADSLOT};
    if (event.highest_slot >= session.fore_.slots) return {.status = NFS4ERR_BAD_HIGH_SLOT};
    if (event.slot >= session.slots_.size()) session.slots_.resize(event.slot + 1);
    Session::Slot& slot = session.slots_[event.slot];
    renew(*session.client_, now);

    SequenceDone done{.session = at->second};
    done.slot_target = session.fore_.slots - 1;
    if (session.callbacks_ != nullptr) done.flags = callback_flags(session);
    if (event.sequence == slot.sequence && slot.sequence != 0) {
        if (slot.running) return {.status = NFS4ERR_DELAY};
        if (slot.fingerprint != event.fingerprint) return {.status = NFS4ERR_SEQ_FALSE_RETRY};
        replays_ += slot.cached;
        done.kind = slot.cached ? SequenceDone::Kind::replay : SequenceDone::Kind::uncached_retry;
        done.reply = slot.reply;
        return done;
    }
    if (event.sequence != slot.sequence + 1 || slot.running)
        return {.status = NFS4ERR_SEQ_MISORDERED};
    // The limits are checked before the slot advances: the client may send something shorter
    // instead.
    if (event.operations > session.fore_.operations_max) return {.status = NFS4ERR_TOO_MANY_OPS};
    if (event.request_bytes > session.fore_.request_bytes_max)
        return {.status = NFS4ERR_REQ_TOO_BIG};
    slot.sequence = event.sequence;
    slot.running = true;
    slot.cached = false;
    slot.fingerprint = event.fingerprint;
    slot.reply.clear();
    return done;
}

void State::finish(Session& session, std::uint32_t slot_number, ByteView reply) {
    const Lock lock{mutex_};
    Session::Slot& slot = session.slots_[slot_number];
    slot.running = false;
    slot.cached = !reply.empty();
    slot.reply.assign(reply.begin(), reply.end());
}

}  // namespace helio::nfs::state
