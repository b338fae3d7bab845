// ClientCall: one call of a Connection. Its message stays in its own memory until the reply is
// there, since it may have to be sent again; then it holds the buffer the reply lies in.
#pragma once

#include <optional>

#include "helio/transport/client.h"
#include "helio/transport/rdma/client_link_internal.h"

namespace helio::transport {

class ClientCall final : public xdr::AsyncCall, Timer {
 public:
    explicit ClientCall(Connection& owner) : Timer(owner.loop_), owner_(owner) {}

    xdr::Writer& arguments() override { return *writer_; }
    void send() override;
    bool finished() const override { return state_ == State::finished; }
    void resume_when_finished(std::coroutine_handle<> waiter) override { waiter_ = waiter; }
    xdr::Reader* results() override {
        resuming_ = false;  // whoever waited is here
        return reader_ ? &*reader_ : nullptr;
    }
    xdr::CallError why() const override { return error_; }
    void fail_with(const xdr::CallError& error) override;

 private:
    friend class Connection;
    enum class State : std::uint8_t { free, writing, queued, sent, finished };

    void release() override;
    void on_time() override;
    void on_due(Clock::time_point now);
    void start(std::uint32_t xid, bool idempotent);
    bool keep_what_is_unsent();
    void drop_bulk() {
        bulk_ = {};
        if (bulk_memory_) bulk_memory_ = {};
    }

    Connection& owner_;
    State state_ = State::free;
    bool idempotent_ = false;
    bool released_ = false;  // nobody waits, but half of it has been sent
    std::uint32_t xid_ = 0;
    xdr::Arena arena_;
    std::optional<xdr::Writer> writer_;
    xdr::Writer::Mark begin_{};
    std::byte* mark_ = nullptr;
    std::size_t size_ = 0;  // of the whole message, once it is written
    Clock::time_point deadline_;
    Clock::time_point due_;                  // its end, or over UDP when it is sent again
    std::chrono::milliseconds interval_{0};  // until it is sent again
    ClientCall* next_ = nullptr;             // of the queue

    std::coroutine_handle<> waiter_;
    bool resuming_ = false;  // the loop will resume the waiter
    Connection::Done done_ = nullptr;
    void* done_self_ = nullptr;

    rpc::BufferRef reply_;
    std::optional<xdr::Reader> reader_;
    xdr::CallError error_;

    // Over RDMA: what the results may need, and their data where it lies beside the reply.
    rdma::ResultsRoom results_room_;
    ByteView bulk_;
    rdma::Block bulk_memory_;
};

}  // namespace helio::transport
