#include "helio/base/ip_address.h"

#include <gtest/gtest.h>

namespace helio::ip_address_test {
namespace {

TEST(IpAddress, TextAndBytesOfIpv4) {
    const auto bytes = parse_ipv4("192.0.2.1");
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, (Ipv4Bytes{std::byte{192}, std::byte{0}, std::byte{2}, std::byte{1}}));
    EXPECT_EQ(ipv4_text(*bytes), "192.0.2.1");
}

TEST(IpAddress, TextAndBytesOfIpv6) {
    Ipv6Bytes expected{};
    expected[0] = std::byte{0x20};
    expected[1] = std::byte{0x01};
    expected[2] = std::byte{0x0d};
    expected[3] = std::byte{0xb8};
    expected[15] = std::byte{1};
    EXPECT_EQ(parse_ipv6("2001:DB8:0:0::1"), expected);
    EXPECT_EQ(ipv6_text(expected), "2001:db8::1");
    EXPECT_EQ(ipv6_text(Ipv6Bytes{}), "::");
    // The longest there is.
    const std::string_view longest = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255";
    ASSERT_EQ(longest.size(), 45u);
    EXPECT_TRUE(parse_ipv6(longest));
}

TEST(IpAddress, RefusesEverythingElse) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {""sv, "1.2.3"sv, "1.2.3.4.5"sv, "1.2.3.256"sv, "1.2.3.4 "sv,
                                        "1.2.3.4\0"sv, "1.2.3.4\0x"sv, "::1"sv, "0x7f.1"sv})
        EXPECT_FALSE(parse_ipv4(text)) << text;
    for (const std::string_view text :
         {""sv, "1.2.3.4"sv, ":"sv, ":::"sv, "1::2::3"sv, "::1\0"sv, "fe80::1%eth0"sv, "::/0"sv,
          "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2550"sv})
        EXPECT_FALSE(parse_ipv6(text)) << text;
}

}  // namespace
}  // namespace helio::ip_address_test
