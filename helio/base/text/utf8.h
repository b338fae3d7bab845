// UTF-8 (RFC 3629): shortest form only, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstdint>
#include <string_view>

namespace helio {

// Decodes the first character of `text`, which is not empty. size == 0: not UTF-8.
struct Character {
    char32_t code = 0;
    std::uint32_t size = 0;
};
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

// True for characters that control a terminal or mislead a reader instead of being shown: controls
// (C0, DEL, C1), line and paragraph separators, zero-width characters and marks that change the
// direction of writing ("Trojan Source", CVE-2021-42574). All are below U+10000.
bool is_hidden(char32_t code);

}  // namespace helio
