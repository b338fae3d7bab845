#include "helio/idl/json_internal.h"

namespace helio::idl {

void put_place(JsonWriter& json, Location where, const SourceSet& sources) {
    const auto place = sources.line_column(where);
    json.member("file", sources.files[where.file].name);
    json.member("line", place.line);
    json.member("column", place.column);
}

}  // namespace helio::idl
