#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "helio/backend/posix/file_handle_internal.h"
#include "helio/base/siphash.h"

namespace helio::backend {

namespace {

constexpr std::byte kKernel{1};
constexpr std::byte kInode{2};
constexpr std::size_t kKernelBytesMax = vfs::kFileIdMax - 2;

// struct file_handle with its bytes, as large as the kernel makes them.
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

std::uint64_t birth_of(int descriptor, const char* name) {
    struct statx status;
    const int flags = AT_SYMLINK_NOFOLLOW | (*name == 0 ? AT_EMPTY_PATH : 0);
    if (statx(descriptor, name, flags, STATX_BTIME, &status) != 0) return 0;
    if ((status.stx_mask & STATX_BTIME) == 0) return 0;
    return static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000 +
           status.stx_btime.tv_nsec;
}

// The common form of ext4, xfs and others (FILEID_INO32_GEN) begins with the inode's low 32 bits.
constexpr int kInode32Generation = 1;

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
    KernelHandle handle;
    kernel_handles_ = name_to_handle(root, "", handle);
}

std::optional<vfs::FileId> FileIds::of(int descriptor, const char* name,
                                       const struct stat& status) const {
    vfs::FileId id;
    std::uint64_t generation = 0;
    const bool here = status.st_dev == device_;
    KernelHandle handle;
    if (kernel_handles_ && here) {
        if (!name_to_handle(descriptor, name, handle)) return std::nullopt;
        const ByteView bytes = handle.bytes();
        const int type = handle.get()->handle_type;
        if (bytes.size() <= kKernelBytesMax && type >= 0 && type < 256) {
            if (type == kInode32Generation && bytes.size() == 8) {
                std::uint32_t inode;
                std::memcpy(&inode, bytes.data(), 4);
                if (inode != static_cast<std::uint32_t>(status.st_ino)) return std::nullopt;
            }
            id.bytes[0] = kKernel;
            id.bytes[1] = static_cast<std::byte>(type);
            std::memcpy(id.bytes.data() + 2, bytes.data(), bytes.size());
            id.size = static_cast<std::uint8_t>(2 + bytes.size());
            return id;
        }
        generation = siphash24(0, 0, bytes);
    } else if (births_) {
        generation = birth_of(descriptor, name);
    }
    id.bytes[0] = kInode;
    const std::uint16_t tag =
        here ? 0 : static_cast<std::uint16_t>((status.st_dev * 0x9e3779b97f4a7c15u) >> 48 | 1);
    const std::uint64_t inode = status.st_ino;
    std::memcpy(id.bytes.data() + 2, &tag, 2);
    std::memcpy(id.bytes.data() + 4, &inode, 8);
    std::memcpy(id.bytes.data() + 12, &generation, 8);
    id.size = 20;
    return id;
}

bool FileIds::may_be(const vfs::FileId& id, std::uint64_t inode) const {
    if (id.bytes[0] == kInode) {
        std::uint64_t its;
        std::memcpy(&its, id.bytes.data() + 4, 8);
        return its == inode;
    }
    if (id.bytes[1] != std::byte{kInode32Generation} || id.size != 10) return true;
    std::uint32_t its;
    std::memcpy(&its, id.bytes.data() + 2, 4);
    return its == static_cast<std::uint32_t>(inode);
}

int FileIds::open(int root, const vfs::FileId& id) const {
    if (!kernel_handles_ || id.bytes[0] != kKernel || id.size < 2) {
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
