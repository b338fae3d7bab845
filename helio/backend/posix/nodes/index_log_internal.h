// IndexLog: the file of an Index. It is a log whose end is mapped into memory: the kernel writes
// records out, so they survive the death of the process without a system call. Each has a checksum,
// and a torn tail is cut off on reading.
//
//     record   checksum (4) | size (2) | id size (1) | parent size (1) | inode (8) | id |
//              parent | name, padded to a multiple of eight
//              for a removed name, the top bit of size is set
//
// The place of a record is its offset divided by eight. Records never change, so those before the
// end are read from the file without a lock. Only appending takes one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/fd.h"
#include "helio/base/system/trusted_directory.h"
#include "helio/vfs/types.h"

namespace helio::backend {

// The largest record: a head of 16 bytes, two ids, a name and its padding.
inline constexpr std::size_t kIndexRecordMax = 16 + 2 * vfs::kFileIdMax + 256 + 8;

struct IndexRecord {
    enum class Binding : bool { seen, gone };

    vfs::FileId id;
    vfs::FileId parent;
    std::uint64_t inode = 0;
    std::string_view name;  // in `storage` if parsed
    Binding binding = Binding::seen;
    std::size_t size = 0;  // of its bytes
    std::array<std::byte, kIndexRecordMax> storage;

    ByteView bytes() const { return ByteView{storage}.first(size); }
    // Fills `storage` from the other members. The name must have at most 255 bytes.
    void encode();
    // The opposite. `storage` has `have` bytes; false if they are no valid record.
    bool parse(std::size_t have);
};

class IndexLog final {
 public:
    // An empty path: in memory. A log of another root is discarded when it is loaded. Throws
    // std::runtime_error, also for a file or directory that others could have made or changed.
    IndexLog(const std::string& path, const vfs::FileId& root);
    ~IndexLog();
    IndexLog(const IndexLog&) = delete;
    IndexLog& operator=(const IndexLog&) = delete;

    // Calls `each` for every valid record, in order; it returns how many bytes the record made
    // outdated. Must be called first, and once. Whatever is wrong with the log costs names, never
    // the start.
    using Each = std::function<std::size_t(const IndexRecord&, std::uint32_t place)>;
    void load(const Each& each);

    // Returns the place, or nothing if there is no room: then the log is no longer complete.
    std::optional<std::uint32_t> append(const IndexRecord& record, std::size_t outdated_bytes);
    // False when names may be missing: it was lost, cut off, or the last process did not close it.
    bool is_complete() const { return complete_.load(std::memory_order_relaxed); }

    // For read(). Only replace_with() changes it.
    using File = std::shared_ptr<const Fd>;
    const File& file() const { return file_; }
    static bool read(const Fd& file, std::uint32_t place, IndexRecord& out);

    // Rewriting: a new log of the valid records, made while the old one is in use. Only during
    // replace_with() nothing may be appended.
    bool is_worth_rewriting();
    struct Position {
        std::uint64_t size = 0;
        std::uint64_t outdated_bytes = 0;
    };
    Position position();
    class Rewriting;
    // Records before the position `begun` are copied by the caller, as far as they are valid; the
    // others follow in replace_with(). nullptr if it cannot be made.
    std::unique_ptr<Rewriting> rewrite(const Position& begun);
    // Adds what was appended meanwhile, and replaces the old log. Returns how far those
    // records moved, in places, or nothing: the old log stays.
    std::optional<std::int64_t> replace_with(Rewriting& fresh);

 private:
    struct Head;

    // Does the log have every id that was given out?
    enum class Contents : bool { incomplete, complete };

    Head head_of(Contents contents) const;
    Fd open_log();
    Fd open_rewritten() const;
    std::string rewritten_name() const { return name_ + ".new"; }
    void begin_anew(Contents contents);
    bool map_end();
    void unmap_end();

    const std::string path_;                     // empty: in memory
    std::string name_;                           // in its directory
    std::optional<TrustedDirectory> directory_;  // empty: in memory
    const vfs::FileId root_;
    File file_;
    std::atomic<bool> complete_ = true;

    std::mutex mutex_;  // for the following
    std::uint64_t size_ = 0;
    std::byte* end_ = nullptr;     // the last part of the log and room after it, mapped
    std::uint64_t end_begin_ = 0;  // its offset in the log
    std::uint64_t outdated_bytes_ = 0;
    std::uint64_t rewrite_at_;  // a size; smaller logs are not worth it
    bool broken_ = false;       // the log cannot be written; memory is still right
};

// Takes valid records in the order of the old log.
class IndexLog::Rewriting final {
 public:
    Rewriting(Fd fd, File old, const Position& begun, ByteView head);

    // Copies a record of the old log and returns its new place; nothing if it cannot be read.
    std::optional<std::uint32_t> copy(std::uint32_t place);
    // Writes what is left to the disk. False if anything failed.
    bool finish();

 private:
    friend class IndexLog;

    ByteView read_old(std::uint64_t offset, std::uint64_t end, std::size_t wanted);
    bool write_out();
    bool copy_tail(std::uint64_t end);

    Fd fd_;
    const File old_;
    const Position begun_;
    std::vector<std::byte> out_;
    std::uint64_t size_ = 0;  // written
    bool good_ = true;
    std::vector<std::byte> window_;  // of the old log
    std::uint64_t window_begin_ = 0;
    std::size_t window_size_ = 0;
    IndexRecord record_;
};

}  // namespace helio::backend
