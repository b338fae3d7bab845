#include "helio/vfs/lock_manager.h"

namespace helio::vfs {

namespace {

// As POSIX requires: a read lock needs an open for reading, a write lock one for writing.
Status check_lock(const OpenFile& file, const LockRange& range, LockType type) {
    if (range.first > range.last) return Status::invalid;
    const bool open_for_it = type == LockType::read ? reads(file.access()) : writes(file.access());
    return open_for_it ? Status::ok : Status::access_denied;
}

}  // namespace

Status LockManager::test(const Caller&, OpenFile& file, LockOwner owner, const LockRange& range,
                         LockType type, std::optional<LockConflict>& conflict) {
    if (range.first > range.last) return Status::invalid;
    Shard& shard = shard_of(file.id());
    const std::lock_guard hold(shard.mutex);
    const auto at = shard.files.find(file.id());
    if (at != shard.files.end()) {
        conflict = at->second.locks.conflict(owner, range, type);
        if (conflict || !at->second.outer) return Status::ok;
        return at->second.outer->test(range, type, conflict);
    }
    conflict.reset();
    std::unique_ptr<OuterLocks> outer;
    if (make_outer_) {
        if (const Status made = make_outer_(file, outer); made != Status::ok) return made;
    }
    return outer ? outer->test(range, type, conflict) : Status::ok;
}

Status LockManager::lock(const Caller&, OpenFile& file, LockOwner owner, const LockRange& range,
                         LockType type, LockConflict& conflict) {
    if (const Status good = check_lock(file, range, type); good != Status::ok) return good;
    if (count() >= ranges_max_) return Status::no_locks;
    Shard& shard = shard_of(file.id());
    const std::lock_guard hold(shard.mutex);
    const auto [at, added] = shard.files.try_emplace(file.id());
    Status status = Status::ok;
    if (added && make_outer_) status = make_outer_(file, at->second.outer);
    if (status == Status::ok) status = take(at->second, file, owner, range, type, conflict);
    if (status != Status::ok && added) shard.files.erase(at);
    return status;
}

Status LockManager::take(LockedFile& locked, OpenFile& file, LockOwner owner,
                         const LockRange& range, LockType type, LockConflict& conflict) {
    if (locked.locks.count() >= kLockRangesPerFileMax) return Status::no_locks;
    if (const auto found = locked.locks.conflict(owner, range, type)) {
        conflict = *found;
        return Status::locked;
    }
    // No other owner holds a write lock here, so this type is the strongest in the range.
    if (locked.outer) {
        const Status acquired = locked.outer->acquire(file, range, type, conflict);
        if (acquired != Status::ok) return acquired;
    }
    const std::size_t before = locked.locks.count();
    locked.locks.set(owner, range, type);
    recount(before, locked.locks.count());
    return Status::ok;
}

Status LockManager::unlock(const Caller&, const FileId& file, LockOwner owner,
                           const LockRange& range) {
    if (range.first > range.last) return Status::invalid;
    Shard& shard = shard_of(file);
    const std::lock_guard hold(shard.mutex);
    const auto at = shard.files.find(file);
    if (at != shard.files.end()) give_up(shard, at, owner, range);
    return Status::ok;
}

void LockManager::give_up(Shard& shard, FileAt at, LockOwner owner, const LockRange& range) {
    LockedFile& locked = at->second;
    const std::size_t before = locked.locks.count();
    const auto parts = locked.locks.clear(owner, range);
    recount(before, locked.locks.count());
    if (locked.locks.empty()) {
        shard.files.erase(at);
        return;
    }
    if (!locked.outer) return;
    for (const LockRange& part : parts)
        for (const auto& piece : locked.locks.pieces(part))
            locked.outer->weaken(piece.range, piece.type);
}

std::vector<HeldLock> LockManager::held(const FileId& file, LockOwner owner, std::uint64_t from,
                                        std::size_t count_max) {
    Shard& shard = shard_of(file);
    const std::lock_guard hold(shard.mutex);
    const auto at = shard.files.find(file);
    if (at == shard.files.end()) return {};
    return at->second.locks.held(owner, from, count_max);
}

void LockManager::release(const FileId& file, LockOwner owner) {
    Shard& shard = shard_of(file);
    const std::lock_guard hold(shard.mutex);
    const auto at = shard.files.find(file);
    if (at != shard.files.end()) give_up(shard, at, owner, {});
}

}  // namespace helio::vfs
