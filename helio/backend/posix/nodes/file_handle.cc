#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "helio/backend/posix/nodes/file_handle_internal.h"
#include "helio/backend/posix/nodes/file_id_format_internal.h"
#include "helio/base/hash.h"
#include "helio/base/siphash.h"

namespace helio::backend {

namespace {

// struct file_handle with its bytes, of the largest size the kernel uses.
struct KernelHandle {
    alignas(file_handle) std::byte storage[sizeof(file_handle) + MAX_HANDLE_SZ];

    file_handle* get() { return reinterpret_cast<file_handle*>(storage); }
    ByteView bytes() { return {storage + offsetof(file_handle, f_handle), get()->handle_bytes}; }
};

bool name_to_handle(int descriptor, const char* name, KernelHandle& out) {
    out.get()->handle_bytes = MAX_HANDLE_SZ;
    int mount = 0;
    return name_to_handle_at(descriptor, name, out.get(), &mount, *name == 0 ? AT_EMPTY_PATH : 0) ==
           0;
}

// File systems that only this kernel modifies. On others (network file systems, FUSE, overlay)
// attributes may be cached, and a change may show late.
bool is_local(const struct statfs& system) {
    constexpr std::array<std::uint32_t, 5> kLocal = {
        EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC};
    return std::find(kLocal.begin(), kLocal.end(), static_cast<std::uint32_t>(system.f_type)) !=
           kLocal.end();
}

}  // namespace

FileIds::FileIds(int root) {
    struct stat status;
    struct statfs system;
    if (fstat(root, &status) != 0 || fstatfs(root, &system) != 0)
        throw std::runtime_error(std::string("cannot look at the directory: ") + strerror(errno));
    device_ = status.st_dev;
    std::memcpy(&fsid_, &system.f_fsid, sizeof fsid_);
    if (fsid_ == 0) fsid_ = device_;
    births_ = system.f_type != OVERLAYFS_SUPER_MAGIC;
    shows_changes_ = is_local(system);
    KernelHandle handle;
    kernel_handles_ = name_to_handle(root, "", handle);
}

std::optional<vfs::FileId> FileIds::of(int descriptor, const char* name,
                                       const struct stat& status) const {
    bool names_inode = false;
    if (asks_kernel(status)) return by_kernel(descriptor, name, status, names_inode);
    StatusWithBirth again;
    if (births_ && stat_with_birth(descriptor, name, again) && again.stat.st_ino == status.st_ino)
        return by_birth(status, again.birth);
    return by_birth(status, 0);
}

std::optional<vfs::FileId> FileIds::of_entry(int directory, const char* name,
                                             const StatusWithBirth& status, const vfs::Time& now) {
    if (!asks_kernel(status.stat)) return by_birth(status.stat, status.birth);
    bool names_inode = false;
    if (!shows_changes_) return by_kernel(directory, name, status.stat, names_inode);
    const vfs::Time changed = to_time(status.stat.st_ctim);
    vfs::FileId known;
    if (cache_.find(status.stat.st_ino, changed, known)) return known;
    const auto id = by_kernel(directory, name, status.stat, names_inode);
    // If the name was replaced after the stat, this is the id of another file. But then the old
    // file has lost a name, which changed its ctime, so this key will never be looked up.
    if (id && names_inode && is_settled(changed, now)) cache_.put(status.stat.st_ino, changed, *id);
    return id;
}

std::optional<vfs::FileId> FileIds::by_kernel(int descriptor, const char* name,
                                              const struct stat& status, bool& names_inode) const {
    KernelHandle handle;
    if (!name_to_handle(descriptor, name, handle)) return std::nullopt;
    const ByteView bytes = handle.bytes();
    const int type = handle.get()->handle_type;
    if (bytes.size() > kKernelHandleMax || type < 0 || type > UINT8_MAX) {
        // btrfs: the inode number comes first.
        const std::uint64_t inode = status.st_ino;
        names_inode = bytes.size() >= 8 && std::memcmp(bytes.data(), &inode, 8) == 0;
        return inode_id(0, inode, siphash24(0, 0, bytes));
    }
    names_inode = true;  // if it is wrong, the cache does not take it
    const vfs::FileId id = kernel_id(static_cast<std::uint8_t>(type), bytes);
    if (is_inode32_generation(id) && inode_of(id) != static_cast<std::uint32_t>(status.st_ino))
        return std::nullopt;
    return id;
}

vfs::FileId FileIds::by_birth(const struct stat& status, std::uint64_t birth) const {
    const std::uint16_t tag =
        status.st_dev == device_
            ? 0
            : static_cast<std::uint16_t>((status.st_dev * kGoldenRatio) >> 48 | 1);
    return inode_id(tag, status.st_ino, births_ ? birth : 0);
}

int FileIds::open(int root, const vfs::FileId& id) const {
    if (!kernel_handles_ || id.bytes[0] != kKernelForm || id.size < 2) {
        errno = EOPNOTSUPP;
        return -1;
    }
    KernelHandle handle;
    handle.get()->handle_bytes = id.size - 2u;
    handle.get()->handle_type = std::to_integer<int>(id.bytes[1]);
    std::memcpy(handle.get()->f_handle, id.bytes.data() + 2, id.size - 2u);
    return open_by_handle_at(root, handle.get(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

}  // namespace helio::backend
