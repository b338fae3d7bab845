// Lock owners and their stateids (RFC 8881 §9.1 to §9.4, §18.10 to §18.12).
#include <iterator>

#include "helio/nfs/state/state_internal.h"

namespace helio::nfs::state {

using namespace nfs4;

LockDone State::first_lock(Session& session, const StateId& id, const std::string& owner,
                           const FileKey& file) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return {.status = NFS4ERR_BADSESSION};
    Client& client = *session.client_;
    nfsstat4 status = NFS4_OK;
    OpenState* const open = open_of(client, id, status);
    if (open == nullptr) return {.status = status};
    if (!(open->file->key == file)) return {.status = NFS4ERR_BAD_STATEID};
    // An owner that has locks here already continues with them, by whichever of its opens.
    vfs::LockOwner number = 0;
    for (OpenState* const other : open->file->opens) {
        if (other->client != &client) continue;
        for (LockState& one : other->locks) {
            if (one.owner != owner) continue;
            if (other == open)
                return {.id = one.id,
                        .owner = one.number,
                        .file = open->handle,
                        .access = open->access};
            number = one.number;
        }
    }
    if (client.opens.size() + client.lock_count >= kStatesPerClientMax)
        return {.status = NFS4ERR_DELAY};
    LockState& made = open->locks.emplace_back();
    made.self = std::prev(open->locks.end());
    made.id = new_stateid();
    made.id.seqid = 0;  // the first lock makes it 1
    made.open = open;
    made.owner = owner;
    made.number = number != 0 ? number : next_++;
    locks_.emplace(key_of(made.id), &made);
    lock_owners_.emplace(made.number, &made);
    ++client.lock_count;
    return {.id = made.id,
            .owner = made.number,
            .file = open->handle,
            .access = open->access,
            .created = true};
}

LockDone State::next_lock(Session& session, const StateId& id, const FileKey& file) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return {.status = NFS4ERR_BADSESSION};
    nfsstat4 status = NFS4_OK;
    const LockState* const found = lock_of(*session.client_, id, status);
    if (found == nullptr) return {.status = status};
    if (!(found->open->file->key == file)) return {.status = NFS4ERR_BAD_STATEID};
    return {.id = found->id,
            .owner = found->number,
            .file = found->open->handle,
            .access = found->open->access};
}

std::optional<StateId> State::lock_changed(Session& session, const StateId& id) {
    const Lock lock{mutex_};
    const auto at = locks_.find(key_of(id));
    if (at == locks_.end() || at->second->open->client != session.client_) return std::nullopt;
    ++at->second->id.seqid;
    return at->second->id;
}

void State::forget(Session& session, const StateId& id) {
    const Lock lock{mutex_};
    const auto at = locks_.find(key_of(id));
    if (at == locks_.end() || at->second->open->client != session.client_) return;
    // Another call of the same owner may have been granted a lock meanwhile.
    if (at->second->id.seqid == 0) drop_lock(*at->second);
}

void State::drop_lock(LockState& gone) {
    OpenState& open = *gone.open;
    locks_.erase(key_of(gone.id));
    // Another open of the same owner may share its locks.
    bool shared = false;
    for (OpenState* const other : open.file->opens)
        for (LockState& one : other->locks)
            if (&one != &gone && one.number == gone.number) {
                shared = true;
                lock_owners_[gone.number] = &one;
            }
    if (!shared) {
        lock_owners_.erase(gone.number);
        if (release_) release_(open.file->key, gone.number);
        const bool held_any = gone.id.seqid != 0;
        if (held_any) freed(open.file->key, {}, LockWaiters::Freed::for_all);
    }
    --open.client->lock_count;
    open.locks.erase(gone.self);
}

vfs::LockOwner State::lock_owner(Session& session, const std::string& owner, const FileKey& file) {
    const Lock lock{mutex_};
    if (const auto at = files_.find(file); at != files_.end())
        for (const OpenState* open : at->second->opens)
            if (open->client == session.client_)
                for (const LockState& one : open->locks)
                    if (one.owner == owner) return one.number;
    return next_++;  // nobody has this number, so it conflicts with everybody
}

std::optional<LockHolder> State::holder(vfs::LockOwner owner) {
    const Lock lock{mutex_};
    const auto at = lock_owners_.find(owner);
    if (at == lock_owners_.end()) return std::nullopt;
    return LockHolder{at->second->open->client->id, at->second->owner};
}

State::Way State::make_way(vfs::LockOwner owner, Instant now) {
    const Lock lock{mutex_};
    const auto at = lock_owners_.find(owner);
    if (at == lock_owners_.end()) return Way::gone;
    Client& client = *at->second->open->client;
    if (!expired(client, now)) return Way::blocked;
    make_way(client);
    return Way::evicted;
}

}  // namespace helio::nfs::state
