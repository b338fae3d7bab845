// libtirpc's client against our server, and our client, waiting and awaited, against libtirpc's
// server.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/rpc_peers/tirpc_peer.h"
#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace wire::helio_tirpc_test {
namespace {

using transport::Client;
using transport::ClientOptions;

// As many as libtirpc passes against itself; tests/rpc_peers/tirpc_test.cc explains why TCP has two
// more.
constexpr int kChecksUdp = 28;
constexpr int kChecksTcp = kChecksUdp + 2;

TEST(TirpcClient, IsServedOverTcp) {
    TestServer server;
    const auto run = rpc_peers::run_tirpc_client("127.0.0.1", server.port, "tcp");
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_EQ(run.passed, kChecksTcp) << run.text;
}

TEST(TirpcClient, IsServedOverUdp) {
    TestServer server;
    const auto run = rpc_peers::run_tirpc_client("127.0.0.1", server.port, "udp");
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_EQ(run.passed, kChecksUdp) << run.text;
}

// Ask the kernel, not our server: a failure of ours must not look like a missing network.
bool has_ipv6() {
    const transport::Fd probe{socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in6 loopback{};
    loopback.sin6_family = AF_INET6;
    loopback.sin6_addr = in6addr_loopback;
    return probe &&
           bind(probe.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback) == 0;
}

TEST(TirpcClient, IsServedOverIPv6) {
    if (!has_ipv6()) GTEST_SKIP() << "this machine has no IPv6 loopback";
    TestServer server{{.threads = 2}, {}, "::1"};
    for (const auto& [transport, checks] :
         {std::pair{"tcp", kChecksTcp}, std::pair{"udp", kChecksUdp}}) {
        const auto run = rpc_peers::run_tirpc_client("::1", server.port, transport);
        EXPECT_EQ(run.status, 0) << run.text;
        EXPECT_EQ(run.passed, checks) << run.text;
    }
}

void expect_every_procedure(Client& client, std::size_t largest) {
    PEER_V2::Client peer{client};
    EXPECT_TRUE(peer.NULL_());
    EXPECT_EQ(peer.ADD({-2, -3}).value_or(0), -5);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3}, largest}) {
        Bytes sent(size);
        for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<std::byte>(i * 7);
        const auto echo = peer.ECHO(sent);
        ASSERT_TRUE(echo) << size << ": " << rpc::to_text(echo.error());
        EXPECT_TRUE(Bytes(echo->begin(), echo->end()) == sent) << size;
    }
    const int count = peer.COUNT().value_or(0);
    EXPECT_GT(count, 0);
    EXPECT_EQ(peer.COUNT().value_or(0), count + 1);
    EXPECT_TRUE(peer.SLOW(5));

    const std::int32_t numbers[] = {1, -2, 3};
    const std::uint32_t lucky = 4294967295u;
    const auto turned = peer.TURN({"caf\xc3\xa9", {numbers, 3}, &lucky, {}, 0.1});
    ASSERT_TRUE(turned);
    EXPECT_EQ(turned->name, "caf\xc3\xa9");
    EXPECT_EQ(std::vector<int>(turned->numbers.begin(), turned->numbers.end()),
              (std::vector<int>{3, -2, 1}));
    ASSERT_NE(turned->lucky, nullptr);
    EXPECT_EQ(*turned->lucky, lucky);
    EXPECT_EQ(turned->ratio, -0.1);

    client.connection().set_credential(rpc::ClientCredential::sys(1000, 100, {7, 8}, "here"));
    const auto who = peer.WHO();
    ASSERT_TRUE(who);
    EXPECT_EQ(who->flavor, 1);
    EXPECT_EQ(who->uid, 1000u);
    EXPECT_EQ(who->gids.size(), 2u);
}

void expect_refusals(Client& client) {
    const auto outcome = [&](std::uint32_t program, std::uint32_t version,
                             std::uint32_t procedure) {
        const auto got = client.call(program, version, procedure, {});
        return got ? std::string{"ok"} : rpc::to_text(got.error());
    };
    EXPECT_EQ(outcome(kPeerProgram, 1, 99), "PROC_UNAVAIL: no such procedure there");
    EXPECT_EQ(outcome(kPeerProgram, 7, 0), "PROG_MISMATCH: versions 1 to 2 are served there");
    EXPECT_EQ(outcome(kPeerProgram + 9, 1, 0), "PROG_UNAVAIL: the program is not served there");
}

Task<int> many_at_once(transport::ClientConnection& connection) {
    PEER_V1::AsyncClient peer{connection};
    std::vector<xdr::Call<std::int32_t>> calls;
    for (int i = 0; i < 50; ++i) calls.push_back(peer.ADD({i, i}));
    int good = 0;
    for (int i = 0; i < 50; ++i) {
        auto& one = calls[static_cast<std::size_t>(i)];
        const auto sum = co_await one;
        if (sum && **sum == 2 * i) ++good;
    }
    co_return good;
}

TEST(TirpcServer, IsCalledOverTcp) {
    const rpc_peers::TirpcServer server;
    Client client = Client::connect("127.0.0.1:" + std::to_string(server.tcp_port()));
    expect_every_procedure(client, 1 << 20);
    expect_refusals(client);
    EXPECT_EQ(run_until_done(client.loop(), many_at_once(client.connection())), 50);
}

TEST(TirpcServer, IsCalledOverUdp) {
    const rpc_peers::TirpcServer server;
    ClientOptions options;
    options.udp = true;
    Client client = Client::connect("127.0.0.1:" + std::to_string(server.udp_port()), options);
    expect_every_procedure(client, 8192);
    expect_refusals(client);
    EXPECT_EQ(run_until_done(client.loop(), many_at_once(client.connection())), 50);
}

// Its name has an IPv6 address too, where libtirpc's server does not listen.
TEST(TirpcServer, IsFoundByName) {
    const rpc_peers::TirpcServer server;
    for (const bool udp : {false, true}) {
        ClientOptions options;
        options.udp = udp;
        const auto port = udp ? server.udp_port() : server.tcp_port();
        Client client = Client::connect("localhost:" + std::to_string(port), options);
        EXPECT_TRUE(PEER_V1::Client{client}.NULL_()) << udp;
    }
}

}  // namespace
}  // namespace wire::helio_tirpc_test
