#include <gtest/gtest.h>

#include "helio/nfs/server/exports.h"
#include "testing/nfs/server.h"

namespace helio::nfs::network_test {
namespace {

bool contains(std::string_view network, const rpc::Peer& peer) {
    return Network::parse(network).value().contains(peer.client.bytes);
}

TEST(Network, HoldsItsAddresses) {
    EXPECT_TRUE(contains("10.0.0.0/8", peer_at(10, 255, 0, 1)));
    EXPECT_FALSE(contains("10.0.0.0/8", peer_at(11, 0, 0, 1)));
    EXPECT_TRUE(contains("192.168.1.7", peer_at(192, 168, 1, 7)));
    EXPECT_FALSE(contains("192.168.1.7", peer_at(192, 168, 1, 6)));
    EXPECT_TRUE(contains("192.168.1.128/25", peer_at(192, 168, 1, 200)));
    EXPECT_FALSE(contains("192.168.1.128/25", peer_at(192, 168, 1, 127)));
    EXPECT_TRUE(contains("0.0.0.0/0", peer_at(8, 8, 8, 8)));
    EXPECT_TRUE(contains("::/0", peer_at(8, 8, 8, 8)));
    EXPECT_FALSE(contains("fe80::/64", peer_at(8, 8, 8, 8)));
    rpc::Peer six;
    six.client.bytes = Network::parse("fe80::1").value().address;
    EXPECT_TRUE(contains("fe80::/64", six));
    EXPECT_FALSE(contains("0.0.0.0/0", six));
}

TEST(Network, ReadsAsItWasWritten) {
    for (const char* const text :
         {"10.0.0.0/8", "192.168.1.7", "fe80::/64", "::1", "0.0.0.0/0", "::/0", "2001:db8::/33"})
        EXPECT_EQ(to_text(Network::parse(text).value()), text);
    EXPECT_EQ(to_text(Network::parse("10.0.0.1/32").value()), "10.0.0.1");
}

TEST(Network, RefusesWhatIsNone) {
    for (const char* const text :
         {"", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0/8",
          "fe80::/129", "example.org", "10.0.0.0/8/8", " 10.0.0.1", "10.0.0.1/8", "fe80::1/64"})
        EXPECT_FALSE(Network::parse(text)) << text;
    EXPECT_NE(Network::parse("10.0.0.1/8").error().find("10.0.0.0/8"), std::string::npos);
    EXPECT_FALSE(Network::parse(std::string(1000, '1')));
    EXPECT_EQ(Network::parse("a\nb").error().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace helio::nfs::network_test
