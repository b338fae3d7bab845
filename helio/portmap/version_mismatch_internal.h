// Shared by the two users of a foreign portmapper.
#pragma once

#include "helio/xdr/program.h"

namespace helio::portmap {

// The other side has no such version of rpcbind, and an older one may do.
bool speaks_other_versions(const xdr::CallError& error);

}  // namespace helio::portmap
