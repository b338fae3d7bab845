// The server on real sockets: with many clients, slow ones, and some that never read.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "tests/rpc_sockets/child.h"
#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace wire::server_test {
namespace {

using namespace std::chrono_literals;
using transport::Client;
using transport::EventLoop;
using transport::ServerLimits;
using Clock = std::chrono::steady_clock;

Bytes null_call(std::uint32_t xid) { return record(call_message(xid, 1, 0)); }
constexpr std::uint32_t kHourMs = 3'600'000;
Bytes slow_call(std::uint32_t xid, std::uint32_t ms) {
    return record(call_message(xid, 1, 4, words({ms})));
}

TEST(Server, ManyClientsOnManyThreads) {
    TestServer server{{.threads = 3}};
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            transport::ClientOptions options;
            options.udp = t == 3;
            Client client = Client::connect(server.where(), options);
            for (int i = 0; i < 200; ++i)
                if (PEER_V1::Client{client}.ADD({t, i}).value_or(-1) == t + i) ++good;
        });
    for (auto& one : threads) one.join();
    EXPECT_EQ(good, 800);
}

// The same procedures under another number: a second program on the same port.
class OtherProgram final : public xdr::ServiceBase {
 public:
    explicit OtherProgram(PEER_V1::Service& service) : service_(service), info_(service.info()) {
        info_.program = kPeerProgram + 1;
        info_.version = 5;
    }
    const xdr::VersionInfo& info() const override { return info_; }
    void* service() override { return service_.service(); }

 private:
    PEER_V1::Service& service_;
    xdr::VersionInfo info_;
};

TEST(Server, SeveralProgramsAndVersionsOnOnePort) {
    PeerState state;
    PeerV1 v1{state};
    PeerV2 v2{state};
    OtherProgram other{v1};
    rpc::Server programs;
    for (xdr::ServiceBase* const one : std::initializer_list<xdr::ServiceBase*>{&v1, &v2, &other})
        programs.add(*one);
    transport::Server server{programs, {.threads = 2}};
    const auto port = server.listen("127.0.0.1", 0);
    server.start();
    Client client = Client::connect("127.0.0.1:" + std::to_string(port));
    const auto outcome = [&](std::uint32_t program, std::uint32_t version,
                             std::uint32_t procedure) {
        const auto got = client.call(program, version, procedure, {});
        return got ? std::string{"ok"} : rpc::to_text(got.error());
    };
    EXPECT_EQ(outcome(kPeerProgram, 1, 0), "ok");
    EXPECT_EQ(outcome(kPeerProgram, 2, 0), "ok");
    EXPECT_EQ(outcome(kPeerProgram + 1, 5, 0), "ok");
    EXPECT_EQ(outcome(kPeerProgram, 7, 0), "PROG_MISMATCH: versions 1 to 2 are served there");
    EXPECT_EQ(outcome(kPeerProgram + 1, 1, 0), "PROG_MISMATCH: versions 5 to 5 are served there");
    EXPECT_EQ(outcome(kPeerProgram + 2, 1, 0), "PROG_UNAVAIL: the program is not served there");
    EXPECT_EQ(outcome(kPeerProgram, 1, 99), "PROC_UNAVAIL: no such procedure there");
    EXPECT_EQ(outcome(kPeerProgram, 1, 1),
              "GARBAGE_ARGS: the server could not decode the arguments");
}

TEST(Server, ASlowCallDoesNotHoldUpTheNext) {
    TestServer server;
    RawStream stream{server.port};
    stream.send(slow_call(1, 50) + null_call(2) + slow_call(3, 10) + null_call(4));
    std::vector<std::uint32_t> order;
    for (int i = 0; i < 4; ++i) {
        const auto reply = stream.receive();
        ASSERT_TRUE(reply);
        order.push_back(word_at(*reply, 0));
    }
    EXPECT_EQ(order, (std::vector<std::uint32_t>{2, 4, 3, 1}));
}

TEST(Server, RecordsMayComeInAnyPieces) {
    TestServer server;
    RawStream stream{server.port};
    const Bytes message = call_message(1, 1, 2, words({5, 0x61626364, 0x65000000}));  // "abcde"
    Bytes bytewise;
    for (std::size_t i = 0; i < message.size(); ++i)
        bytewise = std::move(bytewise) + record({message[i]}, i + 1 == message.size());
    const Bytes empty_first = record({}, false) + record(message);
    // All at once, then in segments of every small size.
    for (const std::size_t piece : {100'000, 1, 3, 7}) {
        const Bytes all = record(message) + bytewise + empty_first + record(message);
        for (std::size_t at = 0; at < all.size(); at += piece)
            stream.send(
                {all.begin() + static_cast<std::ptrdiff_t>(at),
                 all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), at + piece))});
        for (int i = 0; i < 4; ++i) {
            const auto reply = stream.receive();
            ASSERT_TRUE(reply) << piece;
            EXPECT_EQ(*reply, success_reply(1, words({5, 0x61626364, 0x65000000}))) << piece;
        }
    }
}

TEST(Server, AClientThatHasSaidAllStillGetsItsReplies) {
    TestServer server;
    RawStream stream{server.port};
    stream.send(slow_call(1, 30) + null_call(2));
    stream.shut_down_sending();
    EXPECT_EQ(word_at(stream.receive().value_or(Bytes{}), 0), 2u);
    EXPECT_EQ(word_at(stream.receive().value_or(Bytes{}), 0), 1u);
    EXPECT_TRUE(stream.closed_within());
    EXPECT_TRUE(eventually([&] { return server.server.counters().connections == 0; }));
}

TEST(Server, StopLetsRunningCallsEndAndRefusesNewConnections) {
    TestServer server;
    RawStream stream{server.port};
    RawDatagrams datagrams;
    stream.send(slow_call(1, 100));
    datagrams.send_to(server.port, call_message(2, 1, 4, words({100})));
    ASSERT_TRUE(eventually([&] { return server.state.running == 2; }));
    const RawStream idle{server.port};
    server.server.stop(kTestPatience);
    EXPECT_EQ(word_at(stream.receive().value_or(Bytes{}), 0), 1u);
    EXPECT_TRUE(stream.closed_within());
    const auto reply = datagrams.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(word_at(reply->bytes, 0), 2u);
    EXPECT_THROW(RawStream{server.port}, std::system_error);
}

TEST(Server, StopDoesNotWaitForEver) {
    TestServer server;
    RawStream stream{server.port};
    stream.send(slow_call(1, kHourMs));
    ASSERT_TRUE(eventually([&] { return server.state.running == 1; }));
    server.server.stop(50ms);  // returns, and the call has not
}

TEST(Server, ABusyPortIsAClearError) {
    TestServer server;
    rpc::Server programs;
    transport::Server second{programs, {.threads = 2}};
    const std::string where = server.where();
    for (const std::string transport : {"tcp", "udp"}) try {
            if (transport == "tcp")
                second.listen_tcp("127.0.0.1", server.port);
            else
                second.listen_udp("127.0.0.1", server.port);
            ADD_FAILURE() << transport;
        } catch (const std::runtime_error& error) {
            EXPECT_EQ(error.what(),
                      "cannot listen on " + transport + " " + where + ": Address already in use");
        }
    try {
        second.listen_tcp("no such host", 0);
        ADD_FAILURE();
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string{error.what()}.rfind("cannot find 'no such host'", 0), 0u);
    }
}

TEST(ServerLimits, ConnectionsBeyondTheLimitAreClosedAndLaterOnesServed) {
    TestServer server{{.threads = 1, .connections_max = 2}};
    server.state.count_ms = 3'600'000;
    std::vector<RawStream> busy;
    for (int i = 1; i <= 2; ++i) {
        busy.emplace_back(server.port).send(record(call_message(static_cast<unsigned>(i), 1, 3)));
        ASSERT_TRUE(eventually([&] { return server.state.running == i; }));
    }
    RawStream third{server.port};
    EXPECT_TRUE(third.closed_within());
    EXPECT_EQ(server.server.counters().refused, 1u);
    EXPECT_EQ(server.server.counters().evicted, 0u);
    busy.back().reset();
    ASSERT_TRUE(eventually([&] { return server.server.counters().connections == 1; }));
    EXPECT_EQ(null_call_fails(server.port), "");
}

// A client with many connections loses them before one with few, however long that has been idle.
TEST(ServerLimits, AFloodOfConnectionsEvictsItself) {
    TestServer server{{.threads = 1, .connections_max = 8}};
    RawStream quiet{server.port, "127.0.0.2"};
    quiet.send(null_call(1));
    ASSERT_TRUE(quiet.receive());
    std::vector<RawStream> flood;
    ASSERT_TRUE(eventually([&] {
        RawStream& one = flood.emplace_back(server.port);
        one.send(null_call(2));
        one.receive();  // nothing if it is refused
        return server.server.counters().evicted >= 30;
    }));
    quiet.send(null_call(3));
    EXPECT_TRUE(quiet.receive()) << "still there";
}

// First those that never made a call, then those that have been idle for longest; never one that
// waits for a reply.
TEST(ServerLimits, IdleConnectionsMakeRoomForNewOnes) {
    TestServer server{{.threads = 1, .connections_max = 4}};
    server.state.count_ms = 3'600'000;
    const auto open = [&](const Bytes& bytes) {
        const std::size_t before = server.server.counters().connections;
        RawStream out{server.port};
        EXPECT_TRUE(eventually([&] { return server.server.counters().connections == before + 1; }));
        out.send(bytes);
        return out;
    };
    RawStream busy = open(record(call_message(1, 1, 3)));
    ASSERT_TRUE(eventually([&] { return server.state.running == 1; }));
    RawStream idle = open(null_call(2));
    ASSERT_TRUE(idle.receive());
    RawStream silent = open({});
    RawStream dripping = open({std::byte{0x80}});
    std::vector<RawStream> fresh;
    for (RawStream* const next : {&silent, &dripping, &idle}) {
        // Idle connections are not looked for all the time, so a client may have to come again.
        ASSERT_TRUE(eventually([&] {
            RawStream one{server.port};
            one.send(null_call(3));
            if (!one.receive()) return false;
            fresh.push_back(std::move(one));
            return true;
        }));
        EXPECT_TRUE(next->closed_within());
    }
    EXPECT_EQ(server.server.counters().evicted, 3u);
    EXPECT_EQ(server.server.counters().connections, 4u);
    EXPECT_EQ(server.state.running, 1);
    EXPECT_FALSE(busy.closed_within(1ms));
}

TEST(ServerLimits, ASlowSenderIsClosedEvenIfItNeverPauses) {
    TestServer server{{.threads = 1, .record_timeout = 150ms}};
    RawStream slow{server.port}, other{server.port};
    const Bytes message = record(Bytes(4000, std::byte{1}));
    std::size_t sent = 0;
    while (sent < message.size() && slow.send({message[sent]})) {
        ++sent;
        std::this_thread::sleep_for(10ms);
    }
    EXPECT_LT(sent, message.size());
    EXPECT_EQ(server.server.counters().timed_out, 1u);
    other.send(null_call(1));
    EXPECT_TRUE(other.receive());
    EXPECT_TRUE(eventually([&] { return server.holds_nothing(); }));
}

// Endless calls from a peer that never reads the replies: the server stops reading, holds little
// memory, and finally disconnects.
TEST(ServerLimits, APeerThatNeverReadsCostsLittleAndIsClosed) {
    TestServer server{{.threads = 1, .send_timeout = 300ms}};
    RawStream deaf{server.port};
    const timeval wait{kTestPatience.count(), 0};  // until the server hangs up
    setsockopt(deaf.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    const Bytes echo = record(call_message(1, 1, 2, words({60'000}) + Bytes(60'000)));
    const std::size_t before = resident_bytes(getpid());
    std::size_t sent = 0;
    while (sent < (256u << 20) && deaf.send(echo)) sent += echo.size();
    EXPECT_LT(sent, 128u << 20);  // the kernel's buffers, and ours
    if (!kSanitized) {
        EXPECT_LT(resident_bytes(getpid()), before + (32u << 20));
    }
    EXPECT_TRUE(eventually([&] { return server.server.counters().connections == 0; }));
    EXPECT_EQ(server.server.counters().timed_out, 1u);
    EXPECT_EQ(null_call_fails(server.port), "");
}

// Many of them share one budget: those that hold most and have not read for longest are closed,
// long before their time is over. A client that reads is served all the while.
TEST(ServerLimits, ManyThatNeverReadShareOneBudget) {
    constexpr std::size_t kBudget = 8u << 20;
    TestServer server{{.threads = 2, .memory_bytes_max = kBudget}};
    const Bytes echo = record(call_message(1, 1, 2, words({60'000}) + Bytes(60'000)));
    const timeval wait{0, 1'000};
    std::vector<RawStream> deaf;
    RawStream good{server.port};
    std::size_t most = 0;
    const auto counters = [&] { return server.server.counters(); };
    ASSERT_TRUE(eventually([&] {
        // How much each of them makes the server hold is a matter of timing.
        if (deaf.size() < 100 || (counters().shed == 0 && deaf.size() < 400)) {
            deaf.emplace_back(server.port);
            setsockopt(deaf.back().get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        }
        for (int i = 0; i < 100 && deaf.back().send(echo); ++i) {
        }
        good.send(echo);
        EXPECT_TRUE(good.receive());
        most = std::max(most, counters().memory_bytes);
        return deaf.size() >= 100 && counters().shed > 0 && counters().memory_bytes < kBudget;
    })) << counters().shed
        << " closed, " << counters().memory_bytes << " bytes held";
    // The last eighth is handed out in small pieces.
    EXPECT_LT(most, 4 * kBudget);
    EXPECT_EQ(server.server.counters().timed_out, 0u);
    good.send(echo);
    EXPECT_TRUE(good.receive());
    deaf.clear();
    good.close();
    EXPECT_TRUE(eventually([&] { return server.holds_nothing(); }));
}

// The server stops reading from a client while others hold all the memory. That is not the client's
// fault: its record waits, and arrives when they are gone.
TEST(ServerLimits, ARecordThatHasToWaitForMemoryIsNotLate) {
    TestServer server{{.threads = 1, .memory_bytes_max = 2u << 20, .record_timeout = 5s}};
    std::vector<RawStream> slow;
    const Bytes part = record(Bytes(300'000));
    for (int i = 0; i < 8; ++i) {
        slow.emplace_back(server.port);
        slow.back().send({part.begin(), part.begin() + 280'000});
    }
    ASSERT_TRUE(eventually([&] { return server.server.counters().memory_bytes > (1800u << 10); }));
    RawStream victim{server.port};
    const Bytes echo = record(call_message(1, 1, 2, words({60'000}) + Bytes(60'000)));
    victim.send({echo.begin(), echo.begin() + 30'000});
    std::this_thread::sleep_for(100ms);
    victim.send({echo.begin() + 30'000, echo.end()});
    EXPECT_TRUE(eventually([&] {
        for (RawStream& one : slow) one.send({std::byte{0}});  // they are not idle
        return victim.receive(100ms).has_value();
    }));
    EXPECT_GT(server.server.counters().shed, 0u);
    EXPECT_EQ(server.server.counters().timed_out, 0u);
}

// Records that have not wholly arrived share one budget, also when they come in fragments.
TEST(ServerLimits, BytesOfUnfinishedRecordsAreBounded) {
    TestServer server{{.threads = 1, .memory_bytes_max = 2u << 20, .record_timeout = 500ms}};
    const std::size_t before = resident_bytes(getpid());
    std::vector<RawStream> senders;
    const timeval wait{0, 1'000};
    for (int i = 0; i < 40; ++i) {
        senders.emplace_back(server.port);
        setsockopt(senders.back().get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        const Bytes part(100'000);
        for (int k = 0; k < 30; ++k)  // 3 MB each, and never the last fragment
            if (!senders.back().send(i % 2 == 0 ? record(part, false) : part)) break;
    }
    std::this_thread::sleep_for(50ms);
    // Data already received has to be kept: a receive buffer's worth of each beyond the limit.
    EXPECT_LT(server.server.counters().memory_bytes, (2u << 20) + 40 * (256u << 10));
    if (!kSanitized) {
        EXPECT_LT(resident_bytes(getpid()), before + (32u << 20));
    }
    EXPECT_TRUE(eventually([&] { return server.server.counters().connections == 0; }));
    EXPECT_TRUE(eventually([&] { return server.holds_nothing(); }));
    EXPECT_EQ(null_call_fails(server.port), "");
}

TEST(ServerLimits, WithoutDescriptorsItNeitherSpinsNorStops) {
    if (kSanitized) GTEST_SKIP() << "sanitizers need descriptors of their own";
    ServerProcess server{{.descriptors_max = 40}};
    std::vector<RawStream> many;
    for (int i = 0; i < 60; ++i) many.emplace_back(server.port());
    int closed = 0;
    for (RawStream& one : many) {
        one.send(null_call(1));
        if (one.receive()) continue;
        ++closed;
        ASSERT_TRUE(one.closed_within()) << "left waiting, not refused";
    }
    EXPECT_GT(closed, 10);  // refused
    EXPECT_LT(closed, 55);  // the others were served
    const auto before = server.processor_time();
    std::this_thread::sleep_for(300ms);
    EXPECT_LT(server.processor_time() - before, 100ms);
    many.clear();
    EXPECT_TRUE(eventually([&] { return null_call_fails(server.port()).empty(); }));
    EXPECT_EQ(server.terminate(), 0);
}

// A client that came back over a new connection, on another thread, while its first call still
// runs.
TEST(ServerDuplicates, AnotherConnectionGetsTheReplyOfTheCallThatRuns) {
    TestServer server{{.threads = 4}};
    server.state.count_ms = 100;
    const Bytes count = record(call_message(77, 1, 3));
    std::vector<RawStream> streams;
    for (int i = 0; i < 4; ++i) {
        streams.emplace_back(server.port);
        streams.back().send(count);
        ASSERT_TRUE(eventually([&] { return server.state.running == 1; }));
    }
    for (RawStream& one : streams) {
        const auto reply = one.receive();
        ASSERT_TRUE(reply);
        EXPECT_EQ(*reply, success_reply(77, words({1})));
    }
    EXPECT_EQ(server.state.count, 1);
    // And afterwards from memory; other bytes with the same xid are another call.
    streams.front().send(count);
    EXPECT_EQ(streams.front().receive().value_or(Bytes{}), success_reply(77, words({1})));
    streams.front().send(record(call_message(77, 2, 3)));
    EXPECT_EQ(streams.front().receive().value_or(Bytes{}), success_reply(77, words({2})));
}

TEST(ServerDuplicates, TheFirstConnectionMayBeGoneByThen) {
    TestServer server{{.threads = 2}};
    server.state.count_ms = 100;
    const Bytes count = record(call_message(78, 1, 3));
    {
        RawStream first{server.port};
        first.send(count);
        ASSERT_TRUE(eventually([&] { return server.state.running == 1; }));
        first.reset();
    }
    RawStream second{server.port};
    second.send(count);
    EXPECT_EQ(second.receive().value_or(Bytes{}), success_reply(78, words({1})));
    EXPECT_EQ(server.state.count, 1);
}

// Two servers of the same programs share what they remember of calls; either may end first.
TEST(ServerDuplicates, TheServerThatWaitsMayBeGoneByThen) {
    PeerState state;
    state.count_ms = 100;
    PeerV1 v1{state};
    rpc::Server programs;
    programs.add(v1);
    transport::Server first{programs, {.threads = 1}};
    auto second = std::make_unique<transport::Server>(programs, ServerLimits{.threads = 1});
    const auto first_port = first.listen("127.0.0.1", 0);
    const auto second_port = second->listen("127.0.0.1", 0);
    first.start();
    second->start();
    RawStream stays{first_port}, leaves{second_port};
    const Bytes count = record(call_message(79, 1, 3));
    stays.send(count);
    ASSERT_TRUE(eventually([&] { return state.running == 1; }));
    leaves.send(count);
    ASSERT_TRUE(eventually([&] { return programs.duplicates().counters().while_running == 1; }));
    second.reset();
    EXPECT_EQ(stays.receive().value_or(Bytes{}), success_reply(79, words({1})));
}

}  // namespace
}  // namespace wire::server_test
