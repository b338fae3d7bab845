#include "helio/rpc/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace helio::rpc::memory_test {
namespace {

TEST(BufferPool, GivesTheSameBufferAgain) {
    BufferPool pool;
    BufferRef one = pool.take(1000);
    ASSERT_TRUE(one);
    EXPECT_GE(one->capacity, 1000u);
    EXPECT_EQ(one->refs, 1u);
    Buffer* const first = one.get();
    const BufferRef still = one;
    EXPECT_EQ(one->refs, 2u);
    one = {};
    const BufferRef other = pool.take(1000);
    EXPECT_NE(other.get(), first) << "somebody holds it";
    std::memset(still->bytes.get(), 1, 1000);
}

TEST(BufferPool, TakesTheSmallestThatFitsAndNoneMuchTooLarge) {
    BufferPool pool;
    Buffer* const small = pool.take(1000).get();  // returned at once, and kept
    {
        const BufferRef held = pool.take(1000);
        EXPECT_EQ(held.get(), small);
        (void)pool.take(4000);
    }
    EXPECT_EQ(pool.take(900).get(), small);
    EXPECT_EQ(pool.take(1000)->capacity, 1000u);
    EXPECT_EQ(pool.take(1001)->capacity, 4000u);
    EXPECT_LE(pool.take(10)->capacity, 1000u);
    (void)pool.take(1u << 20);
    const BufferRef tiny = pool.take(5000);
    EXPECT_EQ(tiny->capacity, 5000u) << "a mebibyte is for somebody who needs it";
}

TEST(BufferPool, KeepsNoMoreThanItsLimits) {
    BufferPool pool;
    {
        std::vector<BufferRef> many;
        for (int i = 0; i < 20; ++i) many.push_back(pool.take(4u << 20));
    }
    std::vector<BufferRef> again;  // four of them are kept; the sanitizer checks the rest
    for (int i = 0; i < 20; ++i) again.push_back(pool.take(4u << 20));
    {
        std::vector<BufferRef> small;
        for (std::size_t i = 0; i < 2 * kBuffersKeptMax; ++i) small.push_back(pool.take(16));
    }
    EXPECT_TRUE(pool.take(16));
}

TEST(BufferPool, NothingIsASizeToo) {
    BufferPool pool;
    EXPECT_TRUE(pool.take(0));
    EXPECT_TRUE(pool.take(0));
}

#ifdef HELIO_POISON
TEST(BufferPool, PoisonsWhatComesBack) {
    BufferPool pool;
    const std::byte* bytes = nullptr;
    {
        const BufferRef one = pool.take(64);
        std::memset(one->bytes.get(), 1, 64);
        bytes = one->bytes.get();
    }
    EXPECT_EQ(bytes[0], std::byte{0xdb});  // still in the pool
    EXPECT_EQ(bytes[63], std::byte{0xdb});
}
#endif

void write(Batch& batch, std::uint32_t word) {
    ASSERT_TRUE(batch.writer->ready(4));
    xdr::store_u32(batch.writer->at(), word);
    batch.writer->end(batch.writer->at() + 4);
    batch.bytes += 4;
}

TEST(BatchPool, ABatchComesBackEmpty) {
    BatchPool pool;
    BatchRef one = pool.take();
    Batch* const first = one.get();
    write(*one, 7);
    EXPECT_EQ(one->writer->size(), 4u);
    one = {};
    one = pool.take();
    EXPECT_EQ(one.get(), first);
    EXPECT_EQ(one->bytes, 0u);
    EXPECT_EQ(one->writer->size(), 0u);
    EXPECT_TRUE(one->writer->segments().empty());
}

TEST(BatchPool, AFailedWriterComesBackSound) {
    BatchPool pool;
    {
        const BatchRef one = pool.take();
        one->writer->fail(xdr::Fault::too_long, one->writer->at(), 1, 0);
        EXPECT_FALSE(one->writer->ready(4));
    }
    const BatchRef again = pool.take();
    EXPECT_TRUE(again->writer->ready(4));
}

TEST(BatchPool, KeepsWhatTheRepliesNeedUntilTheyAreSent) {
    BufferPool buffers;
    BatchPool pool;
    const BufferRef buffer = buffers.take(100);
    BatchRef batch = pool.take();
    batch->keep(buffer);
    batch->keep(buffer);
    batch->keep(BufferRef{});
    EXPECT_EQ(batch->buffers.size(), 1u);
    EXPECT_EQ(buffer->refs, 2u);
    auto owner = std::make_shared<int>(1);
    batch->owners.push_back(owner);
    const BatchRef other = pool.take();
    const MemoryRef memory{&other->memory};
    batch->keep(memory);
    batch->keep(memory);
    batch->keep(MemoryRef{&batch->memory});  // a reference to itself would last forever
    batch->keep(MemoryRef{});
    EXPECT_EQ(batch->memories.size(), 1u);

    batch = {};
    EXPECT_EQ(buffer->refs, 1u);
    EXPECT_EQ(owner.use_count(), 1);
    EXPECT_EQ(other->memory.refs, 1u);
}

TEST(BatchPool, ACallKeepsTheArenaAfterTheRepliesAreSent) {
    BufferPool buffers;
    BatchPool pool;
    const BufferRef buffer = buffers.take(100);
    BatchRef batch = pool.take();
    Batch* const first = batch.get();
    auto* const value = batch->arena.make<std::uint32_t>();
    *value = 42;
    batch->keep(buffer);
    MemoryRef call{&batch->memory};
    batch = {};
    EXPECT_EQ(buffer->refs, 1u) << "that was for the replies, which are gone";
    EXPECT_EQ(*value, 42u);
    EXPECT_NE(pool.take().get(), first);
    call = {};
    const BatchRef again = pool.take();
    const BatchRef yet_another = pool.take();
    EXPECT_TRUE(again.get() == first || yet_another.get() == first);
}

// A connection that always has a call waiting: each batch answers a call that lives in the previous
// one. Neither memory nor, at their end, the stack may grow with their number.
TEST(BatchPool, AChainOfCallsKeepsNoChainOfBatches) {
    BatchPool pool;
    BatchRef batch = pool.take();
    MemoryRef call{&batch->memory};
    std::vector<Batch*> seen;
    for (int i = 0; i < 10'000; ++i) {
        BatchRef next = pool.take();
        if (std::find(seen.begin(), seen.end(), next.get()) == seen.end())
            seen.push_back(next.get());
        next->keep(call);
        call = MemoryRef{&next->memory};
        batch = std::move(next);  // the previous one has been sent
    }
    EXPECT_LE(seen.size(), 4u);
}

TEST(BatchPool, KeepsNoMoreThanItsLimit) {
    BatchPool pool;
    std::vector<BatchRef> many;
    for (std::size_t i = 0; i < 2 * kBatchesKeptMax; ++i) many.push_back(pool.take());
    many.clear();  // half of them are freed: the sanitizer checks that
    EXPECT_TRUE(pool.take());
}

TEST(BatchPool, FreesWhatWasNotNeededSinceTheLastTrim) {
    BatchPool pool;
    {
        const BatchRef first = pool.take(), second = pool.take();
        ASSERT_NE(first->arena.make<char>(1'000'000), nullptr);
        ASSERT_NE(second->arena.make<char>(1'000'000), nullptr);
    }
    EXPECT_EQ(pool.trim(), 0u) << "both were in use";
    static_cast<void>(pool.take());
    EXPECT_GE(pool.trim(), 1'000'000u) << "one was not needed";
    EXPECT_GE(pool.trim(), 1'000'000u) << "nor was the other";
    EXPECT_EQ(pool.trim(), 0u);
    EXPECT_TRUE(pool.take());
}

TEST(BufferPool, FreesWhatWasNotNeededSinceTheLastTrim) {
    BufferPool pool;
    { const BufferRef large = pool.take(1'000'000), small = pool.take(1'000); }
    EXPECT_EQ(pool.trim(), 0u);
    static_cast<void>(pool.take(900'000));
    EXPECT_LE(pool.trim(), 1'000u);
    EXPECT_GE(pool.trim(), 1'000'000u);
    EXPECT_EQ(pool.trim(), 0u);
    EXPECT_TRUE(pool.take(10));
}

TEST(MemoryBudget, CountsAllMemoryOfThePools) {
    MemoryBudget budget{64u << 20};
    {
        BufferPool buffers{&budget};
        BatchPool batches{&budget};
        BufferRef buffer = buffers.take(1'000'000);
        EXPECT_EQ(budget.used(), 1'000'000u);
        BatchRef batch = batches.take();
        ASSERT_NE(batch->arena.make<char>(2'000'000), nullptr);
        EXPECT_EQ(budget.used(), 1'000'000u + batch->arena.bytes_held());
        const std::size_t in_use = budget.used();
        buffer = {};
        batch = {};
        EXPECT_EQ(budget.used(), in_use) << "kept for the next call";
    }
    EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryBudget, NothingIsKeptWhenMoreThanHalfIsInUse) {
    MemoryBudget budget{8u << 20};
    BufferPool buffers{&budget};
    BatchPool batches{&budget};
    BatchRef batch = batches.take();
    ASSERT_NE(batch->arena.make<char>(1'000'000), nullptr);
    BufferRef buffer = buffers.take(1'000'000);
    budget.add(budget.bytes_max() / 2);
    buffer = {};
    batch = {};
    EXPECT_LE(budget.used(), budget.bytes_max() / 2 + (64u << 10)) << "a block for a short call";
    budget.remove(budget.bytes_max() / 2);

    buffer = buffers.take(1'000'000);
    buffer = {};
    EXPECT_GE(budget.used(), 1'000'000u) << "kept";
    budget.add(budget.bytes_max() / 2);
    EXPECT_GE(buffers.trim(), 1'000'000u) << "and let go of at once when memory is short";
    budget.remove(budget.bytes_max() / 2);
}

}  // namespace
}  // namespace helio::rpc::memory_test
