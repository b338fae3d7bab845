#include "helio/base/clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace helio::clock_test {
namespace {

using namespace std::chrono_literals;

TEST(Clock, IsTheSteadyClock) {
    const auto before = std::chrono::steady_clock::now();
    const auto now = Clock::now();
    EXPECT_LE(before, now);
    EXPECT_LE(now, std::chrono::steady_clock::now());
}

TEST(FakeClock, StandsStillUntilItIsMoved) {
    FakeClock clock;
    const auto begin = Clock::now();
    EXPECT_EQ(Clock::now(), begin);
    clock.advance(5s);
    EXPECT_EQ(Clock::now(), begin + 5s);
    clock.advance_to(begin + 8s);
    EXPECT_EQ(Clock::now(), begin + 8s);
    clock.advance_to(begin);
    EXPECT_EQ(Clock::now(), begin + 8s);
}

TEST(FakeClock, IsOfItsOwnThread) {
    const FakeClock clock{Clock::time_point{}};
    Clock::time_point elsewhere{};
    std::thread{[&] { elsewhere = Clock::now(); }}.join();
    EXPECT_NE(elsewhere, Clock::now());
}

TEST(FakeClock, GivesTheTimeBack) {
    { const FakeClock clock{Clock::time_point{}}; }
    EXPECT_NE(Clock::now(), Clock::time_point{});
}

}  // namespace
}  // namespace helio::clock_test
