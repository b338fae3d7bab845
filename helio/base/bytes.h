// Bytes as everybody here passes them: a borrowed, read-only run. Whoever keeps a byte longer
// than the call copies it by name.
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

// XDR moves in words of four bytes (RFC 4506 §3): the bytes a body of `size` takes with padding.
constexpr std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

}  // namespace helio
