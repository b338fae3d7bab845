// BusyPoll: decides whether to poll for some microseconds before sleeping until the next event. A
// wake-up costs both sides a microsecond or two on one core, and tens of them between two cores of
// a virtual machine. Polling pays when the peer answers sooner than that. The decision follows
// measurements: time won is balanced against time lost, and after too many losses polling pauses,
// longer each time.
//
// Used by one thread. Nothing here waits; the caller reports the outcome.
#pragma once

#include <algorithm>
#include <chrono>

#include "helio/base/clock.h"

namespace helio::transport {

// Two sleepers on two cores of a virtual machine wake each other, both ways, in less time.
inline constexpr std::chrono::microseconds kBusyPollMax{60};

class BusyPoll final {
 public:
    using Duration = Clock::duration;

    // Polling never lasts longer, and never starts for events that arrive later than this.
    explicit BusyPoll(std::chrono::microseconds reach = kBusyPollMax)
        : reach_(reach), balance_(kLossesAtFirst * reach) {}
    Duration reach() const { return reach_; }

    // Before waiting: whether to poll first.
    bool pays() {
        if (pause_ == 0) return near_;
        --pause_;
        return false;
    }
    // The event came after a sleep of this length.
    void slept(Duration time) {
        near_ = time <= reach_;
        if (near_) slept_ = time;
    }
    // The event came while we polled; the first try does not count.
    void came(Duration after) {
        if (after > kWorthMax) return lose(after);
        const Duration won = std::clamp<Duration>(slept_ - after, Duration{0}, kWorthMax);
        balance_ = std::min<Duration>(balance_ + won, kLossesAtFirst * reach_);
        if (balance_ == kLossesAtFirst * reach_) next_pause_ = kPauseMin;
    }
    void found_nothing() { lose(reach_); }

 private:
    // Sleeping would have been better for an event that comes later than this.
    static constexpr std::chrono::microseconds kWorthMax{15};
    // Allows a few losses at first: the peer, too, may have to learn that we poll.
    static constexpr int kLossesAtFirst = 10, kLossesAgain = 2;
    static constexpr unsigned kPauseMin = 64, kPauseMax = 4096;  // waits without polling

    void lose(Duration time) {
        balance_ -= time;
        if (balance_ >= Duration{0}) return;
        balance_ = kLossesAgain * reach_;
        pause_ = next_pause_;
        next_pause_ = std::min(next_pause_ * 2, kPauseMax);
    }

    Duration reach_;
    bool near_ = false;  // the last event came soon
    Duration slept_{0};
    Duration balance_;
    unsigned pause_ = 0;
    unsigned next_pause_ = kPauseMin;
};

}  // namespace helio::transport
