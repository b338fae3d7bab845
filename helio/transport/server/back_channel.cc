#include <cerrno>
#include <utility>

#include "helio/base/assert.h"
#include "helio/transport/server/back_channel_internal.h"

namespace helio::transport {

class BackCall final : public OncCall {
 public:
    explicit BackCall(StreamBackChannel& owner) : OncCall(owner.loop_), owner_(owner) {}

    void send() override;

 private:
    friend class StreamBackChannel;

    void release() override;
    void on_due(Clock::time_point now) override;
    void on_sent() override { state_ = State::sent; }

    StreamBackChannel& owner_;
};

void BackCall::send() {
    HELIO_ASSERT(state_ == State::writing);
    if (!close_message()) return fail_with({xdr::Outcome::garbage_arguments, writer_->error()});
    xdr::CallError error;
    if (!owner_.is_open()) return fail_with(error);
    if (owner_.calls_.under_way() >= kBackCallsMax) {
        error.error_number = EBUSY;
        return fail_with(error);
    }
    due_ = loop_.now() + owner_.call_timeout_;
    state_ = State::queued;
    owner_.calls_.add(*this);
    owner_.carrier_->stream().send(*this);
    owner_.carrier_->output_ready();
}

void BackCall::on_due(Clock::time_point) {
    xdr::CallError error;
    error.outcome = xdr::Outcome::timed_out;
    owner_.finish(*this, &error);
}

void BackCall::release() {
    forget_waiter();
    owner_.calls_.remove(*this);
    owner_.leave_queue(*this);
    owner_.calls_.give_back(*this);
}

StreamBackChannel::StreamBackChannel(EventLoop& loop, Carrier& carrier,
                                     std::shared_ptr<rpc::SessionHandle> line)
    : loop_(loop), carrier_(&carrier), line_(std::move(line)), calls_(loop, random_xid()) {}

StreamBackChannel::~StreamBackChannel() { HELIO_ASSERT(calls_.all_are_free()); }

xdr::AsyncCall::Owner StreamBackChannel::begin(const xdr::VersionInfo& version,
                                               const xdr::ProcedureInfo& procedure) {
    HELIO_ASSERT(EventLoop::current() == &loop_ || EventLoop::current() == nullptr);
    auto& call = calls_.take<BackCall>(*this);
    call.start(calls_.next_number());
    call.open_record();
    rpc::put_call(*call.writer_, call.number_, version.program, version.version, procedure.number,
                  credential_);
    return xdr::AsyncCall::Owner{&call};
}

bool StreamBackChannel::take_reply(const rpc::BufferRef& buffer, ByteView message) {
    const auto opened = rpc::open_reply(message, reply_arena_);
    auto* const call = opened ? static_cast<BackCall*>(calls_.find(opened->xid)) : nullptr;
    // A call that was not completely sent cannot have been answered.
    if (call == nullptr || call->state_ != BackCall::State::sent) return false;
    if (opened->error) {
        const xdr::CallError error = *opened->error;
        reply_arena_.reset();
        finish(*call, &error);
    } else {
        call->take_results(buffer, opened->results);
        finish(*call, nullptr);
    }
    return true;
}

void StreamBackChannel::disconnect() {
    if (!is_open()) return;
    carrier_ = nullptr;
    const xdr::CallError error;  // unreachable
    for (const std::uint32_t xid : calls_.numbers())
        if (PendingCall* const one = calls_.find(xid)) finish(static_cast<BackCall&>(*one), &error);
    calls_.stop_timer();  // the last owner of this channel may be another thread
    for (const auto& work : std::exchange(on_close_, {})) work();
}

void StreamBackChannel::post(std::function<void()> work) {
    if (line_) line_->post(std::move(work));
}

// The call has its reply, or will never have one.
void StreamBackChannel::finish(BackCall& call, const xdr::CallError* error) {
    calls_.remove(call);
    leave_queue(call);
    call.end(error);
    call.notify();
}

// A partly sent record cannot be taken back: the rest of it has to follow.
void StreamBackChannel::leave_queue(BackCall& call) {
    if (!call.is_queued()) return;
    Stream& stream = carrier_->stream();
    if (call.has_begun() ? !stream.copy_rest(call) : !stream.take_back(call)) carrier_->give_up();
}

}  // namespace helio::transport
