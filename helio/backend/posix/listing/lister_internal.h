// Lister: one call of PosixFs::list. It moves to the place of the cookie, looks up entries in
// batches, and passes them to the sink in directory order.
//
// The cost of an entry is its system calls. getdents64 reads a thousand entries, and is not needed
// while they are cached (DirStreams). Each file is looked at once: by fstat if it is open and the
// name is known to lead to it, by statx of the name otherwise. The id comes from the open file,
// from the id cache, or from the kernel.
//
// A thread that must not block lists what is cached, of files that are open; then the call returns
// would_block.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "helio/backend/posix/nodes/nodes_internal.h"
#include "helio/vfs/file_system.h"

namespace helio::backend {

// Entries looked up before they are passed on, so that locks are taken once for many. The results
// fit the first-level cache.
inline constexpr std::size_t kBatchEntriesMax = kFoundTogetherMax;
// This many entries take longer than kSlowLookMin if their inodes are not in memory. If they are,
// they take a fifth of it.
inline constexpr std::size_t kEntriesPerLook = 16;
inline constexpr std::chrono::microseconds kSlowLookMin{40};
// Reading ahead starts if at least this many looks of a call were slow, and most of them.
inline constexpr std::size_t kSlowLooksMin = 8;

class Lister final {
 public:
    // `status` is the directory's current one. Without `may_search` only names are listed.
    Lister(Nodes& nodes, const NodePtr& directory, const struct stat& status, bool may_search,
           bool may_block, const vfs::ListFrom& from, vfs::EntrySink& sink);
    ~Lister();
    Lister(const Lister&) = delete;
    Lister& operator=(const Lister&) = delete;

    // Returns an error only if no entry was passed on, except would_block.
    vfs::Status run(bool& end);

 private:
    struct Item {
        std::optional<vfs::Attributes> attributes;
        std::optional<vfs::FileId> id;
        bool confirms = false;  // the name leads to DirEntry::inode
    };

    vfs::Status move_to_cookie();
    std::size_t chunk_bytes() const;
    std::size_t batch_size() const;
    void look_up(std::span<DirEntry> entries);
    void look_up_one(const DirEntry& entry, const NodePtr& open, Item& item);
    void note_in_index(std::span<DirEntry> entries);
    bool pass_on(const DirEntry& entry, const Item& item);
    void release_stream();
    void keep_time();

    std::string_view name_of(const DirEntry& entry) const {
        return {stream_->name(entry), entry.name_size};
    }

    Nodes& nodes_;
    const NodePtr& directory_;
    const bool details_;
    const bool may_block_;
    const std::size_t entry_size_;
    vfs::EntrySink& sink_;
    const vfs::Time changed_;  // the directory
    const vfs::Time now_;
    const bool settled_;  // entries read now stay current until changed_ changes
    const std::uint64_t mounts_;
    std::chrono::steady_clock::time_point latest_;
    std::size_t looks_ = 0;
    std::size_t slow_looks_ = 0;

    std::unique_ptr<DirStream> stream_;
    std::uint64_t cookie_;          // of the last entry that the sink accepted
    std::size_t room_;              // left in the sink, approximately
    std::size_t given_ = 0;         // entries that the sink accepted
    std::size_t given_before_ = 0;  // when stream_ was taken
    std::size_t looked_up_ = 0;     // entries of the batch
    std::array<Item, kBatchEntriesMax> items_;
};

}  // namespace helio::backend
