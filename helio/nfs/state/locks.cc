// Lock owners and their stateids (RFC 8881 §9.1 to §9.4, §18.10 to §18.12).
#include <iterator>
#include <utility>

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
    LockState* const first = locks_by(client, *open->file, owner);
    for (const LockState* one = first; one != nullptr; one = one->next_of_owner)
        if (one->open == open)
            return {
                .id = one->id, .owner = one->number, .file = open->handle, .access = open->access};
    if (client.opens.size() + client.lock_count >= kStatesPerClientMax)
        return {.status = NFS4ERR_DELAY};
    LockState& made = open->locks.emplace_back();
    made.self = std::prev(open->locks.end());
    made.id = new_stateid();
    made.id.seqid = 0;  // the first lock makes it 1
    made.open = open;
    made.owner = owner;
    locks_.emplace(key_of(made.id), &made);
    if (first != nullptr) {
        made.number = first->number;
        made.next_of_owner = std::exchange(first->next_of_owner, &made);
    } else {
        made.number = next_++;
        lock_owners_.emplace(made.number, &made);
        locks_by_owner_.emplace(OwnerKey{&client, open->file, made.owner}, &made);
    }
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

void State::drop_lock(LockState& gone, When when) {
    OpenState& open = *gone.open;
    locks_.erase(key_of(gone.id));
    if (!leave_owner(gone)) {
        if (release_) release_(open.file->key, gone.number, when);
        const bool held_any = gone.id.seqid != 0;
        if (held_any) freed(open.file->key, {}, LockWaiters::Freed::for_all);
    }
    --open.client->lock_count;
    open.locks.erase(gone.self);
}

// Takes it out of the tables of owners. True: other opens share its locks.
bool State::leave_owner(const LockState& gone) {
    LockState*& first = lock_owners_.at(gone.number);
    const auto by_name = locks_by_owner_.find({gone.open->client, gone.open->file, gone.owner});
    if (first != &gone) {
        LockState* before = first;
        while (before->next_of_owner != &gone) before = before->next_of_owner;
        before->next_of_owner = gone.next_of_owner;
        return true;
    }
    if (gone.next_of_owner == nullptr) {
        locks_by_owner_.erase(by_name);
        lock_owners_.erase(gone.number);
        return false;
    }
    first = gone.next_of_owner;
    // The key's text is the first one's.
    auto node = locks_by_owner_.extract(by_name);
    node.key().owner = first->owner;
    node.mapped() = first;
    locks_by_owner_.insert(std::move(node));
    return true;
}

State::LockState* State::locks_by(const Client& client, const FileState& file,
                                  std::string_view owner) const {
    const auto at = locks_by_owner_.find({&client, &file, owner});
    return at != locks_by_owner_.end() ? at->second : nullptr;
}

vfs::LockOwner State::lock_owner(Session& session, const std::string& owner, const FileKey& file) {
    const Lock lock{mutex_};
    if (const auto at = files_.find(file); at != files_.end() && session.client_ != nullptr)
        if (const LockState* const one = locks_by(*session.client_, *at->second, owner))
            return one->number;
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
