#include "helio/backend/posix/file_status_internal.h"

namespace helio::backend {

namespace {

vfs::FileType type_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFDIR:
            return vfs::FileType::directory;
        case S_IFLNK:
            return vfs::FileType::symlink;
        case S_IFBLK:
            return vfs::FileType::block_device;
        case S_IFCHR:
            return vfs::FileType::character_device;
        case S_IFIFO:
            return vfs::FileType::fifo;
        case S_IFSOCK:
            return vfs::FileType::socket;
        default:
            return vfs::FileType::regular;
    }
}

}  // namespace

vfs::Attributes to_attributes(const struct stat& status, std::uint64_t fsid) {
    vfs::Attributes out;
    out.type = type_of(status.st_mode);
    out.mode = status.st_mode & 07777;
    out.links = static_cast<std::uint32_t>(status.st_nlink);
    out.uid = status.st_uid;
    out.gid = status.st_gid;
    out.size = static_cast<std::uint64_t>(status.st_size);
    out.used = static_cast<std::uint64_t>(status.st_blocks) * 512;
    out.device_major = major(status.st_rdev);
    out.device_minor = minor(status.st_rdev);
    out.block_size = static_cast<std::uint32_t>(status.st_blksize);
    out.fsid = fsid;
    out.fileid = status.st_ino;
    out.accessed = to_time(status.st_atim);
    out.modified = to_time(status.st_mtim);
    out.changed = to_time(status.st_ctim);
    out.change = vfs::change_from(out.changed);
    return out;
}

}  // namespace helio::backend
