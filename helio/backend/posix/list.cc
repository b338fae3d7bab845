#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "helio/backend/posix/posix_fs_internal.h"

namespace helio::backend {

using vfs::Status;

namespace {
// What the kernel is asked for at a time: about as many entries as the answer has room for, so that
// few are left over.
constexpr std::size_t kStreamBytesMin = 4u << 10;
constexpr std::size_t kStreamBytesMax = 32u << 10;
// A directory whose files the kernel has to read from the disk holds others up no longer than this,
// looked at each so many entries; from there on the listing is for a thread that may wait.
constexpr std::chrono::milliseconds kListingTimeMax{3};
constexpr unsigned kEntriesPerLook = 16;
}  // namespace

// False when the kernel has failed; errno says how.
bool PosixFs::fill(DirStream& stream, std::size_t size_hint) {
    const std::size_t size = std::clamp(size_hint, kStreamBytesMin, kStreamBytesMax);
    if (stream.bytes.size() < size) stream.bytes.resize(size);
    const long got = syscall(SYS_getdents64, stream.fd.get(), stream.bytes.data(), size);
    if (got < 0) return false;
    stream.begin = 0;
    stream.end = static_cast<std::size_t>(got);
    stream.at_end = got == 0;
    return true;
}

Status PosixFs::list(const vfs::Caller& caller, const vfs::FileId& directory,
                     const vfs::ListFrom& from, vfs::EntrySink& sink, vfs::ListOut& out) {
    NodePtr node;
    struct stat found;
    Status status = open_directory(caller, directory, node);
    if (status == Status::ok) status = look(*node, found);
    if (status != Status::ok) return status;
    out.directory = to_attributes(found);
    if (!(rights(caller, *node, found) & R_OK)) return Status::access_denied;
    // Cookies are the kernel's own offsets, which ext4, xfs, btrfs and tmpfs keep stable; so they
    // need no verifier.
    out.verifier = 0;
    if (from.cookie > INT64_MAX) return Status::bad_cookie;

    std::unique_ptr<DirStream> stream;
    {
        const std::lock_guard lock{node->mutex};
        stream = std::move(node->stream);  // nobody else reads on from there meanwhile
    }
    if (!stream) {
        stream = std::make_unique<DirStream>();
        const std::string link = "/proc/self/fd/" + std::to_string(node->path.get());
        stream->fd = Fd{::open(link.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        if (!stream->fd) return vfs::status_of(errno);
    }
    if (stream->next != from.cookie || from.cookie == 0) {
        if (lseek(stream->fd.get(), static_cast<off_t>(from.cookie), SEEK_SET) < 0)
            return Status::bad_cookie;
        stream->begin = stream->end = 0;
        stream->at_end = false;
        stream->next = from.cookie;
    }

    const auto began = std::chrono::steady_clock::now();
    unsigned entries = 0;
    bool full = false;
    while (!full) {
        if (stream->begin == stream->end) {
            if (stream->at_end || !fill(*stream, from.size_hint)) {
                if (!stream->at_end)
                    status = errno == EINVAL ? Status::bad_cookie : vfs::status_of(errno);
                break;
            }
            continue;
        }
        const auto* const raw =
            reinterpret_cast<const dirent64*>(stream->bytes.data() + stream->begin);
        vfs::Entry entry;
        entry.name = raw->d_name;
        entry.fileid = raw->d_ino;
        entry.cookie = static_cast<std::uint64_t>(raw->d_off);
        vfs::FileId id;
        vfs::Attributes attributes;
        struct stat status_of_entry;
        if (!caller.may_block && ++entries % kEntriesPerLook == 0 &&
            std::chrono::steady_clock::now() - began > kListingTimeMax) {
            status = Status::would_block;
            break;
        }
        const bool dots = entry.name == "." || entry.name == "..";
        // The root's parent is not the client's business.
        if (dots && node == nodes_.root()) entry.fileid = node->inode;
        if (from.details && !dots &&
            fstatat(node->path.get(), raw->d_name, &status_of_entry, AT_SYMLINK_NOFOLLOW) == 0) {
            entry.fileid = status_of_entry.st_ino;  // of what is mounted there
            attributes = to_attributes(status_of_entry);
            entry.attributes = &attributes;
            if (nodes_.id_of_name(*node, raw->d_name, status_of_entry, id)) entry.id = &id;
        }
        if (!sink.add(entry)) {
            full = true;
        } else {
            stream->begin += raw->d_reclen;
            stream->next = entry.cookie;
        }
    }
    out.end = status == Status::ok && !full;
    const std::lock_guard lock{node->mutex};
    if (!node->stream && status == Status::ok) node->stream = std::move(stream);
    return status;
}

}  // namespace helio::backend
