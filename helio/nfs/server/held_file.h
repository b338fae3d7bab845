// Open files as clients of NFS 4 hold them: each keeps its file system, which it needs as long as
// it lives, and is closed on the pool if that may take time. The last owner may be any thread, and
// may hold locks that others wait for.
#pragma once

#include <memory>

#include "helio/nfs/server/access.h"
#include "helio/vfs/open_files.h"

namespace helio::nfs {

// A file that was opened through this access.
std::shared_ptr<vfs::OpenFile> hold(std::shared_ptr<vfs::OpenFile> file, const Access& access);

// False if the export has had another file system since hold(): with the new one's locks, the file
// cannot be used.
bool belongs_to(const std::shared_ptr<vfs::OpenFile>& held, const vfs::FileSystem& files);

}  // namespace helio::nfs
