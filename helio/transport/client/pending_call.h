// PendingCall: one call of a client, in any protocol: its arguments, the coroutine that waits for
// it, its results. PendingCalls: the calls of one connection, which owns it. Both are for
// implementing another kind of client; callers use xdr::AsyncCall.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "helio/base/assert.h"
#include "helio/rpc/memory.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/xdr/program.h"

namespace helio::transport {

class PendingCall : public xdr::AsyncCall, Timer {
 public:
    // Called when the call has ended, instead of resuming a coroutine.
    using Done = void (*)(void* self, xdr::AsyncCall& call);
    void set_done(Done done, void* self) {
        done_ = done;
        done_self_ = self;
    }

    xdr::Writer& arguments() final { return *writer_; }
    bool finished() const final { return state_ == State::finished; }
    void resume_when_finished(std::coroutine_handle<> waiter) final { waiter_ = waiter; }
    xdr::Reader* results() final {
        resuming_ = false;  // the waiter has resumed
        return reader_ ? &*reader_ : nullptr;
    }
    xdr::CallError why() const final { return error_; }
    void fail_with(const xdr::CallError& error) final;

 protected:
    friend class PendingCalls;
    using Timer::Clock;
    enum class State : std::uint8_t { free, writing, queued, sent, finished };

    explicit PendingCall(EventLoop& loop) : Timer(loop), loop_(loop) {}

    // due_ has passed: the call times out, or moves due_.
    virtual void on_due(Clock::time_point now) = 0;

    void start(std::uint32_t number) {
        state_ = State::writing;
        number_ = number;
        resuming_ = false;
        waiter_ = {};
        done_ = nullptr;
        reader_.reset();
        arena_.reset();
        writer_.emplace(arena_);
        error_ = {};
    }
    // The call has its results in reader_, or has failed. notify() follows, and may destroy it.
    void end(const xdr::CallError* error) {
        if (error != nullptr) error_ = *error;
        state_ = State::finished;
    }
    void notify() {
        if (done_ != nullptr) return done_(done_self_, *this);
        if (waiter_) {
            resuming_ = true;
            loop_.resume_soon(waiter_);
        }
    }
    // There is no waiter any more.
    void forget_waiter() {
        cancel();
        if (resuming_) loop_.forget(waiter_);
        waiter_ = {};
        done_ = nullptr;
    }

    EventLoop& loop_;
    State state_ = State::free;
    std::uint32_t number_ = 0;  // xid, or serial
    xdr::Arena arena_;
    std::optional<xdr::Writer> writer_;
    Clock::time_point due_;
    rpc::BufferRef reply_;
    std::optional<xdr::Reader> reader_;  // over reply_

 private:
    void on_time() final;

    xdr::CallError error_;
    std::coroutine_handle<> waiter_;
    bool resuming_ = false;  // the loop will resume the waiter
    Done done_ = nullptr;
    void* done_self_ = nullptr;
};

// All calls of a connection: free ones, whose memory is reused, and those in flight, which are
// found by number and have a deadline. One timer serves all of them; an answer, the usual end of a
// call, does not touch it.
class PendingCalls final : Timer {
 public:
    PendingCalls(EventLoop& loop, std::uint32_t first_number);

    // A free call, of the connection's own class.
    template <class Call, class ClientConnection>
    Call& take(ClientConnection& owner) {
        if (free_.empty()) {
            all_.push_back(std::make_unique<Call>(owner));
            free_.push_back(all_.back().get());
        }
        auto& call = static_cast<Call&>(*free_.back());
        free_.pop_back();
        return call;
    }
    void give_back(PendingCall& call) {
        call.state_ = PendingCall::State::free;
        call.reader_.reset();
        call.reply_ = {};
        free_.push_back(&call);
    }
    bool all_are_free() const { return free_.size() == all_.size(); }

    // No two calls in flight share a slot: the table is at most half full, and numbers are
    // sequential, except that numbers whose slot is still taken by an old call are skipped.
    std::uint32_t next_number() {
        if (under_way_ * 2 >= table_.size()) grow();
        while (place(next_number_) != nullptr) ++next_number_;
        return next_number_++;
    }
    // The call is in flight until its due_.
    void add(PendingCall& call) {
        watch(call.due_);
        // Happens only if as many calls were begun as there are slots, and none of them was sent.
        while (place(call.number_) != nullptr) grow();
        place(call.number_) = &call;
        ++under_way_;
    }
    // False if it is not in flight.
    bool remove(PendingCall& call) {
        PendingCall*& its = place(call.number_);
        if (its != &call) return false;
        its = nullptr;
        --under_way_;
        return true;
    }
    // In flight, or nullptr.
    PendingCall* find(std::uint32_t number) const {
        PendingCall* const one = table_[number & (table_.size() - 1)];
        return one != nullptr && one->number_ == number ? one : nullptr;
    }
    std::size_t under_way() const { return under_way_; }
    // Numbers of all calls in flight, oldest first. A callback may release other calls, and new
    // ones may reuse their memory, so look each up again.
    std::vector<std::uint32_t> numbers() const;
    // After the last call: the loop is not used any more, so any thread may destroy this.
    void stop_timer() {
        HELIO_ASSERT(under_way_ == 0);
        cancel();
    }

 private:
    PendingCall*& place(std::uint32_t number) { return table_[number & (table_.size() - 1)]; }
    void grow();
    void watch(Clock::time_point due) {
        if (is_set() && next_due_ <= due) return;
        next_due_ = due;
        set(due);
    }
    void on_time() override;

    std::vector<std::unique_ptr<PendingCall>> all_;
    std::vector<PendingCall*> free_;
    std::vector<PendingCall*> table_;  // by number, a power of two of them
    std::uint32_t next_number_;
    std::size_t under_way_ = 0;
    Clock::time_point next_due_;  // while the timer is set
};

}  // namespace helio::transport
