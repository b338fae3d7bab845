// Index: where files were last seen: FileId → (directory, name), for every file whose id was given
// out. Its answers are hints, checked against the file's identity on every use, so they may be
// outdated but never lead to another file.
//
// On disk it is a log whose end is mapped into memory: a record survives the death of the process
// without a system call, because the kernel writes it out. Each has a checksum, and a torn tail is
// cut off on reading. The log is rewritten when more than half of it is outdated. In memory a name
// takes eight bytes: a million files cost some 16 MB.
//
//     record   checksum (4) | size (2) | id size (1) | parent size (1) | inode (8) | id |
//              parent | name, padded to a multiple of eight
//              for a removed name, the top bit of size is set
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/system/trusted_directory.h"
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
    // The same for many names in one directory. Takes the lock once per 32 names.
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
    bool complete() const { return complete_; }
    std::size_t size() const { return count_; }

 private:
    struct Record;
    struct Window;

    // Does the log have every id that was given out?
    enum class Contents : bool { incomplete, complete };
    enum class Binding : bool { seen, gone };

    int open_log();
    int open_rewritten(const std::string& name) const;
    void load();
    void begin_anew(Contents contents);
    void note_one(std::uint64_t hash, std::uint16_t binding, const SeenName& seen,
                  const vfs::FileId& parent);
    void append(const vfs::FileId& id, std::uint64_t inode, const vfs::FileId& parent,
                std::string_view name, Binding binding);
    bool read_record(std::uint32_t place, Record& out, Window* window = nullptr);
    bool read_id(std::uint32_t place, vfs::FileId& out, Window& window);
    void insert(std::uint64_t hash, std::uint16_t binding, std::uint32_t place);
    bool erase(std::uint64_t hash, std::uint16_t binding);
    bool contains(std::uint64_t hash, std::uint16_t binding) const;
    void grow();
    bool map_end();
    void unmap_end();
    void rewrite();

    std::string path_;                           // empty: in memory
    std::string name_;                           // of the log in its directory
    std::optional<TrustedDirectory> directory_;  // empty: in memory
    vfs::FileId root_;
    std::mutex mutex_;
    int log_ = -1;
    std::uint64_t log_size_ = 0;
    std::byte* end_ = nullptr;              // the last part of the log and room after it, mapped
    std::uint64_t end_begin_ = 0;           // its offset in the log
    std::uint64_t bytes_gone_ = 0;          // of outdated records
    std::uint64_t rewrite_at_ = 64u << 20;  // smaller logs are not worth it
    std::vector<std::uint64_t> table_;      // open addressing; place | id tag | binding tag
    std::size_t count_ = 0;
    std::size_t tombs_ = 0;
    bool complete_ = true;
    bool broken_ = false;  // the log cannot be written; memory is still right
};

}  // namespace helio::backend
