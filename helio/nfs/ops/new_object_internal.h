// The last step of every operation that makes an object.
#pragma once

#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

// Fills in the new object, with a handle, and ends the operation.
vfs::Status finish_new(Access& directory, vfs::Status status, const vfs::CreateOut& made,
                       Object& out, vfs::Change& out_directory);

}  // namespace helio::nfs::ops
