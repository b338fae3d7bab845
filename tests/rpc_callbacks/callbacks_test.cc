// The back channel with misbehaving clients, and from other threads: wrong or missing answers cost
// the server nothing.
#include <gtest/gtest.h>

#include <thread>

#include "helio/transport/server/back_channel_internal.h"
#include "tests/rpc_callbacks/steps_service.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace rpc_callbacks::callbacks_test {
namespace {

using namespace std::chrono_literals;
using wire::Bytes;
using wire::operator+;
using wire::RawStream;

// A call of RUN with one step that calls back.
Bytes run_call(std::uint32_t xid) {
    return wire::words({xid, 0, 2, STEPS_V1::program, STEPS_V1::version, STEPS_V1::RUN, 0, 0, 0, 0,
                        /* start */ 10, /* one step */ 1, STEP_CALL_BACK, 21});
}
// The results of RUN: these sums, and whether it failed.
Bytes run_reply(std::uint32_t xid, bool failed, std::initializer_list<std::uint32_t> sums) {
    return wire::success_reply(xid, wire::words({static_cast<std::uint32_t>(sums.size())}) +
                                        wire::words(sums) + wire::words({failed ? 1u : 0u}));
}

TEST(BackChannel, TheCallLooksLikeAnyOther) {
    StepsServer server;
    RawStream client{server.port};
    client.send(wire::record(run_call(7)));
    const auto call = client.receive();
    ASSERT_TRUE(call);
    const std::uint32_t xid = wire::word_at(*call, 0);
    EXPECT_EQ(*call, wire::words({xid, 0, 2, HELPER_V1::program, HELPER_V1::version,
                                  HELPER_V1::DOUBLE, 0, 0, 0, 0, 21}));
    client.send(wire::record(wire::success_reply(xid, wire::words({42}))));
    EXPECT_EQ(client.receive(), run_reply(7, false, {52}));
}

// Calls and answers of both directions share the connection, in any order.
TEST(BackChannel, BothDirectionsGoOnMeanwhile) {
    StepsServer server;
    RawStream client{server.port};
    client.send(wire::record(run_call(7)) + wire::record(run_call(8)));
    const auto first = client.receive(), second = client.receive();
    ASSERT_TRUE(first && second);
    client.send(wire::record(
        wire::words({9, 0, 2, STEPS_V1::program, STEPS_V1::version, STEPS_V1::NULL_, 0, 0, 0, 0})));
    EXPECT_EQ(client.receive(), wire::success_reply(9));
    client.send(wire::record(wire::success_reply(wire::word_at(*second, 0), wire::words({1}))));
    EXPECT_EQ(client.receive(), run_reply(8, false, {11}));
    client.send(wire::record(wire::success_reply(wire::word_at(*first, 0), wire::words({2}))));
    EXPECT_EQ(client.receive(), run_reply(7, false, {12}));
}

// The answer sent, and how the batch ends.
struct AnswerRow {
    const char* what;
    std::function<Bytes(std::uint32_t xid)> answer;
    bool failed;
};
class Answer : public testing::TestWithParam<AnswerRow> {};
TEST_P(Answer, IsTakenForWhatItIs) {
    StepsServer server;
    // A right answer may take its time; the others fail by it or before it.
    if (GetParam().failed) server.service.callback_timeout = 50ms;
    RawStream client{server.port};
    client.send(wire::record(run_call(7)));
    const auto call = client.receive();
    ASSERT_TRUE(call);
    client.send(wire::record(GetParam().answer(wire::word_at(*call, 0))));
    EXPECT_EQ(client.receive(),
              GetParam().failed ? run_reply(7, true, {}) : run_reply(7, false, {52}));
    client.send(wire::record(
        wire::words({9, 0, 2, STEPS_V1::program, STEPS_V1::version, STEPS_V1::NULL_, 0, 0, 0, 0})));
    EXPECT_EQ(client.receive(), wire::success_reply(9));
}
const AnswerRow kAnswers[] = {
    {"right", [](auto xid) { return wire::success_reply(xid, wire::words({42})); }, false},
    {"of_another_call", [](auto xid) { return wire::success_reply(xid + 1, wire::words({42})); },
     true},
    {"no_results", [](auto xid) { return wire::success_reply(xid); }, true},
    {"proc_unavail",
     [](auto xid) {
         return wire::words({xid, 1, 0, 0, 0, 3});
     },
     true},
    {"denied",
     [](auto xid) {
         return wire::words({xid, 1, 1, 1, 5});
     },
     true},
    {"no_such_status",
     [](auto xid) {
         return wire::words({xid, 1, 0, 0, 0, 77});
     },
     true},
    {"neither_call_nor_reply",
     [](auto xid) {
         return wire::words({xid, 2, 0, 0, 0, 0});
     },
     true},
    {"xid_alone", [](auto xid) { return wire::words({xid}); }, true},
};
INSTANTIATE_TEST_SUITE_P(All, Answer, testing::ValuesIn(kAnswers),
                         [](const auto& row) { return row.param.what; });

TEST(BackChannel, EveryCutOfAnAnswer) {
    StepsServer server;
    server.service.callback_timeout = 5ms;
    RawStream client{server.port};
    const std::size_t size = wire::success_reply(1, wire::words({42})).size();
    // From one byte on: an empty record is not a record.
    for (std::uint32_t cut = 1; cut < size; ++cut) {
        client.send(wire::record(run_call(1000 + cut)));
        const auto call = client.receive();
        ASSERT_TRUE(call) << cut;
        Bytes answer = wire::success_reply(wire::word_at(*call, 0), wire::words({42}));
        answer.resize(cut);
        client.send(wire::record(answer));
        ASSERT_EQ(client.receive(), run_reply(1000 + cut, true, {})) << cut;
    }
}

TEST(BackChannel, AClientThatLeavesFailsItsCalls) {
    StepsServer server;
    server.service.callback_timeout = std::chrono::minutes(1);
    {
        RawStream client{server.port};
        client.send(wire::record(run_call(7)));
        ASSERT_TRUE(client.receive());
    }
    const auto channel = server.service.last_channel();
    ASSERT_TRUE(channel);
    // A client of the same server is served, and in the end nothing waits any more.
    HelpfulClient other{server.port};
    STEPS_V1::AsyncClient steps{*other.connection};
    const auto alive = [&]() -> Task<bool> { co_return (co_await steps.NULL_()).has_value(); };
    EXPECT_TRUE(transport::run_until_done(other.loop, alive()));
    server.service.forget_channel();
}

// A service may keep the channel where any thread can drop it. TSan reports it if the channel then
// still uses its loop.
TEST(BackChannel, AnyThreadMayBeTheLastToHoldIt) {
    StepsServer server;
    std::shared_ptr<rpc::BackChannel> channel;
    {
        RawStream client{server.port};
        client.send(wire::record(run_call(7)));
        const auto call = client.receive();
        ASSERT_TRUE(call);
        client.send(wire::record(wire::success_reply(wire::word_at(*call, 0), wire::words({42}))));
        ASSERT_EQ(client.receive(), run_reply(7, false, {52}));
        channel = server.service.last_channel();
        server.service.forget_channel();
    }
    while (channel.use_count() > 1) std::this_thread::sleep_for(1ms);
    channel.reset();
    // The loop that it was on still serves.
    HelpfulClient other{server.port};
    STEPS_V1::AsyncClient steps{*other.connection};
    const auto alive = [&]() -> Task<bool> { co_return (co_await steps.NULL_()).has_value(); };
    EXPECT_TRUE(transport::run_until_done(other.loop, alive()));
}

Task<void> ask(std::shared_ptr<rpc::BackChannel> channel, std::int32_t number,
               std::atomic<int>& answer) {
    HELPER_V1::AsyncClient client{*channel};
    const auto doubled = co_await client.SLOWLY(number);
    answer = doubled ? **doubled : -1;
}

// Another thread wants something of a client, for instance because of a lock conflict.
TEST(BackChannel, AnyThreadMayPostToIt) {
    StepsServer server;
    HelpfulClient client{server.port};
    STEPS_V1::AsyncClient steps{*client.connection};
    const step back = step::of_number(STEP_CALL_BACK, 1);
    {
        auto first = steps.RUN({0, std::span{&back, 1}});
        while (!first.await_ready()) client.loop.turn(1ms);
    }
    const auto channel = server.service.last_channel();
    ASSERT_TRUE(channel);
    std::atomic<int> answer = 0;
    std::optional<Task<void>> task;
    std::thread elsewhere{[&] {
        channel->post([&] {
            task.emplace(ask(channel, 21, answer));
            task->start(nullptr, nullptr);
        });
    }};
    elsewhere.join();
    while (answer == 0) client.loop.turn(1ms);
    EXPECT_EQ(answer, 42);
    // And after the client has gone: nothing happens, and nothing is waited for.
    client.connection.reset();
    while (server.server.counters().connections > 0) std::this_thread::sleep_for(1ms);
    channel->post([] { FAIL() << "the connection is gone"; });
    server.service.forget_channel();
    server.server.stop(0ms);
    task.reset();
}

// A client that neither reads nor answers costs a limited number of calls and their memory.
TEST(BackChannel, CallsUnderWayAreBounded) {
    StepsServer server;
    server.service.callback_timeout = std::chrono::minutes(1);
    RawStream client{server.port};
    constexpr std::uint32_t kMore = 20;
    Bytes all;
    for (std::uint32_t i = 0; i < transport::kBackCallsMax + kMore; ++i)
        all = all + wire::record(run_call(100 + i));
    client.send(all);
    // Calls beyond the limit fail at once; the others are sent.
    std::uint32_t failed = 0, asked = 0;
    for (std::uint32_t i = 0; i < transport::kBackCallsMax + kMore; ++i) {
        const auto message = client.receive();
        ASSERT_TRUE(message);
        ++(wire::word_at(*message, 1) == 0 ? asked : failed);
    }
    EXPECT_EQ(asked, transport::kBackCallsMax);
    EXPECT_EQ(failed, kMore);
    server.service.forget_channel();
}

// ---- The client's side ----

// A server that calls its client, by hand.
struct CallingServer {
    wire::RawListener listener;
    HelpfulClient client{listener.port()};
    STEPS_V1::AsyncClient steps{*client.connection};
    xdr::Call<void> pending = steps.NULL_();
    std::optional<RawStream> server;

    CallingServer() {
        for (int i = 0; i < 3; ++i) client.loop.turn(10ms);
        server.emplace(listener.accept());
        EXPECT_TRUE(server->receive());  // its NULL, which is never answered
    }
    Bytes call(std::uint32_t xid, std::uint32_t procedure, std::uint32_t number) {
        return wire::words(
            {xid, 0, 2, HELPER_V1::program, HELPER_V1::version, procedure, 0, 0, 0, 0, number});
    }
    std::optional<Bytes> exchange(const Bytes& message) {
        server->send(wire::record(message));
        std::optional<Bytes> out;
        for (int i = 0; i < 200 && !out; ++i) {
            client.loop.turn(1ms);
            out = server->receive(1ms);
        }
        return out;
    }
};

TEST(Callbacks, AreServedLikeAnyCall) {
    CallingServer world;
    EXPECT_EQ(world.exchange(world.call(5, HELPER_V1::DOUBLE, 4)),
              wire::success_reply(5, wire::words({8})));
    EXPECT_EQ(world.exchange(world.call(6, HELPER_V1::SLOWLY, 5)),
              wire::success_reply(6, wire::words({10})));
    EXPECT_EQ(world.exchange(world.call(7, 99, 5)), wire::words({7, 1, 0, 0, 0, 3}));
    // A retransmission is not run twice.
    const int before = world.client.helper.doubled;
    EXPECT_EQ(world.exchange(world.call(5, HELPER_V1::DOUBLE, 4)),
              wire::success_reply(5, wire::words({8})));
    EXPECT_EQ(world.client.helper.doubled, before);
    EXPECT_FALSE(world.pending.await_ready());
}

TEST(Callbacks, AServerThatOnlyAsksIsLeft) {
    CallingServer world;
    Bytes all;
    for (std::uint32_t i = 0; i < 600; ++i)
        all = all + wire::record(world.call(i, HELPER_V1::SLOWLY, i));
    world.server->send(all);
    bool closed = false;
    for (int i = 0; i < 5000 && !closed; ++i) {
        world.client.loop.turn(1ms);
        closed = world.server->closed_within(1ms);
    }
    EXPECT_TRUE(closed);
}

TEST(Callbacks, ACallThatRunsWhenTheConnectionBreaksEndsForNobody) {
    CallingServer world;
    world.server->send(wire::record(world.call(5, HELPER_V1::SLOWLY, 4)));
    world.client.loop.turn(10ms);
    world.server->reset();
    for (int i = 0; i < 30; ++i) world.client.loop.turn(1ms);
    EXPECT_EQ(world.client.helper.doubled, 1);
}

}  // namespace
}  // namespace rpc_callbacks::callbacks_test
