#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "helio/reflect/json/mapping_internal.h"
#include "helio/reflect/json/text_internal.h"
#include "helio/reflect/text_internal.h"

namespace helio::reflect {
namespace {

// The shortest digits that read back as the same number, and recognisably not an integer.
template <class Real>
std::string finite(Real value) {
    std::string out = fmt::format("{}", value);
    if (out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}

void append_utf16(std::string& out, char32_t code) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        std::size_t plain = 0;
        while (plain < text.size() && is_plain(text[plain])) ++plain;
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) break;
        const Character c = first_character(text);
        if (c.code == U'"' || c.code == U'\\') {
            out += '\\';
            out += static_cast<char>(c.code);
        } else if (c.code == U'\n') {
            out += "\\n";
        } else if (is_hidden(c.code)) {
            append_utf16(out, c.code);  // all hidden characters are below 0x10000
        } else {
            out += text.substr(0, c.size);
        }
        text.remove_prefix(c.size);
    }
    out += '"';
}

}  // namespace

void JsonText::open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
}

void JsonText::close(char bracket) {
    --depth_;
    if (!first_) line();
    out_ += bracket;
    first_ = false;
}

void JsonText::item() {
    if (!first_) out_ += ',';
    if (options_.indent == 0 && !first_ && options_.spaces) out_ += ' ';
    line();
    first_ = false;
}

void JsonText::line() {
    if (options_.indent == 0) return;
    out_ += '\n';
    out_.append(depth_ * static_cast<std::size_t>(options_.indent), ' ');
}

// Most of what is written is keys on one line: they grow the text once.
void JsonText::key(std::string_view name) {
    if (options_.indent != 0) {
        item();
    } else if (!first_) {
        out_ += options_.spaces ? std::string_view{", "} : std::string_view{","};
    }
    first_ = false;
    const std::size_t before = out_.size();
    out_.resize(before + name.size() + (options_.spaces ? 4 : 3));
    char* to = out_.data() + before;
    *to++ = '"';
    std::memcpy(to, name.data(), name.size());
    to += name.size();
    *to++ = '"';
    *to++ = ':';
    if (options_.spaces) *to = ' ';
}

void JsonText::element() { item(); }

void JsonText::string(std::string_view text) { append_quoted(out_, text); }

void JsonText::name(std::string_view of_schema) {
    const std::size_t before = out_.size();
    out_.resize(before + of_schema.size() + 2, '"');
    std::memcpy(out_.data() + before + 1, of_schema.data(), of_schema.size());
}

void JsonText::single(std::string_view name, std::string_view text) {
    out_ += '{';
    append_quoted(out_, name);
    out_ += options_.spaces ? ": " : ":";
    append_quoted(out_, text);
    out_ += '}';
}

void JsonText::number(std::int64_t value) {
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
}

void JsonText::number(std::uint64_t value) {
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
}

void JsonText::real(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isfinite(value)) return raw(finite(value));
    if (std::isinf(value)) return string(value < 0 ? "-inf" : "inf");
    if (bits == kFloatNan) return string("nan");
    single(kBitsKey, fmt::format("0x{:08x}", bits));
}

void JsonText::real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (std::isfinite(value)) return raw(finite(value));
    if (std::isinf(value)) return string(value < 0 ? "-inf" : "inf");
    if (bits == kDoubleNan) return string("nan");
    single(kBitsKey, fmt::format("0x{:016x}", bits));
}

void JsonText::opaque(ByteView bytes) {
    if (options_.base64) {
        std::string digits;
        append_base64(digits, bytes);
        return single(kBase64Key, digits);
    }
    out_ += '"';
    append_hex(out_, bytes);
    out_ += '"';
}

void JsonText::text_or_bytes(std::string_view text) {
    if (is_utf8(text)) return string(text);
    std::string digits;
    if (options_.base64) {
        append_base64(digits, as_bytes(text));
    } else {
        append_hex(digits, as_bytes(text));
    }
    single(options_.base64 ? kBase64Key : kHexKey, digits);
}

void append_json_string(std::string& out, std::string_view text) {
    JsonText{out, {}}.text_or_bytes(text);
}

}  // namespace helio::reflect
