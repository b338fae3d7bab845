// Thin wrappers around the few system calls for sockets that this folder is built on.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>
#include <string_view>
#include <utility>

#include "helio/base/fd.h"
#include "helio/transport/socket/endpoint.h"

namespace helio::transport {

using helio::Fd;

// The address a socket is bound to.
Endpoint local_endpoint(int fd);
// The process that was at the other end of an AF_UNIX socket when it was connected. If it is
// hidden: uid 65534, and no process.
struct UnixPeer {
    uid_t uid = 65'534;
    pid_t pid = 0;
};
UnixPeer unix_peer(int fd);

struct BindOptions {
    bool is_shared = false;           // other sockets may have the same port (SO_REUSEPORT)
    bool is_ipv6_only = false;        // else the wildcard of IPv6 takes IPv4 too
    std::optional<mode_t> mode = {};  // of a path in the file system; default: by umask
};
// A non-blocking socket (SOCK_STREAM, SOCK_DGRAM) bound to this address. A stale path without a
// listener, left by a server that died, is replaced. Empty, with errno, on failure.
Fd bound_socket(const Endpoint& where, int type, const BindOptions& options = {});
// The same for streams, listening.
Fd listening_socket(const Endpoint& where, const BindOptions& options = {});
// Two connected sockets, both non-blocking. Empty, with errno, on failure.
std::pair<Fd, Fd> socket_pair();

// A non-blocking datagram socket connected to this path; a leading '@' means a name in Linux's
// abstract namespace (unix(7)). Empty, with errno, on failure.
Fd datagram_socket_to(std::string_view path);

// Sends small messages at once (TCP_NODELAY). Has no effect on sockets other than TCP.
void set_no_delay(int fd);

// Binds `fd` to a port below 1024, which some servers require. False if it is not permitted, or
// none is free.
bool bind_reserved_port(int fd, int family);

}  // namespace helio::transport
