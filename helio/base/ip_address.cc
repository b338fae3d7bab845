#include "helio/base/ip_address.h"

#include <arpa/inet.h>

namespace helio {

namespace {

template <std::size_t kSize>
std::string text_of(int family, std::span<const std::byte, kSize> address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(family, address.data(), text.data(), text.size());
    return text.data();
}

template <std::size_t kSize>
std::optional<std::array<std::byte, kSize>> parse(int family, std::string_view text) {
    // inet_pton stops at a zero byte, so one within the text would hide the rest of it.
    std::array<char, INET6_ADDRSTRLEN> zero_ended{};
    if (text.size() >= zero_ended.size() || text.find('\0') != text.npos) return std::nullopt;
    text.copy(zero_ended.data(), text.size());
    std::array<std::byte, kSize> out{};
    if (inet_pton(family, zero_ended.data(), out.data()) != 1) return std::nullopt;
    return out;
}

}  // namespace

std::string ipv4_text(std::span<const std::byte, 4> address) { return text_of(AF_INET, address); }
std::string ipv6_text(std::span<const std::byte, 16> address) { return text_of(AF_INET6, address); }

std::optional<Ipv4Bytes> parse_ipv4(std::string_view text) { return parse<4>(AF_INET, text); }
std::optional<Ipv6Bytes> parse_ipv6(std::string_view text) { return parse<16>(AF_INET6, text); }

}  // namespace helio
