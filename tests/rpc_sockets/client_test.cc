// The client on real sockets: time, loss, broken connections, and servers that mean it harm.
#include <gtest/gtest.h>

#include <functional>

#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"
#include "tests/rpc_sockets/relay.h"

namespace wire::client_test {
namespace {

using namespace std::chrono_literals;
using transport::Client;
using transport::ClientConnection;
using transport::ClientOptions;
using transport::EventLoop;
using xdr::Outcome;
using Clock = std::chrono::steady_clock;

ClientOptions quick(std::chrono::milliseconds timeout = kTestPatience) {
    ClientOptions options;
    options.call_timeout = timeout;
    options.retransmit_first = 10ms;
    return options;
}

ClientOptions quick_udp(std::chrono::milliseconds timeout = kTestPatience) {
    ClientOptions options = quick(timeout);
    options.udp = true;
    return options;
}

template <class T>
Outcome outcome_of(const T& result) {
    return result ? Outcome::success : result.error().outcome;
}

Task<std::vector<int>> many_at_once(ClientConnection& connection) {
    PEER_V1::AsyncClient peer{connection};
    auto slow = peer.SLOW(30);
    std::vector<xdr::Call<std::int32_t>> calls;
    for (int i = 0; i < 200; ++i) calls.push_back(peer.ADD({i, 1}));
    std::vector<int> out;
    for (auto& one : calls) {
        const auto reply = co_await one;
        out.push_back(reply ? **reply : -1);
    }
    EXPECT_TRUE(co_await slow);
    co_return out;
}

TEST(Client, ManyCallsAreUnderWayOnOneConnection) {
    TestServer server;
    for (const ClientOptions& options : {quick(), quick_udp()}) {
        Client client = Client::connect(server.where(), options);
        const auto sums = run_until_done(client.loop(), many_at_once(client.connection()));
        ASSERT_EQ(sums.size(), 200u);
        for (int i = 0; i < 200; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], i + 1);
        EXPECT_EQ(client.connection().calls_in_flight(), 0u);
    }
}

TEST(Client, ACallEndsInTime) {
    constexpr std::uint32_t kHourMs = 3'600'000;
    TestServer server;
    for (const ClientOptions& options : {quick(50ms), quick_udp(50ms)}) {
        Client client = Client::connect(server.where(), options);
        const auto begin = Clock::now();
        EXPECT_EQ(outcome_of(PEER_V1::Client{client}.SLOW(kHourMs)), Outcome::timed_out);
        EXPECT_GE(Clock::now() - begin, 50ms);
        client.connection().set_call_timeout(kTestPatience);
        EXPECT_TRUE(PEER_V1::Client{client}.NULL_()) << "the connection lives";
    }
}

TEST(Client, ALateReplyIsNobodys) {
    HandServer server{1, [](RawStream& stream, int) {
                          const auto late = stream.receive();
                          const auto next = stream.receive();
                          if (!late || !next) return;
                          stream.send(record(success_reply(word_at(*late, 0), words({6}))));
                          stream.send(record(success_reply(word_at(*next, 0), words({5}))));
                          (void)stream.closed_within();
                      }};
    Client client = Client::connect(server.where(), quick(50ms));
    EXPECT_EQ(outcome_of(PEER_V1::Client{client}.ADD({2, 4})), Outcome::timed_out);
    client.connection().set_call_timeout(kTestPatience);
    EXPECT_EQ(PEER_V1::Client{client}.ADD({2, 3}).value_or(0), 5);
    EXPECT_EQ(client.connection().counters().ignored, 1u);
}

TEST(Client, NobodyThereIsUnreachable) {
    std::uint16_t port = 0;
    {
        TestServer server;
        port = server.port;
    }
    for (const ClientOptions& options : {quick(), quick_udp()}) {
        Client client = Client::connect("127.0.0.1:" + std::to_string(port), options);
        const auto reply = PEER_V1::Client{client}.NULL_();
        ASSERT_FALSE(reply);
        EXPECT_EQ(reply.error().outcome, Outcome::unreachable);
        EXPECT_EQ(reply.error().error_number, ECONNREFUSED);
    }
}

// A stuck call must not make the table of calls grow with every call that passes it.
Task<int> calls_past_a_stuck_one(ClientConnection& connection) {
    PEER_V1::AsyncClient peer{connection};
    const auto stuck = peer.SLOW(60'000);
    int good = 0;
    for (int i = 0; i < 500; ++i)
        if (co_await peer.NULL_()) ++good;
    co_return good;  // and the stuck one is cancelled
}

TEST(Client, CallsPassOneThatIsStuck) {
    TestServer server;
    Client client = Client::connect(server.where(), quick());
    EXPECT_EQ(run_until_done(client.loop(), calls_past_a_stuck_one(client.connection())), 500);
    EXPECT_EQ(client.connection().calls_in_flight(), 0u);
    EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
}

TEST(Client, ACallDestroyedWhenHalfSentIsStillAWholeRecord) {
    TestServer server;
    Client client = Client::connect(server.where(), quick());
    ClientConnection& connection = client.connection();
    EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
    {
        const Bytes large(3'900'000, std::byte{7});
        PEER_V1::AsyncClient peer{connection};
        auto first = std::make_unique<xdr::Call<peer_bytes>>(peer.ECHO(large));
        auto second = std::make_unique<xdr::Call<peer_bytes>>(peer.ECHO(large));
        client.loop().turn(0ms);
        first.reset();
        second.reset();
    }  // and the bytes they referred to are gone
    EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
    EXPECT_EQ(connection.counters().reconnected, 0u);
}

TEST(Client, MayBeDestroyedWithACallHalfSent) {
    RawListener deaf;
    Client client = Client::connect(deaf.where(), quick());
    const Bytes large(16u << 20, std::byte{7});
    auto call = std::make_unique<xdr::Call<peer_bytes>>(
        PEER_V1::AsyncClient{client.connection()}.ECHO(large));
    for (int i = 0; i < 5; ++i) client.loop().turn(10ms);
    call.reset();
}

struct Told {
    int times = 0;
    Outcome outcome = Outcome::success;
};

TEST(Client, DoneIsToldOfEveryEnd) {
    TestServer server;
    Client client = Client::connect(server.where(), quick());
    ClientConnection& connection = client.connection();
    const auto told = [](void* self, xdr::AsyncCall& call) {
        auto& mine = *static_cast<Told*>(self);
        ++mine.times;
        mine.outcome = call.results() != nullptr ? Outcome::success : call.why().outcome;
    };
    Told good, late, unfit;
    auto a = connection.begin(kPeerProgram, 1, 0, true);
    connection.set_call_timeout(50ms);
    auto b = connection.begin(kPeerProgram, 1, 4, true);
    auto c = connection.begin(kPeerProgram, 1, 4, true);
    connection.set_done(*a, told, &good);
    connection.set_done(*b, told, &late);
    connection.set_done(*c, told, &unfit);
    ASSERT_TRUE(b->arguments().append(words({3'600'000})));
    a->send();
    b->send();
    c->fail_with({Outcome::garbage_arguments, {}});
    EXPECT_EQ(unfit.times, 0);  // not from within
    while (good.times == 0 || late.times == 0) client.loop().turn(10ms);
    EXPECT_EQ(good.times, 1);
    EXPECT_EQ(good.outcome, Outcome::success);
    EXPECT_EQ(late.times, 1);
    EXPECT_EQ(late.outcome, Outcome::timed_out);
    EXPECT_EQ(unfit.times, 1);
    EXPECT_EQ(unfit.outcome, Outcome::garbage_arguments);
}

TEST(ClientUdp, AsksAgainUntilItIsAnsweredAndTheServerRunsItOnce) {
    for (int up = 0; up < 3; ++up)
        for (int down = 0; down < 3; ++down) {
            TestServer server;
            LossyRelay relay{server.port, up, down};
            Client client = Client::connect(relay.where(), quick_udp());
            const auto count = PEER_V1::Client{client}.COUNT();
            ASSERT_TRUE(count) << up << " " << down;
            EXPECT_EQ(*count, 1);
            EXPECT_EQ(server.state.count, 1) << up << " " << down;
            EXPECT_GE(client.connection().counters().retransmitted,
                      static_cast<std::uint64_t>(up + down));
        }
}

// It takes longer than the client waits before it asks again: one answer, one run.
TEST(ClientUdp, AsksAgainWhileTheCallRuns) {
    TestServer server;
    server.state.count_ms = 100;
    Client client = Client::connect(server.where(), quick_udp());
    EXPECT_EQ(PEER_V1::Client{client}.COUNT().value_or(0), 1);
    EXPECT_EQ(server.state.count, 1);
    EXPECT_GE(client.connection().counters().retransmitted, 2u);
}

// Closes each connection after this many replies, in the middle of a conversation.
TEST(ClientReconnect, IdempotentCallsAreSentAgainOthersFail) {
    for (int replies = 0; replies < 3; ++replies) {
        const auto serve = [replies](RawStream& stream, int connection) {
            for (int i = 0; connection > 0 || i < replies; ++i) {
                const auto call = stream.receive();
                if (!call) return;
                stream.send(record(success_reply(word_at(*call, 0), words({5}))));
            }
            (void)stream.receive();  // one more call arrives, and no answer leaves
        };
        {
            HandServer server{2, serve};
            Client client = Client::connect(server.where(), quick());
            PEER_V1::Client peer{client};
            for (int i = 0; i < 4; ++i) EXPECT_EQ(peer.ADD({2, 3}).value_or(0), 5) << replies;
            EXPECT_EQ(client.connection().counters().reconnected, 1u);
            EXPECT_EQ(client.connection().counters().retransmitted, 1u);
        }
        HandServer server{2, serve};
        Client client = Client::connect(server.where(), quick());
        PEER_V1::Client peer{client};
        for (int i = 0; i < replies; ++i) EXPECT_EQ(peer.COUNT().value_or(0), 5);
        EXPECT_EQ(outcome_of(peer.COUNT()), Outcome::unreachable);
        EXPECT_EQ(peer.COUNT().value_or(0), 5);  // and the next one finds a new connection
    }
}

TEST(ClientReconnect, WaitsForAServerThatRestarts) {
    std::uint16_t port = 0;
    auto server = std::make_unique<TestServer>();
    port = server->port;
    Client client = Client::connect(server->where(), quick());
    PEER_V1::Client peer{client};
    EXPECT_TRUE(peer.NULL_());
    server.reset();
    PeerState state;
    PeerV1 v1{state};
    rpc::Server programs;
    programs.add(v1);
    std::unique_ptr<transport::Server> again;
    std::thread later{[&] {
        std::this_thread::sleep_for(60ms);
        again =
            std::make_unique<transport::Server>(programs, transport::ServerLimits{.threads = 1});
        again->listen_tcp("127.0.0.1", port);
        again->start();
    }};
    EXPECT_TRUE(peer.NULL_());
    later.join();
}

// The connection breaks at every byte, in both directions: idempotent calls succeed, others run at
// most once and the client never claims otherwise. (Not by FIN at byte 0: a connection that is
// reset at once never existed.)
TEST(ClientGrind, TheConnectionBreaksAtEveryByte) {
    TestServer server;
    constexpr std::size_t kCall = 4 + 40 + 8, kReply = 4 + 24 + 4;
    std::vector<BreakingRelay::Limits> every;
    for (std::size_t n = 0; n <= kCall; ++n) every.push_back({n, SIZE_MAX, n % 2 == 1});
    for (std::size_t n = 0; n <= kReply; ++n) every.push_back({SIZE_MAX, n, n % 2 == 1});
    for (const auto& limits : every) {
        const std::string what = std::to_string(static_cast<std::ptrdiff_t>(limits.up)) + " up, " +
                                 std::to_string(static_cast<std::ptrdiff_t>(limits.down)) + " down";
        {
            BreakingRelay relay{server.port, limits};
            Client client = Client::connect(relay.where(), quick());
            const auto sum = PEER_V1::Client{client}.ADD({2, 3});
            ASSERT_TRUE(sum) << what << ": " << rpc::to_text(sum.error());
            EXPECT_EQ(*sum, 5) << what;
        }
        // A call that the relay let through may still be on its way.
        ASSERT_TRUE(eventually([&] { return server.server.counters().connections == 0; })) << what;
        server.state.count = 0;
        BreakingRelay relay{server.port, limits};
        Client client = Client::connect(relay.where(), quick());
        const auto count = PEER_V1::Client{client}.COUNT();
        if (count)
            EXPECT_EQ(*count, 1) << what;
        else
            EXPECT_EQ(count.error().outcome, Outcome::unreachable) << what;
        EXPECT_LE(server.state.count, 1) << what;
        EXPECT_TRUE(PEER_V1::Client{client}.NULL_()) << what;
    }
}

// What a hostile server may send before the true reply, or instead of it.
TEST(ClientHostile, WhatIsNoReplyOfOursIsIgnored) {
    const std::vector<std::function<Bytes(std::uint32_t)>> lies = {
        [](std::uint32_t) { return Bytes{}; },  // nothing before the truth
        [](std::uint32_t xid) { return record(success_reply(xid + 1, words({6}))); },
        [](std::uint32_t xid) { return record(success_reply(xid - 1, words({6}))); },
        [](std::uint32_t xid) {
            return record(words({xid, 0, 2, kPeerProgram, 1, 1, 0, 0, 0, 0}));
        },
        [](std::uint32_t xid) {
            return record(words({xid, 2, 0, 0, 0, 0, 6}));
        },  // no msg_type
        [](std::uint32_t xid) { return record(words({xid})); },
        [](std::uint32_t) { return record(Bytes(3)); },
    };
    for (std::size_t i = 0; i < lies.size(); ++i) {
        HandServer server{1, [&](RawStream& stream, int) {
                              const auto call = stream.receive();
                              if (!call) return;
                              const std::uint32_t xid = word_at(*call, 0);
                              stream.send(lies[i](xid) + record(success_reply(xid, words({5}))));
                              (void)stream.closed_within();
                          }};
        Client client = Client::connect(server.where(), quick());
        const auto sum = PEER_V1::Client{client}.ADD({2, 3});
        ASSERT_TRUE(sum) << i << ": " << rpc::to_text(sum.error());
        EXPECT_EQ(*sum, 5) << i;
        EXPECT_EQ(client.connection().counters().ignored, i == 0 ? 0u : 1u) << i;
    }
}

TEST(ClientHostile, RepliesThatDoNotDecodeAreErrors) {
    struct Row {
        const char* what;
        std::function<Bytes(std::uint32_t)> reply;
        Outcome outcome;
    };
    const std::vector<Row> rows = {
        {"no result", [](std::uint32_t xid) { return success_reply(xid); }, Outcome::garbage_reply},
        {"a length beyond the end",
         [](std::uint32_t xid) { return success_reply(xid, words({0xffffffff})); },
         Outcome::garbage_reply},
        {"more than the result, which does no harm",
         [](std::uint32_t xid) {
             return success_reply(xid, words({0, 1}));
         },
         Outcome::success},
        {"a header cut short",
         [](std::uint32_t xid) {
             return words({xid, 1, 0});
         },
         Outcome::garbage_reply},
        {"neither accepted nor denied",
         [](std::uint32_t xid) {
             return words({xid, 1, 2, 0});
         },
         Outcome::garbage_reply},
        {"an accept_stat of 6",
         [](std::uint32_t xid) {
             return words({xid, 1, 0, 0, 0, 6});
         },
         Outcome::garbage_reply},
        {"a verifier of 4 GiB",
         [](std::uint32_t xid) {
             return words({xid, 1, 0, 0, 0xffffffff, 0});
         },
         Outcome::garbage_reply},
        {"SYSTEM_ERR",
         [](std::uint32_t xid) {
             return words({xid, 1, 0, 0, 0, 5});
         },
         Outcome::system_error},
        {"AUTH_ERROR",
         [](std::uint32_t xid) {
             return words({xid, 1, 1, 1, 1});
         },
         Outcome::auth_error},
    };
    for (const Row& row : rows)
        for (const bool udp : {false, true}) {
            RawDatagrams datagrams;
            std::string where = "127.0.0.1:" + std::to_string(datagrams.port());
            std::optional<HandServer> server;
            std::thread answer;
            if (udp) {
                answer = std::thread{[&] {
                    const auto call = datagrams.receive();
                    if (call) datagrams.send_to(call->from, row.reply(word_at(call->bytes, 0)));
                }};
            } else {
                server.emplace(1, [&](RawStream& stream, int) {
                    const auto call = stream.receive();
                    if (call) stream.send(record(row.reply(word_at(*call, 0))));
                    (void)stream.closed_within();
                });
                where = server->where();
            }
            Client client = Client::connect(where, udp ? quick_udp() : quick());
            EXPECT_EQ(outcome_of(PEER_V1::Client{client}.ECHO({})), row.outcome)
                << row.what << (udp ? ", udp" : ", tcp");
            if (answer.joinable()) answer.join();
        }
}

// Streams that are not records: the connection is closed, and its calls fail.
TEST(ClientHostile, EndlessOrOversizedRecordsBreakTheConnection) {
    const std::vector<std::function<void(RawStream&)>> streams = {
        [](RawStream& stream) {  // fragments that never end
            const Bytes part = record(Bytes(60'000), false);
            while (stream.send(part)) continue;
        },
        [](RawStream& stream) {  // nothing but empty ones
            Bytes part;
            for (int i = 0; i < 10'000; ++i) part = std::move(part) + words({0});
            while (stream.send(part)) continue;
        },
        [](RawStream& stream) {
            stream.send(words({0xffffffff, 0, 0}));
        },                                                            // 2 GiB are promised
        [](RawStream& stream) { stream.send(words({0x80000000})); },  // no byte at all
    };
    for (std::size_t i = 0; i < streams.size(); ++i) {
        HandServer server{1, [&](RawStream& stream, int) {
                              (void)stream.receive();
                              streams[i](stream);
                              (void)stream.closed_within();
                          }};
        ClientOptions options = quick();
        options.reconnect = false;
        Client client = Client::connect(server.where(), options);
        EXPECT_EQ(outcome_of(PEER_V1::Client{client}.ADD({2, 3})), Outcome::unreachable) << i;
    }
}

}  // namespace
}  // namespace wire::client_test
