#include "tests/simulation/plan.h"

namespace helio::simulation {

namespace {

// Half of the seeds do not have this fault.
unsigned rate(Dice& dice, std::size_t least, std::size_t most) {
    return dice.one_in(2) ? static_cast<unsigned>(dice.between(least, most)) : 0;
}

void choose_file_system(Dice& dice, Plan& plan) {
    constexpr std::size_t kBeforeWait[] = {0, 1, 3};
    switch (dice.below(4)) {
        case 0:
            plan.always_blocks = true;
            break;
        case 1:
            plan.wait_one_in = 1;
            break;
        case 2:
            plan.wait_one_in = static_cast<unsigned>(dice.between(2, 5));
            break;
        default:
            break;  // it never waits
    }
    if (dice.one_in(3)) plan.entries_before_wait = dice.pick(kBeforeWait);
    plan.fail_one_in = rate(dice, 4, 30);
    plan.slow_one_in = rate(dice, 1, 2);
}

}  // namespace

Plan Plan::of(Dice& dice) {
    constexpr std::size_t kInFlight[] = {1, 2, 5, 256};
    constexpr std::size_t kShort[] = {1, 3, 30, 200, 5000};
    constexpr unsigned kSeconds[] = {1, 10, 40, 60};
    Plan out;
    out.threads = static_cast<unsigned>(dice.between(1, 2));
    out.calls_in_flight_max = dice.pick(kInFlight);
    out.by_listener = dice.one_in(3);
    out.small_buffers = dice.one_in(2);

    out.short_one_in = rate(dice, 1, 6);
    out.short_bytes = dice.pick(kShort);
    out.again_one_in = rate(dice, 2, 10);
    out.lose_one_in = rate(dice, 10, 200);
    out.accept_one_in = rate(dice, 2, 6);
    out.unwatched_one_in = rate(dice, 4, 10);
    out.withhold_one_in = rate(dice, 2, 5);
    choose_file_system(dice, out);
    out.late_one_in = rate(dice, 5, 100);
    out.late_max = static_cast<unsigned>(dice.between(1, 100));

    out.clients = static_cast<unsigned>(dice.between(2, 4));
    out.actors = static_cast<unsigned>(dice.between(1, 3));
    out.operations = static_cast<unsigned>(dice.between(4, 14));
    // Byte by byte, large ones would be all there is.
    out.bytes_max = out.short_one_in == 0 || out.short_bytes > 100 ? 70'000 : 1000;
    out.cut_one_in = rate(dice, 10, 200);
    out.deaf_one_in = rate(dice, 20, 200);
    out.idle_one_in = rate(dice, 5, 50);
    out.timeout = std::chrono::seconds(dice.pick(kSeconds));
    out.leaves_first = dice.one_in(2);
    out.losses_max = static_cast<unsigned>(dice.between(1, 25));
    return out;
}

}  // namespace helio::simulation
