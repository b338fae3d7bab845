// FileLocks: the locks of one file, as plain data. It detects conflicts and merges and splits
// ranges. No I/O, no mutex.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "helio/vfs/range_locks.h"

namespace helio::vfs {

class FileLocks final {
 public:
    // The conflicting lock with the lowest offset, if any.
    std::optional<LockConflict> conflict(LockOwner owner, const LockRange& range,
                                         LockType type) const;
    // Replaces what the owner holds in the range. The caller has checked for conflicts.
    void set(LockOwner owner, const LockRange& range, LockType type);
    // Returns the parts of the range that the owner did hold.
    std::vector<LockRange> clear(LockOwner owner, const LockRange& range);

    // The strongest lock that any owner holds on each part of a range, in order, without gaps.
    struct Piece {
        LockRange range;
        std::optional<LockType> type;  // absent: not locked
        bool operator==(const Piece&) const = default;
    };
    std::vector<Piece> pieces(const LockRange& range) const;

    // What one owner holds: see RangeLocks::held.
    std::vector<HeldLock> held(LockOwner owner, std::uint64_t from, std::size_t count_max) const;

    bool empty() const { return by_owner_.empty(); }
    // Number of ranges, over all owners.
    std::size_t count() const { return count_; }

 private:
    // Sorted and disjoint; adjacent ranges have different types.
    using Ranges = std::vector<HeldLock>;

    std::vector<LockRange> cut(Ranges& ranges, const LockRange& range);

    std::map<LockOwner, Ranges> by_owner_;
    std::size_t count_ = 0;
};

}  // namespace helio::vfs
