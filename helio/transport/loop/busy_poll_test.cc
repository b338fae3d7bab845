#include "helio/transport/loop/busy_poll.h"

#include <gtest/gtest.h>

namespace helio::transport::busy_poll_test {
namespace {

using namespace std::chrono_literals;

// How often pays() returns false before it returns true.
unsigned pause_of(BusyPoll& one) {
    unsigned out = 0;
    while (out < 100'000 && !one.pays()) ++out;
    return out;
}

void poll_in_vain_until_it_pauses(BusyPoll& one) {
    for (int i = 0; i < 1000 && one.pays(); ++i) one.found_nothing();
}

TEST(BusyPoll, SleepsBeforeAnythingWasMeasured) {
    BusyPoll one;
    EXPECT_FALSE(one.pays());
}

TEST(BusyPoll, PollsWhenSleepsAreShort) {
    BusyPoll one;
    one.slept(20us);
    EXPECT_TRUE(one.pays());
    one.slept(kBusyPollMax + 1us);
    EXPECT_FALSE(one.pays());
}

TEST(BusyPoll, PausesLongerAfterEachRowOfLosses) {
    BusyPoll one;
    one.slept(20us);
    poll_in_vain_until_it_pauses(one);
    const unsigned first = pause_of(one);
    EXPECT_GT(first, 10u);
    poll_in_vain_until_it_pauses(one);
    EXPECT_GT(pause_of(one), first);
    for (int i = 0; i < 20; ++i) poll_in_vain_until_it_pauses(one), pause_of(one);
    poll_in_vain_until_it_pauses(one);
    EXPECT_LT(pause_of(one), 10'000u);  // it tries again, whatever happened
}

TEST(BusyPoll, GainsMakeUpForLosses) {
    BusyPoll one;
    one.slept(40us);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(one.pays());
        one.came(3us);
        if (i % 10 == 0) one.found_nothing();
    }
}

TEST(BusyPoll, FindingItNoSoonerThanASleeperIsNoGain) {
    BusyPoll one;
    one.slept(5us);
    unsigned polled = 0;
    for (; polled < 1000 && one.pays(); ++polled) {
        one.came(5us);
        if (polled % 10 == 0) one.found_nothing();
    }
    EXPECT_LT(polled, 1000u);
}

TEST(BusyPoll, FindingItLateIsALoss) {
    BusyPoll one;
    one.slept(50us);
    unsigned polled = 0;
    for (; polled < 1000 && one.pays(); ++polled) one.came(40us);
    EXPECT_LT(polled, 1000u);
}

}  // namespace
}  // namespace helio::transport::busy_poll_test
