#include "helio/base/text/byte_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

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

}  // namespace helio
