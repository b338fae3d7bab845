// Thousands of seeds; see simulation.h. One seed again, with what happens in it:
//
//     simulation_test --gtest_filter=Simulation.Nfs --seed=4711 --trace
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

#include "tests/simulation/simulation.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HELIO_SANITIZED 1
#elif defined(__has_feature)
#define HELIO_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HELIO_SANITIZED 0
#endif
#if HELIO_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

namespace helio::simulation::simulation_test {
namespace {

struct Choice {
    std::string program;
    std::uint64_t first = 1;
    std::uint64_t last = HELIO_SANITIZED ? 500 : 3000;
    bool traces = false;
};
Choice choice;

// The current run, for crash messages.
char command[4096];

void set_command(std::uint64_t seed) {
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::snprintf(command, sizeof command,
                  "\nTo see it again: %s --gtest_filter=%s.%s --seed=%llu --trace\n",
                  choice.program.c_str(), test->test_suite_name(), test->name(),
                  static_cast<unsigned long long>(seed));
}

void print_command() {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, command, std::strlen(command));
}

// A crash names its seed too.
void watch_for_crashes() {
#if HELIO_SANITIZED
    __sanitizer_set_death_callback(print_command);
#endif
    for (const int one : {SIGABRT, SIGSEGV, SIGBUS}) {
        if (HELIO_SANITIZED && one != SIGABRT) continue;  // the sanitizer's
        struct sigaction action {};
        action.sa_handler = [](int signal) {
            print_command();
            raise(signal);
        };
        action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
        sigaction(one, &action, nullptr);
    }
}

using Simulate = Report (*)(std::uint64_t seed, bool prints);

Report run_seeds(Simulate simulate_one) {
    constexpr unsigned kFailuresMax = 5;  // shown
    Report sum;
    unsigned failed = 0;
    for (std::uint64_t seed = choice.first; seed <= choice.last && failed < kFailuresMax; ++seed) {
        set_command(seed);
        const Report report = simulate_one(seed, choice.traces);
        sum += report;
        if (report.failure.empty()) continue;
        ++failed;
        ADD_FAILURE() << "seed " << seed << ": " << report.failure << command;
    }
    fmt::print("{} seeds, hash {:016x}: {} events, {} calls run, {} jobs\n",
               choice.last - choice.first + 1, sum.hash, sum.events, sum.calls, sum.jobs);
    return sum;
}

void expect_the_same_again(Simulate simulate_one) {
    const std::uint64_t last = std::min(choice.last, choice.first + 99);
    std::uint64_t previous = 0;
    for (std::uint64_t seed = choice.first; seed <= last; ++seed) {
        set_command(seed);
        const std::uint64_t hash = simulate_one(seed, false).hash;
        EXPECT_EQ(simulate_one(seed, false).hash, hash) << "seed " << seed;
        EXPECT_NE(hash, std::exchange(previous, hash));
    }
}

TEST(Simulation, Nfs) {
    const Report sum = run_seeds(simulate);
    fmt::print(
        "{} answered from the duplicate cache, {} copies while the first ran, {} connections, "
        "{} refused, {} timed out, {} failures of the disk\n",
        sum.replayed, sum.while_running, sum.connections, sum.refused, sum.timed_out,
        sum.failures_of_disk);
    if (choice.first == choice.last) return;
    // Else nothing much would have been tested.
    for (const std::uint64_t one : {sum.calls, sum.replayed, sum.while_running, sum.jobs,
                                    sum.refused, sum.timed_out, sum.failures_of_disk})
        EXPECT_GT(one, 0u);
}

TEST(Simulation, Steps) { run_seeds(simulate_steps); }

TEST(Simulation, TheSameSeedIsTheSameStory) { expect_the_same_again(simulate); }
TEST(Simulation, TheSameStepsWithTheSameSeed) { expect_the_same_again(simulate_steps); }

bool take_argument(std::string_view argument) {
    const auto number = [](std::string_view text) {
        return std::strtoull(std::string(text).c_str(), nullptr, 10);
    };
    if (argument == "--trace") return choice.traces = true;
    if (argument.starts_with("--seed=")) {
        choice.first = choice.last = number(argument.substr(7));
        return true;
    }
    const std::size_t dash = argument.find('-', 8);
    if (!argument.starts_with("--seeds=") || dash == argument.npos) return false;
    choice.first = number(argument.substr(8, dash - 8));
    choice.last = number(argument.substr(dash + 1));
    return true;
}

}  // namespace
}  // namespace helio::simulation::simulation_test

int main(int argc, char** argv) {
    using namespace helio::simulation::simulation_test;
    testing::InitGoogleTest(&argc, argv);
    choice.program = argv[0];
    for (int i = 1; i < argc; ++i) {
        if (take_argument(argv[i])) continue;
        std::fprintf(stderr, "usage: %s [--seed=N | --seeds=FROM-TO] [--trace]\n", argv[0]);
        return 2;
    }
    watch_for_crashes();
    return RUN_ALL_TESTS();
}
