// FileIds: determines the FileId of a file, which has one of two forms (file_id_format_internal.h).
//
// The first holds the kernel's file handle (name_to_handle_at, which needs no privilege): an inode
// number and a generation that changes when the inode is reused, so it identifies one file forever.
// If there is no handle (overlay, FUSE) or it is too long (btrfs), the second form holds the inode
// number and, as generation, a hash of the handle or the birth time. Files of other file systems
// mounted below the export have the second form with a tag of their device.
#pragma once

#include <cstdint>
#include <optional>

#include "helio/backend/posix/file_status_internal.h"
#include "helio/backend/posix/nodes/id_cache_internal.h"
#include "helio/base/hash.h"
#include "helio/vfs/types.h"

namespace helio::backend {

class FileIds final {
 public:
    // Examines the export's root: its device, and its kind of handles.
    explicit FileIds(int root);

    // The id of the file open as `descriptor` (O_PATH is enough), or of a name in a directory;
    // `status` is from fstatat. Nothing if the file has gone or been replaced meanwhile.
    std::optional<vfs::FileId> of(int descriptor, const char* name,
                                  const struct stat& status) const;
    // The same for a directory entry that is being listed, from the cache if possible. The result
    // is good enough to hand out, but not to decide which file an id belongs to.
    std::optional<vfs::FileId> of_entry(int directory, const char* name,
                                        const StatusWithBirth& status, const vfs::Time& now);
    void prefetch(std::uint64_t inode) const { cache_.prefetch(inode); }

    // O_PATH descriptor by the kernel's handle; -1 with errno: EOPNOTSUPP when it has none.
    int open(int root, const vfs::FileId& id) const;

    // Whether the change time of files on this device reflects every change at once. True for the
    // export's own device if it is a local file system.
    bool shows_changes(dev_t device) const { return shows_changes_ && device == device_; }

    bool has_kernel_handles() const { return kernel_handles_; }
    dev_t device() const { return device_; }
    std::uint64_t fsid_of(const struct stat& status) const {
        return status.st_dev == device_ ? fsid_ : fsid_ ^ (kGoldenRatio * status.st_dev);
    }
    vfs::Attributes attributes(const struct stat& status) const {
        return to_attributes(status, fsid_of(status));
    }

 private:
    bool asks_kernel(const struct stat& status) const {
        return kernel_handles_ && status.st_dev == device_;
    }
    // `names_inode`: the handle is that of the inode in `status`, and not of what has taken its
    // name since then.
    std::optional<vfs::FileId> by_kernel(int descriptor, const char* name,
                                         const struct stat& status, bool& names_inode) const;
    vfs::FileId by_birth(const struct stat& status, std::uint64_t birth) const;

    dev_t device_ = 0;
    std::uint64_t fsid_ = 0;
    bool kernel_handles_ = false;
    // Birth times are stable (on overlay they change with the first write).
    bool births_ = false;
    bool shows_changes_ = false;
    IdCache cache_;
};

}  // namespace helio::backend
