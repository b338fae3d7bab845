#include "helio/transport/socket/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "helio/base/ip_address.h"

namespace helio::transport {

Endpoint local_endpoint(int fd) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
    return {reinterpret_cast<const sockaddr*>(&storage), size};
}

UnixPeer unix_peer(int fd) {
    ucred who{};
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {};
    return {who.uid, who.pid};
}

namespace {

constexpr int kBacklog = 4096;  // the kernel cuts it to net.core.somaxconn

void remove_stale_path(const Endpoint& where) {
    const std::string path = where.path();
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
    // Without waiting: the backlog of a live listener may be full.
    const Fd probe{socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (connect(probe.get(), where.address(), where.size()) != 0 && errno == ECONNREFUSED)
        unlink(path.c_str());
}

bool bind_path(int fd, const Endpoint& where, std::optional<mode_t> mode) {
    remove_stale_path(where);
    if (!mode) return bind(fd, where.address(), where.size()) == 0;
    const mode_t before = umask(0777 & ~*mode);  // setting the rights later would be too late
    const bool done = bind(fd, where.address(), where.size()) == 0;
    umask(before);
    return done;
}

}  // namespace

Fd bound_socket(const Endpoint& where, int type, const BindOptions& options) {
    Fd fd{socket(where.family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!fd) return fd;
    if (where.family() == AF_UNIX)
        return bind_path(fd.get(), where, options.mode) ? std::move(fd) : Fd{};
    const int on = 1, off = 0;
    if (type == SOCK_STREAM) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (options.is_shared) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (where.family() == AF_INET6) {
        // The wildcard includes IPv4, unless that has its own socket; a specific address does not.
        const bool both = where.is_wildcard() && !options.is_ipv6_only;
        setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, both ? &off : &on, sizeof on);
    }
    return bind(fd.get(), where.address(), where.size()) == 0 ? std::move(fd) : Fd{};
}

Fd listening_socket(const Endpoint& where, const BindOptions& options) {
    Fd fd = bound_socket(where, SOCK_STREAM, options);
    return fd && listen(fd.get(), kBacklog) == 0 ? std::move(fd) : Fd{};
}

std::pair<Fd, Fd> socket_pair() {
    int ends[2] = {-1, -1};
    (void)socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
    return {Fd{ends[0]}, Fd{ends[1]}};
}

Fd datagram_socket_to(std::string_view path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return {};
    }
    path.copy(address.sun_path, path.size());
    if (path.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    Fd fd{socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return {};
    return fd;
}

void set_no_delay(int fd) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool bind_reserved_port(int fd, int family) {
    Endpoint endpoint =
        family == AF_INET ? Endpoint::ipv4(Ipv4Bytes{}, 0) : Endpoint::ipv6(Ipv6Bytes{}, 0);
    // From 512 on, as is customary: services own the ports below. Not always the same first, or the
    // next process would wait for our TIME_WAIT.
    const std::uint32_t start = static_cast<std::uint32_t>(getpid()) % 512;
    for (std::uint32_t i = 0; i < 512; ++i) {
        endpoint.set_port(static_cast<std::uint16_t>(512 + (start + i) % 512));
        if (bind(fd, endpoint.address(), endpoint.size()) == 0) return true;
        if (errno != EADDRINUSE) return false;
    }
    return false;
}

}  // namespace helio::transport
