#include "helio/transport/server/server_listener_internal.h"

#include "helio/xdr/wire.h"

namespace helio::transport {

namespace {

rpc::Peer peer_of(int connection, const Endpoint& remote, rpc::Transport transport) {
    if (transport != rpc::Transport::local) {
        rpc::Peer peer = to_peer(remote, transport);
        peer.here = address_bytes(local_endpoint(connection));
        peer.local = peer.local || peer.here == peer.client.bytes;
        return peer;
    }
    rpc::Peer peer;
    peer.transport = rpc::Transport::local;
    peer.local = true;
    peer.client.kind = rpc::kClientUnix;
    xdr::store_u32(peer.client.bytes.data(), unix_peer(connection).uid);
    return peer;
}

}  // namespace

ServerListener::ServerListener(ServerThread& thread, Fd socket, rpc::Transport transport,
                               const rpc::SessionFactory* session_factory)
    : thread_(thread),
      transport_(transport),
      session_factory_(session_factory),
      listener_(thread.loop(), *this, std::move(socket),
                {.sharing = EventLoop::Sharing::shared, .mutex = &thread.shared().accept_mutex}) {}

void ServerListener::on_accepted(Fd socket, const Endpoint& remote) {
    ServerShared& shared = thread_.shared();
    if (shared.is_full() && !thread_.evict_idle_connection()) {
        shared.connections_refused.fetch_add(1, std::memory_order_relaxed);
        return;  // it closes itself
    }
    const rpc::Peer peer = peer_of(socket.get(), remote, transport_);
    thread_.add_connection(std::move(socket), peer, session_factory_);
}

void ServerListener::on_refused() {
    thread_.shared().connections_refused.fetch_add(1, std::memory_order_relaxed);
    thread_.worker().log("rpc: no descriptor left for a new connection; refused it");
    thread_.evict_idle_connection();  // makes room for the next one
}

}  // namespace helio::transport
