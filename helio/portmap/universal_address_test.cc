#include "helio/portmap/universal_address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <random>

namespace helio::portmap::universal_address_test {
namespace {

TEST(UniversalAddress, GoodOnes) {
    struct Row {
        int family;
        const char* text;
        const char* endpoint;
        const char* again;  // as we write it
    };
    const Row rows[] = {
        {AF_INET, "192.0.2.1.8.1", "192.0.2.1:2049", "192.0.2.1.8.1"},
        {AF_INET, "0.0.0.0.0.111", "0.0.0.0:111", "0.0.0.0.0.111"},
        {AF_INET, "255.255.255.255.255.255", "255.255.255.255:65535", "255.255.255.255.255.255"},
        {AF_INET6, "::.0.111", "[::]:111", "::.0.111"},
        {AF_INET6, "2001:DB8:0::1.8.1", "[2001:db8::1]:2049", "2001:db8::1.8.1"},
        {AF_INET6, "::ffff:192.0.2.1.8.1", "[::ffff:192.0.2.1]:2049", "::ffff:192.0.2.1.8.1"},
        {AF_UNIX, "/run/rpcbind.sock", "unix:/run/rpcbind.sock", "/run/rpcbind.sock"},
    };
    for (const Row& row : rows) {
        const auto parsed = parse_universal_address(row.family, row.text);
        ASSERT_TRUE(parsed.has_value()) << row.text << ": " << parsed.error();
        EXPECT_EQ(transport::to_text(*parsed), row.endpoint);
        EXPECT_EQ(to_universal_address(*parsed), row.again);
        const auto guessed = parse_universal_address(row.text);
        ASSERT_TRUE(guessed.has_value()) << row.text;
        EXPECT_EQ(guessed->family(), row.family);
    }
}

TEST(UniversalAddress, MalformedOnes) {
    using std::string_literals::operator""s;
    const std::string v4[] = {
        "",
        ".",
        ".....",
        "1.2.3.4",        // no port
        "1.2.3.4.5",      // half a port
        "1.2.3.4.5.6.7",  // one too many
        "1.2.3.4.256.1",  // not a byte
        "256.2.3.4.1.1",
        "1.2.3.4.-1.1",
        "1.2.3.4.+1.1",
        "1.2.3.4. 1.1",
        "1.2.3.4.1.1 ",
        "1.2.3.4.01.1",  // octal?
        "1.2.3.4.0x1.1",
        "1.2.3.4.1.",
        "1.2.3.4..1",
        "1..3.4.1.1",
        "1.2.3.4.1.1\n",
        "1.2.3.4\0.1.1"s,
        "1.2.3.4.1.1\0"s,
        "%s%s%s%n.1.1",
        "localhost.1.1",
        "::1.1.1",  // another family
        "/run/x.sock",
        std::string(10, '1') + ".2.3.4.1.1",
        std::string(1000, '1') + ".1.1",
        "1.2.3.4.1." + std::string(100'000, '0'),
        "1.2.3.4.4294967297.1",
    };
    for (const std::string& text : v4)
        EXPECT_FALSE(parse_universal_address(AF_INET, text).has_value()) << text.substr(0, 80);
    const std::string v6[] = {"::",
                              "::1",
                              "::1.1",
                              ":::.1.1",
                              "1:2:3:4:5:6:7:8:9.1.1",
                              "::g.1.1",
                              "fe80::1%eth0.1.1",
                              "[::1].1.1",
                              "::\0junk.1.1"s,
                              "1.2.3.4.1.1",
                              "::1.1.1.1.1",
                              std::string(200, ':') + ".1.1"};
    for (const std::string& text : v6)
        EXPECT_FALSE(parse_universal_address(AF_INET6, text).has_value()) << text;
    const std::string paths[] = {"relative", "", "/a\0b"s, "/a\nb", "/\x7f", "@abstract"};
    for (const std::string& text : paths)
        EXPECT_FALSE(parse_universal_address(AF_UNIX, text).has_value()) << text;
}

TEST(UniversalAddress, TheLimitIsOneOfPaths) {
    const std::string longest = "/" + std::string(kUniversalAddressMax - 1, 'x');
    EXPECT_TRUE(parse_universal_address(AF_UNIX, longest).has_value());
    EXPECT_EQ(to_universal_address(*parse_universal_address(AF_UNIX, longest)), longest);
    EXPECT_FALSE(parse_universal_address(AF_UNIX, longest + "x").has_value());
}

TEST(UniversalAddress, EveryEndpointComesBack) {
    std::mt19937 random{1833};
    for (int i = 0; i < 20'000; ++i) {
        rpc::Peer peer;
        // Half of the bytes are zero, so that "::" is in all places.
        for (std::byte& one : peer.client.bytes)
            one = random() % 2 ? std::byte{0} : static_cast<std::byte>(random());
        peer.port = static_cast<std::uint16_t>(random());
        for (const int family : {AF_INET, AF_INET6}) {
            const auto endpoint = transport::to_endpoint(peer, family);
            const auto again = parse_universal_address(family, to_universal_address(endpoint));
            ASSERT_TRUE(again.has_value()) << to_universal_address(endpoint);
            EXPECT_EQ(transport::to_text(*again), transport::to_text(endpoint));
        }
    }
}

TEST(UniversalAddress, AnyTextIsRefusedOrComesBack) {
    std::mt19937 random{5665};
    constexpr std::string_view kLetters = "0123456789.::.1f/x";
    int accepted = 0;
    for (int i = 0; i < 200'000; ++i) {
        std::string text;
        for (std::size_t left = random() % 18; left > 0; --left)
            text += kLetters[random() % kLetters.size()];
        const auto parsed = parse_universal_address(text);
        if (!parsed) continue;
        ++accepted;
        const std::string canonical = to_universal_address(*parsed);
        const auto again = parse_universal_address(canonical);
        ASSERT_TRUE(again.has_value()) << text;
        EXPECT_EQ(to_universal_address(*again), canonical) << text;
    }
    EXPECT_GT(accepted, 100);
}

TEST(Netids, AreFoundByNameTransportAndNumber) {
    EXPECT_EQ(find_netid("udp6")->family, AF_INET6);
    EXPECT_EQ(find_netid("TCP"), nullptr);
    EXPECT_EQ(find_netid(""), nullptr);
    EXPECT_EQ(find_netid(std::string(1'000'000, 't')), nullptr);
    EXPECT_EQ(find_netid(rpc::Transport::tcp, AF_INET6)->name, "tcp6");
    EXPECT_EQ(find_netid(rpc::Transport::in_process, AF_UNIX)->name, "local");
    EXPECT_EQ(find_netid(std::uint32_t{17})->name, "udp");
    EXPECT_EQ(find_netid(std::uint32_t{0}), nullptr);
    EXPECT_EQ(find_netid(std::uint32_t{132}), nullptr);
}

}  // namespace
}  // namespace helio::portmap::universal_address_test
