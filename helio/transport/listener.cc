#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "helio/transport/listener_internal.h"
#include "helio/xdr/wire.h"

namespace helio::transport {

namespace {
// Connections taken per turn, so that those that exist get their turn too.
constexpr int kAcceptsPerTurn = 64;
// With nothing to accept with, look again after this.
constexpr std::chrono::milliseconds kAcceptPause{100};

Fd open_spare() { return Fd{open("/dev/null", O_RDONLY | O_CLOEXEC)}; }
}  // namespace

Listener::Listener(ServerThread& thread, Fd socket, rpc::Transport transport,
                   const rpc::Dialect* dialect)
    : Timer(thread.loop()),
      thread_(thread),
      socket_(std::move(socket)),
      spare_(open_spare()),
      transport_(transport),
      dialect_(dialect),
      local_(local_endpoint(socket_.get())) {
    if (const int error = watch(); error != 0)
        throw std::system_error(error, std::generic_category(), "cannot watch a listening socket");
}

int Listener::watch() {
    return thread_.loop().add(socket_.get(), Interest::read, *this, EventLoop::Sharing::shared);
}

Listener::~Listener() { thread_.loop().remove(socket_.get(), *this); }

void Listener::on_ready(Readiness) {
    for (int i = 0; i < kAcceptsPerTurn; ++i) {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        std::unique_lock lock{thread_.shared().accept_mutex};
        Fd connection{thread_.loop().network().accept4(socket_.get(),
                                                       reinterpret_cast<sockaddr*>(&address), &size,
                                                       SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (!connection) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                no_descriptors();
            return;
        }
        lock.unlock();
        ServerShared& shared = thread_.shared();
        if (shared.connections.load(std::memory_order_relaxed) >= shared.limits.connections_max) {
            shared.connections_refused.fetch_add(1, std::memory_order_relaxed);
            continue;  // it closes itself
        }
        const Endpoint remote{reinterpret_cast<const sockaddr*>(&address), size};
        const rpc::Peer peer = peer_of(connection.get(), remote);
        thread_.add_connection(std::move(connection), peer, dialect_);
    }
}

rpc::Peer Listener::peer_of(int connection, const Endpoint& remote) const {
    if (transport_ != rpc::Transport::local) {
        rpc::Peer peer = to_peer(remote, transport_);
        peer.here = address_bytes(local_endpoint(connection));
        peer.local = peer.local || peer.here == peer.client.bytes;
        return peer;
    }
    rpc::Peer peer;
    peer.transport = rpc::Transport::local;
    peer.local = true;
    peer.client.kind = rpc::kClientUnix;
    ucred who{};
    socklen_t size = sizeof who;
    // A peer that hides is nobody.
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) who.uid = 65'534;
    xdr::store_u32(peer.client.bytes.data(), who.uid);
    return peer;
}

// EMFILE leaves the connection in the queue, and the loop would report it for ever. The accept
// mutex is held.
void Listener::no_descriptors() {
    thread_.shared().connections_refused.fetch_add(1, std::memory_order_relaxed);
    thread_.worker().log("rpc: no descriptor left for a new connection; refused it");
    spare_.reset();
    const bool took = static_cast<bool>(
        Fd{thread_.loop().network().accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)});
    const bool again = took || errno == EAGAIN;  // else it is not descriptors that are missing
    spare_ = open_spare();
    if (spare_ && again) return;
    thread_.loop().remove(socket_.get(), *this);
    set(Clock::now() + kAcceptPause);
}

void Listener::on_time() {
    if (!spare_) spare_ = open_spare();
    if (watch() != 0) set(Clock::now() + kAcceptPause);
}

}  // namespace helio::transport
