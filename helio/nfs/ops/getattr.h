// GETATTR: one call into the file system, without a coroutine.
#pragma once

#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

// A vfs::Status, to be awaited.
inline auto getattr(Request& request, ByteView file, vfs::Attributes& out) {
    return SingleCall{request, file, Intent::read,
                      [&out](const Access& access, const vfs::Caller& caller) {
                          return access.files().attributes(caller, access.id(), out);
                      }};
}

}  // namespace helio::nfs::ops
