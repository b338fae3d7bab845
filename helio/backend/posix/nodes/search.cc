// Searches all directories for files that are not where they were last seen: others moved them, and
// the kernel's handles cannot be used.
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "helio/backend/posix/nodes/file_id_format_internal.h"
#include "helio/backend/posix/nodes/nodes_internal.h"

namespace helio::backend {

using vfs::Status;

namespace {

// The pause after a search that found nothing: ids of removed files must not cost more than an
// eleventh of a processor.
constexpr int kPauseFactor = 10;
// How long a call waits for another call's search and the pause after it: as long as a disk may
// take for any other call. Small exports are searched within that time.
constexpr std::chrono::milliseconds kTurnWaitedMax{10};

}  // namespace

// The files that one walk looks for. Most entries are skipped because of their inode number.
struct Nodes::WantedFiles {
    std::unordered_set<vfs::FileId> ids;
    std::unordered_set<std::uint32_t> inodes;  // the lower halves
    bool any_inode = false;                    // some id does not contain its inode number

    explicit WantedFiles(std::unordered_set<vfs::FileId> wanted) : ids(std::move(wanted)) {
        for (const vfs::FileId& id : ids) {
            if (const auto inode = inode_of(id))
                inodes.insert(*inode);
            else
                any_inode = true;
        }
    }
    bool may_have(ino_t inode) const {
        return any_inode || inodes.contains(static_cast<std::uint32_t>(inode));
    }
};

// Calls that have to search announce what they look for, and the next walk looks for all of it. So
// it does not matter whose call makes the walk, and a client that asks again and again for removed
// files does not keep others from finding theirs.
Status Nodes::search(const vfs::FileId& id, NodePtr& out) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + kTurnWaitedMax;
    std::unique_lock lock{search_mutex_};
    if (wanted_.size() >= kSearchedTogetherMax && !wanted_.contains(id)) return Status::busy;
    wanted_.insert(id);
    const std::uint64_t mine = walks_begun_ + 1;  // one that has begun may have passed it already
    while (walks_ended_ < mine) {
        const bool walking = walks_begun_ != walks_ended_;
        const Clock::time_point now = Clock::now();
        if (!walking && now >= next_search_) {
            walk(lock);
            break;
        }
        if (!walking && gone_.contains(id)) {
            wanted_.erase(id);
            return Status::stale;
        }
        if (now >= deadline) return Status::busy;  // it stays wanted, and the client tries again
        walk_ended_.wait_until(lock, walking ? deadline : std::min(deadline, next_search_));
    }
    lock.unlock();
    bool known = false;
    out = by_index(id, 0, known);
    return out ? Status::ok : Status::stale;
}

// Walks all directories, breadth first, without the lock. The index learns the names of the wanted
// files, and of all directories.
void Nodes::walk(std::unique_lock<std::mutex>& lock) {
    ++walks_begun_;
    WantedFiles wanted{std::exchange(wanted_, {})};
    lock.unlock();
    const auto began = std::chrono::steady_clock::now();
    std::size_t entries_left = kSearchEntriesMax;
    std::vector<vfs::FileId> waiting{root_->id};
    for (std::size_t next = 0; next < waiting.size() && !wanted.ids.empty() && entries_left > 0;
         ++next) {
        NodePtr directory = find(waiting[next]);
        bool known = false;
        if (!directory) directory = by_index(waiting[next], 0, known);
        if (directory) walk_directory(*directory, wanted, waiting, entries_left);
    }
    const auto ended = std::chrono::steady_clock::now();
    lock.lock();
    ++walks_ended_;
    if (!wanted.ids.empty()) next_search_ = ended + kPauseFactor * (ended - began);
    gone_ = std::move(wanted.ids);
    walk_ended_.notify_all();
}

// Searches one directory. Files that are found are no longer wanted; subdirectories are added to
// `below`.
void Nodes::walk_directory(const Node& directory, WantedFiles& wanted,
                           std::vector<vfs::FileId>& below, std::size_t& entries_left) {
    const Fd fd{openat(directory.path.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!fd) return;
    alignas(8) std::array<std::byte, 32768> buffer;
    while (entries_left > 0) {
        const long got = syscall(SYS_getdents64, fd.get(), buffer.data(), buffer.size());
        if (got <= 0) return;
        for (long at = 0; at < got && entries_left > 0;) {
            const auto* const entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
            at += entry->d_reclen;
            const std::string_view name = entry->d_name;
            if (name == "." || name == "..") continue;
            --entries_left;
            const bool may_have_more = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
            if (!may_have_more && !wanted.may_have(entry->d_ino)) continue;
            struct stat status;
            vfs::FileId its;
            if (fstatat(directory.path.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
                !id_of_name(directory, entry->d_name, status, its))
                continue;
            if (S_ISDIR(status.st_mode)) below.push_back(its);
            if (wanted.ids.erase(its) > 0)
                index_.note_found(its, status.st_ino, directory.id, entry->d_name);
        }
    }
}

std::string Nodes::path_below_root(int descriptor) const {
    std::string root = path_of(root_fd_.get());
    const std::string path = path_of(descriptor);
    if (!root.ends_with('/')) root += '/';
    // proc(5): the kernel adds this to a name that is gone. A file may really be called so; for it,
    // too, we rather say nothing.
    if (path.size() <= root.size() || !path.starts_with(root) || path.ends_with(" (deleted)"))
        return {};
    return path.substr(root.size());
}

}  // namespace helio::backend
