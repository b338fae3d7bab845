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

// Unlocks the whole file, for which the kernel needs no memory.
void release(int fd) {
    struct flock lock = to_flock({}, F_UNLCK);
    control(fd, F_OFD_SETLK, lock);
}

}  // namespace

Status KernelLocks::test(const LockRange& range, LockType type,
                         std::optional<LockConflict>& conflict) {
    conflict.reset();
    if (!is_kernels(range)) return Status::ok;
    struct flock lock = to_flock(range, to_kernel(type));
    if (const int error = control(data_->fd.get(), F_OFD_GETLK, lock)) return vfs::status_of(error);
    if (lock.l_type != F_UNLCK) conflict = to_conflict(lock);
    return Status::ok;
}

Status KernelLocks::acquire(vfs::OpenFile& file, const LockRange& range, LockType type,
                            LockConflict& conflict) {
    if (!is_kernels(range)) return Status::ok;
    if (type == LockType::write && !data_->writable) {
        const Status status = move_to(PosixOpenFile::of(fs_, file).data());
        if (status != Status::ok) return status;
    }
    struct flock lock = to_flock(range, to_kernel(type));
    const int error = control(data_->fd.get(), F_OFD_SETLK, lock);
    if (error == EAGAIN || error == EACCES) {
        std::optional<LockConflict> found;
        // The other lock may be gone by now; then nothing is known about it.
        if (const Status status = test(range, type, found); status != Status::ok) return status;
        conflict = found.value_or(LockConflict{range, LockType::write, std::nullopt});
        return Status::locked;
    }
    if (error != 0) return vfs::status_of(error);
    has_locked_ = true;
    if (!data_->writable) read_locks_.set(kUs, range, type);
    return Status::ok;
}

void KernelLocks::weaken(const LockRange& range, std::optional<LockType> type) {
    if (!is_kernels(range)) return;
    struct flock lock = to_flock(range, type ? to_kernel(*type) : short{F_UNLCK});
    // Fails if the kernel has no memory to split a lock. It then stays too large until the last
    // lock of the file is released.
    static_cast<void>(control(data_->fd.get(), F_OFD_SETLK, lock));
    if (!data_->writable && !type) read_locks_.clear(kUs, range);
}

// Takes all locks on the writers' description before releasing the old ones, so that there is no
// gap. This cannot conflict, because all of them are read locks.
Status KernelLocks::move_to(const std::shared_ptr<DataFile>& writer) {
    for (const auto& piece : read_locks_.pieces({0, kOffsetLast})) {
        if (!piece.type) continue;
        struct flock lock = to_flock(piece.range, F_RDLCK);
        if (const int error = control(writer->fd.get(), F_OFD_SETLK, lock)) {
            release(writer->fd.get());
            return vfs::status_of(error);
        }
    }
    unlock_all();
    has_locked_ = !read_locks_.empty();
    data_ = writer;
    read_locks_ = {};
    return Status::ok;
}

void KernelLocks::unlock_all() {
    if (has_locked_) release(data_->fd.get());
}

}  // namespace helio::backend
