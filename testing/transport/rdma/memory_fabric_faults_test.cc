// Faults and variations of the in-process fabric.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "testing/transport/rdma/memory_side.h"

namespace helio::transport::rdma::memory_fabric_faults_test {
namespace {

TEST_F(MemoryFabricTest, FaultsMeetTheWorkTheyAreMeantFor) {
    struct Case {
        Fault fault;
        MemoryEvents poster, other;
    };
    const Case cases[] = {
        {Fault::none,
         {"send 0", "send 1", "send 2"},
         {"receive 0: 1", "receive 1: 2", "receive 2: 3"}},
        {Fault::access_error,
         {"send 0", "send 1: remote access error", "send 2: flushed",
          "lost 5: remote access error"},
         {"receive 0: 1", "receive 1: flushed", "receive 2: flushed",
          "lost 104: the connection broke"}},
        {Fault::drop, {"send 0", "send 2"}, {"receive 0: 1", "receive 1: 3"}},
        {Fault::lose, {"send 0", "send 1", "send 2"}, {"receive 0: 1", "receive 1: 3"}},
        {Fault::delay, {"send 0"}, {"receive 0: 1"}},
        {Fault::disconnect,
         {"send 0", "send 1: flushed", "send 2: flushed", "lost 0: the other side disconnected"},
         {"receive 0: 1", "receive 1: flushed", "receive 2: flushed",
          "lost 0: the other side disconnected"}},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(static_cast<int>(one.fault));
        connect();
        for (const std::uint64_t id : {0, 1, 2})
            ASSERT_TRUE(answering.link->post_receive(id, piece_of(theirs, 10)));
        fabric.fail_after(1, one.fault);
        const Piece pieces[] = {piece_of(mine, 1), piece_of(mine, 2), piece_of(mine, 3)};
        Work works[3];
        for (std::uint64_t id = 0; id < 3; ++id)
            works[id] = {.verb = Verb::send, .id = id, .pieces = {&pieces[id], 1}};
        ASSERT_TRUE(asking.link->post(works));
        turn();
        EXPECT_EQ(asking.take(), one.poster);
        EXPECT_EQ(answering.take(), one.other);
        fabric.release();
        turn();
        if (one.fault == Fault::delay) {
            EXPECT_EQ(asking.take(), (MemoryEvents{"send 1", "send 2"}));
            EXPECT_EQ(answering.take(), (MemoryEvents{"receive 1: 2", "receive 2: 3"}));
        }
        EXPECT_EQ(asking.take(), MemoryEvents{});
        fabric.break_all();
        turn();
        if (one.fault == Fault::drop) {
            EXPECT_EQ(asking.events.front(), "send 1: flushed");
        }
        asking.link.reset();
        answering.link.reset();
        asking.take();
        answering.take();
    }
}

TEST_F(MemoryFabricTest, ADelayedReadDoesNotHoldUpWhatFollowsButItsCompletion) {
    connect();
    fabric.on_work([](Side from, const Work& work) {
        return from == Side::answering && work.verb == Verb::read ? Fault::delay : Fault::none;
    });
    std::memcpy(lent.data(), "data", 4);
    std::memset(theirs.data(), 0, 8);
    ASSERT_TRUE(asking.link->post_receive(1, piece_of(mine, 10)));
    ASSERT_TRUE(use(Verb::read, 5, lent.remote_key(), lent.data(), piece_of(theirs, 4)));
    ASSERT_TRUE(send(answering, 6, piece_of(theirs, 4, 4)));
    turn();
    EXPECT_EQ(asking.take(), MemoryEvents{"receive 1: 4"});
    EXPECT_EQ(answering.take(), MemoryEvents{});
    EXPECT_EQ(theirs.data()[0], std::byte{0});
    fabric.release();
    turn();
    EXPECT_EQ(answering.take(), (MemoryEvents{"read 5", "send 6"}));
    EXPECT_EQ(as_text({theirs.data(), 4}), "data");
}

TEST_F(MemoryFabricTest, CompletionsCanBeHeldAndThenComeInOrder) {
    connect();
    fabric.hold_completions(Side::answering, true);
    ASSERT_TRUE(answering.link->post_receive(1, piece_of(theirs, 10)));
    ASSERT_TRUE(send(asking, 2, piece_of(mine, 5)));
    ASSERT_TRUE(use(Verb::read, 3, 0, lent.data(), piece_of(theirs, 1)));
    turn();
    EXPECT_EQ(asking.take(), (MemoryEvents{"send 2", "lost 104: the connection broke"}));
    EXPECT_EQ(answering.take(), MemoryEvents{});
    fabric.hold_completions(false);
    turn();
    EXPECT_EQ(answering.take(), (MemoryEvents{"receive 1: 5", "read 3: remote access error",
                                              "lost 5: remote access error"}));
}

TEST_F(MemoryFabricTest, ShowsEachMessageToWhoeverWatches) {
    connect();
    std::string seen;
    fabric.watch([&seen](Side from, ByteView message) {
        seen += std::string{from == Side::asking ? "asking: " : "answering: "} +
                std::string{as_text(message)};
    });
    std::memcpy(mine.data(), "helloworld", 10);
    ASSERT_TRUE(answering.link->post_receive(1, piece_of(theirs, 10)));
    const Piece two[] = {piece_of(mine, 5, 5), piece_of(mine, 5)};
    const Work work{.verb = Verb::send, .id = 6, .pieces = two};
    ASSERT_TRUE(asking.link->post({&work, 1}));
    EXPECT_EQ(seen, "asking: worldhello");
}

TEST_F(MemoryFabricTest, RegistrationsCanBeRefused) {
    fabric.refuse_registrations(ENOMEM);
    EXPECT_FALSE(fabric.memory(Side::asking)->take(1u << 20));
    EXPECT_EQ(fabric.memory(Side::asking)->last_error(), ENOMEM);
    fabric.refuse_registrations(0);
    EXPECT_TRUE(fabric.memory(Side::asking)->take(1u << 20));
}

}  // namespace
}  // namespace helio::transport::rdma::memory_fabric_faults_test
