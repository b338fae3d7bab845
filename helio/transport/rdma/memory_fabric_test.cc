#include "helio/transport/rdma/memory_fabric.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

namespace helio::transport::rdma {
namespace {

using namespace std::chrono_literals;
using Side = MemoryFabric::Side;
using Fault = MemoryFabric::Fault;
using Events = std::vector<std::string>;

Endpoint memory_address(std::uint16_t port = 0) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return {reinterpret_cast<const sockaddr*>(&address), sizeof address};
}

Piece piece_of(const Block& block, std::size_t size, std::size_t from = 0) {
    return {block.data() + from, static_cast<std::uint32_t>(size), block.local_key()};
}

// One side of a connection, which writes down what it is told.
class MemoryEnd final : public Link::Owner {
 public:
    void on_ready() override { events.emplace_back("ready"); }
    void on_connected() override { events.emplace_back("connected"); }
    void on_completions(std::span<const Completion> completions) override {
        static constexpr const char* kVerbs[] = {"receive", "send", "read", "write"};
        for (const Completion& one : completions) {
            std::string text = kVerbs[static_cast<int>(one.verb)];
            text += " " + std::to_string(one.id);
            if (one.ok && one.verb == Verb::receive) text += ": " + std::to_string(one.bytes);
            if (!one.ok) text += ": " + std::string{one.what};
            events.push_back(text);
        }
        if (dies_of_completion) link.reset();
    }
    void on_lost(int error_number, std::string_view why) override {
        events.push_back("lost " + std::to_string(error_number) + ": " + std::string{why});
        if (dies_of_loss) link.reset();
    }

    Events take() { return std::exchange(events, {}); }

    Events events;
    std::unique_ptr<Link> link;
    bool dies_of_completion = false;
    bool dies_of_loss = false;
};

// Two ends on one loop.
class MemoryFabricTest : public testing::Test {
 protected:
    void start() {
        listener = fabric.listen(memory_address(), limits, [this](std::unique_ptr<Link> link) {
            answering.link = std::move(link);
        });
        asking.link = fabric.connect(listener->where(), limits, loop, asking);
        turn();
        ASSERT_EQ(asking.take(), Events{"ready"});
    }
    void connect() {
        start();
        asking.link->establish(as_bytes("question"));
        ASSERT_NE(answering.link, nullptr);
        answering.link->attach(loop, answering);
        answering.link->establish(as_bytes("answer"));
        turn();
        ASSERT_EQ(asking.take(), Events{"connected"});
        ASSERT_EQ(answering.take(), Events{"connected"});
    }
    void turn() {
        for (int i = 0; i < 4; ++i) loop.turn(0ms);
    }

    MemoryFabric fabric;
    EventLoop loop;
    LinkLimits limits{.receives = 8, .works = 8};
    std::unique_ptr<Listener> listener;
    MemoryEnd asking, answering;
    // Blocks of both sides: for messages, and one of the asking side's that others may use.
    Block mine = fabric.memory(Side::asking)->take(4096);
    Block theirs = fabric.memory(Side::answering)->take(4096);
    Block lent = fabric.memory(Side::asking)->take(4096, Purpose::shared);

    bool send(MemoryEnd& from, std::uint64_t id, const Piece& piece, bool signaled = true) {
        const Work work{.verb = Verb::send, .signaled = signaled, .id = id, .pieces = {&piece, 1}};
        return from.link->post({&work, 1});
    }
    // From the answering side, which is who reads and writes.
    bool use(Verb verb, std::uint64_t id, std::uint32_t key, const std::byte* at,
             const Piece& piece) {
        const Work work{.verb = verb,
                        .id = id,
                        .pieces = {&piece, 1},
                        .remote_key = key,
                        .remote_address = reinterpret_cast<std::uintptr_t>(at)};
        return answering.link->post({&work, 1});
    }
    void expect_broken_by(std::uint64_t id, const std::string& verb, const std::string& what) {
        turn();
        EXPECT_EQ(answering.take(), (Events{verb + " " + std::to_string(id) + ": " + what,
                                            "lost " + std::to_string(EIO) + ": " + what}));
        EXPECT_EQ(asking.take(),
                  Events{"lost " + std::to_string(ECONNRESET) + ": the connection broke"});
        EXPECT_FALSE(send(asking, 90, piece_of(mine, 1)));
        EXPECT_FALSE(send(answering, 91, piece_of(theirs, 1)));
        EXPECT_FALSE(asking.link->post_receive(92, piece_of(mine, 1)));
    }
};

TEST_F(MemoryFabricTest, ConnectsAndTellsEachSideWhatTheOtherSaid) {
    start();
    asking.link->establish(as_bytes("question"));
    ASSERT_NE(answering.link, nullptr);
    EXPECT_EQ(as_text(answering.link->private_data()).substr(0, 9),
              std::string_view("question\0", 9));
    EXPECT_EQ(answering.link->private_data().size(), kPrivateDataMax);  // as RoCE fills it up
    EXPECT_TRUE(asking.link->private_data().empty());
    turn();
    EXPECT_EQ(asking.take(), Events{});
    answering.link->attach(loop, answering);
    answering.link->establish(as_bytes("answer"));
    EXPECT_EQ(asking.take(), Events{});  // never from within a call
    turn();
    EXPECT_EQ(asking.take(), Events{"connected"});
    EXPECT_EQ(answering.take(), Events{"connected"});
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
              Events{"lost " + std::to_string(ECONNREFUSED) + ": nobody listens there"});
}

TEST_F(MemoryFabricTest, IsRefusedByDestroyingTheLinkThatArrived) {
    start();
    asking.link->establish({});
    answering.link.reset();
    turn();
    EXPECT_EQ(asking.take(),
              Events{"lost " + std::to_string(ECONNREFUSED) + ": the connection was refused"});
}

TEST_F(MemoryFabricTest, WhoAnswersTooLateHearsThatTheOtherHasGone) {
    start();
    asking.link->establish({});
    asking.link.reset();
    answering.link->attach(loop, answering);
    answering.link->establish({});
    turn();
    EXPECT_EQ(answering.take(), Events{"lost 0: the other side disconnected"});
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
    EXPECT_EQ(answering.take(), Events{});
    turn();
    EXPECT_EQ(asking.take(), (Events{"send 5", "send 6"}));
    EXPECT_EQ(answering.take(), (Events{"receive 1: 5", "receive 2: 7"}));
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
    EXPECT_EQ(answering.take(), (Events{"read 1", "write 2"}));
    EXPECT_EQ(asking.take(), Events{});  // of what is done to its memory it hears nothing
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
    EXPECT_EQ(asking.take(), Events{"send 3"});
    ASSERT_TRUE(send(asking, 4, piece_of(mine, 11), false));
    turn();
    EXPECT_EQ(asking.take(), (Events{"send 4: remote invalid request error",
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
        EXPECT_EQ(answering.take(), Events{"write 7"});
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
        // And what is right passes, to the last byte.
        connect();
        ASSERT_TRUE(use(verb, 1, small->remote_key, page.data(), piece_of(theirs, 100)));
        turn();
        EXPECT_EQ(answering.take(), Events{verb == Verb::read ? "read 1" : "write 1"});
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
        {mine.data(), 8, theirs.local_key()},           // not where it says
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
    EXPECT_EQ(asking.take(), (Events{"send 5: remote invalid request error",
                                     "lost 5: remote invalid request error"}));
    EXPECT_EQ(answering.take(), (Events{"receive 1: local length error", "receive 2: flushed",
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
    // The first had gone well and was not signaled; what failed and what follows is told of anyway.
    EXPECT_EQ(answering.take(),
              (Events{"read 11: remote access error", "receive 1: flushed", "receive 2: flushed",
                      "write 12: flushed", "write 13: flushed", "lost 5: remote access error"}));
    EXPECT_EQ(asking.take(), (Events{"receive 3: flushed", "lost 104: the connection broke"}));
    turn();
    EXPECT_EQ(answering.take(), Events{});
    EXPECT_EQ(asking.take(), Events{});
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
    EXPECT_EQ(answering.take(), Events{"send 1"});
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
    EXPECT_EQ(answering.take(), Events{});  // not even of its own send
    EXPECT_EQ(asking.take(), (Events{"receive 1: 1", "receive 3: flushed",
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
    EXPECT_EQ(asking.take(), Events{"receive 1: flushed"});  // and no loss
    EXPECT_EQ(answering.take(),
              (Events{"read 3: remote access error", "lost 5: remote access error"}));
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
    EXPECT_EQ(asking.take(), Events{"connected"});
    EXPECT_EQ(answering.take(), Events{});
    ASSERT_TRUE(send(asking, 2, piece_of(mine, 5)));
    turn();
    EXPECT_EQ(answering.take(), (Events{"receive 1: 5", "connected"}));
}

TEST_F(MemoryFabricTest, FaultsMeetTheWorkTheyAreMeantFor) {
    struct Case {
        Fault fault;
        Events poster, other;
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
            EXPECT_EQ(asking.take(), (Events{"send 1", "send 2"}));
            EXPECT_EQ(answering.take(), (Events{"receive 1: 2", "receive 2: 3"}));
        }
        EXPECT_EQ(asking.take(), Events{});
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
    EXPECT_EQ(asking.take(), Events{"receive 1: 4"});
    EXPECT_EQ(answering.take(), Events{});
    EXPECT_EQ(theirs.data()[0], std::byte{0});
    fabric.release();
    turn();
    EXPECT_EQ(answering.take(), (Events{"read 5", "send 6"}));
    EXPECT_EQ(as_text({theirs.data(), 4}), "data");
}

TEST_F(MemoryFabricTest, CompletionsCanBeHeldAndThenComeInOrder) {
    connect();
    fabric.hold_completions(Side::answering, true);
    ASSERT_TRUE(answering.link->post_receive(1, piece_of(theirs, 10)));
    ASSERT_TRUE(send(asking, 2, piece_of(mine, 5)));
    ASSERT_TRUE(use(Verb::read, 3, 0, lent.data(), piece_of(theirs, 1)));
    turn();
    EXPECT_EQ(asking.take(), (Events{"send 2", "lost 104: the connection broke"}));
    EXPECT_EQ(answering.take(), Events{});
    fabric.hold_completions(false);
    turn();
    EXPECT_EQ(answering.take(), (Events{"receive 1: 5", "read 3: remote access error",
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

TEST(MemoryFabric, LinksAndMemoryMayOutliveIt) {
    auto fabric = std::make_unique<MemoryFabric>();
    EventLoop loop;
    MemoryEnd end;
    end.link = fabric->connect(memory_address(1), {}, loop, end);
    Block block = end.link->memory()->take(10);
    fabric.reset();
    loop.turn(0ms);
    EXPECT_EQ(end.take(), Events{"ready"});
    ASSERT_TRUE(end.link->post_receive(1, piece_of(block, 10)));
}

// Answers on its own thread's loop: each message is sent back, after one write and one read of
// the memory that its first bytes tell of.
class MemoryEcho final : public Link::Owner {
 public:
    MemoryEcho(EventLoop& loop, std::unique_ptr<Link> arrived) : link(std::move(arrived)) {
        block = link->memory()->take(4096);
        link->attach(loop, *this);
        (void)link->post_receive(0, piece_of(block, 64));
        link->establish({});
    }
    void on_ready() override {}
    void on_connected() override {}
    void on_lost(int, std::string_view) override { link.reset(); }
    void on_completions(std::span<const Completion> completions) override {
        for (const Completion& one : completions) {
            if (!one.ok || one.verb != Verb::receive) continue;
            std::uint64_t told[2];
            std::memcpy(told, block.data(), sizeof told);
            const Piece data = piece_of(block, 512, 1024);
            const Piece back = piece_of(block, one.bytes);
            (void)link->post_receive(0, piece_of(block, 64));
            const auto key = static_cast<std::uint32_t>(told[0]);
            const Work works[] = {
                {.verb = Verb::read,
                 .signaled = false,
                 .pieces = {&data, 1},
                 .remote_key = key,
                 .remote_address = told[1]},
                {.verb = Verb::write,
                 .signaled = false,
                 .pieces = {&data, 1},
                 .remote_key = key,
                 .remote_address = told[1] + 512},
                {.verb = Verb::send, .pieces = {&back, 1}},
            };
            (void)link->post(works);
        }
    }
    std::unique_ptr<Link> link;
    Block block;
};

class MemoryAsker final : public Link::Owner {
 public:
    MemoryAsker(MemoryFabric& fabric, EventLoop& loop, const Endpoint& where)
        : loop_(loop), link_(fabric.connect(where, {}, loop, *this)) {}
    void on_ready() override {
        block_ = link_->memory()->take(4096);
        lent_ = link_->memory()->take(4096, Purpose::shared);
        link_->establish({});
    }
    void on_connected() override { ask(); }
    void on_lost(int, std::string_view) override { loop_.stop(); }
    void on_completions(std::span<const Completion> completions) override {
        for (const Completion& one : completions) {
            if (!one.ok || one.verb != Verb::receive) continue;
            good += std::memcmp(lent_.data(), lent_.data() + 512, 512) == 0;
            if (++rounds == kRounds) {
                loop_.stop();
                link_.reset();  // what is still under way is nobody's business any more
                return;
            }
            ask();
        }
    }
    static constexpr int kRounds = 500;
    int rounds = 0, good = 0;

 private:
    void ask() {
        std::memset(lent_.data(), rounds, 512);
        const std::uint64_t told[] = {lent_.remote_key(),
                                      reinterpret_cast<std::uintptr_t>(lent_.data())};
        std::memcpy(block_.data(), told, sizeof told);
        (void)link_->post_receive(1, piece_of(block_, 64, 64));
        const Piece piece = piece_of(block_, sizeof told);
        const Work work{.verb = Verb::send, .pieces = {&piece, 1}};
        (void)link_->post({&work, 1});
    }
    EventLoop& loop_;
    Block block_, lent_;
    std::unique_ptr<Link> link_;
};

TEST(MemoryFabric, TwoThreadsTalk) {
    MemoryFabric fabric;
    EventLoop server;
    std::vector<std::unique_ptr<MemoryEcho>> echoes;
    auto listener = fabric.listen(memory_address(), {}, [&](std::unique_ptr<Link> link) {
        server.post(
            [&server, &echoes, moved = std::make_shared<std::unique_ptr<Link>>(std::move(link))] {
                echoes.push_back(std::make_unique<MemoryEcho>(server, std::move(*moved)));
            });
    });
    std::thread answering{[&server] { server.run(); }};
    for (int round = 0; round < 3; ++round) {
        EventLoop loop;
        MemoryAsker asker{fabric, loop, listener->where()};
        loop.run();
        EXPECT_EQ(asker.rounds, MemoryAsker::kRounds);
        EXPECT_EQ(asker.good, MemoryAsker::kRounds);
    }
    server.stop();
    answering.join();
    echoes.clear();
    EXPECT_EQ(fabric.links(), 0u);
    EXPECT_EQ(fabric.memory(Side::asking)->blocks_lent(), 0u);
    EXPECT_EQ(fabric.memory(Side::answering)->blocks_lent(), 0u);
}

// Whoever destroys a link may use its memory at once for something else: under ThreadSanitizer this
// is where a device that still writes would show.
TEST(MemoryFabric, NothingTouchesTheMemoryOfALinkThatHasGone) {
    MemoryFabric fabric;
    EventLoop server;
    std::vector<std::byte> target(64);
    const auto region = fabric.add(Side::asking, target, Purpose::shared);
    std::atomic<bool> over{false};

    class Writer final : public Link::Owner {
     public:
        void on_ready() override {}
        void on_connected() override { write(); }
        void on_lost(int, std::string_view) override { link.reset(); }
        void on_completions(std::span<const Completion> completions) override {
            if (completions.back().ok) write();
        }
        void write() {
            const Piece piece = piece_of(block, 64);
            const Work work{.verb = Verb::write,
                            .pieces = {&piece, 1},
                            .remote_key = key,
                            .remote_address = address};
            (void)link->post({&work, 1});
        }
        std::unique_ptr<Link> link;
        Block block;
        std::uint32_t key = 0;
        std::uint64_t address = 0;
    };
    std::vector<std::unique_ptr<Writer>> writers;
    auto listener = fabric.listen(memory_address(), {}, [&](std::unique_ptr<Link> link) {
        auto writer = std::make_shared<std::unique_ptr<Writer>>(std::make_unique<Writer>());
        (*writer)->block = link->memory()->take(64);
        std::memset((*writer)->block.data(), 1, 64);
        (*writer)->key = region->remote_key;
        (*writer)->address = reinterpret_cast<std::uintptr_t>(target.data());
        (*writer)->link = std::move(link);
        server.post([&, writer] {
            Writer& mine = **writer;
            writers.push_back(std::move(*writer));
            mine.link->attach(server, mine);
            mine.link->establish({});
        });
    });
    std::thread answering{[&server] { server.run(); }};
    for (int round = 0; round < 20; ++round) {
        EventLoop loop;
        MemoryEnd end;
        end.link = fabric.connect(listener->where(), {}, loop, end);
        while (end.events.empty()) loop.turn(-1ms);
        end.link->establish({});
        while (end.events.size() < 2) loop.turn(-1ms);
        EXPECT_EQ(end.events.back(), "connected");
        const auto before = fabric.counters(Side::answering).writes;
        while (fabric.counters(Side::answering).writes < before + 10) std::this_thread::yield();
        end.link.reset();
        for (std::byte& one : target) one = std::byte{2};
        for (const std::byte one : target) EXPECT_EQ(one, std::byte{2});
    }
    over = true;
    listener.reset();
    server.stop();
    answering.join();
    writers.clear();
    EXPECT_EQ(fabric.links(), 0u);
}

}  // namespace
}  // namespace helio::transport::rdma
