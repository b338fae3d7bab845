// Index: where files were last seen. It maps FileId → (directory, name) for every file whose id was
// given out. Its answers are hints, checked against the file's identity on every use, so they may
// be outdated but never lead to another file.
//
// On disk it is a log (index_log_internal.h), which is rewritten when more than half of it is
// outdated. In memory a name takes ten bytes (index_table_internal.h): a million files cost some
// 20 MB.
//
// Threads seldom contend. The table has parts with a lock each, chosen by the file's id. For a name
// that is known already, by far the most frequent case, that lock is taken shared, and once per
// part for all names of a batch. Only adding or removing a name also takes the lock of the log,
// while its record is copied. Records are read, and the log is rewritten, without any lock; all
// parts are locked only for the moment in which the new log replaces the old one. After that each
// part updates the places of its names, one by one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helio/backend/posix/nodes/index_log_internal.h"
#include "helio/backend/posix/nodes/index_table_internal.h"
#include "helio/vfs/types.h"

namespace helio::backend {

// Names in the index: 32-bit places of eight bytes hold 32 GiB of log.
inline constexpr std::size_t kIndexEntriesMax = std::size_t{1} << 28;

class Index final {
 public:
    // An empty path: not on disk. `root` identifies the directory: an index of another root is
    // discarded. Throws std::runtime_error, also for a file or directory that others could have
    // made or changed (helio/base/system/trusted_directory.h).
    Index(const std::string& path, const vfs::FileId& root);
    ~Index();
    Index(const Index&) = delete;
    Index& operator=(const Index&) = delete;

    // The file has this name. Cheap if that is already known.
    void note(const vfs::FileId& id, std::uint64_t inode, const vfs::FileId& parent,
              std::string_view name);
    // The same, but certain. The table has 16 bits of each name: note() takes one name in 65,536
    // for another of the same file. For a file that was searched for and found, that is too often.
    void note_found(const vfs::FileId& id, std::uint64_t inode, const vfs::FileId& parent,
                    std::string_view name);
    // note() for many names in one directory.
    struct SeenName {
        const vfs::FileId* id = nullptr;
        std::uint64_t inode = 0;
        std::string_view name;
    };
    void note_all(const vfs::FileId& parent, std::span<const SeenName> seen);
    void forget(const vfs::FileId& id, const vfs::FileId& parent, std::string_view name);
    // Identifies a name in a directory, for callers that remember what they noted.
    static std::uint64_t name_hash(const vfs::FileId& parent, std::string_view name);
    // Rewrites the log if that is worth it. As the process's own user.
    void tidy();

    struct Place {
        vfs::FileId parent;
        std::uint64_t inode = 0;
        std::string name;
    };
    // All names the file was seen under, the last first.
    std::vector<Place> places(const vfs::FileId& id);

    // False when names may be missing: it was lost, cut off, or the last process did not close it.
    bool complete() const { return log_.is_complete(); }
    std::size_t size() const { return count_.load(std::memory_order_relaxed); }

 private:
    // With more parts, a batch of names would take a lock for every other name.
    static constexpr std::size_t kParts = 32;
    struct Moves;
    struct alignas(64) Part {
        std::shared_mutex mutex;
        IndexTable names;
        IndexLog::File file;                 // that has the records of `names`
        std::shared_ptr<const Moves> moves;  // into a newer log, if they are still to be made
    };
    // By bits of the hash that the tables do not use.
    static std::size_t part_of(std::uint64_t hash) { return hash >> 40 & (kParts - 1); }

    std::size_t load_one(const IndexRecord& record, std::uint32_t place);
    void note_batch(const vfs::FileId& parent, std::span<const SeenName> seen);
    void note_new(Part& part, std::uint64_t hash, std::uint16_t binding, const SeenName& seen,
                  const vfs::FileId& parent);
    // The part, locked for a change.
    std::unique_lock<std::shared_mutex> lock_to_change(Part& part);
    void make_moves(Part& part);
    std::shared_ptr<Moves> rewrite();
    bool adopt_rewritten(const std::shared_ptr<Moves>& moves);

    std::array<Part, kParts> parts_;
    IndexLog log_;
    std::atomic<std::size_t> count_ = 0;
    std::mutex tidying_;
};

}  // namespace helio::backend
