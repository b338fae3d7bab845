#include "helio/portmap/universal_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

namespace helio::portmap {

namespace {

// rpcb_entry's r_nc_semantics: NC_TPI_CLTS, NC_TPI_COTS, NC_TPI_COTS_ORD.
constexpr std::uint32_t kConnectionless = 1;
constexpr std::uint32_t kConnected = 2;
constexpr std::uint32_t kConnectedOrderly = 3;

// RFC 5665 §5.1 has more; these are the ones whose addresses are IP's, and the local one.
constexpr std::array kNetids = {
    Netid{"tcp", AF_INET, IPPROTO_TCP, kConnectedOrderly, "inet", "tcp"},
    Netid{"udp", AF_INET, IPPROTO_UDP, kConnectionless, "inet", "udp"},
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

// Takes ".255" off the end. No leading zeros: some would read them as octal.
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
    if (!high) return fail(std::string_view{"the address does not end in the port's two bytes"});
    // inet_pton wants a zero at the end, and would take one in the middle for it.
    constexpr std::string_view kAllowed = "0123456789abcdefABCDEF:.";
    if (text.size() >= INET6_ADDRSTRLEN || text.find_first_not_of(kAllowed) != text.npos)
        return fail(std::string_view{"the address is neither IPv4 nor IPv6"});
    std::array<char, INET6_ADDRSTRLEN> zero_ended{};
    text.copy(zero_ended.data(), text.size());

    transport::Endpoint out;
    if (family == AF_INET) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        if (inet_pton(AF_INET, zero_ended.data(), &v4.sin_addr) != 1)
            return fail(std::string_view{"the address is not one of IPv4"});
        out = {reinterpret_cast<const sockaddr*>(&v4), sizeof v4};
    } else {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        if (inet_pton(AF_INET6, zero_ended.data(), &v6.sin6_addr) != 1)
            return fail(std::string_view{"the address is not one of IPv6"});
        out = {reinterpret_cast<const sockaddr*>(&v6), sizeof v6};
    }
    out.set_port(static_cast<std::uint16_t>(*high << 8 | *low));
    return out;
}

Result<transport::Endpoint, std::string_view> parse_path(std::string_view text) {
    // It will stand in logs and on terminals: no control characters.
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
        default:  // what other transports there may be have no name of their own yet
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
    if (endpoint.family() == AF_UNIX) {
        const auto& address = *reinterpret_cast<const sockaddr_un*>(endpoint.address());
        const std::size_t used = endpoint.size() - offsetof(sockaddr_un, sun_path);
        return {address.sun_path, strnlen(address.sun_path, used)};
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    const sockaddr* const address = endpoint.address();
    if (endpoint.family() == AF_INET)
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text.data(),
                  text.size());
    else if (endpoint.family() == AF_INET6)
        inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text.data(),
                  text.size());
    else
        return {};
    return fmt::format("{}.{}.{}", text.data(), endpoint.port() >> 8, endpoint.port() & 255);
}

bool is_wildcard(const transport::Endpoint& endpoint) {
    const sockaddr* const address = endpoint.address();
    if (endpoint.family() == AF_INET)
        return reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr == INADDR_ANY;
    if (endpoint.family() == AF_INET6)
        return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
    return false;
}

}  // namespace helio::portmap
