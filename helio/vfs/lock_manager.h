// LockManager: RangeLocks for any back end. It keeps the locks of this server in memory. Where
// programs outside the server can lock the same files, an OuterLocks per file makes both sides see
// each other.
//
//     vfs::LockManager locks_;
//     vfs::RangeLocks* range_locks() override { return &locks_; }
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "helio/vfs/file_locks.h"
#include "helio/vfs/range_locks.h"

namespace helio::vfs {

// Locked ranges per file system, to bound memory: about 64 MB, and far more than applications use.
inline constexpr std::size_t kLockRangesMax = 1u << 20;
// And per file: each LOCK looks at all of them, here and in the kernel, which takes a tenth of a
// millisecond for so many.
inline constexpr std::size_t kLockRangesPerFileMax = 8192;

// The locks of one file as seen from outside the server. All owners appear as one, which holds the
// strongest of their locks on each byte. The destructor releases everything; it runs when the last
// lock of the file is gone. Calls are serialized.
class OuterLocks {
 public:
    virtual ~OuterLocks() = default;
    virtual Status test(const LockRange& range, LockType type,
                        std::optional<LockConflict>& conflict) = 0;
    // Sets the whole range to this type, up or down. locked: `conflict` is set, and nothing has
    // changed.
    virtual Status acquire(OpenFile& file, const LockRange& range, LockType type,
                           LockConflict& conflict) = 0;
    // Downgrades or, without a type, unlocks. This cannot conflict.
    virtual void weaken(const LockRange& range, std::optional<LockType> type) = 0;
};

class LockManager final : public RangeLocks {
 public:
    // Called when a file without locks is locked or tested.
    using MakeOuter = std::function<Status(OpenFile& file, std::unique_ptr<OuterLocks>& out)>;

    // Without MakeOuter, no program outside this server can lock the files.
    explicit LockManager(MakeOuter make_outer = {}, std::size_t ranges_max = kLockRangesMax)
        : make_outer_(std::move(make_outer)), ranges_max_(ranges_max) {}
    LockManager(const LockManager&) = delete;
    LockManager& operator=(const LockManager&) = delete;

    Status test(const Caller& caller, OpenFile& file, LockOwner owner, const LockRange& range,
                LockType type, std::optional<LockConflict>& conflict) override;
    Status lock(const Caller& caller, OpenFile& file, LockOwner owner, const LockRange& range,
                LockType type, LockConflict& conflict) override;
    Status unlock(const Caller& caller, const FileId& file, LockOwner owner,
                  const LockRange& range) override;
    void release(const FileId& file, LockOwner owner) override;
    std::vector<HeldLock> held(const FileId& file, LockOwner owner, std::uint64_t from,
                               std::size_t count_max) override;
    std::size_t count() const override { return count_.load(std::memory_order_relaxed); }

 private:
    struct LockedFile {
        FileLocks locks;
        std::unique_ptr<OuterLocks> outer;  // null without MakeOuter
    };
    struct Shard {
        std::mutex mutex;
        std::unordered_map<FileId, LockedFile> files;
    };
    using FileAt = std::unordered_map<FileId, LockedFile>::iterator;

    Shard& shard_of(const FileId& file) {
        return shards_[std::hash<FileId>{}(file) >> 32 & (shards_.size() - 1)];
    }
    Status take(LockedFile& locked, OpenFile& file, LockOwner owner, const LockRange& range,
                LockType type, LockConflict& conflict);
    // Unlocks, tells the outside what remains, and forgets a file without locks.
    void give_up(Shard& shard, FileAt at, LockOwner owner, const LockRange& range);
    void recount(std::size_t before, std::size_t now) {
        count_.fetch_add(now - before, std::memory_order_relaxed);
    }

    const MakeOuter make_outer_;
    const std::size_t ranges_max_;
    std::atomic<std::size_t> count_ = 0;
    std::array<Shard, 16> shards_;
};

}  // namespace helio::vfs
