#include <fmt/format.h>

#include <cstdint>

#include "helio/idl/printable_internal.h"

namespace helio::idl {
namespace {

struct Decoded {
    std::uint32_t code_point = 0;
    std::size_t size = 0;  // 0: not UTF-8
};

// RFC 3629: shortest form only, no surrogates, nothing above U+10FFFF.
Decoded decode_utf8(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
    std::uint32_t code_point = lead & (0xFFu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code_point = code_point << 6 | (byte(i) & 0x3F);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (code_point < kSmallest[size] || surrogate || code_point > 0x10FFFF) return {};
    return {code_point, size};
}

bool is_control(std::uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

// Direction marks, line and paragraph separators, zero-width characters, byte order mark.
bool is_invisible(std::uint32_t code_point) {
    return (code_point >= 0x200B && code_point <= 0x200F) ||
           (code_point >= 0x2028 && code_point <= 0x202E) ||
           (code_point >= 0x2060 && code_point <= 0x2069) || code_point == 0xFEFF ||
           code_point == 0x061C;
}

}  // namespace

std::vector<Glyph> glyphs(std::string_view text) {
    std::vector<Glyph> out;
    while (!text.empty()) {
        const Decoded decoded = decode_utf8(text);
        const std::size_t size = decoded.size == 0 ? 1 : decoded.size;
        std::string shown(text.substr(0, size));
        if (decoded.size == 0 || (is_control(decoded.code_point) && text.front() != '\t')) {
            shown.clear();
            for (const char byte : text.substr(0, size)) {
                shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
            }
        } else if (is_invisible(decoded.code_point)) {
            shown = fmt::format("\\u{:04x}", decoded.code_point);
        }
        const bool as_is = shown.size() == size && decoded.size == size;
        const std::size_t columns = as_is ? 1 : shown.size();
        out.push_back({std::move(shown), columns});
        text.remove_prefix(size);
    }
    return out;
}

std::string printable(std::string_view text) {
    std::string out;
    for (const Glyph& glyph : glyphs(text)) out += glyph.text == "\t" ? "\\x09" : glyph.text;
    return out;
}

}  // namespace helio::idl
