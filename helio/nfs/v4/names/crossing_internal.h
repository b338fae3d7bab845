// Crossing between exports (RFC 8881 §7): names in a directory of the ExportTree that lead to
// another export or to a directory of the pseudo root. They hide files of the same name, and cannot
// be changed.
#pragma once

#include <string_view>

#include "helio/base/task.h"
#include "helio/nfs/server/export_tree.h"
#include "helio/nfs/v4/compound.h"

namespace helio::nfs::v4 {

// Where a name leads.
struct Crossing {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;  // of the directory's handle
    const ExportTree::Node* to = nullptr;   // null: the name is the file system's own
};
Crossing crossing(Compound& compound, ByteView directory, std::string_view name);

// NFS4ERR_ACCESS: the caller must not search the current directory.
Task<nfs4::nfsstat4> check_search(Compound& compound);
// Makes a node the current directory.
void go_to(Compound& compound, const ExportTree::Node& node);

// For operations that change a directory: `refusal` if the name leads to another export.
nfs4::nfsstat4 check_own_name(Compound& compound, ByteView directory, std::string_view name,
                              nfs4::nfsstat4 refusal);

}  // namespace helio::nfs::v4
