#include "helio/transport/stream/receive_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace helio::transport::receive_buffer_test {
namespace {

class ReceiveBufferTest : public ::testing::Test {
 protected:
    static constexpr std::size_t kMin = 1024;

    // Receives `size` bytes, as many as fit at a time; returns the room there was first.
    static std::size_t arrive(ReceiveBuffer& to, std::size_t size) {
        std::size_t first = 0;
        while (size > 0) {
            const std::span<std::byte> room = to.room();
            EXPECT_FALSE(room.empty());
            if (first == 0) first = room.size();
            const std::size_t part = std::min(size, room.size());
            std::memset(room.data(), 'x', part);
            to.received(part);
            to.check_invariants();
            size -= part;
        }
        return first;
    }

    // The bytes that count, without those that the pool keeps.
    std::size_t in_use() {
        pool_.trim();
        pool_.trim();
        return budget_.used();
    }

    MemoryBudget budget_{100'000};
    rpc::BufferPool pool_{&budget_};
    rpc::BufferPool uncounted_;
    SharedReceiveBuffer shared_{uncounted_};
    ReceiveBuffer::Options of_server_{&pool_, &shared_, &budget_, kMin};
    ReceiveBuffer::Options of_client_{&pool_, nullptr, nullptr, 8 * kMin};
};

TEST_F(ReceiveBufferTest, StreamsShareTheRoomByTurns) {
    ReceiveBuffer one{of_server_}, other{of_server_};
    arrive(one, 100);
    const rpc::BufferRef held = one.buffer();  // a call that waits
    one.consume(100);
    ASSERT_TRUE(one.keep(4));
    EXPECT_FALSE(one.buffer());
    arrive(other, 50);
    EXPECT_EQ(other.buffer(), held);
    EXPECT_EQ(other.bytes().data(), held->bytes.get() + 100);
    other.consume(50);
    ASSERT_TRUE(other.keep(4));
    EXPECT_EQ(in_use(), 0u);
}

// Readiness can be wrong. The room given to such a stream is used by the next one, one of whose
// calls may wait in it.
TEST_F(ReceiveBufferTest, AReceiveThatBringsNothingLeavesTheRoomToOthers) {
    ReceiveBuffer one{of_server_}, other{of_server_};
    ASSERT_FALSE(one.room().empty());
    one.received_nothing();
    EXPECT_FALSE(one.buffer());
    arrive(other, 50);
    const rpc::BufferRef held = other.buffer();  // a call that waits
    const ByteView message = other.bytes();
    other.consume(50);
    ASSERT_TRUE(other.keep(4));
    EXPECT_EQ(one.room().data(), message.data() + message.size());
}

TEST_F(ReceiveBufferTest, AnUnfinishedRecordMovesOutOfTheWay) {
    ReceiveBuffer one{of_server_}, other{of_server_};
    arrive(one, 100);
    one.consume(90);
    ASSERT_TRUE(one.keep(64));
    EXPECT_FALSE(one.is_shared());
    EXPECT_EQ(one.bytes().size(), 10u);
    EXPECT_EQ(in_use(), kMin);
    EXPECT_EQ(one.held(), kMin);
    EXPECT_FALSE(one.is_worth_a_look());
    arrive(other, 1000);  // in the place of the ten bytes
    EXPECT_EQ(one.bytes()[9], std::byte{'x'});
    arrive(one, 54);
    EXPECT_TRUE(one.is_worth_a_look());
    one.consume(64);
    ASSERT_TRUE(one.keep(4));
    EXPECT_EQ(in_use(), 0u);
    EXPECT_EQ(one.held(), 0u);
}

// A record of 80,000 bytes by tens, hundreds, …: memory follows what has arrived.
TEST_F(ReceiveBufferTest, APromiseCostsEightTimesWhatHasArrived) {
    for (auto options : {of_server_, of_client_}) {
        rpc::BufferPool empty;  // a pool may give more than requested
        options.pool = &empty;
        ReceiveBuffer one{options};
        std::size_t have = 0;
        for (const std::size_t size : {10u, 200u, 1000u, 9000u, 69790u}) {
            arrive(one, size);
            have += size;
            ASSERT_TRUE(one.keep(80'000));
            EXPECT_LE(one.buffer()->capacity, std::max(options.size_min, have * 8));
            EXPECT_EQ(one.bytes().size(), have);
        }
        EXPECT_EQ(have, 80'000u);
        one.consume(have);
        ASSERT_TRUE(one.keep(4));
    }
}

TEST_F(ReceiveBufferTest, OverBudgetItKeepsWhatIsThereAndNoMore) {
    ReceiveBuffer first{of_server_}, second{of_server_};
    arrive(second, 5'000);
    arrive(first, 20'000);
    ASSERT_TRUE(first.keep(90'000));
    EXPECT_EQ(in_use(), 90'000u);
    EXPECT_FALSE(first.is_over_budget());
    ASSERT_TRUE(second.keep(40'000));
    EXPECT_TRUE(second.is_over_budget());
    EXPECT_EQ(second.bytes().size(), 5'000u);
    EXPECT_EQ(in_use(), 95'000u);
    ASSERT_TRUE(second.keep(40'000));  // again, without effect
    EXPECT_TRUE(second.is_over_budget());
    EXPECT_EQ(in_use(), 95'000u);
    first.clear();
    ASSERT_TRUE(second.keep(40'000));
    EXPECT_FALSE(second.is_over_budget());
    EXPECT_EQ(second.bytes().size(), 5'000u);
    EXPECT_EQ(in_use(), 40'000u);
}

// Streams that come when all memory is in use must not add a receive buffer's worth each.
TEST_F(ReceiveBufferTest, WithoutMemoryItReceivesNoMoreThanAShortCall) {
    ReceiveBuffer full{of_server_}, late{of_server_};
    budget_.add(100'001);
    late.use_reserve(false);
    EXPECT_EQ(late.room().size(), kMin);
    arrive(late, kMin);
    ASSERT_TRUE(late.keep(50'000));
    EXPECT_TRUE(late.is_over_budget());
    EXPECT_EQ(late.held(), kMin);
    budget_.remove(100'001);
    EXPECT_GT(full.room().size(), kMin);
}

// In the last eighth of the budget it depends on the stream.
TEST_F(ReceiveBufferTest, TheReserveIsForSomeStreamsOnly) {
    ReceiveBuffer one{of_server_};
    budget_.add(budget_.tight() + 1);
    EXPECT_GT(one.room().size(), kMin);
    one.received_nothing();
    one.use_reserve(false);
    EXPECT_EQ(one.room().size(), kMin);
    budget_.remove(budget_.tight() + 1);
}

TEST_F(ReceiveBufferTest, FragmentsThatTheSessionHoldsCountToo) {
    ReceiveBuffer one{of_server_};
    ASSERT_TRUE(one.keep(4, 60'000));
    EXPECT_EQ(in_use(), 60'000u);
    EXPECT_EQ(one.held(), 60'000u);
    EXPECT_FALSE(one.is_over_budget());
    ASSERT_TRUE(one.keep(4, 100'001));
    EXPECT_TRUE(one.is_over_budget());
    ASSERT_TRUE(one.keep(4, 0));
    EXPECT_FALSE(one.is_over_budget());
    EXPECT_EQ(in_use(), 0u);
}

TEST_F(ReceiveBufferTest, DestroyedItHoldsNothing) {
    {
        ReceiveBuffer one{of_server_};
        arrive(one, 10);
        ASSERT_TRUE(one.keep(50'000));
        EXPECT_GT(in_use(), 0u);
    }
    EXPECT_EQ(in_use(), 0u);
}

TEST_F(ReceiveBufferTest, AloneItUsesItsBufferAgainWhenNoMessageLiesInIt) {
    ReceiveBuffer one{of_client_};
    arrive(one, 100);
    one.consume(100);
    ASSERT_TRUE(one.keep(4));
    EXPECT_EQ(arrive(one, 100), 8 * kMin);
    const rpc::BufferRef held = one.buffer();
    one.consume(100);
    ASSERT_TRUE(one.keep(4));
    EXPECT_EQ(arrive(one, 10), 8 * kMin - 100);
    EXPECT_EQ(one.buffer(), held);
}

// Half a message at the end of a buffer: it is moved to another one once, rather than received in
// tiny pieces.
TEST_F(ReceiveBufferTest, AloneItMovesARecordThatHasLittleRoom) {
    ReceiveBuffer one{of_client_};
    arrive(one, 8 * kMin - 10);
    one.consume(8 * kMin - 20);
    ASSERT_TRUE(one.keep(20));
    EXPECT_EQ(one.room().size(), 8 * kMin - 10);
    one.received(9);
    ASSERT_TRUE(one.keep(20));
    EXPECT_EQ(one.room().size(), 8 * kMin - 19);
}

// The last bytes of a record that fills its buffer: the record is not copied for them.
TEST_F(ReceiveBufferTest, ARecordThatFitsExactlyStaysWhereItIs) {
    ReceiveBuffer one{of_client_};
    arrive(one, 8 * kMin);
    ASSERT_TRUE(one.keep(30'000));
    arrive(one, 30'000 - 8 * kMin - 10);
    ASSERT_TRUE(one.keep(30'000));
    const rpc::BufferRef before = one.buffer();
    EXPECT_EQ(one.room().size(), 10u);
    EXPECT_EQ(one.buffer(), before);
}

TEST_F(ReceiveBufferTest, ALargeBufferGoesBackToThePool) {
    ReceiveBuffer one{of_client_};
    std::size_t have = 0;
    while (have < (2u << 20)) {
        arrive(one, 1u << 18);
        have += 1u << 18;
        ASSERT_TRUE(one.keep(2u << 20));
    }
    EXPECT_GE(one.buffer()->capacity, 2u << 20);
    one.consume(have);
    ASSERT_TRUE(one.keep(4));
    EXPECT_FALSE(one.buffer());
}

TEST_F(ReceiveBufferTest, BytesFromElsewhereAreAppended) {
    for (const auto& options : {of_server_, of_client_}) {
        ReceiveBuffer one{options};
        std::vector<std::byte> all;
        for (const std::size_t size : {1u, 3000u, 300'000u, 70u}) {
            const std::vector<std::byte> more(size, static_cast<std::byte>(size % 251));
            all.insert(all.end(), more.begin(), more.end());
            ASSERT_TRUE(one.append(more));
            ASSERT_TRUE(one.keep(all.size() + 1));
            one.check_invariants();
        }
        EXPECT_TRUE(std::equal(all.begin(), all.end(), one.bytes().begin(), one.bytes().end()));
    }
}

}  // namespace
}  // namespace helio::transport::receive_buffer_test
