// ReadAhead: loads the inodes of a large directory into the kernel's cache before a listing reaches
// them. A listing of files that are not in memory waits for the disk at every file and uses one
// processor. Threads of this class run ahead of it, each with a chunk of entries in inode order.
// They discard the results: the listing asks again, so its answers are never stale.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "helio/base/fd.h"
#include "helio/vfs/types.h"

namespace helio::backend {

// Threads per export, started when first needed. Two keep a disk queue and a second processor busy.
inline constexpr std::size_t kReadAheadThreadsMax = 2;
// How far to run ahead of a listing: some tenths of a second.
inline constexpr std::uint64_t kReadAheadEntriesMax = 16'384;
// Listings served at a time; others go without.
inline constexpr std::size_t kReadAheadRunsMax = 8;

class ReadAhead final {
 public:
    // Reading ahead of one listing. Owned by the listing; releasing it stops the reading.
    class Run final {
     public:
        Run(const vfs::FileId& directory, Fd path, std::uint64_t cookie)
            : directory_(directory), path_(std::move(path)), cookie_(cookie) {}

        bool has_ended() const { return ended_.load(std::memory_order_relaxed); }
        std::uint64_t entries_read() const { return read_.load(std::memory_order_relaxed); }

     private:
        friend class ReadAhead;
        bool wants_reading() const;
        bool read_chunk();

        const vfs::FileId directory_;
        const Fd path_;  // O_PATH
        std::atomic<std::uint64_t> listed_ = 0;
        std::atomic<std::uint64_t> read_ = 0;
        std::atomic<bool> ended_ = false;
        std::mutex mutex_;
        std::uint64_t cookie_;  // the next chunk begins after it; guarded by mutex_
    };

    // Each thread calls `prepare` first.
    explicit ReadAhead(std::function<void()> prepare) : prepare_(std::move(prepare)) {}
    ~ReadAhead();

    // Starts reading after `cookie`. `path` is an O_PATH descriptor of the directory. Returns
    // nullptr if there are too many runs, or no resources.
    std::shared_ptr<Run> start(const vfs::FileId& directory, int path, std::uint64_t cookie);
    // Call this when the listing has progressed by `entries`.
    void advance(Run& run, std::size_t entries);

 private:
    void work(std::stop_token stop);
    std::shared_ptr<Run> next_run();

    const std::function<void()> prepare_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::vector<std::weak_ptr<Run>> runs_;
    std::vector<std::jthread> threads_;
};

}  // namespace helio::backend
