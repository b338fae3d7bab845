// Clock: the steady clock of event loops, servers and clients. It is std::chrono::steady_clock,
// except on a thread that holds a FakeClock: there time stands still until the test moves it, so
// that timeouts, retries and sweeps happen when the test says, and in the same order every time.
//
//     FakeClock clock;
//     loop.turn(0ms);
//     clock.advance(5s);
//     loop.turn(0ms);  // timers that are due within five seconds go off
#pragma once

#include <chrono>

#include "helio/base/assert.h"

namespace helio {

class Clock final {
 public:
    using time_point = std::chrono::steady_clock::time_point;
    using duration = time_point::duration;
    using rep = duration::rep;
    using period = duration::period;
    static constexpr bool is_steady = true;

    static time_point now() noexcept {
        if (fake_ != nullptr) [[unlikely]]
            return *fake_;
        return std::chrono::steady_clock::now();
    }

 private:
    friend class FakeClock;
    static inline constinit thread_local const time_point* fake_ = nullptr;
};

// Replaces the time of the thread that creates it, as long as it lives. One at a time.
class FakeClock final {
 public:
    // Not the epoch: code may subtract from the current time.
    explicit FakeClock(Clock::time_point begin = Clock::time_point{std::chrono::hours(1)})
        : now_(begin) {
        HELIO_ASSERT(Clock::fake_ == nullptr);
        Clock::fake_ = &now_;
    }
    ~FakeClock() { Clock::fake_ = nullptr; }
    FakeClock(const FakeClock&) = delete;
    FakeClock& operator=(const FakeClock&) = delete;

    void advance(Clock::duration by) {
        HELIO_ASSERT(by >= Clock::duration::zero());
        now_ += by;
    }
    // Forward only: the clock is steady.
    void advance_to(Clock::time_point when) {
        if (when > now_) now_ = when;
    }

 private:
    Clock::time_point now_;
};

}  // namespace helio
