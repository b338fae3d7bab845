#include "helio/backend/posix/listing/dir_stream_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "helio/backend/posix/nodes/nodes_internal.h"
#include "helio/base/assert.h"

namespace helio::backend {

namespace {
// The largest entry: a name of 255 bytes. With less room the kernel may return EINVAL.
constexpr std::size_t kRawEntryMax = (offsetof(dirent64, d_name) + 256 + 7) & ~std::size_t{7};
}  // namespace

bool DirStream::open(const vfs::FileId& directory, int path) {
    directory_ = directory;
    fd_ = Fd{openat(path, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    // The directory may be read but not searched: reopening it needs no search permission.
    if (!fd_ && errno == EACCES)
        fd_ = Fd{::open(link_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    kernel_position_ = 0;
    return static_cast<bool>(fd_);
}

bool DirStream::read(std::uint64_t cookie, std::size_t bytes,
                     const std::optional<vfs::Time>& changed) {
    entries.clear();
    names_.clear();
    position = 0;
    at_end = false;
    changed_.reset();
    first_ = cookie;
    // Always seek to the beginning: this is rewinddir(3), which makes the kernel forget what it
    // buffered.
    if ((cookie == 0 || !is_positioned_at(cookie)) &&
        lseek(fd_.get(), static_cast<off_t>(cookie), SEEK_SET) < 0) {
        kernel_position_.reset();
        return false;
    }
    kernel_position_.reset();
    bytes = std::clamp(bytes, 2 * kRawEntryMax, kChunkBytesMax);
    alignas(dirent64) std::array<std::byte, kChunkBytesMax> raw;
    for (std::size_t have = 0; have + kRawEntryMax <= bytes && !at_end;) {
        const long got = syscall(SYS_getdents64, fd_.get(), raw.data(), bytes - have);
        if (got < 0 && entries.empty()) return false;
        if (got < 0) return true;  // the next read gets the error again
        at_end = got == 0;
        append(raw.data(), static_cast<std::size_t>(got));
        have += static_cast<std::size_t>(got);
    }
    kernel_position_ = entries.empty() ? cookie : entries.back().cookie;
    changed_ = changed;
    return true;
}

void DirStream::append(const std::byte* raw, std::size_t size) {
    for (std::size_t at = 0; at < size;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(raw + at);
        const std::size_t name_size = std::strlen(entry->d_name);
        entries.push_back({.inode = entry->d_ino,
                           .cookie = static_cast<std::uint64_t>(entry->d_off),
                           .name_begin = static_cast<std::uint32_t>(names_.size()),
                           .name_size = static_cast<std::uint16_t>(name_size)});
        names_.insert(names_.end(), entry->d_name, entry->d_name + name_size + 1);
        at += entry->d_reclen;
    }
}

bool DirStream::go_to(std::uint64_t cookie, const vfs::Time& changed) {
    if (!is_current(changed)) return false;
    if (cookie == first_) {
        position = 0;
        return true;
    }
    // The next call usually continues where the last one stopped.
    if (position > 0 && entries[position - 1].cookie == cookie) return true;
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [cookie](const DirEntry& one) { return one.cookie == cookie; });
    if (found == entries.end()) return false;
    position = static_cast<std::size_t>(found - entries.begin()) + 1;
    return true;
}

void DirStream::set_mounts(std::uint64_t generation) {
    if (mounts_ != generation)
        for (DirEntry& one : entries) one.confirmed = false;
    mounts_ = generation;
}

std::unique_ptr<DirStream> DirStreams::take(const vfs::FileId& directory, std::uint64_t cookie,
                                            const vfs::Time& changed, bool& placed) {
    Shard& shard = shard_of(directory);
    const std::lock_guard lock{shard.mutex};
    std::size_t count = 0;
    std::unique_ptr<DirStream>* chosen = nullptr;
    std::unique_ptr<DirStream>* outdated = nullptr;
    std::unique_ptr<DirStream>* positioned = nullptr;
    std::unique_ptr<DirStream>* oldest = nullptr;
    placed = false;
    for (auto& one : shard.streams) {
        if (one->directory_ != directory) continue;
        ++count;
        if (one->go_to(cookie, changed) && (one->position < one->entries.size() || one->at_end)) {
            chosen = &one;
            placed = true;
            break;
        }
        if (one->is_positioned_at(cookie)) positioned = &one;
        if (!one->is_current(changed) && (outdated == nullptr || positioned == &one))
            outdated = &one;
        if (oldest == nullptr || one->last_used_ < (*oldest)->last_used_) oldest = &one;
    }
    // Current chunks are left to other listings as long as there may be more streams.
    if (chosen == nullptr) chosen = outdated;
    if (chosen == nullptr && count >= kStreamsPerDirectoryMax)
        chosen = positioned != nullptr ? positioned : oldest;
    if (chosen == nullptr) return nullptr;
    auto taken = std::move(*chosen);
    *chosen = std::move(shard.streams.back());
    shard.streams.pop_back();
    return taken;
}

void DirStreams::put(std::unique_ptr<DirStream> stream, std::uint32_t tick) {
    Shard& shard = shard_of(stream->directory_);
    std::unique_ptr<DirStream> evicted;  // closed outside the lock
    const std::lock_guard lock{shard.mutex};
    stream->last_used_ = ++shard.uses;
    stream->tick_ = tick;
    if (shard.streams.size() < kStreamsPerShardMax) {
        shard.streams.push_back(std::move(stream));
        return;
    }
    const auto oldest = std::min_element(
        shard.streams.begin(), shard.streams.end(),
        [](const auto& a, const auto& b) { return a->last_used_ < b->last_used_; });
    evicted = std::exchange(*oldest, std::move(stream));
}

void DirStreams::close_older_than(std::uint32_t tick) {
    for (Shard& shard : shards_) {
        std::vector<std::unique_ptr<DirStream>> idle;  // closed outside the lock
        const std::lock_guard lock{shard.mutex};
        const auto end = std::partition(
            shard.streams.begin(), shard.streams.end(),
            [tick](const auto& one) { return static_cast<std::int32_t>(one->tick_ - tick) >= 0; });
        std::move(end, shard.streams.end(), std::back_inserter(idle));
        shard.streams.erase(end, shard.streams.end());
    }
}

}  // namespace helio::backend
