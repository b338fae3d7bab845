// A type or program in words: fields, bounds, sizes on the wire, and what the .x file's comments
// say. For people; the layout may change. Text from the schema is escaped, so none of it acts on a
// terminal.
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
std::string describe(const idl::Schema& schema);  // what there is to describe

}  // namespace helio::reflect
