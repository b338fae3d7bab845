// Shared by RENAME and LINK, which have two handles.
#pragma once

#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

// Opens both for a change. The rules of each export apply, and both must be in the same one.
vfs::Status open_both(Access& first, ByteView first_handle, Access& second, ByteView second_handle);

}  // namespace helio::nfs::ops
