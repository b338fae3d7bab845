// ByteView: a borrowed, read-only run of bytes, the type in which all layers pass bytes. Code that
// needs them longer than the call makes an explicit copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace helio {

using ByteView = std::span<const std::byte>;

inline ByteView as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

inline std::string_view as_text(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The size of a body of `size` bytes with its padding: XDR counts in words of four bytes (RFC 4506
// §3).
constexpr std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

}  // namespace helio
