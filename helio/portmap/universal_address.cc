#include "helio/portmap/universal_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "helio/base/ip_address.h"

namespace helio::portmap {

namespace {

// rpcb_entry's r_nc_semantics: NC_TPI_CLTS, NC_TPI_COTS, NC_TPI_COTS_ORD.
constexpr std::uint32_t kConnectionless = 1;
constexpr std::uint32_t kConnected = 2;
constexpr std::uint32_t kConnectedOrderly = 3;

// IP's protocol numbers (RFC 9293 §3.1, RFC 768).
constexpr std::uint32_t kProtocolTcp = 6;
constexpr std::uint32_t kProtocolUdp = 17;

// RFC 5665 §5.1 has more; these are the ones with IP addresses, and the local one.
constexpr std::array kNetids = {
    Netid{"tcp", AF_INET, kProtocolTcp, kConnectedOrderly, "inet", "tcp"},
    Netid{"udp", AF_INET, kProtocolUdp, kConnectionless, "inet", "udp"},
    Netid{"tcp6", AF_INET6, 0, kConnectedOrderly, "inet6", "tcp"},
    Netid{"udp6", AF_INET6, 0, kConnectionless, "inet6", "udp"},
    Netid{"local", AF_UNIX, 0, kConnectedOrderly, "loopback", "-"},
    Netid{"rdma", AF_INET, 0, kConnected, "inet", "rdma"},
    Netid{"rdma6", AF_INET6, 0, kConnected, "inet6", "rdma"},
    Netid{"sctp", AF_INET, 0, kConnectedOrderly, "inet", "sctp"},
    Netid{"sctp6", AF_INET6, 0, kConnectedOrderly, "inet6", "sctp"},
};

template <class Matches>
const Netid* find_if(Matches matches) {
    const auto* const found = std::find_if(kNetids.begin(), kNetids.end(), matches);
    return found == kNetids.end() ? nullptr : found;
}

// Removes ".255" from the end. No leading zeros: some would read them as octal.
std::optional<std::uint8_t> take_last_byte(std::string_view& text) {
    const auto dot = text.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view digits = text.substr(dot + 1);
    if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) return {};
    unsigned value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return {};
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    if (value > 255) return {};
    text.remove_suffix(text.size() - dot);
    return static_cast<std::uint8_t>(value);
}

Result<transport::Endpoint, std::string_view> parse_internet(int family, std::string_view text) {
    const auto low = take_last_byte(text);
    const auto high = low ? take_last_byte(text) : std::nullopt;
    if (!high) return fail(std::string_view{"the address does not end with the port's two bytes"});
    constexpr std::string_view kAllowed = "0123456789abcdefABCDEF:.";
    constexpr std::size_t kIpTextMax = 45;  // IPv6 with an IPv4 address in it
    if (text.size() > kIpTextMax || text.find_first_not_of(kAllowed) != text.npos)
        return fail(std::string_view{"the address is neither IPv4 nor IPv6"});
    const auto port = static_cast<std::uint16_t>(*high << 8 | *low);
    if (family == AF_INET) {
        const auto address = parse_ipv4(text);
        if (!address) return fail(std::string_view{"not an IPv4 address"});
        return transport::Endpoint::ipv4(*address, port);
    }
    const auto address = parse_ipv6(text);
    if (!address) return fail(std::string_view{"not an IPv6 address"});
    return transport::Endpoint::ipv6(*address, port);
}

Result<transport::Endpoint, std::string_view> parse_path(std::string_view text) {
    // It will appear in logs and on terminals: no control characters.
    const auto unprintable = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
    if (!text.starts_with('/') || std::any_of(text.begin(), text.end(), unprintable))
        return fail(std::string_view{"the address is not an absolute path"});
    return transport::Endpoint::unix_path(text);
}

}  // namespace

const Netid* find_netid(std::string_view name) {
    return find_if([&](const Netid& one) { return one.name == name; });
}

const Netid* find_netid(rpc::Transport transport, int family) {
    switch (transport) {
        case rpc::Transport::tcp:
            return find_netid(family == AF_INET6 ? "tcp6" : "tcp");
        case rpc::Transport::udp:
            return find_netid(family == AF_INET6 ? "udp6" : "udp");
        case rpc::Transport::local:
        case rpc::Transport::in_process:
            return find_netid("local");
        default:  // other transports have no netid yet
            return nullptr;
    }
}

const Netid* find_netid(std::uint32_t protocol) {
    if (protocol == 0) return nullptr;
    return find_if([&](const Netid& one) { return one.protocol == protocol; });
}

Result<transport::Endpoint, std::string_view> parse_universal_address(int family,
                                                                      std::string_view text) {
    if (text.empty()) return fail(std::string_view{"the address is empty"});
    if (text.size() > kUniversalAddressMax)
        return fail(std::string_view{"the address is longer than 107 bytes"});
    if (family == AF_UNIX) return parse_path(text);
    return parse_internet(family, text);
}

Result<transport::Endpoint, std::string_view> parse_universal_address(std::string_view text) {
    if (text.starts_with('/')) return parse_universal_address(AF_UNIX, text);
    const bool colon = text.find(':') != std::string_view::npos;
    return parse_universal_address(colon ? AF_INET6 : AF_INET, text);
}

std::string to_universal_address(const transport::Endpoint& endpoint) {
    if (endpoint.is_unix()) return endpoint.path();
    if (!endpoint.is_ipv4() && !endpoint.is_ipv6()) return {};
    return fmt::format("{}.{}.{}", endpoint.ip_text(), endpoint.port() >> 8, endpoint.port() & 255);
}

}  // namespace helio::portmap
