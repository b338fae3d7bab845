// An open file for file systems that have none (vfs::FileSystem::open_files is null): it names its
// file by id. Rights are checked at open and again by every operation, and the file is gone when
// its last name is.
#pragma once

#include <memory>

#include "helio/vfs/open_files.h"

namespace helio::nfs::v4 {

// is_a_directory or invalid: not a regular file. The open file keeps the file system alive.
vfs::Status open_plainly(const std::shared_ptr<vfs::FileSystem>& files, const vfs::Caller& caller,
                         const vfs::FileId& id, vfs::OpenAccess access, vfs::OpenRights rights,
                         std::shared_ptr<vfs::OpenFile>& out);

}  // namespace helio::nfs::v4
