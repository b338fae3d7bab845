// ClientConnection::OverRdma: the RPC-over-RDMA transport of a ClientConnection. Calls are sent
// completely or not at all, and only as many as the server granted credits for; the others wait in
// the connection's queue.
#pragma once

#include <cstdint>
#include <memory>

#include "helio/transport/client/client_call_internal.h"
#include "helio/transport/rdma/client_link_internal.h"

namespace helio::transport {

class ClientConnection::OverRdma final : rdma::ClientLink::User {
 public:
    explicit OverRdma(ClientConnection& owner);

    void connect(const Endpoint& where) { link_.connect(where); }
    void close() { link_.close(); }
    void flush();
    // The call has ended; if it was not answered, the link keeps its memory.
    void let_go(const ClientCall& call) {
        if (call.state_ == ClientCall::State::sent) link_.abandon(call.number_);
    }
    std::shared_ptr<rdma::MemoryPool> memory() const { return link_.memory(); }

 private:
    void link_connected() override;
    void link_answered(rdma::ClientLink::Answer& answer) override;
    void link_failed(std::uint32_t xid, const xdr::CallError& error) override;
    void link_ignored() override { ++owner_.counters_.ignored; }
    void link_has_room() override;
    void link_lost(int error_number) override { owner_.disconnect(error_number); }
    ClientCall* find(std::uint32_t xid);
    void end(ClientCall& call, const xdr::CallError* error);

    ClientConnection& owner_;
    rdma::ClientLink link_;
};

}  // namespace helio::transport
