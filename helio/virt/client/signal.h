// Signal: one coroutine waits until it is notified or a deadline passes. The waiter may be
// destroyed while it waits. On one event loop.
//
//     while (queue.empty())
//         if (!co_await signal.wait(deadline)) co_return timed_out;
#pragma once

#include <coroutine>

#include "helio/base/assert.h"
#include "helio/transport/loop/event_loop.h"

namespace helio::virt {

class Signal final {
 public:
    using Clock = transport::EventLoop::Clock;
    static constexpr Clock::time_point kForever = Clock::time_point::max();

    explicit Signal(transport::EventLoop& loop) : loop_(loop) {}
    ~Signal() {
        if (waiter_ != nullptr) waiter_->signal_ = nullptr;
    }
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    class Wait final : private transport::Timer {
     public:
        Wait(Signal& signal, Clock::time_point deadline)
            : Timer(signal.loop_), loop_(signal.loop_), signal_(&signal), deadline_(deadline) {}
        ~Wait() override {
            if (signal_ != nullptr && signal_->waiter_ == this) signal_->waiter_ = nullptr;
            if (resuming_) loop_.forget(frame_);
        }
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> frame) {
            HELIO_ASSERT(signal_->waiter_ == nullptr);  // one at a time
            frame_ = frame;
            signal_->waiter_ = this;
            if (deadline_ != kForever) set(deadline_);
        }
        // False if the deadline has passed.
        bool await_resume() noexcept {
            resuming_ = false;
            return !timed_out_;
        }

     private:
        friend class Signal;
        void on_time() override {
            timed_out_ = true;
            if (signal_ != nullptr) signal_->waiter_ = nullptr;
            resume();
        }
        void resume() {
            cancel();
            resuming_ = true;
            loop_.resume_soon(frame_);
        }

        transport::EventLoop& loop_;
        Signal* signal_;
        Clock::time_point deadline_;
        std::coroutine_handle<> frame_;
        bool resuming_ = false;
        bool timed_out_ = false;
    };
    Wait wait(Clock::time_point deadline = kForever) { return {*this, deadline}; }

    // Resumes the waiter, if there is one, in this turn or the next.
    void notify() {
        if (waiter_ == nullptr) return;
        Wait* const one = waiter_;
        waiter_ = nullptr;
        one->resume();
    }

 private:
    transport::EventLoop& loop_;
    Wait* waiter_ = nullptr;
};

}  // namespace helio::virt
