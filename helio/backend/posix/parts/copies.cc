#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "helio/backend/posix/parts/parts_internal.h"

namespace helio::backend {

using vfs::Status;

namespace {

// Bytes copied per call, to bound the time: about a second with a slow disk.
constexpr std::uint64_t kCopyBytesMax = 64u << 20;

Status check_open(const vfs::OpenFile& source, const vfs::OpenFile& target) {
    return vfs::reads(source.access()) && vfs::writes(target.access()) ? Status::ok
                                                                       : Status::access_denied;
}

}  // namespace

Status PosixCopies::copy(const vfs::Caller& caller, vfs::OpenFile& source, vfs::OpenFile& target,
                         const vfs::CopyRange& range, std::uint64_t& copied) {
    copied = 0;
    if (const Status open = check_open(source, target); open != Status::ok) return open;
    const int from = PosixOpenFile::of(fs_, source).descriptor();
    const int to = PosixOpenFile::of(fs_, target).descriptor();
    struct stat found;
    if (quick_stat(from, found) != 0) return vfs::status_of(errno);
    const auto size = static_cast<std::uint64_t>(found.st_size);
    // Check the whole range, because the kernel only sees the part that is copied now.
    const std::uint64_t count = std::min(range.count, size - std::min(range.source_offset, size));
    if (range.target_offset > INT64_MAX || count > INT64_MAX - range.target_offset)
        return Status::too_big;
    if (source.id() == target.id() && range.source_offset < range.target_offset + count &&
        range.target_offset < range.source_offset + count)
        return Status::invalid;
    if (count == 0) return Status::ok;
    if (!caller.may_block) return Status::would_block;
    if (!fs_.identity().assume(caller)) return Status::server_fault;
    auto source_offset = static_cast<loff_t>(range.source_offset);
    auto target_offset = static_cast<loff_t>(range.target_offset);
    const std::uint64_t wanted = std::min(count, kCopyBytesMax);
    while (copied < wanted) {
        const ssize_t done =
            copy_file_range(from, &source_offset, to, &target_offset, wanted - copied, 0);
        if (done < 0 && errno == EINTR) continue;
        // Report what was copied. The next call will fail with the reason.
        if (done < 0) return copied > 0 ? Status::ok : vfs::status_of(errno);
        if (done == 0) break;  // the source has been truncated
        copied += static_cast<std::uint64_t>(done);
    }
    return Status::ok;
}

Status PosixCopies::clone(const vfs::Caller& caller, vfs::OpenFile& source, vfs::OpenFile& target,
                          const vfs::CopyRange& range) {
    if (const Status open = check_open(source, target); open != Status::ok) return open;
    if (range.count == 0) return Status::ok;  // 0 means everything to the kernel
    if (range.source_offset > INT64_MAX) return Status::invalid;
    if (range.target_offset > INT64_MAX) return Status::too_big;
    if (!caller.may_block) return Status::would_block;
    if (!fs_.identity().assume(caller)) return Status::server_fault;
    struct file_clone_range what {};
    what.src_fd = PosixOpenFile::of(fs_, source).descriptor();
    what.src_offset = range.source_offset;
    what.src_length = range.count == vfs::kCopyToEnd ? 0 : range.count;
    what.dest_offset = range.target_offset;
    const int to = PosixOpenFile::of(fs_, target).descriptor();
    int result;
    do {
        result = ioctl(to, FICLONERANGE, &what);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? Status::ok : vfs::status_of(errno);
}

}  // namespace helio::backend
