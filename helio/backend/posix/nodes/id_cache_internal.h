// IdCache: file ids that the kernel returned recently, so that listing a directory again needs no
// name_to_handle_at(2) per entry.
//
// The key is the inode number and the change time (ctime). Only the kernel sets that time. A new
// file that reuses an inode number was created after the last change of the old file, so it has
// another key. This holds if only settled timestamps are cached (is_settled).
//
// A slot holds the part of the id that is not the inode number, 16 bytes in all; ids of other
// layouts are not cached. Slots are read and written without a lock. The second word is mixed into
// the first, so a slot torn between two writers matches no key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/vfs/types.h"

namespace helio::backend {

// Enough for a directory of a million files, in 16 MiB. The memory is mapped; pages that were never
// written take none.
inline constexpr std::size_t kIdsCachedMax = std::size_t{1} << 20;

class IdCache final {
 public:
    // Throws std::bad_alloc.
    IdCache();
    ~IdCache();
    IdCache(const IdCache&) = delete;
    IdCache& operator=(const IdCache&) = delete;

    bool find(std::uint64_t inode, const vfs::Time& changed, vfs::FileId& out) const;
    void put(std::uint64_t inode, const vfs::Time& changed, const vfs::FileId& id);
    void prefetch(std::uint64_t inode) const { __builtin_prefetch(&slot_of(inode)); }

 private:
    struct Slot {
        std::uint64_t check;  // 0: empty
        std::uint64_t rest;
    };
    // Files created together have adjacent inode numbers, and adjacent slots.
    Slot& slot_of(std::uint64_t inode) const { return slots_[inode % kIdsCachedMax]; }

    Slot* slots_;
};

}  // namespace helio::backend
