// A load run: connections × depth calls in flight, on one or more threads, each with its own event
// loop. In a closed loop, each answer is followed by the next call at once. In an open loop, calls
// are due at fixed times, and their latency counts from then, even if they have to wait because too
// many are in flight.
//
// An answer with an RPC error is counted, and the next call follows. If the server cannot be
// reached, calls pause for a moment; after a second without any connection the run ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "helio/load/plan.h"
#include "helio/load/report.h"

namespace helio::load {

// How long calls in flight at the end of a run may still be answered; after that they are reported
// as unanswered.
inline constexpr std::chrono::seconds kDrainMax{1};
// Interval between attempts to reach an absent server, and how long it may be absent.
inline constexpr std::chrono::milliseconds kRetryAfter{50};
inline constexpr std::chrono::seconds kAwayMax{1};

struct Progress {
    double elapsed_s = 0;  // since the warm-up; negative during it
    double total_s = 0;
    std::uint64_t answered = 0;  // since the start, including warm-up
    std::uint64_t failed = 0;
    double p50_us = 0;  // of the last complete interval of the series
    double p99_us = 0;
};

// Blocks until the end. `tick` is called about ten times a second, on this thread; its result
// decides whether the run continues.
Report run(const std::vector<Step>& steps, const Settings& settings,
           const std::function<bool(const Progress&)>& tick = {});

}  // namespace helio::load
