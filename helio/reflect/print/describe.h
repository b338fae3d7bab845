// Describes a type or program: fields, bounds, sizes on the wire, and the .x file's comments. For
// people; the layout may change. Text from the schema is escaped for terminals.
#pragma once

#include <string>

#include "helio/idl/schema.h"

namespace helio::reflect {

// "nfs_fh3", "unsigned hyper", "opaque<NFS3_FHSIZE = 64>", "entry3 *"
std::string spelled(const idl::Type& type);

// "4 bytes", "4 to 68 bytes", "at least 4 bytes"
std::string wire_size(const idl::Type& type);

std::string describe(const idl::Type& type);
std::string describe(const idl::Program& program);
std::string describe(const idl::Procedure& procedure);
std::string describe(const idl::Schema& schema);  // lists what can be described

}  // namespace helio::reflect
