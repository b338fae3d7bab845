#include "helio/transport/rdma/memory_pool.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <thread>

namespace helio::transport::rdma::memory_pool_test {
namespace {

// Calls to a registrar; survives the pool.
struct Ledger {
    struct Added {
        std::span<std::byte> memory;
        Purpose purpose;
        std::uint32_t local_key;
    };
    std::vector<Added> added;
    int living = 0;
    int refuse = 0;                    // an errno
    std::size_t bytes_max = SIZE_MAX;  // per region: like RLIMIT_MEMLOCK
};

class LedgerRegion final : public Region {
 public:
    explicit LedgerRegion(std::shared_ptr<Ledger> ledger) : ledger_(std::move(ledger)) {
        ++ledger_->living;
    }
    ~LedgerRegion() override { --ledger_->living; }

 private:
    std::shared_ptr<Ledger> ledger_;
};

class LedgerRegistrar final : public Registrar {
 public:
    explicit LedgerRegistrar(std::shared_ptr<Ledger> ledger) : ledger_(std::move(ledger)) {}
    std::unique_ptr<Region> add(std::span<std::byte> memory, Purpose purpose) override {
        if (ledger_->refuse != 0 || memory.size() > ledger_->bytes_max) {
            errno = ledger_->refuse != 0 ? ledger_->refuse : ENOMEM;
            return nullptr;
        }
        auto region = std::make_unique<LedgerRegion>(ledger_);
        region->local_key = static_cast<std::uint32_t>(100 + ledger_->added.size());
        region->remote_key = region->local_key + 1000;
        ledger_->added.push_back({memory, purpose, region->local_key});
        return region;
    }

 private:
    std::shared_ptr<Ledger> ledger_;
};

struct LedgerPool {
    explicit LedgerPool(std::size_t bytes_max = kRegisteredBytesMax)
        : pool(MemoryPool::make(std::make_unique<LedgerRegistrar>(ledger), bytes_max)) {}
    std::shared_ptr<Ledger> ledger = std::make_shared<Ledger>();
    std::shared_ptr<MemoryPool> pool;
};

TEST(MemoryPool, LendsAtLeastWhatWasAskedForWithTheSlabsKeys) {
    LedgerPool p;
    for (const std::size_t size : {0ul, 1ul, 4096ul, 4097ul, 65536ul, 65537ul, 1ul << 20,
                                   (1ul << 20) + 4096, kRegisteredBlockMax}) {
        const Block block = p.pool->take(size);
        ASSERT_TRUE(block) << size;
        EXPECT_GE(block.size(), size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 4096, 0u);
        std::memset(block.data(), 1, block.size());
        const auto& slab = p.ledger->added.back();
        EXPECT_EQ(block.local_key() + 1000, block.remote_key());
        EXPECT_EQ(p.pool->key_of({block.data(), block.size()}), block.local_key()) << size;
        EXPECT_EQ(slab.purpose, Purpose::own);
    }
    EXPECT_EQ(p.pool->blocks_lent(), 0u);
    EXPECT_EQ(p.pool->last_error(), 0);
}

TEST(MemoryPool, AMebibyteWithItsHeadDoesNotDouble) {
    LedgerPool p;
    EXPECT_EQ(p.pool->take((1u << 20) + 4096).size(), (1u << 20) + 4096);
}

TEST(MemoryPool, HasNothingBeyondTheLongestBlock) {
    LedgerPool p;
    EXPECT_TRUE(p.pool->take(kRegisteredBlockMax));
    EXPECT_FALSE(p.pool->take(kRegisteredBlockMax + 1));
    EXPECT_FALSE(p.pool->take(SIZE_MAX));
}

TEST(MemoryPool, TheBlockGivenBackLastIsLentNextWithoutRegistering) {
    LedgerPool p;
    Block a = p.pool->take(4096);
    Block b = p.pool->take(4096);
    std::byte* const at_a = a.data();
    std::byte* const at_b = b.data();
    a = {};
    b = {};
    const Block c = p.pool->take(100);
    const Block d = p.pool->take(100);
    EXPECT_EQ(c.data(), at_b);
    EXPECT_EQ(d.data(), at_a);
    EXPECT_EQ(p.ledger->added.size(), 1u);
    EXPECT_EQ(p.pool->blocks_lent(), 2u);
}

TEST(MemoryPool, LentBlocksNeverOverlap) {
    LedgerPool p;
    std::vector<Block> blocks;
    for (int i = 0; i < 300; ++i)
        blocks.push_back(p.pool->take(i % 3 == 0   ? 4096
                                      : i % 3 == 1 ? 5000
                                                   : 20000,
                                      i % 2 == 0 ? Purpose::own : Purpose::shared));
    std::set<std::pair<std::byte*, std::byte*>> ranges;
    for (const Block& one : blocks) ranges.insert({one.data(), one.data() + one.size()});
    ASSERT_EQ(ranges.size(), blocks.size());
    const std::byte* end = nullptr;
    for (const auto& [begin, after] : ranges) {
        EXPECT_GE(begin, end);
        end = after;
    }
}

TEST(MemoryPool, WhatOthersMayWriteSharesNoSlabWithWhatIsOurs) {
    LedgerPool p;
    const Block own = p.pool->take(4096, Purpose::own);
    const Block shared = p.pool->take(4096, Purpose::shared);
    ASSERT_EQ(p.ledger->added.size(), 2u);
    EXPECT_EQ(p.ledger->added[0].purpose, Purpose::own);
    EXPECT_EQ(p.ledger->added[1].purpose, Purpose::shared);
    EXPECT_NE(own.local_key(), shared.local_key());
    EXPECT_EQ(p.pool->key_of({shared.data(), 1}), shared.local_key());
}

TEST(MemoryPool, KnowsTheKeyOfBytesWhollyInOneSlab) {
    LedgerPool p;
    const Block block = p.pool->take(4096);
    const auto slab = p.ledger->added[0].memory;
    const std::byte* const end = slab.data() + slab.size();
    EXPECT_EQ(p.pool->key_of({slab.data(), slab.size()}), block.local_key());
    EXPECT_EQ(p.pool->key_of({end - 1, 1}), block.local_key());
    EXPECT_EQ(p.pool->key_of({end - 1, 2}), std::nullopt);
    EXPECT_EQ(p.pool->key_of({end, 1}), std::nullopt);
    EXPECT_EQ(p.pool->key_of({slab.data() - 1, 2}), std::nullopt);
    EXPECT_EQ(p.pool->key_of({}), std::nullopt);
    const std::byte outside{};
    EXPECT_EQ(p.pool->key_of({&outside, 1}), std::nullopt);
}

TEST(MemoryPool, FindsTheRightOneOfManySlabs) {
    LedgerPool p;
    std::vector<Block> blocks;
    for (int i = 0; i < 12; ++i) blocks.push_back(p.pool->take(kRegisteredBlockMax));
    for (int i = 0; i < 3; ++i) blocks.push_back(p.pool->take(1, Purpose::shared));
    EXPECT_EQ(p.ledger->added.size(), 13u);
    for (const Block& one : blocks)
        EXPECT_EQ(p.pool->key_of({one.data() + 100, 1}), one.local_key());
}

TEST(MemoryPool, GrowsUpToItsLimitAndNoFurther) {
    LedgerPool p{10 * 4096};  // less than a slab is wide
    std::vector<Block> blocks;
    for (int i = 0; i < 10; ++i) {
        blocks.push_back(p.pool->take(4096));
        EXPECT_TRUE(blocks.back()) << i;
    }
    EXPECT_EQ(p.pool->bytes_registered(), 10u * 4096);
    EXPECT_EQ(p.pool->last_error(), 0);
    EXPECT_FALSE(p.pool->take(1));
    EXPECT_EQ(p.pool->last_error(), ENOBUFS);
    blocks.pop_back();
    EXPECT_TRUE(p.pool->take(1));
}

TEST(MemoryPool, LendsALargerBlockRatherThanNone) {
    LedgerPool p{16384};
    { const Block warm = p.pool->take(16384); }
    const Block block = p.pool->take(10);
    ASSERT_TRUE(block);
    EXPECT_EQ(block.size(), 16384u);
    EXPECT_FALSE(p.pool->take(10, Purpose::shared));
}

TEST(MemoryPool, SlabsThatLieIdleMakeRoomForOtherSizes) {
    LedgerPool p{3 * 65536};
    { const Block idle = p.pool->take(4096); }  // all of the memory, in small blocks
    ASSERT_EQ(p.pool->bytes_registered(), 3u * 65536);
    Block large = p.pool->take(65536);
    ASSERT_TRUE(large);
    EXPECT_EQ(p.pool->bytes_registered(), 3u * 65536);
    EXPECT_EQ(p.ledger->living, 1);
    EXPECT_EQ(p.pool->key_of({p.ledger->added[0].memory.data(), 1}),
              p.ledger->added[0].memory.data() == p.ledger->added[1].memory.data()
                  ? std::optional{large.local_key()}
                  : std::nullopt);
    // A slab with a lent block stays.
    EXPECT_FALSE(p.pool->take(1u << 20));
    EXPECT_FALSE(p.pool->take(1, Purpose::shared));
    EXPECT_EQ(p.pool->key_of({large.data(), large.size()}), large.local_key());
    std::memset(large.data(), 1, large.size());
    large = {};
    EXPECT_TRUE(p.pool->take(1, Purpose::shared));
    EXPECT_EQ(p.ledger->living, 1);
}

TEST(MemoryPool, CountsInABudgetAndStopsWhereThatIsTight) {
    MemoryBudget budget{16u << 20};
    {
        LedgerPool p;
        const Block before = p.pool->take(4096);
        p.pool->count_in(&budget);
        EXPECT_EQ(budget.used(), p.pool->bytes_registered());
        std::vector<Block> blocks;
        while (Block block = p.pool->take(1u << 20)) blocks.push_back(std::move(block));
        EXPECT_GT(blocks.size(), 8u);
        EXPECT_EQ(p.pool->last_error(), ENOBUFS);
        EXPECT_LE(budget.used(), budget.tight());
        EXPECT_EQ(budget.used(), p.pool->bytes_registered());
        blocks.clear();
        p.pool->trim();  // they were needed until now
        EXPECT_GT(budget.used(), 8u << 20);
        p.pool->trim();
        EXPECT_LT(budget.used(), 1u << 20) << "what nothing uses goes back";
        EXPECT_EQ(budget.used(), p.pool->bytes_registered());
        p.pool->count_in(nullptr);
        EXPECT_EQ(budget.used(), 0u);
        p.pool->count_in(&budget);
    }
    EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryPool, KeepsWhatIsNeededNowAndThen) {
    LedgerPool p;
    for (int round = 0; round < 3; ++round) {
        std::vector<Block> blocks;
        for (int i = 0; i < 3; ++i) blocks.push_back(p.pool->take(1u << 20));
        blocks.clear();
        p.pool->trim();
        EXPECT_EQ(p.pool->blocks_lent(), 0u);
    }
    EXPECT_EQ(p.ledger->added.size(), 1u);
}

TEST(MemoryPool, TellsWhyTheDeviceRefused) {
    LedgerPool p;
    p.ledger->refuse = EPERM;
    EXPECT_FALSE(p.pool->take(1));
    EXPECT_EQ(p.pool->last_error(), EPERM);
    EXPECT_EQ(p.pool->bytes_registered(), 0u);
    p.ledger->refuse = 0;
    EXPECT_TRUE(p.pool->take(1));
}

TEST(MemoryPool, MakesDoWithASmallerSlabWhereLittleMayBeLocked) {
    LedgerPool p;
    p.ledger->bytes_max = 100'000;
    EXPECT_TRUE(p.pool->take(65536));
    EXPECT_EQ(p.pool->bytes_registered(), 65536u);
    EXPECT_EQ(p.pool->last_error(), ENOMEM);
    EXPECT_FALSE(p.pool->take(1u << 20));
}

TEST(MemoryPool, APayloadIsRegisteredAndHeldByItsOwner) {
    LedgerPool p;
    std::shared_ptr<const void> owner;
    const auto bytes = p.pool->take_payload(1000, owner);
    ASSERT_EQ(bytes.size(), 1000u);
    EXPECT_EQ(p.pool->key_of(bytes), p.ledger->added[0].local_key);
    EXPECT_EQ(p.ledger->added[0].purpose, Purpose::own);
    EXPECT_EQ(p.pool->blocks_lent(), 1u);
    owner.reset();
    EXPECT_EQ(p.pool->blocks_lent(), 0u);

    EXPECT_TRUE(p.pool->take_payload(kRegisteredBlockMax + 1, owner).empty());
    EXPECT_EQ(owner, nullptr);
}

TEST(MemoryPool, StaysWhileABlockIsLent) {
    LedgerPool p;
    Block block = p.pool->take(4096);
    p.pool.reset();
    EXPECT_EQ(p.ledger->living, 1);
    std::memset(block.data(), 7, block.size());
    Block moved = std::move(block);
    EXPECT_FALSE(block);  // NOLINT(bugprone-use-after-move): that is what is asked
    moved = {};
    EXPECT_EQ(p.ledger->living, 0);
}

#ifdef HELIO_POISON
TEST(MemoryPool, OverwritesWhatIsGivenBack) {
    LedgerPool p;
    std::byte* at = nullptr;
    {
        const Block block = p.pool->take(4096);
        at = block.data();
        std::memset(at, 7, block.size());
    }
    EXPECT_EQ(at[0], std::byte{0xdb});
    EXPECT_EQ(at[4095], std::byte{0xdb});
}
#endif

TEST(MemoryPool, ManyThreadsTakeAndGiveBack) {
    LedgerPool p;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&pool = *p.pool, t] {
            std::vector<Block> kept(8);
            for (std::size_t i = 0; i < 2000; ++i) {
                Block block = pool.take(i % 5 == 0 ? 20000 : 4096,
                                        i % 2 == 0 ? Purpose::own : Purpose::shared);
                ASSERT_TRUE(block);
                std::memset(block.data(), t + 1, 64);
                kept[i % kept.size()] = std::move(block);
            }
            for (const Block& one : kept)
                for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(one.data()[i], std::byte(t + 1));
        });
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(p.pool->blocks_lent(), 0u);
}

}  // namespace
}  // namespace helio::transport::rdma::memory_pool_test
