// DirStream: a directory open for reading, with the chunk of entries read last.
// DirStreams: a cache of streams from which listings can continue.
//
// A listing takes several calls, each of which continues after a cookie, and several clients may
// list a directory at the same time. So a directory can have several streams at different places.
// While the directory does not change, a chunk serves every listing that reaches its place. Once it
// has changed, older chunks are not used any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "helio/backend/posix/listing/read_ahead_internal.h"
#include "helio/base/fd.h"
#include "helio/vfs/types.h"

namespace helio::backend {

// Bytes of directory entries per chunk: about a thousand entries with short names.
inline constexpr std::size_t kChunkBytesMax = 32u << 10;
// Streams kept for one directory: chunks of about 8,000 entries.
inline constexpr std::size_t kStreamsPerDirectoryMax = 8;
// Streams kept in total. Each has a descriptor and a chunk: 128 descriptors, 5 MB.
inline constexpr std::size_t kStreamShards = 8;
inline constexpr std::size_t kStreamsPerShardMax = 16;

struct DirEntry {
    std::uint64_t inode = 0;   // in the directory's own file system, even at a mount point
    std::uint64_t cookie = 0;  // to continue after this entry
    std::uint32_t name_begin = 0;
    std::uint16_t name_size = 0;
    // The name was seen to lead to `inode`, so it is not a mount point, and is in the index.
    bool confirmed = false;
};

class DirStream final {
 public:
    // `path` is an O_PATH descriptor. Returns false and sets errno on failure.
    bool open(const vfs::FileId& directory, int path);
    // Reads about `bytes` of the entries after `cookie`. `changed` is the change time of the
    // directory, if settled. Returns false, sets errno and leaves the chunk empty on failure.
    bool read(std::uint64_t cookie, std::size_t bytes, const std::optional<vfs::Time>& changed);
    // Moves to the entry after `cookie`, if the chunk covers that place and is current.
    bool go_to(std::uint64_t cookie, const vfs::Time& changed);
    // Clears all `confirmed` flags if the mount table (MountWatch) has changed since they were set.
    void set_mounts(std::uint64_t generation);

    const vfs::FileId& directory() const { return directory_; }
    int descriptor() const { return fd_.get(); }
    bool is_current(const vfs::Time& changed) const { return changed_ == changed; }
    // Whether reading after this cookie needs no seek.
    bool is_positioned_at(std::uint64_t cookie) const { return kernel_position_ == cookie; }

    // The chunk, and the listing's position in it.
    std::vector<DirEntry> entries;
    std::size_t position = 0;
    bool at_end = false;  // there are no entries after the chunk
    const char* name(const DirEntry& entry) const { return names_.data() + entry.name_begin; }

    // Set while the files after the chunk are being read ahead.
    std::shared_ptr<ReadAhead::Run> read_ahead;

 private:
    friend class DirStreams;
    void append(const std::byte* raw, std::size_t size);

    vfs::FileId directory_;
    Fd fd_;
    std::uint64_t first_ = 0;  // the chunk begins after this cookie
    std::optional<std::uint64_t> kernel_position_;
    std::optional<vfs::Time> changed_;  // change time of the directory that was read, if settled
    std::uint64_t mounts_ = 0;
    std::vector<char> names_;  // zero-terminated
    std::uint64_t last_used_ = 0;
    std::uint32_t tick_ = 0;
};

class DirStreams final {
 public:
    // A stream to continue from after `cookie`, owned by the caller until put(). With `placed` its
    // chunk covers the place and it has been moved there; otherwise it must be read. Returns
    // nullptr if a new stream should be opened. `changed` is the directory's change time.
    std::unique_ptr<DirStream> take(const vfs::FileId& directory, std::uint64_t cookie,
                                    const vfs::Time& changed, bool& placed);
    // `tick` is the current time in seconds, by any clock.
    void put(std::unique_ptr<DirStream> stream, std::uint32_t tick);
    void close_older_than(std::uint32_t tick);

 private:
    struct Shard {
        std::mutex mutex;
        std::uint64_t uses = 0;
        std::vector<std::unique_ptr<DirStream>> streams;
    };
    Shard& shard_of(const vfs::FileId& directory) {
        return shards_[std::hash<vfs::FileId>{}(directory) % kStreamShards];
    }

    std::array<Shard, kStreamShards> shards_;
};

}  // namespace helio::backend
