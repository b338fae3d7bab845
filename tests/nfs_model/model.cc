#include "tests/nfs_model/model.h"

#include <algorithm>

namespace helio::tests::model {

using namespace nfs4;

namespace {

int last_of(const auto& list) { return static_cast<int>(list.size()) - 1; }

}  // namespace

// ---- Clients and sessions ----

int Model::confirmed_client(const std::string& owner) const {
    for (int i = 0; i <= last_of(clients); ++i)
        if (clients[i].alive && clients[i].confirmed && clients[i].owner == owner) return i;
    return -1;
}

bool Model::has_sessions(int client) const {
    return std::any_of(sessions.begin(), sessions.end(),
                       [&](const Session& one) { return one.alive && one.client == client; });
}

bool Model::has_opens(int client) const {
    return std::any_of(states.begin(), states.end(), [&](const State& one) {
        return one.alive && !one.is_lock && one.client == client;
    });
}

void Model::drop_client(int client) {
    clients[client].alive = false;
    for (int i = 0; i <= last_of(sessions); ++i)
        if (sessions[i].client == client) drop_session(i);
    for (int i = 0; i <= last_of(states); ++i)
        if (states[i].alive && states[i].client == client) drop_state(i);
    if (clients[client].confirmed) records.erase(clients[client].owner);
}

// §18.35.4.
Answer Model::exchange_id(const std::string& owner, std::uint64_t verifier, std::uint32_t uid,
                          bool update) {
    const int old = confirmed_client(owner);
    const auto known = [&] {
        clients[old].renewed = now;
        return Answer{NFS4_OK, old, true, clients[old].next_create};
    };
    if (update) {
        if (old < 0) return {NFS4ERR_NOENT};
        if (clients[old].verifier != verifier) return {NFS4ERR_NOT_SAME};
        if (clients[old].uid != uid) return {NFS4ERR_PERM};
        return known();
    }
    if (old >= 0 && clients[old].uid == uid && clients[old].verifier == verifier) return known();
    if (old >= 0 && clients[old].uid != uid) {
        if ((has_sessions(old) || has_opens(old)) && !expired(old)) return {NFS4ERR_CLID_INUSE};
        drop_client(old);
    }
    for (Client& one : clients)
        if (one.owner == owner && !one.confirmed) one.alive = false;
    clients.push_back({.owner = owner, .verifier = verifier, .uid = uid, .renewed = now});
    return {NFS4_OK, last_of(clients), false, 1};
}

// §18.36.4.
Answer Model::create_session(int client, std::uint32_t sequence, std::uint32_t uid) {
    if (client < 0 || !clients[client].alive) return {NFS4ERR_STALE_CLIENTID};
    Client& one = clients[client];
    if (sequence + 1 == one.next_create && one.last_session >= 0)
        return {NFS4_OK, one.last_session, false, sequence};
    if (sequence != one.next_create) return {NFS4ERR_SEQ_MISORDERED};
    if (!one.confirmed && one.uid != uid) return {NFS4ERR_CLID_INUSE};
    unsigned count = 0;
    for (const Session& other : sessions) count += other.alive && other.client == client;
    if (count >= kSessionsMax) return {NFS4ERR_DELAY};
    if (!one.confirmed) {
        if (const int old = confirmed_client(one.owner); old >= 0) drop_client(old);
        one.confirmed = true;
    }
    one.renewed = now;
    ++one.next_create;
    sessions.push_back({.client = client, .slots = {}});
    one.last_session = last_of(sessions);
    return {NFS4_OK, one.last_session, false, sequence};
}

nfsstat4 Model::destroy_session(int session, std::uint32_t uid) {
    if (session < 0 || !sessions[session].alive) return NFS4ERR_BADSESSION;
    if (clients[sessions[session].client].uid != uid) return NFS4ERR_WRONG_CRED;
    drop_session(session);
    return NFS4_OK;
}

nfsstat4 Model::destroy_client(int client) {
    if (client < 0 || !clients[client].alive) return NFS4ERR_STALE_CLIENTID;
    if (has_sessions(client) || has_opens(client)) return NFS4ERR_CLIENTID_BUSY;
    drop_client(client);
    return NFS4_OK;
}

nfsstat4 Model::bind(int session) {
    if (session < 0 || !sessions[session].alive) return NFS4ERR_BADSESSION;
    clients[sessions[session].client].renewed = now;
    return NFS4_OK;
}

void Model::evict(int client) {
    if (clients[client].alive) drop_client(client);
}

// §2.10.6, §18.46.
Model::Begun Model::sequence(int session, unsigned slot, std::uint32_t number, std::uint64_t call,
                             bool cache, nfsstat4& status) {
    const auto refuse = [&](nfsstat4 why) {
        status = why;
        return Begun::refused;
    };
    if (session < 0 || !sessions[session].alive) return refuse(NFS4ERR_BADSESSION);
    if (slot >= kSlots) return refuse(NFS4ERR_BADSLOT);
    // Whatever is wrong with the call, the client is there.
    clients[sessions[session].client].renewed = now;
    Slot& at = sessions[session].slots[slot];
    const bool again = number == at.sequence && at.call != 0;
    if (again && call != at.call) return refuse(NFS4ERR_SEQ_FALSE_RETRY);
    if (!again && number != at.sequence + 1) return refuse(NFS4ERR_SEQ_MISORDERED);
    status = NFS4_OK;
    if (again) return at.cached ? Begun::replay : Begun::uncached;
    at = {number, cache, call};
    return Begun::run;
}

// ---- Grace (§8.4.2) ----

void Model::restart() {
    for (Client& one : clients) one.alive = false;
    for (Session& one : sessions) one.alive = false;
    for (State& one : states) one.alive = false;
    bytes_ = {};
    may_reclaim_.clear();
    for (const std::string& owner : records) may_reclaim_[owner] = false;
    grace_end_ = now + kLease;
}

bool Model::in_grace() {
    end_grace();
    return !may_reclaim_.empty();
}

void Model::end_grace() {
    const bool all = std::all_of(may_reclaim_.begin(), may_reclaim_.end(),
                                 [](const auto& one) { return one.second; });
    if (!all && now < grace_end_) return;
    // §8.4.3: those that reclaimed nothing in time have lost it for good, because others may hold
    // it from now on.
    for (const auto& [owner, done] : may_reclaim_) {
        const int client = confirmed_client(owner);
        if (!done && (client < 0 || !has_opens(client))) records.erase(owner);
    }
    may_reclaim_.clear();
}

nfsstat4 Model::check_grace(int client, bool reclaim) {
    const bool grace = in_grace();
    if (!reclaim) return grace ? NFS4ERR_GRACE : NFS4_OK;
    if (!grace || clients[client].reclaim_complete) return NFS4ERR_NO_GRACE;
    return may_reclaim_.contains(clients[client].owner) ? NFS4_OK : NFS4ERR_RECLAIM_BAD;
}

nfsstat4 Model::reclaim_complete(int session) {
    const int client = sessions[session].client;
    if (clients[client].reclaim_complete) return NFS4ERR_COMPLETE_ALREADY;
    clients[client].reclaim_complete = true;
    if (!has_opens(client)) records.erase(clients[client].owner);
    const auto at = may_reclaim_.find(clients[client].owner);
    if (at != may_reclaim_.end()) at->second = true;
    end_grace();
    return NFS4_OK;
}

}  // namespace helio::tests::model
