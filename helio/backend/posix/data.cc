#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>

#include "helio/backend/posix/posix_fs_internal.h"

namespace helio::backend {

using vfs::Status;

namespace {

bool is_superuser(const vfs::Caller& caller) { return caller.uid == 0; }

constexpr std::size_t kWriteInPlaceMax = 16u << 10;

// Shorter links are stored in the inode, which is in memory while the file is open.
constexpr off_t kLinkInInodeMax = 60;

Status status_of_data(int error) {
    // Linux returns EINVAL for offsets beyond the largest file.
    return error == EINVAL ? Status::too_big : vfs::status_of(error);
}

// True if the pages are in memory, judging by the first and the last.
bool is_cached(int fd, std::uint64_t offset, std::size_t size, std::atomic<bool>& no_wait) {
    if (!no_wait.load(std::memory_order_relaxed)) return true;
    for (const std::uint64_t at : {offset, offset + size - 1}) {
        std::byte one;
        iovec into{&one, 1};
        if (preadv2(fd, &into, 1, static_cast<off_t>(at), RWF_NOWAIT) >= 0) continue;
        if (errno == EAGAIN) return false;
        if (errno == EOPNOTSUPP) no_wait.store(false, std::memory_order_relaxed);
        return true;  // reading will report errors
    }
    return true;
}

}  // namespace

// Rights have been checked already. A server that acts as its callers opens the file as the
// superuser if the mode denies access to the owner, or to the first of several callers. Other
// servers run as an ordinary user and get what the mode grants: it must not be changed for this,
// not even for a moment. Others would see it, and it would stay if we died.
int PosixFs::reopen(const vfs::Caller& caller, const Node& node, int access) {
    const std::string link = link_of(node.path.get());
    const int flags = access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    const int fd = ::open(link.c_str(), flags);
    if (fd >= 0 || errno != EACCES || !identity_.enabled()) return fd;
    const AsSelf self{identity_, caller};
    return ::open(link.c_str(), flags);
}

std::shared_ptr<DataFile> PosixFs::held_data(Node& node, bool read, bool write) {
    const std::lock_guard lock{node.mutex};
    if (!node.data || (read && !node.data->readable) || (write && !node.data->writable))
        return nullptr;
    node.data_used = nodes_.tick();
    return node.data;
}

std::shared_ptr<DataFile> PosixFs::held_reader(Node& node) {
    const std::lock_guard lock{node.mutex};
    if (node.reader) {
        node.reader_used = nodes_.tick();
        return node.reader;
    }
    if (!node.data || !node.data->readable || node.data->writable) return nullptr;
    node.data_used = nodes_.tick();
    return node.data;
}

void PosixFs::hold_reader(Node& node, const std::shared_ptr<DataFile>& data) {
    const std::lock_guard lock{node.mutex};
    if (node.data) {
        node.reader = data;
        node.reader_used = nodes_.tick();
    } else {
        node.data = data;
        node.data_used = nodes_.tick();
    }
}

Status PosixFs::open_data(const vfs::Caller& caller, Node& node, const struct stat& status,
                          OpenFor use, std::shared_ptr<DataFile>& out) {
    const bool write = use == OpenFor::write;
    if (!S_ISREG(status.st_mode))
        return S_ISDIR(status.st_mode) ? Status::is_a_directory : Status::invalid;
    const bool owner = !identity_.enabled() || caller.uid == status.st_uid || is_superuser(caller);
    if (!owner) {
        const int have = rights(caller, node, status);
        // Clients execute programs by reading them.
        if (write ? !(have & W_OK) : !(have & (R_OK | X_OK))) return Status::access_denied;
    }
    out = held_data(node, !write, write);
    if (out) return Status::ok;
    Fd fd{reopen(caller, node, write ? O_RDWR : O_RDONLY)};
    // A mode may grant only writing.
    const bool write_only = !fd && write && errno == EACCES;
    if (write_only) fd = Fd{reopen(caller, node, O_WRONLY)};
    if (!fd) return vfs::status_of(errno);
    out = std::make_shared<DataFile>();
    out->fd = std::move(fd);
    out->readable = !write_only;
    out->writable = write;
    const std::lock_guard lock{node.mutex};
    if (!node.data || write) {
        node.data = out;
        node.data_used = nodes_.tick();
    }
    return Status::ok;
}

void PosixFs::hold_open(const vfs::Caller& caller, Node& node, const struct stat& status,
                        mode_t mode) {
    const bool closes = (status.st_mode & ~mode & (S_IRUSR | S_IWUSR)) != 0;
    if (identity_.enabled() || !closes || !S_ISREG(status.st_mode)) return;
    std::shared_ptr<DataFile> held;
    if (open_data(caller, node, status, OpenFor::write, held) != Status::ok)
        static_cast<void>(open_data(caller, node, status, OpenFor::read, held));
}

Status PosixFs::read(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                     std::uint32_t count, vfs::Memory& memory, vfs::ReadOut& out) {
    NodePtr node;
    struct stat found;
    std::shared_ptr<DataFile> data;
    Status status = open(caller, file, node);
    if (status == Status::ok) status = look(*node, found);
    if (status == Status::ok) {
        out.after = to_attributes(found);
        status = open_data(caller, *node, found, OpenFor::read, data);
    }
    if (status != Status::ok) return status;
    return read_data(caller, data, found, offset, count, memory, out);
}

// A short read asks for one byte more than it may return. If it gets that, it ends inside the file,
// and nobody need ask where the file ends.
Status PosixFs::read_open(const vfs::Caller& caller, const std::shared_ptr<DataFile>& data,
                          std::uint64_t offset, std::uint32_t count, vfs::Memory& memory,
                          vfs::ReadOut& out) {
    const int fd = data->fd.get();
    std::span<std::byte> room;
    ssize_t got = -1;
    if (count < vfs::kReadByReferenceMin && offset <= INT64_MAX) {
        room = memory.take(count + std::size_t{1});
        if (room.empty()) return Status::server_fault;
        iovec into{room.data(), room.size()};
        const bool no_wait = !caller.may_block && no_wait_reads_.load(std::memory_order_relaxed);
        got = preadv2(fd, &into, 1, static_cast<off_t>(offset), no_wait ? RWF_NOWAIT : 0);
        if (got == static_cast<ssize_t>(room.size())) {
            out.data = ByteView{room.first(count)};
            out.end = false;
            return Status::ok;
        }
    }
    struct stat found;
    if (quick_stat(fd, found) != 0) return vfs::status_of(errno);
    out.after = to_attributes(found);
    if (got >= 0 &&
        offset + static_cast<std::uint64_t>(got) >= static_cast<std::uint64_t>(found.st_size)) {
        out.data = ByteView{room.first(static_cast<std::size_t>(got))};
        out.end = true;
        return Status::ok;
    }
    // Not all of it is in memory, or it is long.
    return read_data(caller, data, found, offset, count, memory, out);
}

Status PosixFs::read_data(const vfs::Caller& caller, const std::shared_ptr<DataFile>& data,
                          const struct stat& found, std::uint64_t offset, std::uint32_t count,
                          vfs::Memory& memory, vfs::ReadOut& out) {
    const auto size = static_cast<std::uint64_t>(found.st_size);
    const std::size_t wanted = offset >= size ? 0 : std::min<std::uint64_t>(count, size - offset);
    if (wanted == 0) {
        out.end = offset >= size;
        return Status::ok;
    }
    const int fd = data->fd.get();
    if (wanted >= vfs::kReadByReferenceMin) {
        if (!caller.may_block && !is_cached(fd, offset, wanted, no_wait_reads_))
            return Status::would_block;
        out.data = memory.file(fd, offset, wanted, data);
        if (!out.data.empty()) {
            out.end = offset + wanted == size;
            return Status::ok;
        }
    }
    const std::span<std::byte> room = memory.take(wanted);
    if (room.empty()) return Status::server_fault;
    std::size_t have = 0;
    while (have < wanted) {
        iovec into{room.data() + have, wanted - have};
        const bool no_wait = !caller.may_block && no_wait_reads_.load(std::memory_order_relaxed);
        const ssize_t got =
            preadv2(fd, &into, 1, static_cast<off_t>(offset + have), no_wait ? RWF_NOWAIT : 0);
        if (got == 0) break;  // it has been truncated
        if (got > 0) {
            have += static_cast<std::size_t>(got);
        } else if (errno == EOPNOTSUPP && no_wait) {
            no_wait_reads_ = false;
        } else if (errno != EINTR) {
            return status_of_data(errno);  // EAGAIN: would_block
        }
    }
    out.data = ByteView{room.first(have)};
    out.end = offset + have >= size || have < wanted;
    return Status::ok;
}

Status PosixFs::write(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t offset,
                      ByteView data, vfs::Stability stability, vfs::WriteOut& out) {
    if (!may_write_now(caller, data.size(), stability)) return Status::would_block;
    NodePtr node;
    struct stat found;
    std::shared_ptr<DataFile> open_file;
    Status status = open(caller, file, node);
    if (status == Status::ok) status = look(*node, found);
    if (status == Status::ok) {
        out.file.before = to_before(found);
        status = open_data(caller, *node, found, OpenFor::write, open_file);
    }
    if (status == Status::ok) status = write_data(*open_file, offset, data, stability, out);
    if (node) note_after(*node, out.file.after);
    return status;
}

// Writing blocks if the file system is frozen, or if there are too many dirty pages. Switching to
// another thread costs more than a small write.
bool PosixFs::may_write_now(const vfs::Caller& caller, std::size_t size, vfs::Stability stability) {
    if (caller.may_block) return true;
    return caller.may_risk_blocking && size <= kWriteInPlaceMax &&
           stability == vfs::Stability::unstable;
}

Status PosixFs::write_data(const DataFile& data, std::uint64_t offset, ByteView bytes,
                           vfs::Stability stability, vfs::WriteOut& out) {
    if (offset > INT64_MAX || bytes.size() > INT64_MAX - offset) return Status::too_big;
    const int flags = stability == vfs::Stability::file   ? RWF_SYNC
                      : stability == vfs::Stability::data ? RWF_DSYNC
                                                          : 0;
    Status status = Status::ok;
    std::size_t done = 0;
    while (status == Status::ok && done < bytes.size()) {
        iovec from{const_cast<std::byte*>(bytes.data()) + done, bytes.size() - done};
        const ssize_t wrote =
            pwritev2(data.fd.get(), &from, 1, static_cast<off_t>(offset + done), flags);
        if (wrote > 0)
            done += static_cast<std::size_t>(wrote);
        else if (wrote == 0)
            status = Status::io_error;
        else if (errno != EINTR)
            status = status_of_data(errno);
    }
    // The failed data may include earlier writes that were acknowledged.
    if (status == Status::io_error) verifier_.fetch_add(1);
    // If the disk is full, part of the data is written: report that much; the next call gets the
    // error.
    if (done > 0 && status != Status::io_error) status = Status::ok;
    out.count = static_cast<std::uint32_t>(done);
    out.stability = stability;
    return status;
}

Status PosixFs::sync_data(const DataFile& data) {
    if (fsync(data.fd.get()) == 0) return Status::ok;
    const Status status = vfs::status_of(errno);
    verifier_.fetch_add(1);
    return status;
}

Status PosixFs::commit(const vfs::Caller& caller, const vfs::FileId& file, std::uint64_t,
                       std::uint64_t, vfs::Change& out) {
    if (!caller.may_block) return Status::would_block;
    NodePtr node;
    struct stat found;
    Status status = open(caller, file, node);
    if (status == Status::ok) status = look(*node, found);
    if (status != Status::ok) return status;
    out.before = to_before(found);
    // Permissions do not matter: the write was allowed. Its descriptor reports errors that occurred
    // since then.
    std::shared_ptr<DataFile> data;
    {
        const AsSelf self{identity_, caller};
        const vfs::Caller owner{.uid = found.st_uid, .gid = found.st_gid, .groups = {}};
        status = S_ISREG(found.st_mode) ? open_data(owner, *node, found, OpenFor::read, data)
                                        : Status::invalid;
        if (status == Status::access_denied)
            status = open_data(owner, *node, found, OpenFor::write, data);
        if (status == Status::ok) status = sync_data(*data);
    }
    note_after(*node, out.after);
    return status;
}

Status PosixFs::read_link(const vfs::Caller& caller, const vfs::FileId& file, vfs::Memory& memory,
                          vfs::LinkText& out) {
    NodePtr node;
    struct stat found;
    Status status = open(caller, file, node);
    if (status == Status::ok) status = look(*node, found);
    if (status != Status::ok) return status;
    out.after = to_attributes(found);
    if (!S_ISLNK(found.st_mode)) return Status::invalid;
    if (!caller.may_block && found.st_size >= kLinkInInodeMax) return Status::would_block;
    // Some file systems report size 0 for a link.
    const std::span<std::byte> room = memory.take(PATH_MAX);
    if (room.empty()) return Status::server_fault;
    const ssize_t size =
        readlinkat(node->path.get(), "", reinterpret_cast<char*>(room.data()), room.size());
    if (size < 0) return vfs::status_of(errno);
    out.text = as_text(ByteView{room.data(), static_cast<std::size_t>(size)});
    return Status::ok;
}

}  // namespace helio::backend
