// The little JSON that findings need. Private to lint_json.cc and breaking_json.cc.
#pragma once

#include <string>
#include <string_view>

#include "helio/idl/source.h"

namespace helio::idl {

// With its quotes. Control characters and bytes that are not UTF-8 are escaped.
std::string json_quoted(std::string_view text);

// "file": …, "line": …, "column": … without braces.
std::string json_place(Location where, const SourceSet& sources);

}  // namespace helio::idl
