// From the path of a MNT to a directory.
#pragma once

#include <string_view>

#include "helio/base/task.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::mnt {

// Walks from an export's root to the directory of the path, which `at` ends up with. Every step
// below the root is made as the caller, after squashing, so that nobody can mount what they could
// not walk to (CVE-2025-12801); symbolic links are not followed, and nothing leads upwards.
Task<vfs::Status> walk(Access& at, std::string_view path);

}  // namespace helio::nfs::mnt
