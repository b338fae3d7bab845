// From a file to its FileId. Two forms:
//
//     1 | type | the kernel's file handle          where one exists and is at most 18 bytes long
//     2 | 0 | device tag (2) | inode (8) | generation (8)
//
// The kernel's handle (name_to_handle_at, which anybody may call) has the inode and a generation
// that changes when the inode is used again, so it names one file for ever. Where there is none
// (overlay, FUSE) or it is too long (btrfs), the generation is a hash of it or the time of birth.
// Other file systems mounted below the export have the second form with a tag of their device.
#pragma once

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include "helio/vfs/types.h"

namespace helio::backend {

// fstat(2) as the kernel's own call: glibc asks for it by way of an empty path.
inline int quick_stat(int descriptor, struct stat& out) {
#ifdef SYS_fstat
    return static_cast<int>(syscall(SYS_fstat, descriptor, &out));
#else
    return fstat(descriptor, &out);
#endif
}

class FileIds final {
 public:
    // Looks at the export's root: its device, and what handles there are like.
    explicit FileIds(int root);

    // Of what `descriptor` is open on (O_PATH will do), or of a name in a directory; `status` is
    // what fstatat said of it. Nothing when it has gone meanwhile, or is another now.
    std::optional<vfs::FileId> of(int descriptor, const char* name,
                                  const struct stat& status) const;
    // Whether the id could be that of a file with this inode number; without a look at the file.
    bool may_be(const vfs::FileId& id, std::uint64_t inode) const;
    // O_PATH descriptor by the kernel's handle; -1 with errno: EOPNOTSUPP when it has none.
    int open(int root, const vfs::FileId& id) const;

    bool has_kernel_handles() const { return kernel_handles_; }
    dev_t device() const { return device_; }
    std::uint64_t fsid_of(const struct stat& status) const {
        return status.st_dev == device_ ? fsid_ : fsid_ ^ (0x9e3779b97f4a7c15u * status.st_dev);
    }

 private:
    dev_t device_ = 0;
    std::uint64_t fsid_ = 0;
    bool kernel_handles_ = false;
    bool births_ =
        false;  // the time of birth does not change with the first write (overlay's does)
};

}  // namespace helio::backend
