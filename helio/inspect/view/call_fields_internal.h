// Chooses the fields of a procedure's arguments and results that a line shows.
#pragma once

#include <string>
#include <vector>

#include "helio/inspect/catalogue.h"

namespace helio::inspect {

struct TellingField {
    std::string label;
    std::string path;
};

// Numbers, enumerations and strings of the arguments and of structs directly in them; without
// strings if the line already has a path made from them.
std::vector<TellingField> telling_arguments(const Procedure& procedure, bool has_name);
// The direct fields of successful results.
std::vector<TellingField> telling_results(const Procedure& procedure);

}  // namespace helio::inspect
