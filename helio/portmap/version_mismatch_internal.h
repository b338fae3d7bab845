// Shared by the two clients of another portmapper.
#pragma once

#include "helio/xdr/program.h"

namespace helio::portmap {

// True if the other side lacks this version of rpcbind, so that an older one may work.
bool speaks_other_versions(const xdr::CallError& error);

}  // namespace helio::portmap
