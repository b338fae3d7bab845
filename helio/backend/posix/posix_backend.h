// The back end for directories, given by their path.
#pragma once

#include "helio/vfs/backend.h"

namespace helio::backend {

const vfs::Backend& posix_backend();

}  // namespace helio::backend
