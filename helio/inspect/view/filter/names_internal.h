// Names in a filter: the operations that a name matches, and suggestions for unknown names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helio/inspect/catalogue.h"

namespace helio::inspect {

// "nfs3.WRITE", "WRITE", "NFSPROC3_WRITE", "nfs3", "nfs", "mount.3", "NFS_V3", "NFS_PROGRAM";
// case-insensitive.
bool is_called(const Procedure& procedure, std::string_view name);

// Sentences for people. `operands` are the names other than operations and fields.
std::string no_such_name(std::string_view name, const Catalogue& catalogue,
                         const std::vector<std::string_view>& operands);
std::string no_such_field(std::string_view name, const Catalogue& catalogue);
// The field "args.stateid" or "result.resok" of arguments or results of type `root` is compared,
// but only fields inside it can be.
std::string not_comparable(std::string_view name, const idl::Type& root);

}  // namespace helio::inspect
