#include "helio/transport/loop/busy_poll.h"

#include <gtest/gtest.h>

namespace helio::transport {
namespace {

using namespace std::chrono_literals;

// How often pays() says no before it says yes.
unsigned pause_of(LookOut& one) {
    unsigned out = 0;
    while (out < 100'000 && !one.pays()) ++out;
    return out;
}

void look_in_vain_until_it_pauses(LookOut& one) {
    for (int i = 0; i < 1000 && one.pays(); ++i) one.looked_in_vain();
}

TEST(LookOut, WhatWasNeverSeenIsSleptFor) {
    LookOut one;
    EXPECT_FALSE(one.pays());
}

TEST(LookOut, WhatSleepersHearOfSoonIsLookedFor) {
    LookOut one;
    one.slept(20us);
    EXPECT_TRUE(one.pays());
    one.slept(kLookOutMax + 1us);
    EXPECT_FALSE(one.pays());
}

TEST(LookOut, InVainPausesLongerEachTime) {
    LookOut one;
    one.slept(20us);
    look_in_vain_until_it_pauses(one);
    const unsigned first = pause_of(one);
    EXPECT_GT(first, 10u);
    look_in_vain_until_it_pauses(one);
    EXPECT_GT(pause_of(one), first);
    for (int i = 0; i < 20; ++i) look_in_vain_until_it_pauses(one), pause_of(one);
    look_in_vain_until_it_pauses(one);
    EXPECT_LT(pause_of(one), 10'000u);  // it tries again, whatever happened
}

TEST(LookOut, WonTimeMakesUpForLost) {
    LookOut one;
    one.slept(40us);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(one.pays());
        one.came(3us);
        if (i % 10 == 0) one.looked_in_vain();
    }
}

TEST(LookOut, WhatASleeperHearsOfAsSoonWinsNothing) {
    LookOut one;
    one.slept(5us);
    unsigned looked = 0;
    for (; looked < 1000 && one.pays(); ++looked) {
        one.came(5us);
        if (looked % 10 == 0) one.looked_in_vain();
    }
    EXPECT_LT(looked, 1000u);
}

TEST(LookOut, WhatComesLateIsLoss) {
    LookOut one;
    one.slept(50us);
    unsigned looked = 0;
    for (; looked < 1000 && one.pays(); ++looked) one.came(40us);
    EXPECT_LT(looked, 1000u);
}

}  // namespace
}  // namespace helio::transport
