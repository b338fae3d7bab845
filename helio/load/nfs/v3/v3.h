// NFS version 3 (RFC 1813): MOUNT, blocking calls, and the wire format of a run's calls.
#pragma once

#include <memory>

#include "helio/load/nfs/calls.h"
#include "helio/load/nfs/file_client.h"

namespace helio::load::nfs::v3 {

std::unique_ptr<FileClient> connect(const ExportTarget& target);
std::unique_ptr<Calls> make_calls();
Step step_of(Kind kind);
std::string_view name_of(Kind kind);

}  // namespace helio::load::nfs::v3
