// Converts names of the schema to C++ names.
#pragma once

#include <string>
#include <string_view>

namespace helio::gen {

// Appends an underscore to keywords, well-known macros and names that generated code uses.
std::string cpp_name(std::string_view xdr_name);

}  // namespace helio::gen
