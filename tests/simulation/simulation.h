// A whole NFS server, its file system and its clients in one thread. A seed chooses everything: the
// faults, who acts next, how many bytes move, when blocking work runs and in which order. Only a
// FakeClock advances time, when nothing else is left to do. The same seed gives the same events on
// every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace helio::simulation {

// Memory that a thread of a stopped server may still hold: its receive buffer, and that of calls
// that nothing will resume.
inline constexpr std::size_t kThreadBytesMax = 4u << 20;

struct Report {
    std::string failure;  // empty: all is well
    std::uint64_t hash = 0;
    std::uint64_t events = 0;
    // Totals of everything, so that a simulation that tests nothing is noticed.
    std::uint64_t calls = 0;             // answered
    std::uint64_t replayed = 0;          // of those sent again, answered from the duplicate cache
    std::uint64_t while_running = 0;     // sent again while the first still ran
    std::uint64_t jobs = 0;              // calls into the file system that were made on the pool
    std::uint64_t connections = 0;       // that were made
    std::uint64_t timed_out = 0;         // by the server
    std::uint64_t refused = 0;           // by the server
    std::uint64_t failures_of_disk = 0;  // that the file system was made to have

    Report& operator+=(const Report& other);
};

// NFS: world.h.
Report simulate(std::uint64_t seed, bool prints);
// Services that wait, call back and call out: steps_simulation.cc.
Report simulate_steps(std::uint64_t seed, bool prints);

}  // namespace helio::simulation
