// The back end for files in memory, written "memory:".
#pragma once

#include "helio/vfs/backend.h"

namespace helio::backend {

const vfs::Backend& memory_backend();

}  // namespace helio::backend
