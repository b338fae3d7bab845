// A row of the table of meanings.
#pragma once

#include <string_view>

#include "helio/inspect/meaning.h"

namespace helio::inspect {

struct Meant {
    std::string_view type;       // as declared, typedefs kept
    std::string_view structure;  // that the field is in
    std::string_view field;
    Sense sense = Sense::none;
    std::string_view prefix;  // of the constants that name the bits
};

// Null: not in the table.
const Meant* find_meant(std::string_view type, std::string_view structure, std::string_view field);

}  // namespace helio::inspect
