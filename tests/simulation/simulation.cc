#include "tests/simulation/simulation.h"

#include "helio/base/fd.h"
#include "tests/simulation/world.h"

#include <fcntl.h>

namespace helio::simulation {

void run_steps(std::uint64_t seed, bool prints, Report& report);  // steps_simulation.cc

namespace {

// The lowest descriptor that is free.
int next_descriptor() { return Fd{open("/dev/null", O_RDONLY | O_CLOEXEC)}.get(); }

template <class Run>
Report guarded(const Run& run) {
    Report report;
    const int before = next_descriptor();
    try {
        run(report);
    } catch (const Failure& failure) {
        report.failure = failure.what();
    }
    if (report.failure.empty() && next_descriptor() != before)
        report.failure = "a descriptor was left open";
    return report;
}

}  // namespace

Report& Report::operator+=(const Report& other) {
    hash = (hash ^ other.hash) * 0x100000001b3;
    events += other.events;
    calls += other.calls;
    replayed += other.replayed;
    while_running += other.while_running;
    jobs += other.jobs;
    connections += other.connections;
    timed_out += other.timed_out;
    refused += other.refused;
    failures_of_disk += other.failures_of_disk;
    return *this;
}

Report simulate(std::uint64_t seed, bool prints) {
    return guarded([&](Report& report) { World{seed, prints, report}.run(); });
}

Report simulate_steps(std::uint64_t seed, bool prints) {
    return guarded([&](Report& report) { run_steps(seed, prints, report); });
}

}  // namespace helio::simulation
