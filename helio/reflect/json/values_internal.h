// Values that JSON cannot represent directly: non-finite reals, bytes, and strings that are not
// UTF-8.
#pragma once

#include <string_view>

#include "helio/base/bytes.h"
#include "helio/base/text/json_writer.h"

namespace helio::reflect {

void put_real(JsonWriter& out, float value);
void put_real(JsonWriter& out, double value);
void put_opaque(JsonWriter& out, ByteView bytes, bool base64);  // "0102…" or {"base64": "…"}
// "…", or {"hex": "…"} or {"base64": "…"} if it is not UTF-8.
void put_string(JsonWriter& out, std::string_view text, bool base64);

}  // namespace helio::reflect
