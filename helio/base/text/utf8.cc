#include "helio/base/text/utf8.h"

#include <algorithm>
#include <cstddef>

namespace helio {

Character first_character(std::string_view text) {
    const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::uint32_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
    char32_t code = lead & (0xffu >> (size + 1));
    for (std::uint32_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (overlong || surrogate || code > 0x10ffff) return {};
    return {code, size};
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const auto ascii = [](char c) { return static_cast<signed char>(c) >= 0; };
        const auto other = std::find_if_not(text.begin(), text.end(), ascii);
        text.remove_prefix(static_cast<std::size_t>(other - text.begin()));
        if (text.empty()) return true;
        const Character c = first_character(text);
        if (c.size == 0) return false;
        text.remove_prefix(c.size);
    }
    return true;
}

bool is_hidden(char32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace helio
