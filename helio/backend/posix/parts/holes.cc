#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "helio/backend/posix/parts/parts_internal.h"

namespace helio::backend {

using vfs::Status;

Status PosixHoles::seek(const vfs::Caller&, vfs::OpenFile& file, std::uint64_t offset,
                        vfs::SeekFor what, vfs::SeekOut& out) {
    PosixOpenFile& open = PosixOpenFile::of(fs_, file);
    if (!vfs::reads(open.access())) return Status::access_denied;
    struct stat found;
    if (quick_stat(open.descriptor(), found) != 0) return vfs::status_of(errno);
    const auto size = static_cast<std::uint64_t>(found.st_size);
    if (offset >= size) return Status::past_end;
    // This also moves the file position, which nothing else uses.
    const off_t at = lseek(open.descriptor(), static_cast<off_t>(offset),
                           what == vfs::SeekFor::data ? SEEK_DATA : SEEK_HOLE);
    // ENXIO: there is no more data.
    if (at < 0 && errno != ENXIO) return vfs::status_of(errno);
    out.offset = at < 0 ? size : std::min(static_cast<std::uint64_t>(at), size);
    out.end = out.offset == size;
    return Status::ok;
}

Status PosixHoles::allocate(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                            std::uint64_t length) {
    return change_range(caller, file, 0, offset, length);
}

Status PosixHoles::deallocate(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                              std::uint64_t length) {
    return change_range(caller, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

Status PosixHoles::change_range(const vfs::Caller& caller, vfs::OpenFile& file, int mode,
                                std::uint64_t offset, std::uint64_t length) {
    PosixOpenFile& open = PosixOpenFile::of(fs_, file);
    if (!vfs::writes(open.access())) return Status::access_denied;
    if (length == 0) return Status::invalid;
    if (offset > INT64_MAX || length > INT64_MAX - offset) return Status::too_big;
    if (!caller.may_block) return Status::would_block;
    if (!fs_.identity().assume(caller)) return Status::server_fault;
    int result;
    do {
        result = fallocate(open.descriptor(), mode, static_cast<off_t>(offset),
                           static_cast<off_t>(length));
    } while (result != 0 && errno == EINTR);
    return result == 0 ? Status::ok : vfs::status_of(errno);
}

}  // namespace helio::backend
