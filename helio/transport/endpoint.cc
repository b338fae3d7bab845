#include "helio/transport/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <stdexcept>

namespace helio::transport {

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

namespace {
const sockaddr_in& as_v4(const sockaddr* address) {
    return *reinterpret_cast<const sockaddr_in*>(address);
}
const sockaddr_in6& as_v6(const sockaddr* address) {
    return *reinterpret_cast<const sockaddr_in6*>(address);
}
}  // namespace

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

bool Endpoint::is_loopback() const {
    if (family() == AF_INET) return (ntohl(as_v4(address()).sin_addr.s_addr) >> 24) == 127;
    if (family() != AF_INET6) return family() == AF_UNIX;
    const in6_addr& v6 = as_v6(address()).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

std::string to_text(const Endpoint& endpoint) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (endpoint.family() == AF_INET) {
        inet_ntop(AF_INET, &as_v4(endpoint.address()).sin_addr, text.data(), text.size());
        return fmt::format("{}:{}", text.data(), endpoint.port());
    }
    if (endpoint.family() == AF_INET6) {
        inet_ntop(AF_INET6, &as_v6(endpoint.address()).sin6_addr, text.data(), text.size());
        return fmt::format("[{}]:{}", text.data(), endpoint.port());
    }
    if (endpoint.family() == AF_UNIX)
        return fmt::format("unix:{}",
                           reinterpret_cast<const sockaddr_un*>(endpoint.address())->sun_path);
    return "nowhere";
}

Result<HostPort, std::string> parse_host_port(std::string_view text) {
    HostPort out;
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
        out.host = text;  // a name, or a bare IPv6 address
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
    const auto& bytes = peer.client.bytes;
    if (family == AF_INET) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(peer.port);
        std::memcpy(&v4.sin_addr, bytes.data() + 12, 4);
        return {reinterpret_cast<const sockaddr*>(&v4), sizeof v4};
    }
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(peer.port);
    v6.sin6_scope_id = peer.scope;
    std::memcpy(&v6.sin6_addr, bytes.data(), 16);
    return {reinterpret_cast<const sockaddr*>(&v6), sizeof v6};
}

}  // namespace helio::transport
