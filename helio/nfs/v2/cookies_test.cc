#include "helio/nfs/v2/cookies.h"

#include <gtest/gtest.h>

namespace helio::nfs::v2::cookies_test {
namespace {

TEST(Cookies, SmallOnesAreThemselves) {
    EXPECT_EQ(short_cookie(1), 1u);
    EXPECT_EQ(short_cookie(0x7fff'ffff), 0x7fff'ffffu);
    EXPECT_GE(short_cookie(0x8000'0000), 0x8000'0000u);
    EXPECT_GE(short_cookie(INT64_MAX), 0x8000'0000u);
    EXPECT_EQ(Cookies{}.find(as_bytes("d"), 77), 77u);
}

TEST(Cookies, LargeOnesAreRemembered) {
    Cookies cookies;
    const std::uint64_t large = 0x1234'5678'9abc'def0;
    const std::uint32_t shorter = short_cookie(large);
    EXPECT_FALSE(cookies.find(as_bytes("d"), shorter));
    cookies.remember(as_bytes("d"), {&large, 1});
    EXPECT_EQ(cookies.find(as_bytes("d"), shorter), large);
    EXPECT_FALSE(cookies.find(as_bytes("e"), shorter)) << "another directory";
}

TEST(Cookies, TheOldestIsForgotten) {
    Cookies cookies;
    const std::uint64_t base = 0x7000'0000'0000'0000;
    for (std::uint64_t i = 0; i <= kCookiesRememberedMax; ++i)
        cookies.remember(as_bytes(std::to_string(i)), {&base, 1});
    EXPECT_FALSE(cookies.find(as_bytes("0"), short_cookie(base)));
    EXPECT_TRUE(cookies.find(as_bytes("1"), short_cookie(base)));
    EXPECT_TRUE(cookies.find(as_bytes(std::to_string(kCookiesRememberedMax)), short_cookie(base)));
}

}  // namespace
}  // namespace helio::nfs::v2::cookies_test
