#include "helio/rpc/call.h"

#include <gtest/gtest.h>

namespace helio::rpc::call_test {
namespace {

TEST(PeerText, NamesThePeer) {
    Peer peer;
    peer.client.kind = kClientInternet;
    peer.client.bytes[10] = peer.client.bytes[11] = std::byte{0xff};
    peer.client.bytes[12] = std::byte{10};
    peer.client.bytes[15] = std::byte{7};
    peer.port = 801;
    EXPECT_TRUE(is_ipv4(peer.client.bytes));
    EXPECT_EQ(to_text(peer), "10.0.0.7:801");
    peer.client.bytes = {};
    peer.client.bytes[0] = std::byte{0xfe};
    peer.client.bytes[1] = std::byte{0x80};
    peer.client.bytes[15] = std::byte{1};
    EXPECT_FALSE(is_ipv4(peer.client.bytes));
    EXPECT_EQ(to_text(peer), "[fe80::1]:801");
    peer.client = {};
    peer.client.kind = kClientUnix;
    peer.client.bytes[2] = std::byte{3};
    peer.client.bytes[3] = std::byte{0xe8};
    EXPECT_EQ(to_text(peer), "unix uid 1000");
    peer.client.kind = kClientInProcess;
    EXPECT_EQ(to_text(peer), "this process");
    EXPECT_EQ(name_of(Transport::udp), "udp");
}

}  // namespace
}  // namespace helio::rpc::call_test
