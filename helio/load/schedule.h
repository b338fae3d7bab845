// Schedule: when each call of an open loop is due. The times are fixed before the first call and do
// not depend on the server: a late answer does not delay the next call, so the cost of a stall to
// all calls due meanwhile is counted too (no "coordinated omission").
#pragma once

#include <chrono>
#include <cstdint>

namespace helio::load {

class Schedule final {
 public:
    using Clock = std::chrono::steady_clock;

    // `rate` calls a second over all threads; this one makes every `threads`-th, from `first` on.
    Schedule(Clock::time_point start, double rate, std::uint32_t first = 0,
             std::uint32_t threads = 1)
        : start_(start), nanoseconds_each_(1e9 / rate), first_(first), threads_(threads) {}

    // Computed from the number, not from the previous call, so rounding errors do not add up. A
    // double is exact to a nanosecond for 104 days.
    Clock::time_point due(std::uint64_t call) const {
        const double ns = static_cast<double>(first_ + call * threads_) * nanoseconds_each_;
        return start_ + std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
    }

 private:
    Clock::time_point start_;
    double nanoseconds_each_;
    std::uint64_t first_;
    std::uint64_t threads_;
};

}  // namespace helio::load
