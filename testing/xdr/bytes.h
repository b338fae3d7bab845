// Bytes for tests: written as hexadecimal digits, one field per line, and compared as such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::xdr {

using Bytes = std::vector<std::byte>;

// "00000005 0102" → bytes; spaces are for the reader.
inline Bytes hex(std::string_view text) {
    Bytes out;
    int high = -1;
    for (const char c : text) {
        if (c == ' ') continue;
        const std::size_t digit = std::string_view{"0123456789abcdef"}.find(c);
        if (digit == std::string_view::npos) throw std::invalid_argument("not a hex digit");
        if (high < 0) {
            high = static_cast<int>(digit);
        } else {
            out.push_back(static_cast<std::byte>(high * 16 + static_cast<int>(digit)));
            high = -1;
        }
    }
    if (high >= 0) throw std::invalid_argument("half a byte");
    return out;
}

inline std::string to_hex(ByteView bytes) {
    std::string out;
    for (const std::byte b : bytes) {
        out += "0123456789abcdef"[static_cast<unsigned>(b) >> 4];
        out += "0123456789abcdef"[static_cast<unsigned>(b) & 15];
    }
    return out;
}

inline void append_u32(Bytes& out, std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8)
        out.push_back(static_cast<std::byte>(word >> shift));
}

inline Bytes word(std::uint32_t value) {
    Bytes out;
    append_u32(out, value);
    return out;
}

inline void append(Bytes& out, ByteView more) { out.insert(out.end(), more.begin(), more.end()); }

}  // namespace helio::xdr
