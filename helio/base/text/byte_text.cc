#include "helio/base/text/byte_text.h"

#include <algorithm>
#include <cstdint>

namespace helio {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void append_hex(std::string& out, ByteView bytes) {
    const std::size_t before = out.size();
    out.resize(before + 2 * bytes.size());
    char* to = out.data() + before;
    for (const std::byte b : bytes) {
        const auto value = std::to_integer<unsigned>(b);
        *to++ = kHexDigits[value >> 4];
        *to++ = kHexDigits[value & 15];
    }
}

void append_base64(std::string& out, ByteView bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8 | (j < there ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            out += j <= there ? kBase64Digits[group >> (18 - 6 * j) & 63] : '=';
        }
    }
}

void append_uuid(std::string& out, ByteView uuid) {
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
        append_hex(out, uuid.subspan(i, 1));
    }
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool parse_uuid(std::string_view text, std::span<std::byte, 16> out) {
    std::size_t digits = 0;
    for (const char c : text) {
        if (c == '-') continue;
        const int value = hex_digit(c);
        if (value < 0 || digits == 2 * out.size()) return false;
        std::byte& place = out[digits / 2];
        place = digits % 2 == 0 ? std::byte(value << 4) : place | std::byte(value);
        ++digits;
    }
    return digits == 2 * out.size();
}

}  // namespace helio
