// Chooses the fields of a procedure's arguments and results that a line shows.
#pragma once

#include <string>
#include <vector>

#include "helio/inspect/catalogue.h"

namespace helio::inspect {

struct TellingField {
    std::string label;
    std::string path;
    // For a time: `path` leads to its seconds, this to their fraction, with this many digits.
    std::string fraction = {};
    unsigned fraction_digits = 0;
    // An enumerator that says how an attribute is set. 0 sets nothing and is not shown.
    bool is_choice = false;
};

// Numbers, enumerations and strings of the arguments and of structs directly in them; without
// strings if the line already has a path made from them. Of several in a row with one label, only
// the first that is there is shown.
std::vector<TellingField> telling_arguments(const Procedure& procedure, bool has_name);
// The direct fields of successful results.
std::vector<TellingField> telling_results(const Procedure& procedure);

}  // namespace helio::inspect
