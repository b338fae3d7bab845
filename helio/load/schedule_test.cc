#include "helio/load/schedule.h"

#include <gtest/gtest.h>

namespace helio::load::schedule_test {
namespace {

using namespace std::chrono_literals;
const Schedule::Clock::time_point kStart{1'000'000s};

TEST(Schedule, CallsAreAtFixedTimes) {
    const Schedule schedule{kStart, 5000};
    EXPECT_EQ(schedule.due(0), kStart);
    EXPECT_EQ(schedule.due(1), kStart + 200us);
    EXPECT_EQ(schedule.due(5000), kStart + 1s);
}

TEST(Schedule, RoundingDoesNotAddUp) {
    const Schedule schedule{kStart, 3};  // a third of a second is no whole number of nanoseconds
    EXPECT_LE(kStart + 10'000s - schedule.due(30'000), 1us);
    EXPECT_LE(schedule.due(30'000), kStart + 10'000s);
}

TEST(Schedule, ThreadsShareOneScheduleWithoutGapsOrDoubles) {
    const Schedule whole{kStart, 777};
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
        const Schedule part{kStart, 777, thread, 3};
        for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(part.due(i), whole.due(thread + 3 * i));
    }
}

}  // namespace
}  // namespace helio::load::schedule_test
