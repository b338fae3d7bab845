// Open files and share reservations (RFC 8881 §9.7, §9.8, §18.2, §18.16, §18.18), and stateids
// (§8.2).
#include <algorithm>
#include <bit>
#include <iterator>

#include "helio/nfs/state/state_internal.h"

namespace helio::nfs::state {

using namespace nfs4;

StateId State::new_stateid() {
    StateId id{.seqid = 1};
    const auto start = static_cast<std::uint32_t>(random_);
    const std::uint64_t key = next_++;
    std::memcpy(id.other.data(), &start, 4);
    std::memcpy(id.other.data() + 4, &key, 8);
    return id;
}

nfsstat4 State::check_seqid(const StateId& given, const StateId& have) const {
    if (!given.same_other(have)) return NFS4ERR_BAD_STATEID;
    if (given.seqid == 0 || given.seqid == have.seqid) return NFS4_OK;
    return given.seqid < have.seqid ? NFS4ERR_OLD_STATEID : NFS4ERR_BAD_STATEID;
}

State::OpenState* State::open_of(Client& client, const StateId& id, nfsstat4& status) {
    const auto at = opens_.find(key_of(id));
    if (at == opens_.end() || at->second->client != &client) {
        status = NFS4ERR_BAD_STATEID;
        return nullptr;
    }
    status = check_seqid(id, at->second->id);
    return status == NFS4_OK ? at->second : nullptr;
}

State::LockState* State::lock_of(Client& client, const StateId& id, nfsstat4& status) {
    const auto at = locks_.find(key_of(id));
    if (at == locks_.end() || at->second->open->client != &client) {
        status = NFS4ERR_BAD_STATEID;
        return nullptr;
    }
    status = check_seqid(id, at->second->id);
    return status == NFS4_OK ? at->second : nullptr;
}

nfsstat4 State::check_grace(Session& session, bool reclaim, Instant now) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return NFS4ERR_BADSESSION;
    const Client& client = *session.client_;
    end_grace_if_done(now);
    if (!reclaim) return may_reclaim_.empty() ? NFS4_OK : NFS4ERR_GRACE;
    if (client.reclaim_complete || may_reclaim_.empty()) return NFS4ERR_NO_GRACE;
    return may_reclaim_.contains(client.owner.name) ? NFS4_OK : NFS4ERR_RECLAIM_BAD;
}

std::size_t State::OwnerHash::operator()(const OwnerKey& key) const noexcept {
    const auto where = reinterpret_cast<std::uintptr_t>(key.client) ^
                       std::rotl(reinterpret_cast<std::uintptr_t>(key.file), 32);
    return mixed(where) ^ std::hash<std::string_view>{}(key.owner);
}

State::OpenState* State::open_by(const Client& client, const FileState& file,
                                 std::string_view owner) const {
    const auto at = opens_by_owner_.find({&client, &file, owner});
    return at != opens_by_owner_.end() ? at->second : nullptr;
}

bool State::may_conflict(const Client& client, const FileState& file, const Open& event) const {
    const OpenState* const own = open_by(client, file, event.owner);
    for (unsigned bit = 0; bit < 2; ++bit) {
        const auto has = [&](std::uint8_t bits) { return (bits >> bit & 1u) != 0; };
        if (has(event.access) && file.deny[bit] > (own != nullptr && has(own->deny) ? 1 : 0))
            return true;
        if (has(event.deny) && file.access[bit] > (own != nullptr && has(own->access) ? 1 : 0))
            return true;
    }
    return false;
}

// Opens of others that this one cannot stand beside. Expired clients go.
nfsstat4 State::conflict(Client& client, const Open& event, Instant now) {
    for (;;) {
        const auto at = files_.find(event.file);
        if (at == files_.end() || !may_conflict(client, *at->second, event)) return NFS4_OK;
        const auto clashes = [&](const OpenState* other) {
            const bool own = other->client == &client && other->owner == event.owner;
            return !own && ((event.access & other->deny) != 0 || (event.deny & other->access) != 0);
        };
        const auto& opens = at->second->opens;
        const auto found = std::find_if(opens.begin(), opens.end(), clashes);
        if (found == opens.end()) return NFS4_OK;
        Client& other = *(*found)->client;
        if (&other == &client || !expired(other, now)) return NFS4ERR_SHARE_DENIED;
        make_way(other);
    }
}

nfsstat4 State::check_share(Session& session, const Open& event, Instant now) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return NFS4ERR_BADSESSION;
    return conflict(*session.client_, event, now);
}

std::uint8_t State::access_of(Session& session, const std::string& owner, const FileKey& file) {
    const Lock lock{mutex_};
    const auto at = files_.find(file);
    if (at == files_.end() || session.client_ == nullptr) return 0;
    const OpenState* const open = open_by(*session.client_, *at->second, owner);
    return open != nullptr ? open->access : 0;
}

bool State::must_record(Session& session) {
    const Lock lock{mutex_};
    return session.client_ != nullptr && !session.client_->recorded;
}

bool State::record(Session& session) {
    std::string owner;
    {
        const Lock lock{mutex_};
        if (session.client_ == nullptr) return true;  // open() says so
        owner = session.client_->owner.name;
    }
    if (!recovery_.add(owner)) return false;
    const Lock lock{mutex_};
    if (session.client_ != nullptr) session.client_->recorded = true;
    return true;
}

OpenDone State::open(Session& session, const Open& event, std::shared_ptr<vfs::OpenFile> handle,
                     Instant now) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return {.status = NFS4ERR_BADSESSION};
    Client& client = *session.client_;
    // Somebody else may have opened it while this call waited for the file system.
    if (const nfsstat4 status = conflict(client, event, now); status != NFS4_OK)
        return {.status = status};
    if (!client.recorded) {
        if (!recovery_.add(client.owner.name)) return {.status = NFS4ERR_SERVERFAULT};
        client.recorded = true;
    }
    auto& file = files_[event.file];
    if (!file) file = std::make_unique<FileState>(FileState{event.file, {}});
    OpenState* open = open_by(client, *file, event.owner);
    if (open != nullptr) {
        ++open->id.seqid;
        file->count(open->access, open->deny, -1);
    } else {
        if (client.opens.size() + client.lock_count >= kStatesPerClientMax) {
            if (file->opens.empty()) files_.erase(event.file);
            return {.status = NFS4ERR_DELAY};
        }
        open = &client.opens.emplace_back();
        open->self = std::prev(client.opens.end());
        open->id = new_stateid();
        open->client = &client;
        open->owner = event.owner;
        open->file = file.get();
        open->place = file->opens.size();
        file->opens.push_back(open);
        opens_.emplace(key_of(open->id), open);
        opens_by_owner_.emplace(OwnerKey{&client, file.get(), open->owner}, open);
    }
    open->access |= event.access;
    open->deny |= event.deny;
    file->count(open->access, open->deny, 1);
    open->handle = std::move(handle);
    return {.id = open->id, .access = open->access, .file = open->handle};
}

OpenDone State::downgrade(Session& session, const StateId& id, const FileKey& file,
                          std::uint8_t access, std::uint8_t deny) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return {.status = NFS4ERR_BADSESSION};
    nfsstat4 status = NFS4_OK;
    OpenState* const open = open_of(*session.client_, id, status);
    if (open == nullptr) return {.status = status};
    if (!(open->file->key == file)) return {.status = NFS4ERR_BAD_STATEID};
    if (access == 0 || (access & ~open->access) != 0 || (deny & ~open->deny) != 0)
        return {.status = NFS4ERR_INVAL};
    open->file->count(open->access, open->deny, -1);
    open->access = access;
    open->deny = deny;
    open->file->count(access, deny, 1);
    ++open->id.seqid;
    return {.id = open->id, .access = open->access, .file = open->handle};
}

nfsstat4 State::close(Session& session, const StateId& id, const FileKey& file, StateId& out) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return NFS4ERR_BADSESSION;
    nfsstat4 status = NFS4_OK;
    OpenState* const open = open_of(*session.client_, id, status);
    if (open == nullptr) return status;
    if (!(open->file->key == file)) return NFS4ERR_BAD_STATEID;
    drop_open(*open);
    // RFC 8881 §18.2.4: a stateid that nobody can use by mistake.
    out = {.seqid = UINT32_MAX, .other = {}};
    return NFS4_OK;
}

void State::drop_open(OpenState& open) {
    drop_open(open, open.locks.size() > kReleasedAtOnceMax ? When::soon : When::now);
}

void State::drop_open(OpenState& open, When when) {
    while (!open.locks.empty()) drop_lock(open.locks.back(), when);
    FileState& file = *open.file;
    opens_.erase(key_of(open.id));
    opens_by_owner_.erase({open.client, &file, open.owner});
    file.count(open.access, open.deny, -1);
    file.opens[open.place] = file.opens.back();
    file.opens[open.place]->place = open.place;
    file.opens.pop_back();
    const auto of_client = [&](const OpenState* other) { return other->client == open.client; };
    if (waiters_.has(open.client->id, file.key) &&
        std::none_of(file.opens.begin(), file.opens.end(), of_client))
        waiters_.drop_file(open.client->id, file.key);
    if (file.opens.empty()) files_.erase(FileKey{file.key});
    Client& client = *open.client;
    client.opens.erase(open.self);
}

Found State::find(Session& session, const StateId& id, const FileKey& file, std::uint8_t wanted) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return {.status = NFS4ERR_BADSESSION};
    if (id.is_anonymous() || id.is_bypass()) {
        // Without state, but the opens of others may deny it.
        const auto at = files_.find(file);
        if (at == files_.end() || (id.is_bypass() && wanted == kRead)) return {};
        for (unsigned bit = 0; bit < 2; ++bit)
            if ((wanted >> bit & 1u) != 0 && at->second->deny[bit] > 0)
                return {.status = NFS4ERR_LOCKED};
        return {};
    }
    nfsstat4 status = NFS4_OK;
    const OpenState* open = open_of(*session.client_, id, status);
    if (open == nullptr && status == NFS4ERR_BAD_STATEID)
        if (const LockState* const lock_state = lock_of(*session.client_, id, status))
            open = lock_state->open;
    if (open == nullptr) return {.status = status};
    if (!(open->file->key == file)) return {.status = NFS4ERR_BAD_STATEID};
    // Clients read through files that are open for writing only, to fill pages (§18.22.3).
    if (wanted == kWrite && (open->access & kWrite) == 0) return {.status = NFS4ERR_OPENMODE};
    return {.file = open->handle, .access = open->access};
}

std::shared_ptr<vfs::OpenFile> State::any_open(const FileKey& file) {
    const Lock lock{mutex_};
    const auto at = files_.find(file);
    return at != files_.end() ? at->second->opens.front()->handle : nullptr;
}

nfsstat4 State::test(Session& session, const StateId& id) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return NFS4ERR_BADSESSION;
    nfsstat4 status = NFS4_OK;
    if (open_of(*session.client_, id, status) != nullptr || status == NFS4ERR_OLD_STATEID)
        return status;
    lock_of(*session.client_, id, status);
    return status;
}

nfsstat4 State::free(Session& session, const StateId& id) {
    const Lock lock{mutex_};
    if (session.client_ == nullptr) return NFS4ERR_BADSESSION;
    nfsstat4 status = NFS4_OK;
    if (open_of(*session.client_, id, status) != nullptr) return NFS4ERR_LOCKS_HELD;
    if (status == NFS4ERR_OLD_STATEID) return status;
    LockState* const found = lock_of(*session.client_, id, status);
    if (found == nullptr) return status;
    drop_lock(*found);
    return NFS4_OK;
}

}  // namespace helio::nfs::state
