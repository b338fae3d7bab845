// The schema language's keywords for kinds of types.
#pragma once

#include <string_view>

#include "helio/idl/schema.h"

namespace helio::idl {

// "unsigned int", "struct", "typedef"; empty for kinds that are written with brackets: arrays,
// opaque data, strings and optionals.
std::string_view keyword(Kind kind);

}  // namespace helio::idl
