// Text that came from a peer or a schema, made fit for terminals and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/reflect/escape.h"

namespace helio::reflect {

// The first character of `text`, which is not empty. size == 0: no well-formed UTF-8 (RFC 3629)
// there.
struct Character {
    char32_t code = 0;
    std::uint32_t size = 0;
};
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

// Would it do something to a terminal or a reader's eye other than show itself: controls (C0,
// DEL, C1), line and paragraph separators, and what turns the direction of writing
// (CVE-2021-42574)?
bool is_hidden(char32_t code);

void append_hex(std::string& out, ByteView bytes);
void append_base64(std::string& out, ByteView bytes);  // RFC 4648 §4, with padding

}  // namespace helio::reflect
