// Walks from an export's root to the directory that a MNT asks for.
#pragma once

#include <string_view>

#include "helio/base/task.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::mnt {

// `at` is at the export's root, and afterwards at the directory of the path. Every step below the
// root is made as the caller, after squashing, so that nobody can mount a directory that they could
// not walk to (CVE-2025-12801). Symbolic links are not followed, and nothing leads upwards.
Task<vfs::Status> walk(Access& at, std::string_view path);

}  // namespace helio::nfs::mnt
