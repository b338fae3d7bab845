// Bytes as digits.
#pragma once

#include <string>

#include "helio/base/bytes.h"

namespace helio {

void append_hex(std::string& out, ByteView bytes);     // "00ff", lower case
void append_base64(std::string& out, ByteView bytes);  // RFC 4648 §4, with padding

}  // namespace helio
