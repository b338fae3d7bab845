// From the path of a MNT to a directory.
#pragma once

#include <string>
#include <string_view>

#include "helio/nfs/request.h"

namespace helio::nfs::mnt {

// Without needless slashes, and with the one at the beginning.
std::string tidy(std::string_view path);

// The directory that the path leads to, in `out.file`. Below the export's root every step is made
// as the caller, after squashing, so that nobody mounts what he could not walk to (CVE-2025-12801);
// symbolic links are not followed, and nothing leads upwards.
vfs::Status walk(Request& request, std::string_view path, Door& out);

}  // namespace helio::nfs::mnt
