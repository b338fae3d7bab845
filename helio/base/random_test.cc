#include "helio/base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace helio::random_test {
namespace {

// The first numbers of SplitMix64 with seed 1234567, as published with the reference code.
TEST(Random, IsSplitMix64) {
    Random random{1234567};
    for (const std::uint64_t wanted :
         {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
          16408922859458223821u})
        EXPECT_EQ(random.next(), wanted);
}

TEST(Random, StaysWithinBounds) {
    Random random{1};
    std::array<int, 7> seen{};
    for (int i = 0; i < 7000; ++i) ++seen[random.below(7)];
    for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
    seen = {};
    for (int i = 0; i < 7000; ++i) ++seen[random.up_to(6)];
    for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(random.up_to(0), 0u);
        EXPECT_TRUE(random.one_in(1));
        EXPECT_FALSE(random.one_in(0));
    }
    random.up_to(UINT64_MAX);
}

}  // namespace
}  // namespace helio::random_test
