// IP addresses as text (RFC 4291 §2.2) and as the bytes that packets carry. No sockets.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace helio {

using Ipv4Bytes = std::array<std::byte, 4>;
using Ipv6Bytes = std::array<std::byte, 16>;

// "192.0.2.1"
std::string ipv4_text(std::span<const std::byte, 4> address);
// "2001:db8::1", in the short form of RFC 5952.
std::string ipv6_text(std::span<const std::byte, 16> address);

// Exactly one address, without a zone or a prefix; otherwise nothing.
std::optional<Ipv4Bytes> parse_ipv4(std::string_view text);
std::optional<Ipv6Bytes> parse_ipv6(std::string_view text);

}  // namespace helio
