// ServerListener: a listening socket of one thread of a server. Finds out who has connected, and
// makes a connection of it.
#pragma once

#include "helio/transport/server/server_thread_internal.h"
#include "helio/transport/socket/listener.h"

namespace helio::transport {

class ServerListener final : Listener::Owner {
 public:
    // `dialect` as StreamConnection has it.
    ServerListener(ServerThread& thread, Fd socket, rpc::Transport transport,
                   const rpc::Dialect* dialect);

 private:
    void on_accepted(Fd socket, const Endpoint& remote) override;
    void on_refused() override;

    ServerThread& thread_;
    const rpc::Transport transport_;
    const rpc::Dialect* const dialect_;
    Listener listener_;
};

}  // namespace helio::transport
