// The binary form of POSIX access lists in the attributes system.posix_acl_access and
// system.posix_acl_default (linux/posix_acl_xattr.h). All numbers are little-endian:
//
//     version = 2 (4) | entries: tag (2) rights (2) id (4)
//
// The id is -1 in entries that do not name a user or group.
#pragma once

#include <optional>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/vfs/access_lists.h"

namespace helio::backend {

std::vector<std::byte> to_acl_bytes(const vfs::Acl& list);
// Empty if this is not a valid list.
std::optional<vfs::Acl> from_acl_bytes(ByteView bytes);

}  // namespace helio::backend
