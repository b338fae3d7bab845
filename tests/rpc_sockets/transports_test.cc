// Our client and our server over every transport there is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "tests/rpc_sockets/child.h"
#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace wire::transports_test {
namespace {

using namespace std::chrono_literals;
using transport::Client;
using transport::ClientOptions;

Bytes pattern(std::size_t size) {
    Bytes out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 31 + i / 256);
    return out;
}

void expect_echo(Client& client, std::size_t size) {
    const Bytes sent = pattern(size);
    const auto echo = PEER_V1::Client{client}.ECHO(sent);
    ASSERT_TRUE(echo) << size << ": " << rpc::to_text(echo.error());
    EXPECT_TRUE(Bytes(echo->begin(), echo->end()) == sent) << size;
}

void expect_every_procedure(Client& client, std::size_t largest) {
    PEER_V2::Client peer{client};
    EXPECT_TRUE(peer.NULL_());
    EXPECT_EQ(peer.ADD({2, 3}).value_or(0), 5);
    EXPECT_EQ(peer.ADD({0x7fffffff, 1}).value_or(0), INT32_MIN);
    for (const std::size_t size : {0, 1, 2, 3, 4, 5, 4095, 4096, 8192}) expect_echo(client, size);
    expect_echo(client, largest);
    const auto first = peer.COUNT();
    ASSERT_TRUE(first);
    const int count = *first;
    EXPECT_EQ(peer.COUNT().value_or(0), count + 1);
    EXPECT_TRUE(peer.SLOW(5));
    const std::int32_t numbers[] = {1, 2, 3};
    const auto turned = peer.TURN({"name", {numbers, 3}, nullptr, {}, 0.5});
    ASSERT_TRUE(turned);
    EXPECT_EQ(turned->numbers[0], 3);
    EXPECT_EQ(turned->ratio, -0.5);
}

TEST(Transports, Tcp) {
    TestServer server;
    Client client = Client::connect(server.where());
    expect_every_procedure(client, 1 << 20);
}

TEST(Transports, Udp) {
    TestServer server;
    ClientOptions options;
    options.udp = true;
    Client client = Client::connect(server.where(), options);
    expect_every_procedure(client, 65'000);
    // Too long for any datagram: the call never leaves.
    const auto echo = PEER_V1::Client{client}.ECHO(pattern(70'000));
    ASSERT_FALSE(echo);
    EXPECT_EQ(echo.error().error_number, EMSGSIZE);
    EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
}

class UnixPath final {
 public:
    UnixPath() : path("/tmp/helio_wire_" + std::to_string(getpid()) + ".sock") {}
    ~UnixPath() { unlink(path.c_str()); }
    const std::string path;
};

TEST(Transports, UnixSocket) {
    const UnixPath at;
    PeerState state;
    PeerV1 v1{state};
    PeerV2 v2{state};
    rpc::Server programs;
    programs.add(v1);
    programs.add(v2);
    {
        transport::Server server{programs, {.threads = 2}};
        server.listen_unix(at.path);
        // One that lives is not pushed aside.
        transport::Server second{programs, {.threads = 1}};
        EXPECT_THROW(second.listen_unix(at.path), std::runtime_error);
        server.start();
        Client client = Client::connect("unix:" + at.path);
        expect_every_procedure(client, 1 << 20);
    }
    EXPECT_NE(access(at.path.c_str(), F_OK), 0);  // it cleans up
}

TEST(Transports, UnixSocketOfAServerThatDiedIsTakenOver) {
    const UnixPath at;
    {
        const transport::Fd dead{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        const auto where = transport::Endpoint::unix_path(at.path);
        ASSERT_EQ(bind(dead.get(), where.address(), where.size()), 0);
    }
    PeerState state;
    PeerV1 v1{state};
    rpc::Server programs;
    programs.add(v1);
    transport::Server server{programs, {.threads = 1}};
    server.listen_unix(at.path);
    server.start();
    Client client = Client::connect("unix:" + at.path);
    EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
}

TEST(Transports, InProcess) {
    TestServer server;
    Client client{server.server.connect_in_process()};
    expect_every_procedure(client, 1 << 20);
    Client second{server.server.connect_in_process()};
    EXPECT_TRUE(PEER_V1::Client{second}.NULL_());
}

// The server must not be destroyed while another thread connects to it in-process.
TEST(Transports, InProcessFromManyThreads) {
    TestServer server;
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 10; ++k) {
                Client client{server.server.connect_in_process()};
                if (PEER_V1::Client{client}.ADD({k, 1}).value_or(0) == k + 1) ++good;
            }
        });
    for (auto& one : threads) one.join();
    EXPECT_EQ(good, 40);
}

bool has_ipv6() {
    const auto found = transport::resolve("::1", 0);
    if (!found) return false;
    const transport::Fd probe{socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    return probe && bind(probe.get(), found->front().address(), found->front().size()) == 0;
}

TEST(Families, EveryAddressIsBothFamilies) {
    if (!has_ipv6()) GTEST_SKIP() << "no IPv6 here";
    TestServer server{{.threads = 2}, {}, ""};
    for (const std::string host : {"127.0.0.1", "[::1]"})
        for (const bool udp : {false, true}) {
            ClientOptions options;
            options.udp = udp;
            Client client = Client::connect(host + ":" + std::to_string(server.port), options);
            const auto sum = PEER_V1::Client{client}.ADD({1, 2});
            ASSERT_TRUE(sum) << host << (udp ? " udp: " : " tcp: ") << rpc::to_text(sum.error());
            EXPECT_EQ(*sum, 3);
        }
}

TEST(Families, OneAddressIsThatOneOnly) {
    if (!has_ipv6()) GTEST_SKIP() << "no IPv6 here";
    TestServer server{{.threads = 1}, {}, "::1"};
    const auto port = std::to_string(server.port);
    Client six = Client::connect("[::1]:" + port);
    EXPECT_TRUE(PEER_V1::Client{six}.NULL_());
    Client four = Client::connect("127.0.0.1:" + port);
    const auto reply = PEER_V1::Client{four}.NULL_();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().outcome, xdr::Outcome::unreachable);
    EXPECT_EQ(reply.error().error_number, ECONNREFUSED);
}

// A name may have addresses without a listener, tried before the one that has one.
TEST(Families, AClientTriesEveryAddressOfTheHost) {
    TestServer server;
    std::vector<transport::Endpoint> where;
    for (const char* const host : {"127.0.0.2", "127.0.0.1"})
        where.push_back(transport::resolve(host, server.port)->front());
    for (const bool udp : {false, true}) {
        ClientOptions options;
        options.udp = udp;
        options.call_timeout = kTestPatience;
        Client client{where, options};
        const auto reply = PEER_V1::Client{client}.NULL_();
        EXPECT_TRUE(reply) << (udp ? "udp: " : "tcp: ") << rpc::to_text(reply.error());
        EXPECT_EQ(to_text(client.connection().server()), server.where());
    }
}

TEST(ReservedPort, IsUsedWhereItIsPermitted) {
    if (geteuid() != 0) GTEST_SKIP() << "ports below 1024 need root";
    RawListener listener;
    ClientOptions options;
    options.reserved_port = true;
    std::thread other{[&] {
        RawStream stream = listener.accept();
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        getpeername(stream.get(), reinterpret_cast<sockaddr*>(&address), &size);
        const transport::Endpoint peer{reinterpret_cast<sockaddr*>(&address), size};
        EXPECT_LT(peer.port(), 1024);
        const auto call = stream.receive();
        if (call) stream.send(record(success_reply(word_at(*call, 0))));
    }};
    Client client = Client::connect(listener.where(), options);
    EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
    other.join();
}

TEST(Credentials, ArriveAsTheyWereGiven) {
    TestServer server;
    for (const bool udp : {false, true}) {
        ClientOptions options;
        options.udp = udp;
        Client client = Client::connect(server.where(), options);
        PEER_V2::Client peer{client};
        EXPECT_EQ(peer.WHO()->flavor, 0);
        client.connection().set_credential(
            rpc::ClientCredential::sys(1000, 100, {7, 0, 4294967294u}, "peer"));
        const auto who = peer.WHO();
        ASSERT_TRUE(who);
        EXPECT_EQ(who->flavor, 1);
        EXPECT_EQ(who->uid, 1000u);
        EXPECT_EQ(who->gid, 100u);
        EXPECT_EQ(std::vector<std::uint32_t>(who->gids.begin(), who->gids.end()),
                  (std::vector<std::uint32_t>{7, 0, 4294967294u}));
    }
}

// Socket activation: the sockets are ours, the server is a child that inherits them.
TEST(Activation, ServesTheSocketsItWasGiven) {
    const auto bound = [](int type) {
        transport::Fd fd{socket(AF_INET, type | SOCK_CLOEXEC, 0)};
        const auto where = transport::resolve("127.0.0.1", 0)->front();
        EXPECT_EQ(bind(fd.get(), where.address(), where.size()), 0);
        return fd;
    };
    const transport::Fd tcp = bound(SOCK_STREAM), udp = bound(SOCK_DGRAM);
    ASSERT_EQ(listen(tcp.get(), 8), 0);
    ServerProcess server{{.inherited = {tcp.get(), udp.get()}}};
    EXPECT_EQ(server.first_line(), "listening on 2 inherited");
    Client by_tcp = Client::connect(to_text(transport::local_endpoint(tcp.get())));
    EXPECT_TRUE(PEER_V1::Client{by_tcp}.NULL_());
    ClientOptions options;
    options.udp = true;
    Client by_udp = Client::connect(to_text(transport::local_endpoint(udp.get())), options);
    EXPECT_TRUE(PEER_V1::Client{by_udp}.NULL_());
    EXPECT_EQ(server.terminate(), 0);

    const transport::Fd deaf = bound(SOCK_STREAM);
    const ServerProcess refuses{{.inherited = {deaf.get()}}};
    EXPECT_EQ(refuses.first_line(),
              "descriptor 3 of LISTEN_FDS=1 neither listens for connections nor takes UDP");
}

}  // namespace
}  // namespace wire::transports_test
