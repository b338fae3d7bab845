// Names of calls and replies in logs.
#pragma once

#include <string>
#include <string_view>

#include "helio/rpc/call.h"
#include "helio/vfs/status.h"

namespace helio::nfs {

// The name that the answer to this call has for a status: "NFS3ERR_ROFS".
std::string_view wire_name(const rpc::Call& call, vfs::Status status);
// "NFS3 WRITE", "MOUNT3 MNT".
std::string procedure_name(const rpc::Call& call);

}  // namespace helio::nfs
