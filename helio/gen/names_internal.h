// Names of the schema as names of C++.
#pragma once

#include <string>
#include <string_view>

namespace helio::gen {

// Keywords, well-known macros and the names that generated code uses get an underscore behind.
std::string cpp_name(std::string_view xdr_name);

}  // namespace helio::gen
