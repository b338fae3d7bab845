#include <fmt/format.h>

#include "helio/idl/breaking/breaking.h"
#include "helio/idl/lint/json_internal.h"

namespace helio::idl {

std::string to_json(const Change& change, const Schema& before, const Schema& after) {
    const auto place = [](bool present, Location where, const Schema& schema) {
        return present ? fmt::format("{{{}}}", json_place(where, schema.sources))
                       : std::string{"null"};
    };
    return fmt::format(
        "{{\"impact\": \"{}\", \"direction\": \"{}\", \"rule\": {}, \"subject\": {}, "
        "\"message\": {}, \"reason\": {}, \"before\": {}, \"after\": {}}}",
        word(change.impact), word(change.direction), json_quoted(change.rule),
        json_quoted(change.subject), json_quoted(change.message), json_quoted(change.reason),
        place(change.in_before, change.before, before),
        place(change.in_after, change.after, after));
}

}  // namespace helio::idl
