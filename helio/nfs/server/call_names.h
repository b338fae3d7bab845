// Names of calls and statuses for logs.
#pragma once

#include <string>
#include <string_view>

#include "helio/rpc/call.h"
#include "helio/vfs/status.h"

namespace helio::nfs {

// The name of a status in replies to this call: "NFS3ERR_ROFS".
std::string_view wire_name(const rpc::Call& call, vfs::Status status);
// "NFS3 WRITE", "MOUNT3 MNT".
std::string procedure_name(const rpc::Call& call);

}  // namespace helio::nfs
