// A load run: connections × depth calls in flight, on one thread or several, each with an event
// loop of its own. In a closed loop an answer is followed by the next call at once. In an open
// loop calls are due at fixed times, and their latency counts from there, also while they wait
// because too many are in flight.
//
// An answer with an RPC error is counted, and the next call follows. When the server cannot be
// reached, calls pause for a moment; when nobody was reached for a second the run ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "helio/load/plan.h"
#include "helio/load/report.h"

namespace helio::load {

// What is under way at the end of a run may still be answered; a server that takes longer is
// reported with calls that had no answer.
inline constexpr std::chrono::seconds kDrainMax{1};
// Between the attempts to reach a server that is away, and how long it may be away.
inline constexpr std::chrono::milliseconds kRetryAfter{50};
inline constexpr std::chrono::seconds kAwayMax{1};

struct Progress {
    double elapsed_s = 0;  // behind the warm-up; below 0 in it
    double total_s = 0;
    std::uint64_t answered = 0;  // since the start, warm-up included
    std::uint64_t failed = 0;
    double p50_us = 0;  // of the last interval of the series that is over
    double p99_us = 0;
};

// Blocks until the end. `tick` is called ten times a second or so, on this thread; what it says
// decides whether the run goes on.
Report run(const std::vector<Step>& steps, const Settings& settings,
           const std::function<bool(const Progress&)>& tick = {});

}  // namespace helio::load
