// ClientCall: one call of a ClientConnection: its arguments in memory of its own until they are
// copied out, then the buffer its reply lies in.
#pragma once

#include <optional>

#include "helio/virt/client/connection.h"

namespace helio::virt {

class ClientCall final : public xdr::AsyncCall, transport::Timer {
 public:
    explicit ClientCall(ClientConnection& owner) : Timer(owner.loop_), owner_(owner) {}

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
    friend class ClientConnection;
    friend class ClientStream;
    enum class State : std::uint8_t { free, writing, waiting, sent, finished };

    void release() override;
    void on_time() override;
    void start(std::uint32_t serial);
    void open(const rpc::VirnetHeader& header, std::vector<Fd> descriptors);

    ClientConnection& owner_;
    State state_ = State::free;
    bool opens_stream_ = false;
    std::uint32_t serial_ = 0;
    xdr::Arena arena_;
    std::optional<xdr::Writer> writer_;
    std::byte* length_ = nullptr;
    std::vector<Fd> descriptors_;  // to send, then those that came
    Clock::time_point deadline_;

    std::coroutine_handle<> waiter_;
    bool resuming_ = false;  // the loop will resume the waiter
    ClientConnection::Done done_ = nullptr;
    void* done_self_ = nullptr;

    rpc::BufferRef reply_;
    std::optional<xdr::Reader> reader_;
    xdr::CallError error_;
};

}  // namespace helio::virt
