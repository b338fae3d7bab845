// Which fields of a procedure's arguments and results a line shows.
#pragma once

#include <string>
#include <vector>

#include "helio/inspect/catalogue.h"

namespace helio::inspect {

struct TellingField {
    std::string label;
    std::string path;
};

// Numbers, enumerations and strings of the arguments, and of structs directly in them; without
// strings where the line has a path made of them.
std::vector<TellingField> telling_arguments(const Procedure& procedure, bool has_name);
// Those that stand directly in the results of success.
std::vector<TellingField> telling_results(const Procedure& procedure);

}  // namespace helio::inspect
