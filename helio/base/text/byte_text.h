// Bytes as text: hexadecimal, base64 and UUIDs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"

namespace helio {

void append_hex(std::string& out, ByteView bytes);     // "00ff", lower case
void append_base64(std::string& out, ByteView bytes);  // RFC 4648 §4, with padding
void append_uuid(std::string& out, ByteView uuid);     // "6695eb01-f6a4-8304-79aa-97f2502e193f"

int hex_digit(char c);  // its value, or -1
// False if the text is not a UUID. Hyphens are optional and may be anywhere.
bool parse_uuid(std::string_view text, std::span<std::byte, 16> out);

}  // namespace helio
