#include "helio/transport/client/client_call_internal.h"

#include "helio/base/assert.h"

namespace helio::transport {

void ClientCall::start(std::uint32_t xid, bool idempotent) {
    PendingCall::start(xid);
    idempotent_ = idempotent;
    if (owner_.has_record_marks()) [[likely]]
        open_record();
    else
        open_message();
    if (owner_.rdma_) {
        writer_->keep_bulk_apart();
        results_room_ = {};
    }
}

void ClientCall::send() {
    HELIO_ASSERT(state_ == State::writing);
    if (!close_message()) return fail_with({xdr::Outcome::garbage_arguments, writer_->error()});
    const auto now = owner_.loop_.now();
    deadline_ = now + owner_.options_.call_timeout;
    interval_ = owner_.options_.retransmit_first;
    due_ = owner_.is_stream() ? deadline_ : std::min(deadline_, now + interval_);
    owner_.calls_.add(*this);
    owner_.enqueue(*this);
}

void ClientCall::on_due(Clock::time_point now) {
    if (now >= deadline_ || owner_.is_stream()) {
        xdr::CallError error;
        error.outcome = xdr::Outcome::timed_out;
        return owner_.finish(*this, &error);
    }
    // Over UDP: the call or its reply was lost, or the server is slow.
    if (state_ == State::sent) {
        ++owner_.counters_.retransmitted;
        owner_.enqueue(*this);
    }
    interval_ = std::min(interval_ * 2, kRetransmitMax);
    due_ = std::min(deadline_, now + interval_);
}

// The owner releases it, in any state.
void ClientCall::release() {
    forget_waiter();
    if (state_ == State::queued || state_ == State::sent) {
        owner_.take_out(*this);
        owner_.let_go(*this);
    }
    owner_.recycle(*this);
}

}  // namespace helio::transport
