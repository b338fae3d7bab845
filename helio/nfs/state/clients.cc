// Clients and their sessions: EXCHANGE_ID to DESTROY_CLIENTID (RFC 8881 §18.34 to §18.37, §18.50,
// §18.51).
#include <algorithm>

#include "helio/nfs/state/state_internal.h"

namespace helio::nfs::state {

using namespace nfs4;

State::State(Recovery& recovery, std::uint64_t random, Instant now)
    : recovery_(recovery), random_(random) {
    for (std::string& owner : recovery_.recorded()) may_reclaim_.emplace(std::move(owner), false);
    reclaiming_ = may_reclaim_.size();
    grace_end_ = now + kLease;
}

State::~State() = default;

bool State::expired(const Client& client, Instant now) const {
    return now - client.renewed > kLease;
}

Client& State::new_client(const ExchangeId& event, Instant now) {
    // The oldest introduction that nobody confirmed makes way.
    if (unconfirmed_.size() >= kUnconfirmedMax) drop_client(*clients_.at(unconfirmed_.front()));
    auto made = std::make_unique<Client>();
    made->id = random_ << 32 | next_++;
    made->owner = event.owner;
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
        renew(*old, now);
        return {.client = old->id, .sequence = old->create_sequence, .confirmed = true};
    }
    if (old != nullptr && same_principal && same_verifier) {
        renew(*old, now);
        return {.client = old->id, .sequence = old->create_sequence, .confirmed = true};
    }
    if (old != nullptr && !same_principal) {
        const bool in_use = !old->sessions.empty() || !old->opens.empty();
        if (in_use && !expired(*old, now)) return {.status = NFS4ERR_CLID_INUSE};
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
    Client* oldest = nullptr;
    for (const auto& [id, client] : clients_)
        if (expired(*client, now) && (oldest == nullptr || client->renewed < oldest->renewed))
            oldest = client.get();
    if (oldest == nullptr) return false;
    drop_client(*oldest);
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
    client.recorded = may_reclaim_.contains(client.owner.name);
}

SessionId State::new_session_id(ClientId client) {
    SessionId id;
    const std::uint64_t unique = (next_++ * kGoldenRatio) ^ random_;
    std::memcpy(id.data(), &client, 8);
    std::memcpy(id.data() + 8, &unique, 8);
    return id;
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
    if (client.sessions.size() >= kSessionsPerClientMax) return {.status = NFS4ERR_DELAY};
    if (!client.confirmed) confirm(client);
    renew(client, now);
    auto session = std::make_shared<Session>();
    session->id_ = new_session_id(client.id);
    session->fore_ = event.fore;
    session->slots_.resize(event.fore.slots);
    session->client_ = &client;
    sessions_.emplace(session->id_, session);
    client.sessions.push_back(session);
    ++client.create_sequence;
    client.last_create =
        CreateSessionDone{.session = session->id_, .sequence = event.sequence, .fore = event.fore};
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
    if (client.recorded && client.opens.empty()) {
        recovery_.remove(client.owner.name);
        client.recorded = false;
    }
    const auto at = may_reclaim_.find(client.owner.name);
    if (at != may_reclaim_.end() && !at->second) {
        at->second = true;
        if (reclaiming_ > 0) --reclaiming_;
    }
    end_grace_if_done(now);
    return NFS4_OK;
}

void State::end_grace_if_done(Instant now) {
    if (may_reclaim_.empty() || (reclaiming_ > 0 && now < grace_end_)) return;
    // Clients that did not come back in time may not reclaim after another restart, either.
    for (const auto& [owner, done] : may_reclaim_)
        if (!done && !confirmed_.contains(owner)) recovery_.remove(owner);
    may_reclaim_.clear();
    reclaiming_ = 0;
}

bool State::in_grace(Instant now) {
    const Lock lock{mutex_};
    end_grace_if_done(now);
    return !may_reclaim_.empty();
}

void State::renew(Client& client, Instant now) { client.renewed = now; }

void State::drop_sessions(Client& client) {
    for (const auto& session : client.sessions) {
        session->client_ = nullptr;
        sessions_.erase(session->id_);
    }
    client.sessions.clear();
}

void State::drop_client(Client& client) {
    while (!client.opens.empty()) drop_open(client.opens.back());
    drop_sessions(client);
    if (client.recorded) recovery_.remove(client.owner.name);
    if (client.confirmed)
        confirmed_.erase(client.owner.name);
    else
        forget_unconfirmed(client);
    clients_.erase(client.id);
}

std::vector<ClientSummary> State::clients(Instant now) {
    const Lock lock{mutex_};
    std::vector<ClientSummary> out;
    for (const auto& [id, client] : clients_)
        if (client->confirmed)
            out.push_back({id, client->owner.name, client->sessions.size(), client->opens.size(),
                           client->lock_count, expired(*client, now)});
    return out;
}

bool State::evict(ClientId id) {
    const Lock lock{mutex_};
    const auto at = clients_.find(id);
    if (at == clients_.end()) return false;
    drop_client(*at->second);
    return true;
}

}  // namespace helio::nfs::state
