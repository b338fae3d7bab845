// Text that came from a peer or a schema, made fit for terminals and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"

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

// As shown to people: hidden characters and bytes that are no UTF-8 become \n, \x1b, \u202e.
std::string escaped(std::string_view text);

void append_hex(std::string& out, ByteView bytes);
void append_base64(std::string& out, ByteView bytes);  // RFC 4648 §4, with padding

// Of `candidates`, the name most like `wanted`, or empty when none is near.
class Nearest {
 public:
    explicit Nearest(std::string_view wanted);
    void offer(std::string_view candidate);
    std::string_view found() const { return found_; }

 private:
    std::string_view wanted_;
    std::string_view found_;
    std::size_t distance_;
};

}  // namespace helio::reflect
