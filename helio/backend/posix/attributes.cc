#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "helio/backend/posix/posix_fs_internal.h"
#include "helio/base/siphash.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

namespace helio::backend {

using vfs::Status;

namespace {

std::uint64_t hash_of(const vfs::Caller& caller) {
    const std::uint64_t who = std::uint64_t{caller.uid} << 32 | caller.gid;
    return siphash13(
        who, 6,
        {reinterpret_cast<const std::byte*>(caller.groups.data()), caller.groups.size_bytes()});
}

int change_mode(const Node& node, mode_t mode) {
    // Linux 6.6 can use an O_PATH descriptor; earlier kernels need its name in /proc.
    if (syscall(SYS_fchmodat2, node.path.get(), "", mode, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOSYS && errno != EINVAL) return errno;
    return chmod(link_of(node.path.get()).c_str(), mode) == 0 ? 0 : errno;
}

timespec to_timespec(const vfs::NewTime& time) {
    switch (time.how) {
        case vfs::NewTime::How::leave:
            return {0, UTIME_OMIT};
        case vfs::NewTime::How::now:
            return {0, UTIME_NOW};
        case vfs::NewTime::How::set:
            break;
    }
    return {time.time.seconds, static_cast<long>(time.time.nanoseconds)};
}

// Values of a second and more include UTIME_NOW and UTIME_OMIT, which clients must not send.
bool is_time(const vfs::NewTime& time) {
    return time.how != vfs::NewTime::How::set || time.time.nanoseconds < 1'000'000'000;
}

}  // namespace

Status PosixFs::open(const vfs::Caller& caller, const vfs::FileId& file, NodePtr& out,
                     Nodes::Seen seen) {
    const Status status = nodes_.get(file, caller.may_block, out, seen);
    if (status != Status::ok) return status;
    return identity_.assume(caller) ? Status::ok : Status::server_fault;
}

Status PosixFs::open_directory(const vfs::Caller& caller, const vfs::FileId& file, NodePtr& out,
                               Nodes::Seen seen) {
    const Status status = open(caller, file, out, seen);
    if (status != Status::ok) return status;
    return out->is_directory() ? Status::ok : Status::not_a_directory;
}

Status PosixFs::look(const Node& node, struct stat& out) {
    if (quick_stat(node.path.get(), out) != 0) return vfs::status_of(errno);
    if (out.st_nlink != 0) [[likely]]
        return Status::ok;
    nodes_.forget_removed(node);
    return Status::stale;
}

void PosixFs::note_after(const Node& node, std::optional<vfs::Attributes>& out) const {
    struct stat status;
    if (quick_stat(node.path.get(), status) == 0) out = to_attributes(status);
}

Status PosixFs::attributes(const vfs::Caller& caller, const vfs::FileId& file,
                           vfs::Attributes& out) {
    // The handle alone permits this: no need to act as the caller.
    NodePtr node;
    Status status = nodes_.get(file, caller.may_block, node);
    if (status != Status::ok) return status;
    struct stat found;
    status = look(*node, found);
    if (status == Status::ok) out = to_attributes(found);
    return status;
}

int PosixFs::rights(const vfs::Caller& caller, Node& node, const struct stat& status) {
    const std::uint64_t who = identity_.enabled() ? hash_of(caller) : 0;
    const vfs::Time changed = to_time(status.st_ctim);
    {
        const std::lock_guard lock{node.mutex};
        if (node.verdict >= 0 && node.verdict_caller == who && node.verdict_changed == changed)
            return node.verdict;
    }
    // The kernel decides, considering access lists, read-only mounts and capabilities.
    const auto may = [&node](int mode) {
        return syscall(SYS_faccessat2, node.path.get(), "", mode, AT_EMPTY_PATH | AT_EACCESS) == 0;
    };
    int verdict = R_OK | W_OK | X_OK;
    if (!may(verdict)) {
        verdict = 0;
        for (const int one : {R_OK, W_OK, X_OK})
            if (may(one)) verdict |= one;
    }
    if (is_settled(changed, file_clock())) {
        const std::lock_guard lock{node.mutex};
        node.verdict = verdict;
        node.verdict_caller = who;
        node.verdict_changed = changed;
    }
    return verdict;
}

Status PosixFs::access(const vfs::Caller& caller, const vfs::FileId& file, std::uint32_t wanted,
                       vfs::AccessOut& out) {
    using namespace vfs::access;
    NodePtr node;
    struct stat found;
    Status status = open(caller, file, node);
    if (status == Status::ok) status = look(*node, found);
    if (status != Status::ok) return status;
    out.after = to_attributes(found);
    const int have = rights(caller, *node, found);
    std::uint32_t granted = 0;
    if (have & R_OK) granted |= kRead;
    if (node->is_directory()) {
        if (have & X_OK) granted |= kLookup;
        if ((have & W_OK) && (have & X_OK)) granted |= kModify | kExtend | kDelete;
    } else {
        if (have & W_OK) granted |= kModify | kExtend;
        if (have & X_OK) granted |= kExecute;
    }
    out.granted = granted & wanted;
    return Status::ok;
}

Status PosixFs::set_attributes(const vfs::Caller& caller, const vfs::FileId& file,
                               const vfs::Changes& changes, const std::optional<vfs::Time>& guard,
                               vfs::Change& out) {
    if (!caller.may_block) return Status::would_block;
    NodePtr node;
    Status status = open(caller, file, node, Nodes::Seen::now);
    if (status != Status::ok) return status;
    const std::lock_guard lock{lock_of(*node)};
    struct stat found;
    status = look(*node, found);
    if (status != Status::ok) return status;
    out.before = to_before(found);
    if (guard && *guard != to_time(found.st_ctim))
        status = Status::guard_mismatch;
    else
        status = apply(caller, *node, found, changes);
    note_after(*node, out.after);
    if (status == Status::ok && options_.sync_metadata) {
        std::shared_ptr<DataFile> data;
        if (S_ISREG(found.st_mode) &&
            open_data(caller, *node, found, OpenFor::read, data) == Status::ok &&
            fsync(data->fd.get()) != 0)
            status = Status::io_error;
        else if (S_ISDIR(found.st_mode))
            status = sync_directory(*node);
    }
    return status;
}

// Owner before mode: the kernel clears set-user-id bits when the owner changes.
Status PosixFs::apply(const vfs::Caller& caller, Node& node, const struct stat& status,
                      const vfs::Changes& changes) {
    if (!is_time(changes.accessed) || !is_time(changes.modified)) return Status::invalid;
    if (changes.size) {
        if (S_ISDIR(status.st_mode)) return Status::is_a_directory;
        if (!S_ISREG(status.st_mode)) return Status::invalid;
        const Status resized = resize(caller, node, status, *changes.size);
        if (resized != Status::ok) return resized;
    }
    // Even for the present owner, the kernel checks the right to set it, clears set-user-id bits
    // and updates ctime. A server that runs as one user for all callers could not do what each of
    // them may, so there the present owner counts as no change.
    const auto new_id = [this](const std::optional<std::uint32_t>& wanted, std::uint32_t present) {
        const bool set = wanted && (identity_.enabled() || *wanted != present);
        return set ? *wanted : static_cast<std::uint32_t>(-1);
    };
    const uid_t uid = new_id(changes.uid, status.st_uid);
    const gid_t gid = new_id(changes.gid, status.st_gid);
    if ((uid != static_cast<uid_t>(-1) || gid != static_cast<gid_t>(-1)) &&
        fchownat(node.path.get(), "", uid, gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0)
        return vfs::status_of(errno);
    if (changes.mode && !S_ISLNK(status.st_mode)) {
        hold_open(caller, node, status, *changes.mode);
        const int error = change_mode(node, *changes.mode & 07777);
        if (error != 0) return vfs::status_of(error);
    }
    if (changes.accessed.how != vfs::NewTime::How::leave ||
        changes.modified.how != vfs::NewTime::How::leave) {
        const timespec times[2] = {to_timespec(changes.accessed), to_timespec(changes.modified)};
        if (utimensat(node.path.get(), "", times, AT_EMPTY_PATH) != 0 &&
            (errno != EINVAL ||
             utimensat(AT_FDCWD, link_of(node.path.get()).c_str(), times, 0) != 0))
            return vfs::status_of(errno);
    }
    return Status::ok;
}

Status PosixFs::resize(const vfs::Caller& caller, Node& node, const struct stat& status,
                       std::uint64_t size) {
    if (size > INT64_MAX) return Status::too_big;
    std::shared_ptr<DataFile> data;
    const Status opened = open_data(caller, node, status, OpenFor::write, data);
    if (opened != Status::ok) return opened;
    return ftruncate(data->fd.get(), static_cast<off_t>(size)) == 0 ? Status::ok
                                                                    : vfs::status_of(errno);
}

Status PosixFs::space(const vfs::Caller& caller, const vfs::FileId& file, vfs::Space& out) {
    NodePtr node;
    const Status status = nodes_.get(file, caller.may_block, node);
    if (status != Status::ok) return status;
    struct statvfs found;
    if (fstatvfs(node->path.get(), &found) != 0) return vfs::status_of(errno);
    const std::uint64_t block = found.f_frsize;
    out.bytes_total = found.f_blocks * block;
    out.bytes_free = found.f_bfree * block;
    out.bytes_available = found.f_bavail * block;
    out.files_total = found.f_files;
    out.files_free = found.f_ffree;
    out.files_available = found.f_favail;
    out.block_size = static_cast<std::uint32_t>(block);
    return Status::ok;
}

}  // namespace helio::backend
