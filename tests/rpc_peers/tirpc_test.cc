// rpcgen + libtirpc beside itself: when these fail, no failure against it means anything.
#include <gtest/gtest.h>

#include "tests/rpc_peers/tirpc_peer.h"

namespace rpc_peers::tirpc_test {
namespace {

// Two more over TCP: the echo of a mebibyte, which no datagram holds, and a call that ends before
// its arguments, which libtirpc's server does not notice in a datagram.
constexpr int kChecksUdp = 28;
constexpr int kChecksTcp = kChecksUdp + 2;

TEST(TirpcPeers, AgreeWithThemselvesOverTcp) {
    const TirpcServer server;
    const ClientRun run = run_tirpc_client("127.0.0.1", server.tcp_port(), "tcp");
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_EQ(run.passed, kChecksTcp) << run.text;
}

TEST(TirpcPeers, AgreeWithThemselvesOverUdp) {
    const TirpcServer server;
    const ClientRun run = run_tirpc_client("127.0.0.1", server.udp_port(), "udp");
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_EQ(run.passed, kChecksUdp) << run.text;
}

TEST(TirpcPeers, ClientFailsWhereNobodyListens) {
    std::uint16_t port = 0;
    {
        const TirpcServer server;
        port = server.tcp_port();
    }
    const ClientRun run = run_tirpc_client("127.0.0.1", port, "tcp");
    EXPECT_NE(run.status, 0);
    EXPECT_EQ(run.passed, 0) << run.text;
}

}  // namespace
}  // namespace rpc_peers::tirpc_test
