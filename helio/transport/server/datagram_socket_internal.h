// DatagramSocket: one UDP socket of one thread. It receives several datagrams at a time and sends
// the replies together, each from the address its call was sent to.
#pragma once

#include <deque>

#include "helio/transport/server/server_thread_internal.h"

namespace helio::transport {

class DatagramSocket final : EventLoop::Handler, EventLoop::Deferred, rpc::Session::Owner {
 public:
    DatagramSocket(ServerThread& thread, Fd socket);
    ~DatagramSocket() override;
    bool drained() const { return session_.calls_in_flight() == 0; }
    void stop_receiving();
    void send_cached(const rpc::CachedReply& reply, const rpc::Peer& peer);

 private:
    void on_ready(Readiness ready) override;
    void on_turn_end() override { send(); }
    void output_ready() override;
    // The next datagram may come from any client, so there is no reserve for those that hold
    // little.
    bool may_hold(std::size_t bytes) override {
        const MemoryBudget& memory = thread_.shared().memory;
        return memory.used() + bytes <= memory.tight();
    }
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(const rpc::Peer& peer) override;
    void send();
    void watch();

    ServerThread& thread_;
    Fd socket_;
    int family_;
    rpc::DatagramSession session_;
    bool watching_ = true;
    bool stopped_ = false;
};

}  // namespace helio::transport
