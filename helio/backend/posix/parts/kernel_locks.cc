#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "helio/backend/posix/parts/parts_internal.h"

namespace helio::backend {

using vfs::LockConflict;
using vfs::LockRange;
using vfs::LockType;
using vfs::Status;

namespace {

// The last offset that the kernel supports. Local programs cannot lock anything beyond it.
constexpr std::uint64_t kOffsetLast = INT64_MAX;
// The owner in read_locks_, which has only one.
constexpr vfs::LockOwner kUs = 0;

bool is_kernels(const LockRange& range) { return range.first <= kOffsetLast; }

struct flock to_flock(const LockRange& range, short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(range.first);
    // 0 means to the end.
    lock.l_len = range.last >= kOffsetLast ? 0 : static_cast<off_t>(range.last - range.first + 1);
    return lock;
}

short to_kernel(LockType type) { return type == LockType::read ? F_RDLCK : F_WRLCK; }

LockConflict to_conflict(const struct flock& lock) {
    LockConflict conflict;
    conflict.range.first = static_cast<std::uint64_t>(lock.l_start);
    if (lock.l_len != 0)
        conflict.range.last = conflict.range.first + static_cast<std::uint64_t>(lock.l_len) - 1;
    conflict.type = lock.l_type == F_RDLCK ? LockType::read : LockType::write;
    return conflict;
}

int control(int fd, int what, struct flock& lock) {
    int result;
    do {
        result = fcntl(fd, what, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

// A new open file description, which holds nothing but locks.
Status open_description(PosixFs& fs, Node& node, bool write, Fd& out) {
    // Rights were checked when the file was opened.
    fs.identity().assume_self();
    struct stat found;
    if (quick_stat(node.path.get(), found) != 0) return vfs::status_of(errno);
    const vfs::Caller owner{.uid = found.st_uid, .gid = found.st_gid, .groups = {}};
    out = Fd{fs.reopen(owner, node, write ? O_RDWR : O_RDONLY)};
    return out ? Status::ok : vfs::status_of(errno);
}

}  // namespace

Status KernelLocks::make(PosixFs& fs, vfs::OpenFile& file, std::unique_ptr<vfs::OuterLocks>& out) {
    PosixOpenFile& open = PosixOpenFile::of(fs, file);
    Fd fd;
    // Writable only if the file is open for writing; PosixOpenFiles explains why.
    const bool write = vfs::writes(open.access());
    const Status status = open_description(fs, open.node(), write, fd);
    if (status == Status::ok) out.reset(new KernelLocks(fs, std::move(fd), write));
    return status;
}

Status KernelLocks::test(const LockRange& range, LockType type,
                         std::optional<LockConflict>& conflict) {
    conflict.reset();
    if (!is_kernels(range)) return Status::ok;
    struct flock lock = to_flock(range, to_kernel(type));
    if (const int error = control(fd_.get(), F_OFD_GETLK, lock)) return vfs::status_of(error);
    if (lock.l_type != F_UNLCK) conflict = to_conflict(lock);
    return Status::ok;
}

Status KernelLocks::acquire(vfs::OpenFile& file, const LockRange& range, LockType type,
                            LockConflict& conflict) {
    if (!is_kernels(range)) return Status::ok;
    if (type == LockType::write && !writable_) {
        if (const Status status = become_writable(file); status != Status::ok) return status;
    }
    struct flock lock = to_flock(range, to_kernel(type));
    const int error = control(fd_.get(), F_OFD_SETLK, lock);
    if (error == EAGAIN || error == EACCES) {
        std::optional<LockConflict> found;
        // The other lock may be gone by now; then nothing is known about it.
        if (const Status status = test(range, type, found); status != Status::ok) return status;
        conflict = found.value_or(LockConflict{range, LockType::write, std::nullopt});
        return Status::locked;
    }
    if (error != 0) return vfs::status_of(error);
    if (!writable_) read_locks_.set(kUs, range, type);
    return Status::ok;
}

void KernelLocks::weaken(const LockRange& range, std::optional<LockType> type) {
    if (!is_kernels(range)) return;
    struct flock lock = to_flock(range, type ? to_kernel(*type) : short{F_UNLCK});
    // Fails if the kernel has no memory to split a lock. It then stays too large until the last
    // lock of the file is released.
    static_cast<void>(control(fd_.get(), F_OFD_SETLK, lock));
    if (!writable_ && !type) read_locks_.clear(kUs, range);
}

// Takes all locks on the new description before closing the old one, so that there is no gap. This
// cannot conflict, because all of them are read locks.
Status KernelLocks::become_writable(vfs::OpenFile& file) {
    Fd fd;
    const Status status = open_description(fs_, PosixOpenFile::of(fs_, file).node(), true, fd);
    if (status != Status::ok) return status;
    for (const auto& piece : read_locks_.pieces({0, kOffsetLast})) {
        if (!piece.type) continue;
        struct flock lock = to_flock(piece.range, F_RDLCK);
        if (const int error = control(fd.get(), F_OFD_SETLK, lock)) return vfs::status_of(error);
    }
    fd_ = std::move(fd);
    writable_ = true;
    read_locks_ = {};
    return Status::ok;
}

}  // namespace helio::backend
