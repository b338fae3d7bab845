// The model's open files and locks.
#include <algorithm>

#include "tests/nfs_model/model.h"

namespace helio::tests::model {

using namespace nfs4;

// ---- Stateids (§8.2) ----

nfsstat4 Model::find(int client, const Given& id, bool lock, int& out) const {
    if (id.kind != Given::Kind::state || id.state < 0) return NFS4ERR_BAD_STATEID;
    const State& state = states[id.state];
    if (!state.alive || state.client != client || state.is_lock != lock) return NFS4ERR_BAD_STATEID;
    if (id.seqid == Given::Seqid::old) return NFS4ERR_OLD_STATEID;
    if (id.seqid == Given::Seqid::future) return NFS4ERR_BAD_STATEID;
    out = id.state;
    return NFS4_OK;
}

void Model::drop_state(int state) {
    State& gone = states[state];
    gone.alive = false;
    if (!gone.is_lock) {
        for (std::size_t i = 0; i < states.size(); ++i)
            if (states[i].alive && states[i].is_lock && states[i].open == state)
                drop_state(static_cast<int>(i));
        return;
    }
    // The same owner may have locked through another of its client's opens.
    for (const State& other : states)
        if (other.alive && other.is_lock && other.client == gone.client &&
            other.owner == gone.owner && other.file == gone.file)
            return;
    set_range(gone.client, gone.owner, gone.file, {0, kBytes - 1}, -1);
}

nfsstat4 Model::test(int session, const Given& id) {
    int found = -1;
    const bool lock = id.kind == Given::Kind::state && id.state >= 0 && states[id.state].is_lock;
    return find(sessions[session].client, id, lock, found);
}

// §18.38. Freeing a lock's stateid also gives up the lock.
nfsstat4 Model::free(int session, const Given& id) {
    const int client = sessions[session].client;
    int found = -1;
    if (find(client, id, false, found) == NFS4_OK) return NFS4ERR_LOCKS_HELD;
    if (const nfsstat4 status = test(session, id); status != NFS4_OK) return status;
    drop_state(id.state);
    return NFS4_OK;
}

// ---- Opens (§9.7, §18.16) ----

std::vector<int> Model::opens_in_the_way(int client, const std::string& owner, unsigned file,
                                         unsigned access, unsigned deny) const {
    std::vector<int> out;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const State& one = states[i];
        if (!one.alive || one.is_lock || one.file != file) continue;
        if (one.client == client && one.owner == owner) continue;
        if ((one.access & deny) != 0 || (one.deny & access) != 0)
            out.push_back(static_cast<int>(i));
    }
    return out;
}

bool Model::mixed_opens(int session, const std::string& owner, unsigned file, unsigned access,
                        unsigned deny) const {
    const int client = sessions[session].client;
    bool any = false, all = true;
    for (const int one : opens_in_the_way(client, owner, file, access, deny)) {
        const bool goes = states[one].client != client && expired(states[one].client);
        any = any || goes;
        all = all && goes;
    }
    return any && !all;
}

Answer Model::open(int session, const std::string& owner, unsigned file, unsigned access,
                   unsigned deny, bool reclaim) {
    const int client = sessions[session].client;
    if (const nfsstat4 status = check_grace(client, reclaim); status != NFS4_OK) return {status};
    for (const int one : opens_in_the_way(client, owner, file, access, deny)) {
        if (!states[one].alive) continue;
        if (states[one].client == client || !expired(states[one].client))
            return {NFS4ERR_SHARE_DENIED};
        drop_client(states[one].client);
    }
    records.insert(clients[client].owner);
    for (std::size_t i = 0; i < states.size(); ++i) {
        State& one = states[i];
        if (!one.alive || one.is_lock || one.client != client || one.owner != owner ||
            one.file != file)
            continue;
        ++one.seqid;
        one.access |= access;
        one.deny |= deny;
        return {NFS4_OK, static_cast<int>(i)};
    }
    states.push_back(
        {.client = client, .owner = owner, .file = file, .access = access, .deny = deny});
    return {NFS4_OK, static_cast<int>(states.size()) - 1};
}

Answer Model::downgrade(int session, const Given& id, unsigned file, unsigned access,
                        unsigned deny) {
    int found = -1;
    const nfsstat4 status = find(sessions[session].client, id, false, found);
    if (status != NFS4_OK) return {status};
    State& open = states[found];
    if (open.file != file) return {NFS4ERR_BAD_STATEID};
    if (access == 0 || (access & ~open.access) != 0 || (deny & ~open.deny) != 0)
        return {NFS4ERR_INVAL};
    open.access = access;
    open.deny = deny;
    ++open.seqid;
    return {NFS4_OK, found};
}

nfsstat4 Model::close(int session, const Given& id, unsigned file) {
    int found = -1;
    const nfsstat4 status = find(sessions[session].client, id, false, found);
    if (status != NFS4_OK) return status;
    if (states[found].file != file) return NFS4ERR_BAD_STATEID;
    drop_state(found);
    return NFS4_OK;
}

// §18.22, §18.32. Locks are advisory; share reservations hold for callers without state, too.
bool Model::denying(unsigned file, bool write) const {
    return std::any_of(states.begin(), states.end(), [&](const State& one) {
        return one.alive && !one.is_lock && one.file == file && (one.deny & (write ? 2 : 1)) != 0;
    });
}

nfsstat4 Model::read_or_write(int session, const Given& id, unsigned file, bool write) {
    if (id.kind == Given::Kind::anonymous || id.kind == Given::Kind::bypass) {
        if (id.kind == Given::Kind::bypass && !write) return NFS4_OK;
        if (in_grace()) return NFS4ERR_GRACE;
        return denying(file, write) ? NFS4ERR_LOCKED : NFS4_OK;
    }
    if (const nfsstat4 status = test(session, id); status != NFS4_OK) return status;
    const State& state = states[id.state];
    if (state.file != file) return NFS4ERR_BAD_STATEID;
    const State& open = state.is_lock ? states[state.open] : state;
    return write && (open.access & 2) == 0 ? NFS4ERR_OPENMODE : NFS4_OK;
}

// ---- Locks (§9.1 to §9.4, §18.10 to §18.12) ----

const Model::Held* Model::held_by(const Byte& byte, int client, const std::string& owner) const {
    for (const Held& one : byte)
        if (one.client == client && one.owner == owner) return &one;
    return nullptr;
}

// Type 1: write, 0: read, -1: none.
void Model::set_range(int client, const std::string& owner, unsigned file, const Range& range,
                      int type) {
    for (unsigned at = range.first; at <= range.last; ++at) {
        Byte& byte = bytes_[file][at];
        std::erase_if(byte,
                      [&](const Held& one) { return one.client == client && one.owner == owner; });
        if (type >= 0) byte.push_back({client, owner, type == 1});
    }
}

std::set<int> Model::lockers_in_the_way(int client, const std::string& owner, unsigned file,
                                        const Range& range, bool write) const {
    std::set<int> out;
    for (unsigned at = range.first; at <= range.last; ++at)
        for (const Held& one : bytes_[file][at])
            if (!(one.client == client && one.owner == owner) && (write || one.write))
                out.insert(one.client);
    return out;
}

bool Model::mixed_locks(int session, const std::string& owner, unsigned file, const Range& range,
                        bool write) const {
    bool any = false, all = true;
    for (const int one : lockers_in_the_way(sessions[session].client, owner, file, range, write)) {
        any = any || expired(one);
        all = all && expired(one);
    }
    return any && !all;
}

std::string Model::lock_owner_of(int session, const Given& id) const {
    int found = -1;
    if (find(sessions[session].client, id, true, found) != NFS4_OK) return {};
    return states[found].owner;
}

Answer Model::lock(int session, const LockCall& call) {
    const int client = sessions[session].client;
    if (const nfsstat4 status = check_grace(client, call.reclaim); status != NFS4_OK)
        return {status};
    int given = -1;
    const nfsstat4 status = find(client, call.id, !call.new_owner, given);
    if (status != NFS4_OK) return {status};
    if (states[given].file != call.file) return {NFS4ERR_BAD_STATEID};
    const int open = call.new_owner ? given : states[given].open;
    const std::string owner = call.new_owner ? call.owner : states[given].owner;
    if ((states[open].access & (call.write ? 2 : 1)) == 0) return {NFS4ERR_OPENMODE};
    for (const int one : lockers_in_the_way(client, owner, call.file, call.range, call.write)) {
        if (!expired(one)) return {NFS4ERR_DENIED};
        drop_client(one);
    }
    set_range(client, owner, call.file, call.range, call.write ? 1 : 0);
    for (std::size_t i = 0; i < states.size(); ++i) {
        State& one = states[i];
        if (!one.alive || !one.is_lock || one.open != open || one.owner != owner) continue;
        ++one.seqid;
        return {NFS4_OK, static_cast<int>(i)};
    }
    states.push_back(
        {.client = client, .owner = owner, .file = call.file, .is_lock = true, .open = open});
    return {NFS4_OK, static_cast<int>(states.size()) - 1};
}

Answer Model::unlock(int session, const Given& id, unsigned file, const Range& range) {
    const int client = sessions[session].client;
    int found = -1;
    const nfsstat4 status = find(client, id, true, found);
    if (status != NFS4_OK) return {status};
    if (states[found].file != file) return {NFS4ERR_BAD_STATEID};
    set_range(client, states[found].owner, file, range, -1);
    ++states[found].seqid;
    return {NFS4_OK, found};
}

nfsstat4 Model::lock_test(int session, const std::string& owner, unsigned file, const Range& range,
                          bool write) {
    if (in_grace()) return NFS4ERR_GRACE;
    return lockers_in_the_way(sessions[session].client, owner, file, range, write).empty()
               ? NFS4_OK
               : NFS4ERR_DENIED;
}

bool Model::may_deny(int session, const std::string& owner, unsigned file, const Range& asked,
                     bool write, int holder, const std::string& holder_owner, const Range& held,
                     bool held_write) const {
    const auto& bytes = bytes_[file];
    if (holder == sessions[session].client && holder_owner == owner) return false;
    if (!write && !held_write) return false;
    if (held.first > asked.last || held.last < asked.first) return false;
    const auto has = [&](unsigned at) {
        const Held* const one = held_by(bytes[at], holder, holder_owner);
        return one != nullptr && one->write == held_write;
    };
    for (unsigned at = held.first; at <= held.last; ++at)
        if (!has(at)) return false;
    // All of it: neighbours of the same type are one lock.
    return !(held.first > 0 && has(held.first - 1)) &&
           !(held.last + 1 < kBytes && has(held.last + 1));
}

}  // namespace helio::tests::model
