#include "helio/backend/posix/listing/read_ahead_internal.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <system_error>

#include "helio/backend/posix/file_status_internal.h"
#include "helio/backend/posix/listing/dir_stream_internal.h"

namespace helio::backend {

namespace {

// What looking at files cost this thread. It measures processor time and waits, not elapsed time,
// which also grows when other programs use the processor.
class Effort final {
 public:
    // Whether reading ahead gained nothing: the thread did not wait for the disk, and did no work
    // that another processor could do for the listing. A stat takes half a microsecond if the inode
    // is in memory, and ten times as long if it has to be created.
    bool was_wasted(std::size_t files) const {
        const rusage now = read();
        const auto waits = static_cast<std::size_t>(now.ru_nvcsw - begin_.ru_nvcsw);
        const bool in_memory = cpu_us(now) - cpu_us(begin_) < 2 * files;
        return waits < files / 64 && (in_memory || std::thread::hardware_concurrency() == 1);
    }

 private:
    static rusage read() {
        rusage out{};
        getrusage(RUSAGE_THREAD, &out);
        return out;
    }
    static std::uint64_t cpu_us(const rusage& one) {
        return static_cast<std::uint64_t>(one.ru_utime.tv_sec + one.ru_stime.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(one.ru_utime.tv_usec + one.ru_stime.tv_usec);
    }

    const rusage begin_ = read();
};

}  // namespace

bool ReadAhead::Run::wants_reading() const {
    return !has_ended() &&
           entries_read() < listed_.load(std::memory_order_relaxed) + kReadAheadEntriesMax;
}

bool ReadAhead::Run::read_chunk() {
    DirStream chunk;
    {
        const std::lock_guard lock{mutex_};
        if (!wants_reading()) return false;
        if (!chunk.open(directory_, path_.get()) ||
            !chunk.read(cookie_, kChunkBytesMax, std::nullopt) || chunk.entries.empty()) {
            ended_ = true;
            return false;
        }
        cookie_ = chunk.entries.back().cookie;
        read_ += chunk.entries.size();
        if (chunk.at_end) ended_ = true;
    }
    std::sort(chunk.entries.begin(), chunk.entries.end(),
              [](const DirEntry& a, const DirEntry& b) { return a.inode < b.inode; });
    const Effort effort;
    StatusWithBirth ignored;
    for (const DirEntry& one : chunk.entries)
        stat_with_birth(path_.get(), chunk.name(one), ignored);
    if (effort.was_wasted(chunk.entries.size())) ended_ = true;
    return true;
}

ReadAhead::~ReadAhead() {
    for (std::jthread& one : threads_) one.request_stop();
}

std::shared_ptr<ReadAhead::Run> ReadAhead::start(const vfs::FileId& directory, int path,
                                                 std::uint64_t cookie) {
    Fd own{fcntl(path, F_DUPFD_CLOEXEC, 0)};
    if (!own) return nullptr;
    const std::lock_guard lock{mutex_};
    std::erase_if(runs_, [](const auto& one) { return one.expired(); });
    if (runs_.size() >= kReadAheadRunsMax) return nullptr;
    const std::size_t wanted =
        std::min<std::size_t>(kReadAheadThreadsMax, std::thread::hardware_concurrency());
    try {
        while (threads_.size() < wanted)
            threads_.emplace_back([this](std::stop_token stop) { work(stop); });
    } catch (const std::system_error&) {
        if (threads_.empty()) return nullptr;
    }
    auto run = std::make_shared<Run>(directory, std::move(own), cookie);
    runs_.push_back(run);
    changed_.notify_all();
    return run;
}

void ReadAhead::advance(Run& run, std::size_t entries) {
    const bool wanted = run.wants_reading();
    run.listed_ += entries;
    if (wanted || !run.wants_reading()) return;
    const std::lock_guard lock{
        mutex_};  // a thread between its check and its wait would miss the notification
    changed_.notify_all();
}

// Requires mutex_.
std::shared_ptr<ReadAhead::Run> ReadAhead::next_run() {
    for (const auto& one : runs_)
        if (auto run = one.lock(); run && run->wants_reading()) return run;
    return nullptr;
}

void ReadAhead::work(std::stop_token stop) {
    prepare_();
    while (!stop.stop_requested()) {
        std::shared_ptr<Run> run;
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, stop, [&] { return (run = next_run()) != nullptr; });
        }
        if (run) run->read_chunk();
    }
}

}  // namespace helio::backend
