// LookOut: whether it pays to look for something again and again for some microseconds before
// sleeping until it comes. To be woken costs the waker and the woken a microsecond or two on one
// core, and tens of them where they run on two cores of a virtual machine; a peer that answers
// sooner than that is better looked out for. One that does not is not: what was seen decides. Time
// won and time lost are balanced, and who has lost too much sleeps for a while, longer each time.
//
// Used by one thread. Nothing here waits; whoever does tells how it went.
#pragma once

#include <algorithm>
#include <chrono>

#include "helio/base/clock.h"

namespace helio::transport {

// Two sleepers on two cores of a virtual machine wake each other, there and back, in less.
inline constexpr std::chrono::microseconds kLookOutMax{60};

class LookOut final {
 public:
    using Duration = Clock::duration;

    // Nobody looks for longer, nor for what takes a sleeper longer to hear of.
    explicit LookOut(std::chrono::microseconds reach = kLookOutMax)
        : reach_(reach), balance_(kLossesAtFirst * reach) {}
    Duration reach() const { return reach_; }

    // Before waiting: whether to look first.
    bool pays() {
        if (pause_ == 0) return near_;
        --pause_;
        return false;
    }
    // It came after so long a sleep.
    void slept(Duration time) {
        near_ = time <= reach_;
        if (near_) slept_ = time;
    }
    // It came while we looked, and not at the first look: that one tells nothing.
    void came(Duration after) {
        if (after > kWorthMax) return lose(after);
        const Duration won = std::clamp<Duration>(slept_ - after, Duration{0}, kWorthMax);
        balance_ = std::min<Duration>(balance_ + won, kLossesAtFirst * reach_);
        if (balance_ == kLossesAtFirst * reach_) next_pause_ = kPauseMin;
    }
    void looked_in_vain() { lose(reach_); }

 private:
    // What comes later would have been better slept for.
    static constexpr std::chrono::microseconds kWorthMax{15};
    // A few in vain at first: the peer, too, may have to find out that we look.
    static constexpr int kLossesAtFirst = 10, kLossesAgain = 2;
    static constexpr unsigned kPauseMin = 64, kPauseMax = 4096;  // times of waiting

    void lose(Duration time) {
        balance_ -= time;
        if (balance_ >= Duration{0}) return;
        balance_ = kLossesAgain * reach_;
        pause_ = next_pause_;
        next_pause_ = std::min(next_pause_ * 2, kPauseMax);
    }

    Duration reach_;
    bool near_ = false;  // as it came last
    Duration slept_{0};
    Duration balance_;
    unsigned pause_ = 0;
    unsigned next_pause_ = kPauseMin;
};

}  // namespace helio::transport
