// Converts between vfs and the wire types of NFS version 3 (RFC 1813 §2.5 and §2.6).
#pragma once

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/exports.h"
#include "helio/nfs/wire/status.h"
#include "helio/nfs/wire/verifier.h"
#include "schema/nfs3.h"

namespace helio::nfs::v3 {

nfs3::fattr3 to_wire(const vfs::Attributes& from);
inline nfs3::post_op_attr to_wire(const std::optional<vfs::Attributes>& from) {
    if (!from) return {};
    return to_wire(*from);
}
nfs3::wcc_data to_wire(const vfs::Change& from);
nfs3::post_op_fh3 to_wire(ByteView handle);

vfs::Changes from_wire(const nfs3::sattr3& from);
inline vfs::Time from_wire(const nfs3::nfstime3& from) { return {from.seconds, from.nseconds}; }

}  // namespace helio::nfs::v3
