// Names a schema uses and leaves to C to define. rpcgen never looks: its output includes
// <rpc/rpc.h> and whatever `%#include` lines say, and the C compiler finds them there.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "helio/idl/syntax/ast_internal.h"

namespace helio::idl {

// Each with the place of its first use.
using MissingNames = std::map<std::string_view, Location>;

MissingNames missing_names(const std::vector<ast::File>& files);

// Makes constants of the `%#define` lines that give a missing name its number.
void adopt_header_constants(std::vector<ast::File>& files);

// Definitions for those of the names that <rpc/rpc.h> has (netobj, des_block, rpcprog_t …), as if
// they stood where each is used first. Views in it are to static text.
ast::File system_definitions(const MissingNames& missing);

}  // namespace helio::idl
