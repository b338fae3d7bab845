// ClientConnection::OverUdp: the UDP transport of a ClientConnection. One datagram for each call
// and each reply; calls retransmit themselves.
#pragma once

#include "helio/transport/client/client_call_internal.h"
#include "helio/transport/stream/receive_buffer.h"

namespace helio::transport {

class ClientConnection::OverUdp final : EventLoop::Handler {
 public:
    explicit OverUdp(ClientConnection& owner) : owner_(owner), room_(owner.buffers_) {}
    ~OverUdp() override { close(); }

    void connect(const Endpoint& where);
    void close();
    void flush();

 private:
    void on_ready(Readiness ready) override;
    void receive();
    void refused(int error_number);
    ssize_t send(ClientCall& call);
    void watch_for(Interest interest);

    ClientConnection& owner_;
    SharedReceiveBuffer room_;  // only for received datagrams
    Fd socket_;
    Interest interest_ = Interest::none;
    bool heard_ = false;  // this server has sent something
};

}  // namespace helio::transport
