// NFS versions 4.1 and 4.2 (RFC 8881): one client id and its sessions, blocking calls, and the wire
// format of a run's calls. No MOUNT and no port mapper: paths begin at the server's root.
#pragma once

#include <memory>

#include "helio/load/nfs/calls.h"
#include "helio/load/nfs/file_client.h"

namespace helio::load::nfs::v4 {

std::unique_ptr<FileClient> connect(const ExportTarget& target);
Step step_of(Kind kind);
std::string_view name_of(Kind kind);

}  // namespace helio::load::nfs::v4
