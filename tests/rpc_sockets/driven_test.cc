// A server that its caller drives: nothing happens but in its turns, and time is the test's.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "helio/base/clock.h"
#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace wire::driven_test {
namespace {

using namespace std::chrono_literals;
using helio::Clock;
using helio::FakeClock;
using helio::Fd;

struct Driven : ::testing::Test {
    void call(int socket, std::uint32_t xid, std::uint32_t procedure, const Bytes& arguments = {}) {
        const Bytes message = record(call_message(xid, 1, procedure, arguments));
        ASSERT_EQ(send(socket, message.data(), message.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(message.size()));
    }
    // The xid of a reply; 0 if there is none, -1 if the server has closed.
    std::int64_t heard(int socket) {
        Bytes room(1000);
        const ssize_t got = recv(socket, room.data(), room.size(), MSG_DONTWAIT);
        if (got == 0) return -1;
        return got < 0 ? 0 : word_at(room, 1);
    }
    void turn_all() {
        for (int i = 0; i < 3; ++i)
            for (std::size_t thread = 0; thread < server.threads(); ++thread) server.turn(thread);
    }

    FakeClock clock;
    PeerState state;
    PeerV1 v1{state};
    rpc::Server programs;
    transport::Server server{(programs.add(v1), programs), {.threads = 2}};
};

TEST_F(Driven, AnswersInItsTurnsOnly) {
    server.start_driven();
    const Fd first = server.connect_in_process();
    const Fd second = server.connect_in_process();
    call(first.get(), 7, 0);
    call(second.get(), 8, 0);
    EXPECT_EQ(heard(first.get()), 0);
    for (int i = 0; i < 3; ++i) server.turn(0);
    EXPECT_EQ(heard(first.get()), 7);
    EXPECT_EQ(heard(second.get()), 0) << "a connection of the other thread";
    for (int i = 0; i < 3; ++i) server.turn(1);
    EXPECT_EQ(heard(second.get()), 8);
}

TEST_F(Driven, ItsTimeIsTheCallers) {
    server.start_driven();
    const Fd client = server.connect_in_process();
    turn_all();
    const auto begin = Clock::now();
    while (heard(client.get()) == 0) {
        ASSERT_LT(Clock::now() - begin, 2 * transport::kIdleTimeout);
        clock.advance_to(server.next_timer().value());
        turn_all();
    }
    EXPECT_GE(Clock::now() - begin, transport::kIdleTimeout);
    EXPECT_EQ(server.counters().timed_out, 1u);
}

TEST_F(Driven, IdleConnectionsAreClosedBusyOnesNot) {
    server.start_driven();
    const Fd idle = server.connect_in_process();
    const Fd busy = server.connect_in_process();
    const Fd waiting = server.connect_in_process();
    const auto long_call = 4 * std::chrono::milliseconds(transport::kIdleTimeout);
    call(waiting.get(), 99, 4, words({static_cast<std::uint32_t>(long_call.count())}));
    const auto begin = Clock::now();
    for (std::uint32_t xid = 1; Clock::now() - begin < 2 * transport::kIdleTimeout; ++xid) {
        call(busy.get(), xid, 0);
        turn_all();
        ASSERT_EQ(heard(busy.get()), xid);
        clock.advance(transport::kIdleTimeout / 4);
    }
    EXPECT_EQ(heard(idle.get()), -1);
    EXPECT_EQ(heard(waiting.get()), 0);
    clock.advance_to(begin + long_call);
    turn_all();
    EXPECT_EQ(heard(waiting.get()), 99) << "a call that runs for long is not idleness";
}

TEST_F(Driven, DrainsByTurns) {
    server.start_driven();
    const Fd client = server.connect_in_process();
    turn_all();
    server.begin_stop(1h);
    EXPECT_EQ(heard(client.get()), 0);
    turn_all();
    EXPECT_EQ(heard(client.get()), -1);
    clock.advance(1s);  // it looks again now and then
    turn_all();
    EXPECT_FALSE(server.turn(0));
    EXPECT_FALSE(server.turn(1));
    server.stop();
    EXPECT_EQ(server.counters().connections, 0u);
}

// The duplicate cache identifies clients by their address.
TEST_F(Driven, ConnectionsOfAMadeUpPeer) {
    server.start_driven();
    rpc::Peer peer;
    peer.client.kind = rpc::kClientInternet;
    peer.client.bytes[15] = std::byte{7};
    const Fd client = server.connect_as(peer);
    const Fd again = server.connect_as(peer);
    const Bytes count = record(call_message(5, 1, PEER_V1::COUNT));  // not idempotent
    for (const Fd* const one : {&client, &again}) {
        ASSERT_GT(send(one->get(), count.data(), count.size(), MSG_NOSIGNAL), 0);
        turn_all();
        EXPECT_EQ(heard(one->get()), 5);
    }
    peer.client.bytes[15] = std::byte{8};
    const Fd other = server.connect_as(peer);
    ASSERT_GT(send(other.get(), count.data(), count.size(), MSG_NOSIGNAL), 0);
    turn_all();
    EXPECT_EQ(programs.duplicates().counters().fresh, 2u);
    EXPECT_EQ(programs.duplicates().counters().replayed, 1u);
}

}  // namespace
}  // namespace wire::driven_test
