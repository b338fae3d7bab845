// Bytes that are not written in hexadecimal digits: od's octal words, decimal bytes, base64. Most
// such lines are also something else, so these families are tried last.
#include <array>

#include "helio/inspect/text/cursor_internal.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kOctalWordDigits = 6;  // 16 bits, od's default
constexpr std::size_t kOctalByteDigits = 3;  // od -b
constexpr std::size_t kOffsetDigitsMin = 6;  // od writes seven, or six with -A x

std::string_view digits_of(Cursor& in) {
    const std::size_t from = in.at();
    while (is_decimal(in.peek())) in.skip();
    return in.before().substr(from);
}

bool all_below(std::string_view digits, char limit) {
    return std::all_of(digits.begin(), digits.end(), [limit](char c) { return c < limit; });
}

bool at_end_of_number(const Cursor& in) { return in.done() || is_blank(in.peek()); }

}  // namespace

// 0000000 011064 074126 000000: od without options; with -b 022 064 126 170.
bool read_octal(std::string_view text, Line& line) {
    if (trimmed(text) == "*") {
        line.repeat = true;
        return true;
    }
    Cursor in{text};
    in.blanks();
    line.address = in.hex();
    if (line.address.size() < kOffsetDigitsMin || line.address.size() > kAddressDigitsMax ||
        !at_end_of_number(in))
        return false;
    std::size_t width = 0;
    for (in.blanks(); !in.done(); in.blanks()) {
        const std::string_view digits = digits_of(in);
        if (digits.size() != kOctalWordDigits && digits.size() != kOctalByteDigits) return false;
        if (!all_below(digits, '8') || !at_end_of_number(in)) return false;
        if (width != 0 && digits.size() != width) return false;
        width = digits.size();
        const std::uint64_t value = value_of(digits, 8);
        const std::uint32_t size = width == kOctalWordDigits ? 2 : 1;
        if (value >> (8 * size) != 0 || line.bytes.size() >= kLineBytesMax) return false;
        append_number(line.bytes, value, size);
    }
    line.group = width == kOctalWordDigits ? 4 : 2;
    line.ends = line.bytes.empty();  // the final offset
    return true;
}

// 18 52 86 120 or [18, 52, 86, 120], with the offset of od -t u1 or without.
bool read_decimal(std::string_view text, Line& line) {
    if (trimmed(text) == "*") {
        line.repeat = true;
        return true;
    }
    Cursor in{text};
    in.blanks();
    if (const std::string_view offset = in.hex(); offset.size() >= kOffsetDigitsMin &&
                                                  offset.size() <= kAddressDigitsMax &&
                                                  at_end_of_number(in))
        line.address = offset;
    else
        in.go(0);
    for (;;) {
        while (is_blank(in.peek()) || in.peek() == ',' || in.peek() == '[' || in.peek() == ']')
            in.skip();
        if (in.done()) break;
        const std::string_view digits = digits_of(in);
        const char next = in.peek();
        if (digits.empty() || digits.size() > 3 || value_of(digits, 10) > 255) return false;
        if (!at_end_of_number(in) && next != ',' && next != ']') return false;
        line.bytes.push_back(static_cast<std::byte>(value_of(digits, 10)));
    }
    line.group = 2;
    line.ends = line.bytes.empty();
    return !line.bytes.empty() || !line.address.empty();
}

// EjRWeAAAAAAAAAAC…, also with - and _ for + and / (RFC 4648 section 5), padded or not.
bool read_base64(std::string_view text, Line& line) {
    text = trimmed(text);
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    std::uint32_t bits = 0;
    unsigned have = 0;
    for (const char c : text) {
        std::uint32_t value = 0;
        if (c >= 'A' && c <= 'Z')
            value = static_cast<std::uint32_t>(c - 'A');
        else if (c >= 'a' && c <= 'z')
            value = static_cast<std::uint32_t>(c - 'a' + 26);
        else if (is_decimal(c))
            value = static_cast<std::uint32_t>(c - '0' + 52);
        else if (c == '+' || c == '-')
            value = 62;
        else if (c == '/' || c == '_')
            value = 63;
        else
            return false;
        bits = bits << 6 | value;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        line.bytes.push_back(static_cast<std::byte>(bits >> have));
        bits &= (1u << have) - 1;
    }
    line.group = 2;
    return !line.bytes.empty() && text.size() % 4 != 1;
}

}  // namespace helio::inspect
