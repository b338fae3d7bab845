// ClientCall: one call of a Connection, and its entry in the queue of what is sent. Its message
// stays in its own memory until the reply is there, since it may have to be sent again; then it
// holds the buffer the reply lies in.
#pragma once

#include "helio/transport/client.h"
#include "helio/transport/rdma/client_link_internal.h"

namespace helio::transport {

class ClientCall final : public PendingCall, public Outgoing {
 public:
    explicit ClientCall(Connection& owner) : PendingCall(owner.loop_), owner_(owner) {}

    void send() override;

 private:
    friend class Connection;

    void release() override;
    void on_due(Clock::time_point now) override;
    void on_sent() override { owner_.sent(*this); }
    void start(std::uint32_t xid, bool idempotent);
    // For the stream, from the beginning. False: there is no memory for the list of segments.
    bool prepare() {
        const auto segments = writer_->segments();
        if (segments.empty()) return false;
        set_message(segments, size_);
        return true;
    }
    void drop_bulk() {
        bulk_ = {};
        if (bulk_memory_) bulk_memory_ = {};
    }

    Connection& owner_;
    bool idempotent_ = false;
    xdr::Writer::Mark begin_{};
    std::byte* mark_ = nullptr;
    std::size_t size_ = 0;                   // of the whole message, once it is written
    Clock::time_point deadline_;             // due_, but for UDP: that is when it is sent again
    std::chrono::milliseconds interval_{0};  // until it is sent again

    // Over RDMA: what the results may need, and their data where it lies beside the reply.
    rdma::ResultsRoom results_room_;
    ByteView bulk_;
    rdma::Block bulk_memory_;
};

}  // namespace helio::transport
