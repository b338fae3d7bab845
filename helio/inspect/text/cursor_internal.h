// A cursor in a line of text, and the primitives that line parsers use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "helio/inspect/text/pasted_lines_internal.h"

namespace helio::inspect {

inline constexpr std::size_t kLineBytesMax = 64;      // of one line of a dump with addresses
inline constexpr std::size_t kAddressDigitsMax = 16;  // 64 bits
inline constexpr std::string_view kBlanks = " \t\r\f\v";
// U+2502, which some use for `|`.
inline constexpr std::string_view kBoxBar = "\xe2\x94\x82";

inline bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
inline int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}
inline bool is_hex(char c) { return digit_of(c) >= 0; }
inline bool is_decimal(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// A cursor in a line.
class Cursor {
 public:
    explicit Cursor(std::string_view text) : text_(text) {}

    bool done() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void skip(std::size_t count = 1) { at_ = std::min(text_.size(), at_ + count); }
    std::size_t at() const { return at_; }
    void go(std::size_t at) { at_ = at; }
    std::string_view rest() const { return text_.substr(at_); }
    std::string_view before() const { return text_.substr(0, at_); }

    std::size_t blanks() {
        const std::size_t from = at_;
        while (!done() && is_blank(peek())) ++at_;
        return at_ - from;
    }
    bool prefix() {  // 0x
        if (peek() != '0' || (peek(1) != 'x' && peek(1) != 'X') || !is_hex(peek(2))) return false;
        skip(2);
        return true;
    }
    std::string_view hex() {
        const std::size_t from = at_;
        while (!done() && is_hex(peek())) ++at_;
        return text_.substr(from, at_ - from);
    }
    // One or more | or box-drawing bars, with blanks.
    bool bars() {
        bool found = false;
        for (;;) {
            blanks();
            if (peek() == '|') {
                skip();
            } else if (rest().substr(0, kBoxBar.size()) == kBoxBar) {
                skip(kBoxBar.size());
            } else {
                return found;
            }
            found = true;
        }
    }

 private:
    std::string_view text_;
    std::size_t at_ = 0;
};

inline void append_digits(std::vector<std::byte>& out, std::string_view digits) {
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        out.push_back(static_cast<std::byte>(digit_of(digits[i]) << 4 | digit_of(digits[i + 1])));
}

inline void append_number(std::vector<std::byte>& out, std::uint64_t value, std::uint32_t size) {
    for (std::uint32_t i = size; i-- > 0;) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

inline std::uint64_t value_of(std::string_view digits, unsigned base) {
    std::uint64_t value = 0;
    for (const char c : digits) value = value * base + static_cast<unsigned>(digit_of(c));
    return value;
}

// A comment after the bytes, from its comment sign on.
inline std::string_view comment_in(std::string_view rest) {
    std::size_t best = std::string_view::npos;
    std::size_t skip = 0;
    for (const std::string_view mark : {"//", "--", "/*", "#", ";"}) {
        const std::size_t found = rest.find(mark);
        if (found >= best) continue;
        best = found;
        skip = mark.size();
    }
    if (best == std::string_view::npos) return {};
    std::string_view out = trimmed(rest.substr(best + skip));
    if (out.size() >= 2 && out.substr(out.size() - 2) == "*/") out.remove_suffix(2);
    return trimmed(out);
}

inline std::uint32_t size_for(std::size_t digits) {
    return digits <= 2 ? 1 : digits <= 4 ? 2 : digits <= 8 ? 4 : 8;
}

}  // namespace helio::inspect
