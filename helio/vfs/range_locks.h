// Byte-range locks, an optional part of a FileSystem: what NLM and the LOCK operations of NFSv4 are
// built on (RFC 8881 §9; the semantics are those of fcntl(2)). Locks are advisory. Nothing blocks:
// a refused request reports the conflicting lock, and retrying or queueing is up to the server.
//
// Locks of one owner never conflict. A new lock replaces what the owner held in its range: it
// upgrades or downgrades, adjacent ranges of the same type are merged, and unlocking the middle of
// a range splits it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "helio/vfs/open_files.h"

namespace helio::vfs {

// Chosen by the server, which knows the client and process behind each number.
using LockOwner = std::uint64_t;

enum class LockType : std::uint8_t {
    read,  // shared with other readers
    write  // exclusive
};

// The last byte of a range that extends to the end of the file, however long it becomes.
inline constexpr std::uint64_t kLockToEnd = UINT64_MAX;

// Inclusive at both ends, so that nothing can overflow.
struct LockRange {
    std::uint64_t first = 0;
    std::uint64_t last = kLockToEnd;
    bool operator==(const LockRange&) const = default;
};

struct LockConflict {
    LockRange range;
    LockType type = LockType::write;
    std::optional<LockOwner> owner;  // absent: a program outside this server
    bool operator==(const LockConflict&) const = default;
};

// One of the locks that an owner holds.
struct HeldLock {
    LockRange range;
    LockType type = LockType::write;
    bool operator==(const HeldLock&) const = default;
};

// Called from any number of threads.
class RangeLocks {
 public:
    virtual ~RangeLocks() = default;

    // Tells whether lock() would succeed. If not, `conflict` is set to one of the conflicting
    // locks.
    virtual Status test(const Caller& caller, OpenFile& file, LockOwner owner,
                        const LockRange& range, LockType type,
                        std::optional<LockConflict>& conflict) = 0;
    // locked: `conflict` is one of the conflicting locks, and the owner keeps what it held.
    // access_denied: a read lock needs an open for reading, a write lock one for writing.
    virtual Status lock(const Caller& caller, OpenFile& file, LockOwner owner,
                        const LockRange& range, LockType type, LockConflict& conflict) = 0;
    // Takes an id because unlocking needs no rights. ok if nothing was locked.
    virtual Status unlock(const Caller& caller, const FileId& file, LockOwner owner,
                          const LockRange& range) = 0;
    // Drops all locks of an owner on a file. Closing the OpenFile does not release locks.
    virtual void release(const FileId& file, LockOwner owner) = 0;

    // What an owner holds on a file, in order, for people who look: the locks that reach `from` or
    // beyond, `count_max` of them at most. To continue, pass the last byte of the last one plus 1.
    virtual std::vector<HeldLock> held(const FileId& file, LockOwner owner, std::uint64_t from,
                                       std::size_t count_max) = 0;
    // Locked ranges of all owners in all files.
    virtual std::size_t count() const = 0;
};

}  // namespace helio::vfs
