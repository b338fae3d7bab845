// Clients and their sessions: EXCHANGE_ID to DESTROY_CLIENTID (RFC 8881 §18.34 to §18.37, §18.50,
// §18.51).
#include <algorithm>

#include "helio/nfs/state/state_internal.h"

namespace helio::nfs::state {

using namespace nfs4;

State::State(Recovery& recovery, std::uint64_t random, Instant now, std::chrono::seconds lease)
    : recovery_(recovery), random_(random), lease_(lease) {
    for (std::string& owner : recovery_.recorded()) may_reclaim_.emplace(std::move(owner), false);
    reclaiming_ = may_reclaim_.size();
    grace_end_ = now + lease_;
}

State::~State() = default;

bool State::expired(const Client& client, Instant now) const {
    return now - client.renewed > lease_;
}

Client& State::new_client(const ExchangeId& event, Instant now) {
    // The oldest introduction that nobody confirmed makes way.
    if (unconfirmed_.size() >= kUnconfirmedMax) drop_client(*clients_.at(unconfirmed_.front()));
    auto made = std::make_unique<Client>();
    made->id = random_ << 32 | next_++;
    made->owner = event.owner;
    made->facts = event.facts;
    made->principal = event.principal;
    made->renewed = now;
    Client& client = *made;
    clients_.emplace(client.id, std::move(made));
    unconfirmed_.push_back(client.id);
    unconfirmed_by_owner_[client.owner.name] = client.id;
    return client;
}

ExchangeIdDone State::exchange_id(const ExchangeId& event, Instant now) {
    const Lock lock{mutex_};
    const auto known = confirmed_.find(event.owner.name);
    Client* const old = known != confirmed_.end() ? clients_.at(known->second).get() : nullptr;
    const bool same_principal = old != nullptr && old->principal == event.principal;
    const bool same_verifier = old != nullptr && old->owner.verifier == event.owner.verifier;
    if (event.update) {
        if (old == nullptr) return {.status = NFS4ERR_NOENT};
        if (!same_verifier) return {.status = NFS4ERR_NOT_SAME};
        if (!same_principal) return {.status = NFS4ERR_PERM};
        old->facts = event.facts;
        renew(*old, now);
        return {.client = old->id, .sequence = old->create_sequence, .confirmed = true};
    }
    if (old != nullptr && same_principal && same_verifier) {
        old->facts = event.facts;
        renew(*old, now);
        return {.client = old->id, .sequence = old->create_sequence, .confirmed = true};
    }
    if (old != nullptr && !same_principal) {
        const bool in_use = !old->sessions.empty() || !old->opens.empty();
        if (in_use && !expired(*old, now)) return {.status = NFS4ERR_CLID_INUSE};
        if (in_use)
            make_way(*old);
        else
            drop_client(*old);
    }
    // An introduction that was not confirmed is replaced; so is a client that restarted, once the
    // new one is confirmed.
    if (const auto other = unconfirmed_by_owner_.find(event.owner.name);
        other != unconfirmed_by_owner_.end())
        drop_client(*clients_.at(other->second));
    if (clients_.size() >= kClientsMax && !make_room(now)) return {.status = NFS4ERR_DELAY};
    const Client& made = new_client(event, now);
    return {.client = made.id, .sequence = made.create_sequence};
}

// Drops a client whose lease has run out: the one that has been silent for the longest time.
bool State::make_room(Instant now) {
    if (now < no_room_until_) return false;
    const auto oldest =
        std::ranges::min_element(clients_, {}, [](const auto& one) { return one.second->renewed; });
    if (oldest == clients_.end()) return false;
    if (!expired(*oldest->second, now)) {
        no_room_until_ = oldest->second->renewed + lease_;
        return false;
    }
    make_way(*oldest->second);
    return true;
}

void State::forget_unconfirmed(Client& client) {
    std::erase(unconfirmed_, client.id);
    unconfirmed_by_owner_.erase(client.owner.name);
}

void State::confirm(Client& client) {
    forget_unconfirmed(client);
    if (const auto old = confirmed_.find(client.owner.name); old != confirmed_.end())
        drop_client(*clients_.at(old->second));
    confirmed_[client.owner.name] = client.id;
    client.confirmed = true;
}

SessionId State::new_session_id(ClientId client) {
    SessionId id;
    const std::uint64_t unique = (next_++ * kGoldenRatio) ^ random_;
    std::memcpy(id.data(), &client, 8);
    std::memcpy(id.data() + 8, &unique, 8);
    return id;
}

// A part of those that are left, so that they last for thousands of sessions. One can always be
// had: without a session, a client can do nothing.
std::uint32_t State::slots_to_grant(std::uint32_t wanted) const {
    const std::size_t left = kSlotsOfAllMax - std::min(slots_granted_, kSlotsOfAllMax);
    const std::size_t share = left / (kSlotsOfAllMax / 2 / kSlotsMax);
    return std::clamp(static_cast<std::uint32_t>(share), 1u, wanted);
}

CreateSessionDone State::create_session(const CreateSession& event, Instant now) {
    const Lock lock{mutex_};
    const auto at = clients_.find(event.client);
    if (at == clients_.end()) return {.status = NFS4ERR_STALE_CLIENTID};
    Client& client = *at->second;
    if (event.sequence + 1 == client.create_sequence && client.last_create)
        return *client.last_create;
    if (event.sequence != client.create_sequence) return {.status = NFS4ERR_SEQ_MISORDERED};
    if (!client.confirmed && !(client.principal == event.principal))
        return {.status = NFS4ERR_CLID_INUSE};
    const bool scarce = slots_granted_ >= kSlotsOfAllMax;
    if (client.sessions.size() >= (scarce ? 1 : kSessionsPerClientMax))
        return {.status = NFS4ERR_DELAY};
    if (!client.confirmed) confirm(client);
    renew(client, now);
    auto session = std::make_shared<Session>();
    session->id_ = new_session_id(client.id);
    session->fore_ = event.fore;
    session->fore_.slots = slots_to_grant(event.fore.slots);
    slots_granted_ += session->fore_.slots;
    session->client_ = &client;
    if (event.callbacks)
        session->callbacks_ = std::make_unique<SessionCallbacks>(
            session->id_, *event.callbacks, event.back.slots, event.back.request_bytes_max);
    const bool is_bound = session->callbacks_ != nullptr && event.back_connection != 0;
    if (is_bound) bind(*session, event.back_connection);
    sessions_.emplace(session->id_, session);
    client.sessions.push_back(session);
    ++client.create_sequence;
    client.last_create = CreateSessionDone{.session = session->id_,
                                           .sequence = event.sequence,
                                           .fore = session->fore_,
                                           .back = event.back,
                                           .is_bound = is_bound};
    return *client.last_create;
}

nfsstat4 State::destroy_session(const SessionId& id, const Principal& principal) {
    const Lock lock{mutex_};
    const auto at = sessions_.find(id);
    if (at == sessions_.end()) return NFS4ERR_BADSESSION;
    const std::shared_ptr<Session> session = at->second;
    Client& client = *session->client_;
    if (!(client.principal == principal)) return NFS4ERR_WRONG_CRED;
    session->client_ = nullptr;
    slots_granted_ -= session->fore_.slots;
    sessions_.erase(at);
    std::erase(client.sessions, session);
    return NFS4_OK;
}

nfsstat4 State::destroy_client(ClientId id, Instant) {
    const Lock lock{mutex_};
    const auto at = clients_.find(id);
    if (at == clients_.end()) return NFS4ERR_STALE_CLIENTID;
    Client& client = *at->second;
    if (!client.sessions.empty() || !client.opens.empty()) return NFS4ERR_CLIENTID_BUSY;
    drop_client(client);
    return NFS4_OK;
}

nfsstat4 State::bind_connection(const SessionId& id, Instant now) {
    const Lock lock{mutex_};
    const auto at = sessions_.find(id);
    if (at == sessions_.end()) return NFS4ERR_BADSESSION;
    renew(*at->second->client_, now);
    return NFS4_OK;
}

nfsstat4 State::reclaim_complete(Session& session, Instant now) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return NFS4ERR_BADSESSION;
    Client& client = *session.client_;
    if (client.reclaim_complete) return NFS4ERR_COMPLETE_ALREADY;
    client.reclaim_complete = true;
    const auto at = may_reclaim_.find(client.owner.name);
    if (client.opens.empty() && (client.recorded || at != may_reclaim_.end())) {
        recovery_.remove(client.owner.name);
        client.recorded = false;
    }
    if (at != may_reclaim_.end() && !at->second) {
        at->second = true;
        if (reclaiming_ > 0) --reclaiming_;
    }
    end_grace_if_done(now);
    return NFS4_OK;
}

void State::end_grace_if_done(Instant now) {
    if (may_reclaim_.empty() || (reclaiming_ > 0 && now < grace_end_)) return;
    // Clients that reclaimed nothing in time may not do so after another restart, either: others
    // may hold their locks from now on (RFC 8881 §8.4.3).
    for (const auto& [owner, done] : may_reclaim_) {
        const auto known = confirmed_.find(owner);
        Client* const client =
            known != confirmed_.end() ? clients_.at(known->second).get() : nullptr;
        if (done || (client != nullptr && !client->opens.empty())) continue;
        recovery_.remove(owner);
        if (client != nullptr) client->recorded = false;
    }
    may_reclaim_.clear();
    reclaiming_ = 0;
}

bool State::in_grace(Instant now) {
    const Lock lock{mutex_};
    end_grace_if_done(now);
    return !may_reclaim_.empty();
}

void State::renew(Client& client, Instant now) {
    client.renewed = now;
    client.expiry_noticed = false;
}

void State::drop_sessions(Client& client) {
    for (const auto& session : client.sessions) {
        session->client_ = nullptr;
        slots_granted_ -= session->fore_.slots;
        sessions_.erase(session->id_);
    }
    client.sessions.clear();
}

// A client whose lease has run out.
void State::make_way(Client& client) {
    ++made_way_;
    drop_client(client);
}

void State::drop_client(Client& client) {
    waiters_.drop_client(client.id);
    const When when = client.lock_count > kReleasedAtOnceMax ? When::soon : When::now;
    while (!client.opens.empty()) drop_open(client.opens.back(), when);
    drop_sessions(client);
    // The record of a client that has not reclaimed anything so far is from before the restart.
    if (client.recorded || (client.confirmed && may_reclaim_.contains(client.owner.name)))
        recovery_.remove(client.owner.name);
    if (client.confirmed)
        confirmed_.erase(client.owner.name);
    else
        forget_unconfirmed(client);
    clients_.erase(client.id);
}

}  // namespace helio::nfs::state
