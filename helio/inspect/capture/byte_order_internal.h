// Reads unaligned integers in packet and file headers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace helio::inspect {

inline std::uint16_t host16(const std::byte* at) {
    std::uint16_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
inline std::uint32_t host32(const std::byte* at) {
    std::uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}
inline std::uint64_t host64(const std::byte* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

constexpr bool kLittleHost = std::endian::native == std::endian::little;

inline std::uint8_t net8(const std::byte* at) { return std::to_integer<std::uint8_t>(*at); }
inline std::uint16_t net16(const std::byte* at) {
    return kLittleHost ? __builtin_bswap16(host16(at)) : host16(at);
}
inline std::uint32_t net32(const std::byte* at) {
    return kLittleHost ? __builtin_bswap32(host32(at)) : host32(at);
}

}  // namespace helio::inspect
