#include "helio/transport/server/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "helio/base/assert.h"
#include "helio/base/system/machine_memory.h"
#include "helio/transport/rdma/fabric.h"
#include "helio/transport/rdma/server_connection_internal.h"
#include "helio/transport/server/server_thread_internal.h"

namespace helio::transport {

namespace {

// If the UDP port of a free TCP port is taken, another one is tried.
constexpr int kPortTries = 32;

[[noreturn]] void cannot_listen(const Endpoint& where, std::string_view transport, int error) {
    const char* hint = error == EACCES && where.port() != 0 && where.port() < 1024
                           ? "; ports below 1024 need privileges"
                           : "";
    throw std::runtime_error(fmt::format("cannot listen on {} {}: {}{}", transport, to_text(where),
                                         std::strerror(error), hint));
}

// The wildcard: one IPv6 socket for both families if there is IPv6.
std::vector<Endpoint> endpoints_of(const std::string& host, std::uint16_t port) {
    auto found = resolve(host, port);
    if (!found) throw std::runtime_error(found.error());
    if (!host.empty()) return *found;
    const Fd probe{socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const int wanted = probe ? AF_INET6 : AF_INET;
    std::erase_if(*found, [&](const Endpoint& one) { return one.family() != wanted; });
    return *found;
}

}  // namespace

Server::Server(rpc::Server& programs, ServerLimits limits, Network& network) : programs_(programs) {
    if (limits.memory_bytes_max == 0)
        limits.memory_bytes_max = std::max(kMemoryBytesMin, machine_memory() / 4);
    shared_ = std::make_unique<ServerShared>(limits, network);
    programs.duplicates().count_in(&shared_->memory);
    const unsigned count =
        limits.threads != 0 ? limits.threads : std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; ++i)
        threads_.push_back(std::make_unique<ServerThread>(programs, *shared_));
}

Server::~Server() {
    stop(std::chrono::milliseconds(0));
    programs_.duplicates().count_in(nullptr);
    for (const std::string& path : unlink_) unlink(path.c_str());
}

Endpoint Server::listen_on(Endpoint where, rpc::Transport transport,
                           const rpc::SessionFactory* session_factory) {
    const int type = transport == rpc::Transport::udp ? SOCK_DGRAM : SOCK_STREAM;
    // If 0.0.0.0 has its own socket at the same port, [::] is for IPv6 alone.
    const auto& bound = transport == rpc::Transport::udp ? udp_ : tcp_;
    const bool has_ipv4 = std::any_of(bound.begin(), bound.end(), [&](const Endpoint& one) {
        return one.is_ipv4() && one.is_wildcard() && one.port() == where.port();
    });
    BindOptions options{.is_ipv6_only = where.is_wildcard() && has_ipv4};
    {
        // Without SO_REUSEPORT first: with it a second server on the same port would get half the
        // calls, without any error.
        const Fd probe = bound_socket(where, type, options);
        if (!probe) cannot_listen(where, name_of(transport), errno);
        where.set_port(local_endpoint(probe.get()).port());
    }
    options.is_shared = threads_.size() > 1;
    for (const auto& thread : threads_) {
        Fd fd = type == SOCK_STREAM ? listening_socket(where, options)
                                    : bound_socket(where, type, options);
        if (!fd) cannot_listen(where, name_of(transport), errno);
        if (type == SOCK_STREAM)
            thread->add_listener(std::move(fd), transport, session_factory);
        else
            thread->add_datagram_socket(std::move(fd));
    }
    (transport == rpc::Transport::udp ? udp_ : tcp_).push_back(where);
    return where;
}

std::vector<Endpoint> Server::listen_tcp(const std::string& host, std::uint16_t port,
                                         const rpc::SessionFactory* session_factory) {
    HELIO_ASSERT(!running_);
    std::vector<Endpoint> out;
    for (Endpoint where : endpoints_of(host, port)) {
        if (!out.empty()) where.set_port(out.front().port());  // localhost: one port for both
        out.push_back(listen_on(where, rpc::Transport::tcp, session_factory));
    }
    return out;
}

std::vector<Endpoint> Server::listen_udp(const std::string& host, std::uint16_t port) {
    HELIO_ASSERT(!running_);
    std::vector<Endpoint> out;
    for (Endpoint where : endpoints_of(host, port)) {
        if (!out.empty()) where.set_port(out.front().port());
        out.push_back(listen_on(where, rpc::Transport::udp));
    }
    return out;
}

std::uint16_t Server::listen(const std::string& host, std::uint16_t port) {
    if (port == 0) {
        const auto endpoints = endpoints_of(host, 0);
        for (int i = 0; i < kPortTries && port == 0; ++i) {
            const Fd tcp = bound_socket(endpoints.front(), SOCK_STREAM);
            if (!tcp) break;
            port = local_endpoint(tcp.get()).port();
            for (Endpoint where : endpoints) {
                where.set_port(port);
                if (!bound_socket(where, SOCK_DGRAM)) port = 0;
                if (port == 0) break;
            }
        }
    }
    const std::uint16_t found = listen_tcp(host, port).front().port();
    listen_udp(host, found);
    return found;
}

void Server::listen_unix(const std::string& path, const rpc::SessionFactory* session_factory) {
    HELIO_ASSERT(!running_);
    const Endpoint where = Endpoint::unix_path(path);
    Fd fd = listening_socket(where);
    if (!fd) cannot_listen(where, "unix", errno);
    unlink_.push_back(path);
    local_.push_back(where);
    // One socket for all threads: AF_UNIX has no SO_REUSEPORT.
    for (std::size_t i = 1; i < threads_.size(); ++i)
        threads_[i]->add_listener(Fd{fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)}, rpc::Transport::local,
                                  session_factory);
    threads_.front()->add_listener(std::move(fd), rpc::Transport::local, session_factory);
}

std::vector<Endpoint> Server::listen_rdma(rdma::Fabric& fabric, const std::string& host,
                                          std::uint16_t port) {
    HELIO_ASSERT(!running_);
    while (rdma_threads_.size() < threads_.size())
        rdma_threads_.push_back(std::make_unique<ServerThread>(programs_, *shared_));
    std::vector<Endpoint> out;
    for (const Endpoint& where : endpoints_of(host, port)) {
        auto arrival = [this](std::unique_ptr<rdma::Link> link) {
            ServerThread& thread = *rdma_threads_[next_rdma_thread_++ % rdma_threads_.size()];
            // Posted work must be copyable. If the loop ends first, so does the link.
            const auto holder = std::make_shared<std::unique_ptr<rdma::Link>>(std::move(link));
            thread.loop().post([&thread, holder] { thread.add_rdma(std::move(*holder)); });
        };
        rdma_listeners_.push_back(
            fabric.listen(where, rdma::server_link_limits(), std::move(arrival)));
        out.push_back(rdma_listeners_.back()->where());
    }
    rdma_.insert(rdma_.end(), out.begin(), out.end());
    return out;
}

std::size_t Server::listen_inherited() {
    HELIO_ASSERT(!running_);
    const char* const pid = std::getenv("LISTEN_PID");
    const char* const count_text = std::getenv("LISTEN_FDS");
    if (pid == nullptr || count_text == nullptr || std::strtol(pid, nullptr, 10) != getpid())
        return 0;
    constexpr int kFirst = 3;  // sd_listen_fds(3)
    const int count = static_cast<int>(std::strtol(count_text, nullptr, 10));
    for (int fd = kFirst; fd < kFirst + count; ++fd) {
        int type = 0;
        socklen_t size = sizeof type;
        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
            throw std::runtime_error(
                fmt::format("descriptor {} of LISTEN_FDS={} is not a socket: {}", fd, count,
                            std::strerror(errno)));
        const Endpoint where = local_endpoint(fd);
        int listens = 0;
        size = sizeof listens;
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size);
        const bool streams = type == SOCK_STREAM && listens != 0;
        const bool datagrams = type == SOCK_DGRAM && where.family() != AF_UNIX;
        if (!streams && !datagrams)
            throw std::runtime_error(fmt::format(
                "descriptor {} of LISTEN_FDS={} neither listens for connections nor takes UDP", fd,
                count));
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        if (type == SOCK_DGRAM) {
            udp_.push_back(where);
            threads_.front()->add_datagram_socket(Fd{fd});
            continue;
        }
        const auto transport =
            where.family() == AF_UNIX ? rpc::Transport::local : rpc::Transport::tcp;
        (transport == rpc::Transport::local ? local_ : tcp_).push_back(where);
        for (std::size_t i = 1; i < threads_.size(); ++i)
            threads_[i]->add_listener(Fd{fcntl(fd, F_DUPFD_CLOEXEC, 0)}, transport);
        threads_.front()->add_listener(Fd{fd}, transport);
    }
    return static_cast<std::size_t>(std::max(0, count));
}

void Server::start() {
    HELIO_ASSERT(!running_);
    running_ = true;
    timers_.start(threads_.front()->loop());
    for (const auto& thread : threads_) thread->start();
    for (const auto& thread : rdma_threads_) thread->start();
}

void Server::start_driven() {
    HELIO_ASSERT(!running_ && rdma_threads_.empty());
    running_ = driven_ = true;
    timers_.start(threads_.front()->loop());
    for (const auto& thread : threads_) thread->start_driven();
}

bool Server::turn(std::size_t thread) {
    HELIO_ASSERT(running_ && driven_);
    return threads_[thread]->turn();
}

std::optional<EventLoop::Clock::time_point> Server::next_timer() const {
    std::optional<EventLoop::Clock::time_point> next;
    for (const auto& thread : threads_)
        if (const auto one = thread->loop().next_timer(); one && (!next || *one < *next))
            next = one;
    return next;
}

namespace {
sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}
}  // namespace

void Server::block_signals() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

void Server::wait_for_signal() {
    const sigset_t set = stop_signals();
    int which = 0;
    sigwait(&set, &which);
    stop();
}

void Server::begin_stop(std::chrono::milliseconds drain) {
    HELIO_ASSERT(running_);
    rdma_listeners_.clear();
    const auto deadline = EventLoop::Clock::now() + drain;
    for (const auto* const group : {&threads_, &rdma_threads_})
        for (const auto& thread : *group) thread->begin_drain(deadline);
}

void Server::stop(std::chrono::milliseconds drain) {
    if (!running_) return rdma_listeners_.clear();
    begin_stop(driven_ ? std::chrono::milliseconds(0) : drain);
    for (std::size_t i = 0; driven_ && i < threads_.size();)
        if (!turn(i)) ++i;
    running_ = driven_ = false;
    for (const auto* const group : {&threads_, &rdma_threads_})
        for (const auto& thread : *group) thread->join();
    timers_.stop();
}

Fd Server::connect_in_process(const rpc::SessionFactory* session_factory) {
    rpc::Peer peer;
    peer.transport = rpc::Transport::in_process;
    peer.local = true;
    peer.client.kind = rpc::kClientInProcess;
    return connect_as(peer, session_factory);
}

Fd Server::connect_as(const rpc::Peer& peer, const rpc::SessionFactory* session_factory) {
    HELIO_ASSERT(running_);
    auto [ours, theirs] = socket_pair();
    if (!ours)
        throw std::runtime_error(
            fmt::format("cannot connect within the process: {}", std::strerror(errno)));
    ServerThread& thread = *threads_[next_thread_++ % threads_.size()];
    // Closes itself should the loop end first.
    const auto fd = std::make_shared<Fd>(std::move(theirs));
    thread.loop().post([&thread, fd, peer, session_factory] {
        thread.add_connection(std::move(*fd), peer, session_factory);
    });
    return std::move(ours);
}

Server::Counters Server::counters() const {
    return {.connections = shared_->connections,
            .memory_bytes = shared_->memory.used(),
            .memory_bytes_max = shared_->memory.bytes_max(),
            .refused = shared_->connections_refused,
            .timed_out = shared_->connections_timed_out,
            .evicted = shared_->connections_evicted,
            .shed = shared_->connections_shed,
            .rdma_bytes_copied = shared_->rdma_bytes_copied};
}

const std::vector<Endpoint>& Server::endpoints(rpc::Transport transport) const {
    switch (transport) {
        case rpc::Transport::tcp:
            return tcp_;
        case rpc::Transport::udp:
            return udp_;
        case rpc::Transport::rdma:
            return rdma_;
        default:
            return local_;
    }
}

}  // namespace helio::transport
