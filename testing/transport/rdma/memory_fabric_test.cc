#include "testing/transport/rdma/memory_fabric.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "testing/transport/rdma/memory_side.h"

namespace helio::transport::rdma::memory_fabric_test {
namespace {

using namespace std::chrono_literals;
using Side = MemoryFabric::Side;

TEST_F(MemoryFabricTest, ConnectsAndTellsEachSideWhatTheOtherSaid) {
    start();
    asking.link->establish(as_bytes("question"));
    ASSERT_NE(answering.link, nullptr);
    EXPECT_EQ(as_text(answering.link->private_data()).substr(0, 9),
              std::string_view("question\0", 9));
    EXPECT_EQ(answering.link->private_data().size(), kPrivateDataMax);  // padded, as by RoCE
    EXPECT_TRUE(asking.link->private_data().empty());
    turn();
    EXPECT_EQ(asking.take(), MemoryEvents{});
    answering.link->attach(loop, answering);
    answering.link->establish(as_bytes("answer"));
    EXPECT_EQ(asking.take(), MemoryEvents{});  // never from within a call
    turn();
    EXPECT_EQ(asking.take(), MemoryEvents{"connected"});
    EXPECT_EQ(answering.take(), MemoryEvents{"connected"});
    EXPECT_EQ(as_text(asking.link->private_data()).substr(0, 6), "answer");
    EXPECT_EQ(to_text(asking.link->remote()), to_text(listener->where()));
    EXPECT_EQ(to_text(answering.link->remote()), to_text(asking.link->local()));
    EXPECT_EQ(fabric.links(), 2u);
}

TEST_F(MemoryFabricTest, IsRefusedWhereNobodyListens) {
    start();
    listener.reset();
    asking.link->establish({});
    turn();
    EXPECT_EQ(asking.take(),
              MemoryEvents{"lost " + std::to_string(ECONNREFUSED) + ": nobody listens there"});
}

TEST_F(MemoryFabricTest, IsRefusedByDestroyingTheLinkThatArrived) {
    start();
    asking.link->establish({});
    answering.link.reset();
    turn();
    EXPECT_EQ(asking.take(), MemoryEvents{"lost " + std::to_string(ECONNREFUSED) +
                                          ": the connection was refused"});
}

TEST_F(MemoryFabricTest, WhoAnswersTooLateHearsThatTheOtherHasGone) {
    start();
    asking.link->establish({});
    asking.link.reset();
    answering.link->attach(loop, answering);
    answering.link->establish({});
    turn();
    EXPECT_EQ(answering.take(), MemoryEvents{"lost 0: the other side disconnected"});
}

TEST_F(MemoryFabricTest, APortIsListenedOnOnce) {
    start();
    EXPECT_THROW(fabric.listen(listener->where(), limits, [](std::unique_ptr<Link>) {}),
                 std::runtime_error);
}

TEST_F(MemoryFabricTest, SendsArriveInTheReceivesThatWerePosted) {
    connect();
    ASSERT_TRUE(answering.link->post_receive(1, piece_of(theirs, 10)));
    ASSERT_TRUE(answering.link->post_receive(2, piece_of(theirs, 10, 10)));
    std::memcpy(mine.data(), "helloworld", 10);
    ASSERT_TRUE(send(asking, 5, piece_of(mine, 5)));
    const Piece two[] = {piece_of(mine, 5, 5), piece_of(mine, 2)};
    const Work work{.verb = Verb::send, .id = 6, .pieces = two};
    ASSERT_TRUE(asking.link->post({&work, 1}));
    EXPECT_EQ(answering.take(), MemoryEvents{});
    turn();
    EXPECT_EQ(asking.take(), (MemoryEvents{"send 5", "send 6"}));
    EXPECT_EQ(answering.take(), (MemoryEvents{"receive 1: 5", "receive 2: 7"}));
    EXPECT_EQ(as_text({theirs.data(), 5}), "hello");
    EXPECT_EQ(as_text({theirs.data() + 10, 7}), "worldhe");
    EXPECT_EQ(fabric.counters(Side::asking).sends, 2u);
    EXPECT_EQ(fabric.counters(Side::asking).bytes_sent, 12u);
    EXPECT_EQ(fabric.counters(Side::answering).receives, 2u);
}

TEST_F(MemoryFabricTest, ReadsAndWritesTheOthersMemory) {
    connect();
    std::memcpy(lent.data(), "data", 4);
    ASSERT_TRUE(use(Verb::read, 1, lent.remote_key(), lent.data(), piece_of(theirs, 4)));
    EXPECT_EQ(as_text({theirs.data(), 4}), "data");
    std::memcpy(theirs.data(), "more", 4);
    std::byte* const last = lent.data() + lent.size() - 4;
    ASSERT_TRUE(use(Verb::write, 2, lent.remote_key(), last, piece_of(theirs, 4)));
    EXPECT_EQ(as_text({last, 4}), "more");
    turn();
    EXPECT_EQ(answering.take(), (MemoryEvents{"read 1", "write 2"}));
    EXPECT_EQ(asking.take(), MemoryEvents{});  // accesses to its memory are not reported
    EXPECT_EQ(fabric.counters(Side::answering).bytes_read, 4u);
    EXPECT_EQ(fabric.counters(Side::answering).bytes_written, 4u);
}

TEST_F(MemoryFabricTest, WhatIsNotSignaledIsToldOfOnlyWhenItFails) {
    connect();
    for (std::uint64_t id = 0; id < 4; ++id)
        ASSERT_TRUE(answering.link->post_receive(id, piece_of(theirs, 10)));
    ASSERT_TRUE(send(asking, 1, piece_of(mine, 1), false));
    ASSERT_TRUE(send(asking, 2, piece_of(mine, 1), false));
    ASSERT_TRUE(send(asking, 3, piece_of(mine, 1)));
    turn();
    EXPECT_EQ(asking.take(), MemoryEvents{"send 3"});
    ASSERT_TRUE(send(asking, 4, piece_of(mine, 11), false));
    turn();
    EXPECT_EQ(asking.take(), (MemoryEvents{"send 4: remote invalid request error",
                                           "lost 5: remote invalid request error"}));
}

TEST_F(MemoryFabricTest, RoomForWorksComesBackWithTheCompletionThatTellsOfThem) {
    connect();
    for (int round = 0; round < 5; ++round) {
        for (std::uint64_t id = 0; id < limits.works; ++id) {
            const Piece piece = piece_of(theirs, 1);
            const Work work{.verb = Verb::write,
                            .signaled = id + 1 == limits.works,
                            .id = id,
                            .pieces = {&piece, 1},
                            .remote_key = lent.remote_key(),
                            .remote_address = reinterpret_cast<std::uintptr_t>(lent.data())};
            ASSERT_TRUE(answering.link->post({&work, 1}));
        }
        turn();
        EXPECT_EQ(answering.take(), MemoryEvents{"write 7"});
    }
}

using MemoryFabricDeathTest = MemoryFabricTest;

TEST_F(MemoryFabricDeathTest, PostingMoreThanTheLimitsIsAMistake) {
    connect();
    for (std::uint64_t id = 0; id < limits.receives; ++id)
        ASSERT_TRUE(asking.link->post_receive(id, piece_of(mine, 1)));
    EXPECT_DEATH((void)asking.link->post_receive(9, piece_of(mine, 1)), "receives");
    for (std::uint64_t id = 0; id < limits.works; ++id)
        ASSERT_TRUE(use(Verb::read, id, lent.remote_key(), lent.data(), piece_of(theirs, 1)));
    EXPECT_DEATH((void)use(Verb::read, 9, lent.remote_key(), lent.data(), piece_of(theirs, 1)),
                 "works");
}

// Each line: a key and a range that no device lets pass, for reads and for writes.
TEST_F(MemoryFabricTest, RefusesEveryWrongUseOfTheOthersMemory) {
    std::vector<std::byte> page(100);
    const auto small = fabric.add(Side::asking, page, Purpose::shared);
    auto gone = fabric.add(Side::asking, page, Purpose::shared);
    const std::uint32_t gone_key = gone->remote_key;
    gone.reset();
    const Block lent_by_us = fabric.memory(Side::answering)->take(4096, Purpose::shared);
    struct Case {
        const char* what;
        std::uint32_t key;
        const std::byte* at;
        std::size_t size;
    };
    const Case cases[] = {
        {"a key of nobody's", 0xdeadbeef, page.data(), 1},
        {"zero as a key", 0, page.data(), 1},
        {"a key one off", small->remote_key + 16, page.data(), 1},
        {"a local key", small->local_key, page.data(), 1},
        {"a key that has gone", gone_key, page.data(), 1},
        {"memory that is not shared", mine.remote_key(), mine.data(), 1},
        {"a key of our own side", lent_by_us.remote_key(), lent_by_us.data(), 1},
        {"one byte before", small->remote_key, page.data() - 1, 1},
        {"from one byte before", small->remote_key, page.data() - 1, 2},
        {"one byte too long", small->remote_key, page.data() + 99, 2},
        {"just behind", small->remote_key, page.data() + 100, 1},
        {"far longer", small->remote_key, page.data(), 4096},
        {"address zero", small->remote_key, nullptr, 1},
        {"the last address", small->remote_key, reinterpret_cast<const std::byte*>(UINTPTR_MAX), 2},
        {"another region's address", small->remote_key, lent.data(), 1},
    };
    for (const Verb verb : {Verb::read, Verb::write}) {
        for (const Case& one : cases) {
            SCOPED_TRACE(one.what);
            const std::vector<std::byte> before = page;
            connect();
            ASSERT_TRUE(use(verb, 7, one.key, one.at, piece_of(theirs, one.size)));
            expect_broken_by(7, verb == Verb::read ? "read" : "write", "remote access error");
            EXPECT_EQ(page, before);
            asking.link.reset();
            answering.link.reset();
        }
        // Valid requests pass, up to the last byte.
        connect();
        ASSERT_TRUE(use(verb, 1, small->remote_key, page.data(), piece_of(theirs, 100)));
        turn();
        EXPECT_EQ(answering.take(), MemoryEvents{verb == Verb::read ? "read 1" : "write 1"});
        asking.link.reset();
        answering.link.reset();
        turn();
        asking.take();
        answering.take();
    }
}

TEST_F(MemoryFabricTest, ChecksThePiecesOfWhoPostsToo) {
    const Piece wrong[] = {
        {theirs.data(), 8, 0},                          // no key
        {theirs.data(), 8, theirs.remote_key()},        // not a local one
        {theirs.data(), 8, mine.local_key()},           // of the other device
        {mine.data(), 8, theirs.local_key()},           // not in the key's region
        {theirs.data(), 1u << 30, theirs.local_key()},  // beyond the slab
    };
    for (const Piece& piece : wrong) {
        connect();
        ASSERT_TRUE(use(Verb::write, 3, lent.remote_key(), lent.data(), piece));
        expect_broken_by(3, "write", "local protection error");
        asking.link.reset();
        answering.link.reset();
    }
}

TEST_F(MemoryFabricTest, ASendWithoutAReceiveBreaksTheLink) {
    connect();
    ASSERT_TRUE(send(answering, 4, piece_of(theirs, 1)));
    expect_broken_by(4, "send", "receiver not ready");
}

TEST_F(MemoryFabricTest, ASendLongerThanItsReceiveBreaksTheLink) {
    connect();
    ASSERT_TRUE(answering.link->post_receive(1, piece_of(theirs, 10)));
    ASSERT_TRUE(answering.link->post_receive(2, piece_of(theirs, 20)));
    std::memset(theirs.data(), 0, 20);
    std::memset(mine.data(), 1, 11);
    ASSERT_TRUE(send(asking, 5, piece_of(mine, 11)));
    turn();
    EXPECT_EQ(asking.take(), (MemoryEvents{"send 5: remote invalid request error",
                                           "lost 5: remote invalid request error"}));
    EXPECT_EQ(answering.take(), (MemoryEvents{"receive 1: local length error", "receive 2: flushed",
                                              "lost 104: the connection broke"}));
    EXPECT_EQ(theirs.data()[0], std::byte{0});
}

TEST_F(MemoryFabricTest, AReceiveIntoMemoryOfNobodysBreaksTheLink) {
    connect();
    ASSERT_TRUE(answering.link->post_receive(1, {theirs.data(), 10, mine.local_key()}));
    ASSERT_TRUE(send(asking, 5, piece_of(mine, 1)));
    turn();
    EXPECT_EQ(asking.events.front(), "send 5: remote operation error");
    EXPECT_EQ(answering.events.front(), "receive 1: local protection error");
}

TEST_F(MemoryFabricTest, AfterAnErrorAllThatWasPostedIsFlushedAndThenTheLinkIsLost) {
    connect();
    for (const std::uint64_t id : {1, 2})
        ASSERT_TRUE(answering.link->post_receive(id, piece_of(theirs, 10)));
    ASSERT_TRUE(asking.link->post_receive(3, piece_of(mine, 10)));
    const Piece piece = piece_of(theirs, 1);
    Work works[4];
    for (std::uint64_t id = 0; id < 4; ++id)
        works[id] = {.verb = id == 1 ? Verb::read : Verb::write,
                     .signaled = id == 1,
                     .id = 10 + id,
                     .pieces = {&piece, 1},
                     .remote_key = id == 1 ? 1 : lent.remote_key(),
                     .remote_address = reinterpret_cast<std::uintptr_t>(lent.data())};
    ASSERT_TRUE(answering.link->post(works));
    turn();
    // The first had succeeded unsignaled; failed and later work is reported anyway.
    EXPECT_EQ(answering.take(), (MemoryEvents{"read 11: remote access error", "receive 1: flushed",
                                              "receive 2: flushed", "write 12: flushed",
                                              "write 13: flushed", "lost 5: remote access error"}));
    EXPECT_EQ(asking.take(),
              (MemoryEvents{"receive 3: flushed", "lost 104: the connection broke"}));
    turn();
    EXPECT_EQ(answering.take(), MemoryEvents{});
    EXPECT_EQ(asking.take(), MemoryEvents{});
}

TEST_F(MemoryFabricTest, ASendMayInvalidateTheReceiversKey) {
    connect();
    std::vector<std::byte> page(100);
    const auto region = fabric.add(Side::asking, page, Purpose::shared);
    EXPECT_TRUE(fabric.is_valid(region->remote_key));
    for (const std::uint64_t id : {1, 2})
        ASSERT_TRUE(asking.link->post_receive(id, piece_of(mine, 10)));
    const Piece piece = piece_of(theirs, 1);
    const Work work{.verb = Verb::send,
                    .invalidates = true,
                    .invalidated_key = region->remote_key,
                    .id = 1,
                    .pieces = {&piece, 1}};
    ASSERT_TRUE(answering.link->post({&work, 1}));
    turn();
    EXPECT_EQ(answering.take(), MemoryEvents{"send 1"});
    EXPECT_FALSE(fabric.is_valid(region->remote_key));
    EXPECT_TRUE(fabric.is_valid(lent.remote_key()));
    EXPECT_EQ(fabric.counters(Side::answering).invalidations, 1u);
    // Not a second time.
    ASSERT_TRUE(answering.link->post({&work, 1}));
    turn();
    EXPECT_EQ(answering.events.front(), "send 1: remote access error");
}

TEST_F(MemoryFabricTest, DestroyingALinkDisconnectsTheOther) {
    connect();
    ASSERT_TRUE(asking.link->post_receive(1, piece_of(mine, 10)));
    ASSERT_TRUE(send(answering, 2, piece_of(theirs, 1)));
    ASSERT_TRUE(asking.link->post_receive(3, piece_of(mine, 10)));
    answering.link.reset();
    turn();
    EXPECT_EQ(answering.take(), MemoryEvents{});  // not even of its own send
    EXPECT_EQ(asking.take(), (MemoryEvents{"receive 1: 1", "receive 3: flushed",
                                           "lost 0: the other side disconnected"}));
    EXPECT_EQ(fabric.links(), 1u);
}

TEST_F(MemoryFabricTest, ALinkMayBeDestroyedFromItsOwnersCallbacks) {
    connect();
    ASSERT_TRUE(asking.link->post_receive(1, piece_of(mine, 10)));
    asking.dies_of_completion = true;
    answering.dies_of_loss = true;
    ASSERT_TRUE(use(Verb::read, 3, 0, lent.data(), piece_of(theirs, 1)));
    turn();
    EXPECT_EQ(asking.take(), MemoryEvents{"receive 1: flushed"});  // and no loss
    EXPECT_EQ(answering.take(),
              (MemoryEvents{"read 3: remote access error", "lost 5: remote access error"}));
    EXPECT_EQ(fabric.links(), 0u);
}

TEST_F(MemoryFabricTest, TheFirstMessageMayOvertakeTheConnection) {
    start();
    fabric.connect_late(true);
    asking.link->establish({});
    answering.link->attach(loop, answering);
    ASSERT_TRUE(answering.link->post_receive(1, piece_of(theirs, 10)));
    answering.link->establish({});
    turn();
    EXPECT_EQ(asking.take(), MemoryEvents{"connected"});
    EXPECT_EQ(answering.take(), MemoryEvents{});
    ASSERT_TRUE(send(asking, 2, piece_of(mine, 5)));
    turn();
    EXPECT_EQ(answering.take(), (MemoryEvents{"receive 1: 5", "connected"}));
}

TEST(MemoryFabric, ALoopThatEndsFirstTakesItsNewsAlong) {
    MemoryFabric fabric;
    MemoryEnd end;
    {
        EventLoop loop;
        end.link = fabric.connect(memory_address(1), {}, loop, end);
    }
    fabric.break_all();
    end.link.reset();
    EXPECT_EQ(end.take(), MemoryEvents{});
}

TEST(MemoryFabric, LinksAndMemoryMayOutliveIt) {
    auto fabric = std::make_unique<MemoryFabric>();
    EventLoop loop;
    MemoryEnd end;
    end.link = fabric->connect(memory_address(1), {}, loop, end);
    Block block = end.link->memory()->take(10);
    fabric.reset();
    loop.turn(0ms);
    EXPECT_EQ(end.take(), MemoryEvents{"ready"});
    ASSERT_TRUE(end.link->post_receive(1, piece_of(block, 10)));
}

}  // namespace
}  // namespace helio::transport::rdma::memory_fabric_test
