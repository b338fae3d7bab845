#include "helio/idl/json_internal.h"

#include "helio/idl/lint/lint.h"

namespace helio::idl {

void put_json(JsonWriter& json, const Diagnostic& diagnostic, const SourceSet& sources) {
    json.open('{');
    put_place(json, diagnostic.where, sources);
    json.member("severity", word(diagnostic.severity));
    json.member("rule", diagnostic.rule);
    json.member("message", diagnostic.message);
    json.member("hint", diagnostic.hint);
    json.close('}');
}

}  // namespace helio::idl
