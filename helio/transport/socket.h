// Sockets and addresses: the few calls of the kernel that the rest of this folder is made of.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helio/base/fd.h"
#include "helio/base/result.h"
#include "helio/rpc/call.h"

namespace helio::transport {

using helio::Fd;

// A socket address of any family we speak.
class Endpoint final {
 public:
    Endpoint() = default;
    Endpoint(const sockaddr* address, socklen_t size);
    static Endpoint unix_path(std::string_view path);  // throws when it is too long

    int family() const { return storage_.ss_family; }
    bool is_unix() const { return family() == AF_UNIX; }
    bool is_ipv4() const { return family() == AF_INET; }
    bool is_ipv6() const { return family() == AF_INET6; }
    std::uint16_t port() const;
    void set_port(std::uint16_t port);
    const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&storage_); }
    socklen_t size() const { return size_; }
    std::string path() const;  // of AF_UNIX
    bool is_loopback() const;
    bool operator==(const Endpoint& other) const {
        return size_ == other.size_ && std::memcmp(&storage_, &other.storage_, size_) == 0;
    }
    bool is_wildcard() const;  // every address of this machine

 private:
    sockaddr_storage storage_{};
    socklen_t size_ = 0;
};
// "127.0.0.1:2049", "[::1]:2049", "unix:/run/x.sock"
std::string to_text(const Endpoint& endpoint);

// "host", "host:port", "[v6]:port", "v6". The port is 0 when it is not named.
struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};
Result<HostPort, std::string> parse_host_port(std::string_view text);
// Every address of a name, or why there is none. An empty host is every address of this machine.
Result<std::vector<Endpoint>, std::string> resolve(const std::string& host, std::uint16_t port);

// Who is at the other end. `local` is true for loopback and for an address of our own.
rpc::Peer to_peer(const Endpoint& remote, rpc::Transport transport);
Endpoint to_endpoint(const rpc::Peer& peer, int family);

// The address a socket is bound to.
Endpoint local_endpoint(int fd);
// The process at the other end of an AF_UNIX socket, as it was when that was connected. One that
// hides is nobody: 65534, and no process.
struct UnixPeer {
    uid_t uid = 65'534;
    pid_t pid = 0;
};
UnixPeer unix_peer(int fd);
// An address as rpc::Peer::here wants it.
std::array<std::byte, 16> address_bytes(const Endpoint& endpoint);

struct BindOptions {
    bool is_shared = false;           // other sockets may have the same port (SO_REUSEPORT)
    bool is_ipv6_only = false;        // else the wildcard of IPv6 takes IPv4 too
    std::optional<mode_t> mode = {};  // of a path in the file system; else what the umask leaves
};
// A non-blocking socket (SOCK_STREAM, SOCK_DGRAM) with this address. A path on which nobody listens
// any more is left over from a server that died, and replaced. Nothing, and errno, when it fails.
Fd bound_socket(const Endpoint& where, int type, const BindOptions& options = {});
// The same for streams, listening.
Fd listening_socket(const Endpoint& where, const BindOptions& options = {});
// Two sockets that are connected with each other, both non-blocking. Nothing, and errno.
std::pair<Fd, Fd> socket_pair();

// Small messages leave at once (TCP_NODELAY). Nothing happens to sockets other than TCP's.
void set_no_delay(int fd);

// A port below 1024 for `fd`, which some servers take for a sign of honesty. False where that is
// not permitted, or none is free.
bool bind_reserved_port(int fd, int family);

}  // namespace helio::transport
