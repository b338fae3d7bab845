#include "helio/idl/breaking/breaking.h"
#include "helio/idl/json_internal.h"

namespace helio::idl {
namespace {

void put_side(JsonWriter& json, std::string_view name, bool present, Location where,
              const Schema& schema) {
    json.key(name);
    if (!present) return json.null();
    json.open('{');
    put_place(json, where, schema.sources);
    json.close('}');
}

}  // namespace

void put_json(JsonWriter& json, const Change& change, const Schema& before, const Schema& after) {
    json.open('{');
    json.member("impact", word(change.impact));
    json.member("direction", word(change.direction));
    json.member("rule", change.rule);
    json.member("subject", change.subject);
    json.member("message", change.message);
    json.member("reason", change.reason);
    put_side(json, "before", change.in_before, change.before, before);
    put_side(json, "after", change.in_after, change.after, after);
    json.close('}');
}

}  // namespace helio::idl
