#include "helio/reflect/json/values_internal.h"

#include <bit>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"
#include "helio/base/text/utf8.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/json/mapping_internal.h"

namespace helio::reflect {
namespace {

// The shortest digits that parse to the same number, recognisably not an integer.
template <class Real>
std::string finite(Real value) {
    std::string out = fmt::format("{}", value);
    if (out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}

// {"name": "text"}, on one line.
void put_single(JsonWriter& out, std::string_view name, std::string_view text) {
    out.raw("{");
    out.string(name);
    out.colon();
    out.string(text);
    out.raw("}");
}

}  // namespace

void put_real(JsonWriter& out, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isfinite(value)) return out.raw(finite(value));
    if (std::isinf(value)) return out.string(value < 0 ? "-inf" : "inf");
    if (bits == kFloatNan) return out.string("nan");
    put_single(out, kBitsKey, fmt::format("0x{:08x}", bits));
}

void put_real(JsonWriter& out, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (std::isfinite(value)) return out.raw(finite(value));
    if (std::isinf(value)) return out.string(value < 0 ? "-inf" : "inf");
    if (bits == kDoubleNan) return out.string("nan");
    put_single(out, kBitsKey, fmt::format("0x{:016x}", bits));
}

void put_opaque(JsonWriter& out, ByteView bytes, bool base64) {
    if (!base64) return out.hex(bytes);
    std::string digits;
    append_base64(digits, bytes);
    put_single(out, kBase64Key, digits);
}

void put_string(JsonWriter& out, std::string_view text, bool base64) {
    if (is_utf8(text)) return out.string(text);
    std::string digits;
    if (base64) {
        append_base64(digits, as_bytes(text));
    } else {
        append_hex(digits, as_bytes(text));
    }
    put_single(out, base64 ? kBase64Key : kHexKey, digits);
}

void append_json_text(std::string& out, std::string_view text) {
    JsonWriter json{out};
    put_string(json, text, false);
}

}  // namespace helio::reflect
