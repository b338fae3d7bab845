// Callbacks to the clients, and the owners that wait for locks (RFC 8881 §2.10.3.1, §9.6, §20.11).
#include <algorithm>
#include <utility>

#include "helio/nfs/state/state_internal.h"

namespace helio::nfs::state {

using namespace nfs4;

namespace {
// Sessions of a connection beyond which those that have ended are looked for and forgotten.
constexpr std::size_t kBoundBeforePurge = 64;
}  // namespace

// ---- Connections ----

void State::bind(Session& session, ConnectionId connection) {
    session.callbacks_->bind(connection);
    auto& all = bound_[connection];
    if (std::find(all.begin(), all.end(), session.id_) != all.end()) return;
    if (all.size() >= kBoundBeforePurge)
        std::erase_if(all, [&](const SessionId& one) { return !sessions_.contains(one); });
    all.push_back(session.id_);
}

bool State::bind_back_channel(const SessionId& id, ConnectionId connection) {
    const Lock lock{mutex_};
    const auto at = sessions_.find(id);
    if (at == sessions_.end() || at->second->callbacks_ == nullptr) return false;
    bind(*at->second, connection);
    callbacks_ready(id);
    return true;
}

void State::set_callbacks(Session& session, std::uint32_t program,
                          const std::optional<rpc::ClientCredential>& credential) {
    const Lock lock{mutex_};
    if (session.callbacks_ == nullptr) return;
    session.callbacks_->target().program = program;
    if (credential) session.callbacks_->target().credential = *credential;
}

void State::connection_closed(ConnectionId connection) {
    const Lock lock{mutex_};
    const auto gone = bound_.extract(connection);
    if (gone.empty()) return;
    for (const SessionId& id : gone.mapped()) {
        const auto at = sessions_.find(id);
        if (at == sessions_.end()) continue;
        at->second->callbacks_->unbind(connection);
        callbacks_ready(id);
    }
}

bool State::may_call_back(const Session& session) {
    const Lock lock{mutex_};
    return session.client_ != nullptr && session.callbacks_ != nullptr &&
           session.callbacks_->has_path();
}

// §18.46.3: only for clients that want callbacks.
std::uint32_t State::callback_flags(const Session& session) const {
    const SessionCallbacks& callbacks = *session.callbacks_;
    if (!callbacks.is_wanted() || callbacks.has_path()) return 0;
    if (callbacks.is_broken()) return SEQ4_STATUS_BACKCHANNEL_FAULT;
    const auto& all = session.client_->sessions;
    const bool another = std::any_of(all.begin(), all.end(), [](const auto& other) {
        return other->callbacks_ != nullptr && other->callbacks_->has_path();
    });
    return SEQ4_STATUS_CB_PATH_DOWN_SESSION | (another ? 0 : SEQ4_STATUS_CB_PATH_DOWN);
}

// ---- Callbacks ----

void State::callbacks_ready(const SessionId& session) {
    if (std::find(ready_.begin(), ready_.end(), session) != ready_.end()) return;
    ready_.push_back(session);
    has_callbacks_ = true;
}

std::vector<Callback> State::take_callbacks() {
    const Lock lock{mutex_};
    std::vector<Callback> out;
    for (const SessionId& id : ready_) {
        const auto at = sessions_.find(id);
        if (at == sessions_.end()) continue;
        while (auto next = at->second->callbacks_->next()) out.push_back(std::move(*next));
    }
    ready_.clear();
    has_callbacks_ = false;
    callback_counts_.sent += out.size();
    return out;
}

void State::callback_ended(const Callback& callback, const CallbackEnd& end) {
    const Lock lock{mutex_};
    const bool good = end.kind == CallbackEnd::Kind::answered && end.status == NFS4_OK;
    ++(good ? callback_counts_.answered : callback_counts_.failed);
    // DESTROY_SESSION does not wait for callbacks: nobody misses a notice then (§18.37.3).
    const auto at = sessions_.find(callback.session);
    if (at == sessions_.end()) return;
    at->second->callbacks_->ended(callback, end);
    if (at->second->callbacks_->postponed() > 0) postponed_.push_back(callback.session);
    callbacks_ready(callback.session);
}

CallbackCounts State::callback_counts() {
    const Lock lock{mutex_};
    CallbackCounts out = callback_counts_;
    out.lock_waiters = waiters_.count();
    return out;
}

// ---- Locks ----

void State::notify(const LockWaiters::Waits& waits) {
    for (const LockWait& one : waits) {
        const auto at = sessions_.find(one.session);
        if (at == sessions_.end() || at->second->callbacks_ == nullptr) continue;
        at->second->callbacks_->push(
            {.client = one.client, .handle = one.handle, .owner = one.owner});
        callbacks_ready(one.session);
    }
    has_waiters_ = !waiters_.empty();
}

void State::freed(const FileKey& file, const vfs::LockRange& range, LockWaiters::Freed how) {
    if (waiters_.empty()) return;
    LockWaiters::Waits waits;
    waiters_.released(file, range, how, waits);
    notify(waits);
}

bool State::wait_for_lock(Session& session, LockWait what) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr || session.callbacks_ == nullptr ||
        !session.callbacks_->has_path())
        return false;
    what.client = session.client_->id;
    what.session = session.id_;
    if (!session.callbacks_->fits({.handle = what.handle, .owner = what.owner})) return false;
    waiters_.wait(std::move(what));
    has_waiters_ = true;
    return true;
}

void State::lock_granted(Session& session, LockWait what) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return;
    what.client = session.client_->id;
    waiters_.granted(what);
    // It may have held a write lock there, which is a read lock now.
    if (what.type == vfs::LockType::read)
        freed(what.file, what.range, LockWaiters::Freed::for_readers);
    has_waiters_ = !waiters_.empty();
}

void State::unlocked(const FileKey& file, const vfs::LockRange& range) {
    const Lock lock{mutex_};
    freed(file, range, LockWaiters::Freed::for_all);
}

std::vector<OutsideWait> State::outside_waits() {
    const Lock lock{mutex_};
    std::vector<OutsideWait> out;
    for (LockWait& wait : waiters_.outside()) {
        const auto at = files_.find(wait.file);
        if (at == files_.end()) continue;
        const FileState& file = *at->second;
        const auto open =
            std::ranges::find(file.opens, wait.client, [](auto* one) { return one->client->id; });
        if (open == file.opens.end()) continue;
        const LockState* const held = locks_by(*(*open)->client, file, wait.owner);
        OutsideWait one;
        one.file = (*open)->handle;
        one.owner = held != nullptr ? held->number : next_++;  // otherwise it holds nothing here
        one.what = std::move(wait);
        out.push_back(std::move(one));
    }
    return out;
}

void State::outside_freed(const LockWait& what) {
    const Lock lock{mutex_};
    LockWaiters::Waits waits;
    waiters_.outside_freed(what, waits);
    notify(waits);
}

// Somebody waits, so a client whose lease has run out does not keep its locks. They are not taken
// here: the one that asks again takes what it needs, and that may be something else.
void State::notice_expired(Instant now, LockWaiters::Waits& out) {
    for (const auto& [id, client] : clients_) {
        if (client->lock_count == 0 || client->expiry_noticed || !expired(*client, now)) continue;
        client->expiry_noticed = true;
        for (const OpenState& open : client->opens)
            if (!open.locks.empty())
                waiters_.released(open.file->key, {0, vfs::kLockToEnd}, LockWaiters::Freed::for_all,
                                  out);
    }
}

void State::next_round(Instant now) {
    const Lock lock{mutex_};
    LockWaiters::Waits waits;
    waiters_.next_round(waits);
    notice_expired(now, waits);
    notify(waits);
    for (const SessionId& id : std::exchange(postponed_, {})) {
        const auto at = sessions_.find(id);
        if (at == sessions_.end()) continue;
        at->second->callbacks_->next_round();
        callbacks_ready(id);
    }
}

}  // namespace helio::nfs::state
