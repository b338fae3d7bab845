// ClientCall: one call of a ClientConnection and its entry in the send queue. It may have to be
// sent again.
#pragma once

#include "helio/transport/client/client.h"
#include "helio/transport/client/onc_call_internal.h"
#include "helio/transport/rdma/client_link_internal.h"

namespace helio::transport {

class ClientCall final : public OncCall {
 public:
    explicit ClientCall(ClientConnection& owner) : OncCall(owner.loop_), owner_(owner) {}

    void send() override;

 private:
    friend class ClientConnection;

    void release() override;
    void on_due(Clock::time_point now) override;
    void on_sent() override { owner_.sent(*this); }
    void start(std::uint32_t xid, bool idempotent);
    void drop_bulk() {
        bulk_ = {};
        if (bulk_memory_) bulk_memory_ = {};
    }

    ClientConnection& owner_;
    bool idempotent_ = false;
    Clock::time_point deadline_;             // over UDP, due_ is the next retransmission
    std::chrono::milliseconds interval_{0};  // until it is sent again

    // Over RDMA: room for the results, and their data if it is beside the reply.
    rdma::ResultsRoom results_room_;
    ByteView bulk_;
    rdma::Block bulk_memory_;
};

}  // namespace helio::transport
