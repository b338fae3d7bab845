// Maps vfs::Status to each protocol's errors: one table per protocol, so that a status means the
// same in every procedure.
#pragma once

#include <cstdint>

#include "helio/vfs/status.h"
#include "schema/mount.h"
#include "schema/nfs2.h"
#include "schema/nfs3.h"
#include "schema/nfs4.h"

namespace helio::nfs {

nfs3::nfsstat3 to_nfs3(vfs::Status status);
nfs4::nfsstat4 to_nfs4(vfs::Status status);
// Errors that version 2 lacks become the nearest one. `busy` has no number there: a server that
// needs more time does not answer, and the client repeats the call.
nfs2::nfsstat to_nfs2(vfs::Status status);
mount::mountstat3 to_mount3(vfs::Status status);
// Versions 1 and 2 of MOUNT return Unix errno values (RFC 1094 appendix A.5).
std::uint32_t to_mount1(vfs::Status status);

}  // namespace helio::nfs
