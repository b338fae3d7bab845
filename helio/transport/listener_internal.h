// Listener: accepts connections for one thread. Without descriptors left it takes the next one in
// with a spare and hangs up, so that neither the client nor this thread waits in vain.
#pragma once

#include "helio/transport/server_thread_internal.h"

namespace helio::transport {

class Listener final : EventLoop::Handler, Timer {
 public:
    // `dialect` as StreamConnection has it.
    Listener(ServerThread& thread, Fd socket, rpc::Transport transport,
             const rpc::Dialect* dialect);
    ~Listener() override;

 private:
    void on_ready(Readiness ready) override;
    int watch();
    void on_time() override;
    void no_descriptors();
    rpc::Peer peer_of(int connection, const Endpoint& remote) const;

    ServerThread& thread_;
    Fd socket_;
    Fd spare_;
    rpc::Transport transport_;
    const rpc::Dialect* dialect_;
    Endpoint local_;
};

}  // namespace helio::transport
