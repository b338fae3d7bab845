// Endpoint: a socket's address: IPv4 or IPv6 with a port, or a path (AF_UNIX).
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/result.h"
#include "helio/rpc/call.h"

namespace helio::transport {

// A socket address of any family we speak.
class Endpoint final {
 public:
    Endpoint() = default;
    Endpoint(const sockaddr* address, socklen_t size);
    static Endpoint unix_path(std::string_view path);  // throws if it is too long
    static Endpoint ipv4(std::span<const std::byte, 4> address, std::uint16_t port);
    static Endpoint ipv6(std::span<const std::byte, 16> address, std::uint16_t port,
                         std::uint32_t scope = 0);
    // Untrusted struct sockaddr of this machine. Nothing if it is invalid or cut.
    static std::optional<Endpoint> from_sockaddr(ByteView bytes);

    int family() const { return storage_.ss_family; }  // AF_INET, AF_INET6, AF_UNIX
    bool is_unix() const { return family() == AF_UNIX; }
    bool is_ipv4() const { return family() == AF_INET; }
    bool is_ipv6() const { return family() == AF_INET6; }
    std::uint16_t port() const;
    void set_port(std::uint16_t port);
    const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&storage_); }
    socklen_t size() const { return size_; }
    ByteView sockaddr_bytes() const {
        return as_bytes({reinterpret_cast<const char*>(&storage_), size_});
    }
    std::string path() const;     // of AF_UNIX
    std::string ip_text() const;  // without the port; empty for AF_UNIX
    bool is_loopback() const;
    bool is_link_local() const;  // fe80::/10
    bool is_wildcard() const;    // every address of this machine
    bool operator==(const Endpoint& other) const {
        return size_ == other.size_ && std::memcmp(&storage_, &other.storage_, size_) == 0;
    }

 private:
    sockaddr_storage storage_{};
    socklen_t size_ = 0;
};
// "127.0.0.1:2049", "[::1]:2049", "unix:/run/x.sock"
std::string to_text(const Endpoint& endpoint);

// "host", "host:port", "[v6]:port", "v6". Without a port the default is used; "host:0" means port
// 0.
struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};
Result<HostPort, std::string> parse_host_port(std::string_view text,
                                              std::uint16_t default_port = 0);
// Every address of a name, or an error. An empty host means every address of this machine.
Result<std::vector<Endpoint>, std::string> resolve(const std::string& host, std::uint16_t port);

// How to reach a listener from this machine: a wildcard becomes the loopback address.
Endpoint to_loopback(const Endpoint& listener);

// The IP addresses of this machine, with port 0.
struct InterfaceAddress {
    std::string interface;  // "eth0"
    Endpoint address;
    unsigned prefix_bits = 0;  // of the network that it is in
};
std::vector<InterfaceAddress> interface_addresses();

// The peer at this address. `local` is true for loopback and for an address of our own.
rpc::Peer to_peer(const Endpoint& remote, rpc::Transport transport);
Endpoint to_endpoint(const rpc::Peer& peer, int family);
// An address in the form of rpc::Peer::here.
std::array<std::byte, 16> address_bytes(const Endpoint& endpoint);

}  // namespace helio::transport
