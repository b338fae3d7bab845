#include "helio/transport/socket/endpoint.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <memory>
#include <stdexcept>

#include "helio/base/ip_address.h"

namespace helio::transport {

namespace {
const sockaddr_in& as_v4(const sockaddr* address) {
    return *reinterpret_cast<const sockaddr_in*>(address);
}
const sockaddr_in6& as_v6(const sockaddr* address) {
    return *reinterpret_cast<const sockaddr_in6*>(address);
}
}  // namespace

Endpoint::Endpoint(const sockaddr* address, socklen_t size)
    : size_(std::min<socklen_t>(size, sizeof storage_)) {
    std::memcpy(&storage_, address, size_);
}

Endpoint Endpoint::unix_path(std::string_view path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        throw std::runtime_error(fmt::format("socket path '{}' has {} bytes; 1 to {} are allowed",
                                             path, path.size(), sizeof address.sun_path - 1));
    std::memcpy(address.sun_path, path.data(), path.size());
    return {reinterpret_cast<const sockaddr*>(&address),
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1)};
}

Endpoint Endpoint::ipv4(std::span<const std::byte, 4> address, std::uint16_t port) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.data(), address.size());
    return {reinterpret_cast<const sockaddr*>(&v4), sizeof v4};
}

Endpoint Endpoint::ipv6(std::span<const std::byte, 16> address, std::uint16_t port,
                        std::uint32_t scope) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    v6.sin6_scope_id = scope;
    std::memcpy(&v6.sin6_addr, address.data(), address.size());
    return {reinterpret_cast<const sockaddr*>(&v6), sizeof v6};
}

std::optional<Endpoint> Endpoint::from_sockaddr(ByteView bytes) {
    if (bytes.size() < sizeof(sa_family_t) || bytes.size() > sizeof(sockaddr_un))
        return std::nullopt;
    sockaddr_storage storage{};
    std::memcpy(&storage, bytes.data(), bytes.size());
    const int family = storage.ss_family;
    const std::size_t smallest = family == AF_INET    ? sizeof(sockaddr_in)
                                 : family == AF_INET6 ? sizeof(sockaddr_in6)
                                 : family == AF_UNIX  ? offsetof(sockaddr_un, sun_path) + 1
                                                      : sizeof storage;
    if (bytes.size() < smallest) return std::nullopt;
    return Endpoint{reinterpret_cast<const sockaddr*>(&storage),
                    static_cast<socklen_t>(bytes.size())};
}

std::uint16_t Endpoint::port() const {
    if (family() == AF_INET) return ntohs(as_v4(address()).sin_port);
    if (family() == AF_INET6) return ntohs(as_v6(address()).sin6_port);
    return 0;
}

void Endpoint::set_port(std::uint16_t port) {
    if (family() == AF_INET) reinterpret_cast<sockaddr_in*>(&storage_)->sin_port = htons(port);
    if (family() == AF_INET6) reinterpret_cast<sockaddr_in6*>(&storage_)->sin6_port = htons(port);
}

std::string Endpoint::path() const {
    if (family() != AF_UNIX) return {};
    const auto& address = reinterpret_cast<const sockaddr_un&>(storage_);
    const std::size_t room = size_ - offsetof(sockaddr_un, sun_path);
    return {address.sun_path, strnlen(address.sun_path, room)};
}

bool Endpoint::is_wildcard() const {
    if (family() == AF_INET) return as_v4(address()).sin_addr.s_addr == INADDR_ANY;
    return family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&as_v6(address()).sin6_addr);
}

std::string Endpoint::ip_text() const {
    const std::array<std::byte, 16> bytes = address_bytes(*this);
    if (is_ipv4()) return ipv4_text(std::span{bytes}.last<4>());
    return is_ipv6() ? ipv6_text(bytes) : std::string{};
}

bool Endpoint::is_link_local() const {
    return is_ipv6() && IN6_IS_ADDR_LINKLOCAL(&as_v6(address()).sin6_addr);
}

bool Endpoint::is_loopback() const {
    if (family() == AF_INET) return (ntohl(as_v4(address()).sin_addr.s_addr) >> 24) == 127;
    if (family() != AF_INET6) return family() == AF_UNIX;
    const in6_addr& v6 = as_v6(address()).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

std::string to_text(const Endpoint& endpoint) {
    if (endpoint.is_ipv4()) return fmt::format("{}:{}", endpoint.ip_text(), endpoint.port());
    if (endpoint.is_ipv6()) return fmt::format("[{}]:{}", endpoint.ip_text(), endpoint.port());
    return endpoint.is_unix() ? "unix:" + endpoint.path() : "nowhere";
}

Result<HostPort, std::string> parse_host_port(std::string_view text, std::uint16_t default_port) {
    HostPort out;
    out.port = default_port;
    if (text.find("://") != std::string_view::npos)
        return fail(fmt::format("'{}' is a URL; say HOST or HOST:PORT", text));
    std::string_view port;
    bool has_port = false;
    const auto colon = text.rfind(':');
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos)
            return fail(fmt::format("'{}' has no ']' behind its address", text));
        out.host = text.substr(1, close - 1);
        const auto rest = text.substr(close + 1);
        if (!rest.empty() && !rest.starts_with(':'))
            return fail(fmt::format("'{}': expected ':PORT' behind ']'", text));
        has_port = !rest.empty();
        if (has_port) port = rest.substr(1);
    } else if (colon != std::string_view::npos && text.find(':') == colon) {
        out.host = text.substr(0, colon);
        port = text.substr(colon + 1);
        has_port = true;
    } else {
        out.host = text;  // a name, or a bare IPv6 address, which may have a zone: fe80::1%eth0
        if (colon != std::string_view::npos && !parse_ipv6(text.substr(0, text.find('%'))))
            return fail(fmt::format(
                "'{}' is neither HOST:PORT nor an IPv6 address; with a port, that is [IPV6]:PORT",
                text));
    }
    if (has_port) {
        const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
        if (error != std::errc{} || end != port.data() + port.size())
            return fail(fmt::format("'{}' is not a port; 0 to 65535 are", port));
    }
    return out;
}

Result<std::vector<Endpoint>, std::string> resolve(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = host.empty() ? AI_PASSIVE : 0;
    addrinfo* list = nullptr;
    const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(),
                                  host.empty() ? "0" : nullptr, &hints, &list);
    if (error != 0) return fail(fmt::format("cannot find '{}': {}", host, gai_strerror(error)));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner{list, &freeaddrinfo};
    std::vector<Endpoint> out;
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
        if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
        Endpoint endpoint{one->ai_addr, one->ai_addrlen};
        endpoint.set_port(port);
        out.push_back(endpoint);
    }
    if (out.empty()) return fail(fmt::format("'{}' has no IPv4 or IPv6 address", host));
    return out;
}

Endpoint to_loopback(const Endpoint& listener) {
    if (!listener.is_wildcard()) return listener;
    constexpr std::byte kOne{1};
    if (listener.is_ipv4())
        return Endpoint::ipv4(Ipv4Bytes{std::byte{127}, {}, {}, kOne}, listener.port());
    Ipv6Bytes loopback{};
    loopback.back() = kOne;
    return Endpoint::ipv6(loopback, listener.port());
}

namespace {

// The ones in a netmask; an interface without one is alone in its network.
template <std::size_t Size>
unsigned ones_in(const std::byte (&mask)[Size], bool has_mask) {
    if (!has_mask) return 8 * Size;
    unsigned ones = 0;
    for (const std::byte part : mask)
        ones += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(part)));
    return ones;
}

unsigned prefix_bits(const sockaddr* mask, int family) {
    std::byte v4[4]{};
    std::byte v6[16]{};
    if (mask != nullptr && family == AF_INET) std::memcpy(v4, &as_v4(mask).sin_addr, sizeof v4);
    if (mask != nullptr && family == AF_INET6) std::memcpy(v6, &as_v6(mask).sin6_addr, sizeof v6);
    return family == AF_INET ? ones_in(v4, mask != nullptr) : ones_in(v6, mask != nullptr);
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner{list, &freeifaddrs};
    std::vector<InterfaceAddress> out;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr) continue;
        const int family = one->ifa_addr->sa_family;
        if (family != AF_INET && family != AF_INET6) continue;
        const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        out.push_back(
            {one->ifa_name, {one->ifa_addr, size}, prefix_bits(one->ifa_netmask, family)});
    }
    return out;
}

std::array<std::byte, 16> address_bytes(const Endpoint& endpoint) {
    std::array<std::byte, 16> out{};
    if (endpoint.family() == AF_INET) {
        out[10] = out[11] = std::byte{0xff};
        std::memcpy(out.data() + 12, &as_v4(endpoint.address()).sin_addr, 4);
    } else if (endpoint.family() == AF_INET6) {
        std::memcpy(out.data(), &as_v6(endpoint.address()).sin6_addr, 16);
    }
    return out;
}

rpc::Peer to_peer(const Endpoint& remote, rpc::Transport transport) {
    rpc::Peer peer;
    peer.transport = transport;
    peer.client.kind = rpc::kClientInternet;
    peer.client.bytes = address_bytes(remote);
    peer.port = remote.port();
    peer.local = remote.is_loopback();
    if (remote.family() == AF_INET6) peer.scope = as_v6(remote.address()).sin6_scope_id;
    return peer;
}

Endpoint to_endpoint(const rpc::Peer& peer, int family) {
    const std::span bytes{peer.client.bytes};
    return family == AF_INET ? Endpoint::ipv4(bytes.last<4>(), peer.port)
                             : Endpoint::ipv6(bytes, peer.port, peer.scope);
}

}  // namespace helio::transport
