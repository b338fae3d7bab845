#include "helio/nfs/state/callbacks.h"

#include <algorithm>

namespace helio::nfs::state {

using namespace nfs4;

namespace {
// A call of CB_SEQUENCE and CB_NOTIFY_LOCK besides the credential, the handle and the owner: the
// headers of RPC and CB_COMPOUND (48 bytes), both operations (72), lengths and padding.
constexpr std::size_t kCallbackOverhead = 160;
}  // namespace

SessionCallbacks::SessionCallbacks(const SessionId& session, CallbackTarget target,
                                   std::uint32_t slots, std::uint32_t request_bytes_max)
    : session_(session),
      target_(std::move(target)),
      request_bytes_max_(request_bytes_max),
      slots_(std::clamp(slots, 1u, kCallbackSlotsMax)),
      slots_used_(static_cast<std::uint32_t>(slots_.size())) {}

bool SessionCallbacks::fits(const Notice& notice) const {
    return kCallbackOverhead + target_.credential.bytes().size() + notice.handle.size() +
               notice.owner.size() <=
           request_bytes_max_;
}

void SessionCallbacks::bind(ConnectionId connection) {
    wanted_ = true;
    std::erase(connections_, connection);
    if (connections_.size() >= kBackConnectionsMax) unbind(connections_.front());
    connections_.push_back(connection);
}

void SessionCallbacks::unbind(ConnectionId connection) {
    if (std::erase(connections_, connection) == 0) return;
    for (Slot& slot : slots_)
        if (slot.state == Slot::State::busy && slot.connection == connection)
            slot.state = Slot::State::unanswered;
}

void SessionCallbacks::push(Notice notice) {
    const auto same = [&](const Notice& other) { return other.same_as(notice); };
    if (broken_ || queue_.size() + postponed_.size() >= kNoticesMax ||
        std::any_of(queue_.begin(), queue_.end(), same))
        return;
    queue_.push_back(std::move(notice));
}

std::optional<Callback> SessionCallbacks::next() {
    if (!has_path()) return std::nullopt;
    for (std::uint32_t i = 0; i < slots_.size(); ++i)
        if (slots_[i].state == Slot::State::unanswered) return start(i);
    if (queue_.empty()) return std::nullopt;
    for (std::uint32_t i = 0; i < slots_used_; ++i) {
        if (slots_[i].state != Slot::State::free) continue;
        slots_[i].notice = std::move(queue_.front());
        queue_.pop_front();
        return start(i);
    }
    return std::nullopt;
}

Callback SessionCallbacks::start(std::uint32_t number) {
    Slot& slot = slots_[number];
    slot.state = Slot::State::busy;
    slot.attempt = ++attempts_;
    slot.connection = connections_.back();
    std::uint32_t highest = 0;
    for (std::uint32_t i = 0; i < slots_.size(); ++i)
        if (slots_[i].state == Slot::State::busy) highest = i;
    return {.session = session_,
            .connection = slot.connection,
            .attempt = slot.attempt,
            .slot = number,
            .sequence = slot.sequence,
            .highest_slot = highest,
            .target = target_,
            .notice = slot.notice};
}

void SessionCallbacks::ended(const Callback& callback, const CallbackEnd& end) {
    Slot& slot = slots_[callback.slot];
    // Another attempt may have begun since: the connection closed before the reply was looked at.
    if (slot.state != Slot::State::busy || slot.attempt != callback.attempt) return;
    switch (end.kind) {
        case CallbackEnd::Kind::answered:
            return answered(slot, end);
        case CallbackEnd::Kind::not_sent:
            slot.state = Slot::State::free;
            return try_again(postponed_, std::move(slot.notice));
        case CallbackEnd::Kind::failed:
            return unbind(callback.connection);
    }
}

// RFC 8881 §20.9.3, and §2.10.6.1 for what a status says about the slot.
void SessionCallbacks::answered(Slot& slot, const CallbackEnd& end) {
    slot.state = Slot::State::free;
    switch (end.status) {
        case NFS4_OK:
            ++slot.sequence;
            return set_limit(end.target_highest_slot);
        // It was executed the first time, and the reply was lost.
        case NFS4ERR_RETRY_UNCACHED_REP:
        case NFS4ERR_SEQ_FALSE_RETRY:
            ++slot.sequence;
            return;
        case NFS4ERR_DELAY:
            return try_again(postponed_, std::move(slot.notice));
        case NFS4ERR_SEQ_MISORDERED:
        case NFS4ERR_BADSLOT:
            slot.state = Slot::State::retired;
            try_again(queue_, std::move(slot.notice));
            return check_slots();
        case NFS4ERR_CONN_NOT_BOUND_TO_SESSION:
            try_again(queue_, std::move(slot.notice));
            return unbind(slot.connection);
        case NFS4ERR_BADSESSION:
        case NFS4ERR_DEADSESSION:
            broken_ = true;
            queue_.clear();
            postponed_.clear();
            return;
        // The slot has not advanced, and the call would not do better the next time.
        default:
            return;
    }
}

void SessionCallbacks::try_again(Notices& where, Notice notice) {
    if (++notice.tries < kNoticeTriesMax) where.push_back(std::move(notice));
}

void SessionCallbacks::set_limit(std::uint32_t highest) {
    const auto all = static_cast<std::uint32_t>(slots_.size());
    slots_used_ = highest < all ? highest + 1 : all;
    check_slots();
}

void SessionCallbacks::check_slots() {
    broken_ = std::all_of(slots_.begin(), slots_.begin() + slots_used_,
                          [](const Slot& slot) { return slot.state == Slot::State::retired; });
    if (broken_) queue_.clear();
}

void SessionCallbacks::next_round() { queue_.splice(queue_.end(), postponed_); }

}  // namespace helio::nfs::state
