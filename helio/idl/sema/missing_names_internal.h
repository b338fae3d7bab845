// Names that a schema uses but leaves to C to define. rpcgen does not check them: its output
// includes <rpc/rpc.h> and the files of `%#include` lines, and the C compiler finds them there.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "helio/idl/syntax/ast_internal.h"

namespace helio::idl {

// Each with the place of its first use.
using MissingNames = std::map<std::string_view, Location>;

MissingNames missing_names(const std::vector<ast::File>& files);

// Makes constants of `%#define` lines that give a missing name its number.
void adopt_header_constants(std::vector<ast::File>& files);

// Definitions for those of the names that <rpc/rpc.h> has (netobj, des_block, rpcprog_t …), as if
// they were defined at their first use. Its views are of static text.
ast::File system_definitions(const MissingNames& missing);

}  // namespace helio::idl
