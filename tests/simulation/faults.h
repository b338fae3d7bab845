// The faults around a server: every system call that moves bytes may fail, come up short or be
// interrupted, and readiness is reported in any order, or later.
#pragma once

#include <memory>
#include <vector>

#include "testing/transport/faulty_network.h"
#include "tests/simulation/plan.h"

namespace helio::simulation {

// Shared by pollers and network calls of one server.
struct FaultState {
    FaultState(const Plan& chosen, Dice& from, Trace& to)
        : plan(chosen), dice(from.split()), trace(to) {}
    const Plan& plan;
    Dice dice;
    Trace& trace;
    bool calm = true;  // nothing goes wrong
    unsigned losses = 0;

    // True if a fault of this rate that ends a connection happens now.
    bool loses(unsigned one_in) {
        if (calm || losses == plan.losses_max || !dice.one_in(one_in)) return false;
        ++losses;
        return true;
    }
    // Events that were reported or withheld: there was something to do.
    std::uint64_t events = 0;
};

std::unique_ptr<transport::FaultyNetwork> make_network(FaultState& state);

// The start of every simulation: a stopped clock, and a seed's decisions.
class SeededRun {
 protected:
    SeededRun(std::uint64_t seed, bool prints)
        : trace_(prints),
          dice_(seed),
          plan_(Plan::of(dice_)),
          faults_(plan_, dice_, trace_),
          network_(make_network(faults_)) {}
    ~SeededRun() = default;

    FakeClock clock_;
    Trace trace_;
    Dice dice_;
    const Plan plan_;
    FaultState faults_;
    std::unique_ptr<transport::FaultyNetwork> network_;
};

}  // namespace helio::simulation
