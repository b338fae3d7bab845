// ServerListener: a listening socket of one server thread. Identifies the peer and makes a
// connection.
#pragma once

#include "helio/transport/server/server_thread_internal.h"
#include "helio/transport/socket/listener.h"

namespace helio::transport {

class ServerListener final : Listener::Owner {
 public:
    // `session_factory`: nullptr for ONC RPC.
    ServerListener(ServerThread& thread, Fd socket, rpc::Transport transport,
                   const rpc::SessionFactory* session_factory);

 private:
    void on_accepted(Fd socket, const Endpoint& remote) override;
    void on_refused() override;

    ServerThread& thread_;
    const rpc::Transport transport_;
    const rpc::SessionFactory* const session_factory_;
    Listener listener_;
};

}  // namespace helio::transport
