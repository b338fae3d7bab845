#include "helio/xdr/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <vector>

// Counts every allocation of this test program: "allocates nothing once warm" is a claim about
// operator new, not about bytes_held().
namespace {
std::size_t g_news = 0;
std::size_t g_deletes = 0;

void* counted(std::size_t size) noexcept {
    ++g_news;
    return std::malloc(size != 0 ? size : 1);
}
void release(void* memory) noexcept {
    if (memory != nullptr) ++g_deletes;
    std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) {
    void* const out = counted(size);
    if (out == nullptr) throw std::bad_alloc{};
    return out;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }

namespace helio::xdr::arena_test {
namespace {

constexpr std::size_t kSizeMax = std::numeric_limits<std::size_t>::max();

TEST(Arena, HoldsNothingUntilAsked) {
    const std::size_t before = g_news;
    const Arena arena;
    EXPECT_EQ(arena.bytes_held(), 0u);
    EXPECT_EQ(arena.bytes_max(), kArenaBytesMax);
    EXPECT_EQ(g_news, before);
}

TEST(Arena, AlignsForAnyDecodedType) {
    Arena arena;
    for (std::size_t size = 0; size < 200; ++size) {
        const auto address = reinterpret_cast<std::uintptr_t>(arena.make<char>(size));
        EXPECT_EQ(address % alignof(std::uint64_t), 0u) << size << " bytes";
    }
}

TEST(Arena, GivesAnAddressForNothing) {
    Arena arena;
    EXPECT_NE(arena.make<std::uint64_t>(0), nullptr) << "nullptr means failure";
    EXPECT_EQ(arena.bytes_held(), 0u);
    char* const something = arena.make<char>();
    EXPECT_NE(arena.make<std::uint64_t>(0), nullptr);
    EXPECT_NE(arena.make<char>(), something);
}

TEST(Arena, RefusesCountsWhoseSizeWouldWrap) {
    Arena arena;
    for (const std::size_t count : {kSizeMax, kSizeMax / 8, kSizeMax / 8 + 1, kSizeMax / 8 + 2,
                                    kSizeMax / 16, kArenaBytesMax / 8 + 1}) {
        EXPECT_EQ(arena.make<std::uint64_t>(count), nullptr) << count;
    }
    EXPECT_EQ(arena.make<char>(kSizeMax), nullptr);
    EXPECT_EQ(arena.make<char>(kSizeMax - 14), nullptr);
    EXPECT_EQ(arena.bytes_held(), 0u);
}

TEST(Arena, StaysWithinItsLimit) {
    constexpr std::size_t kLimit = 100'000;
    Arena arena{kLimit};
    std::size_t given = 0;
    while (arena.make<char>(1000) != nullptr) {
        given += 1000;
        ASSERT_LE(arena.bytes_held(), kLimit);
        ASSERT_LE(given, kLimit);
    }
    EXPECT_GT(given, kLimit - 3 * 1024) << "the limit is for use, not only for show";
    EXPECT_EQ(arena.make<char>(1000), nullptr) << "full stays full";
    arena.reset();
    EXPECT_NE(arena.make<char>(1000), nullptr);
    EXPECT_LE(arena.bytes_held(), kLimit);
}

TEST(Arena, RefusesMoreThanItsLimitAtOnce) {
    Arena arena{1 << 20};
    EXPECT_EQ(arena.make<char>((1 << 20) + 1), nullptr);
    EXPECT_EQ(arena.bytes_held(), 0u);
    EXPECT_NE(arena.make<char>(1 << 20), nullptr);
    EXPECT_EQ(arena.bytes_held(), std::size_t{1} << 20);
    EXPECT_EQ(arena.make<char>(), nullptr);
}

TEST(Arena, CanBeTooSmallForAnything) {
    for (const std::size_t limit : {0, 1, 7}) {
        Arena arena{limit};
        EXPECT_EQ(arena.make<char>(), nullptr) << limit;
        EXPECT_EQ(arena.bytes_held(), 0u);
    }
}

// A call reuses the blocks of the previous call of the same kind.
TEST(Arena, AllocatesNothingOnceWarm) {
    Arena arena;
    const auto call = [&arena] {
        for (std::size_t i = 1; i < 2000; ++i) ASSERT_NE(arena.make<char>(i % 700), nullptr);
        ASSERT_NE(arena.make<char>(300'000), nullptr);
        for (std::size_t i = 1; i < 2000; ++i) ASSERT_NE(arena.make<char>(i % 300), nullptr);
    };
    call();
    arena.reset();
    const std::size_t held = arena.bytes_held();
    const std::size_t before = g_news;
    for (int i = 0; i < 10; ++i) {
        call();
        arena.reset();
    }
    EXPECT_EQ(g_news, before);
    EXPECT_EQ(arena.bytes_held(), held);
}

TEST(Arena, GivesTheSameMemoryAgainAfterReset) {
    Arena arena;
    const char* const first = arena.make<char>(100);
    arena.make<char>(100'000);
    arena.reset();
    EXPECT_EQ(arena.make<char>(100), first);
}

TEST(Arena, GivesBackWhatIsTooLargeToKeep) {
    Arena arena;
    ASSERT_NE(arena.make<char>(100), nullptr);
    const std::size_t ordinary = arena.bytes_held();
    ASSERT_NE(arena.make<char>(kArenaBytesKept * 2), nullptr);
    ASSERT_NE(arena.make<char>(kArenaBytesKept * 3), nullptr);
    EXPECT_GE(arena.bytes_held(), kArenaBytesKept * 5);

    const std::size_t deletes = g_deletes;
    arena.reset();
    EXPECT_EQ(g_deletes, deletes + 2);
    EXPECT_EQ(arena.bytes_held(), ordinary) << "the block ordinary calls use stays";
}

TEST(Arena, KeepsNoMoreThanItSays) {
    Arena arena;
    for (int i = 0; i < 1000; ++i) ASSERT_NE(arena.make<char>(50'000), nullptr);
    EXPECT_GT(arena.bytes_held(), kArenaBytesKept);
    arena.reset();
    EXPECT_LE(arena.bytes_held(), kArenaBytesKept);
    EXPECT_GT(arena.bytes_held(), 0u);
}

TEST(Arena, FreesEverythingAtItsEnd) {
    const std::size_t live = g_news - g_deletes;
    {
        Arena arena;
        for (int i = 0; i < 100; ++i) arena.make<char>(100'000);
        arena.reset();
        for (int i = 0; i < 10; ++i) arena.make<char>(30'000);
        EXPECT_GT(g_news - g_deletes, live);
    }
    EXPECT_EQ(g_news - g_deletes, live);
}

TEST(Arena, ResetOfAnEmptyOneIsNothing) {
    Arena arena;
    arena.reset();
    EXPECT_EQ(arena.bytes_held(), 0u);
    EXPECT_NE(arena.make<char>(), nullptr);
}

// Calls of different sizes over one arena: two runs never share a byte, whatever was kept.
TEST(Arena, RunsNeverOverlap) {
    struct Run {
        unsigned char* bytes;
        std::size_t size;
        unsigned char mark;
    };
    std::mt19937 random{1813};
    Arena arena{64u << 20};
    for (int round = 0; round < 40; ++round) {
        std::vector<Run> runs;
        for (int i = 0; i < 400; ++i) {
            const std::size_t size = random() % 50 == 0 ? random() % 200'000 : random() % 500;
            auto* const bytes = arena.make<unsigned char>(size);
            ASSERT_NE(bytes, nullptr);
            const auto mark = static_cast<unsigned char>(random());
            std::memset(bytes, mark, size);
            runs.push_back({bytes, size, mark});
        }
        for (const Run& run : runs)
            for (std::size_t i = 0; i < run.size; ++i) ASSERT_EQ(run.bytes[i], run.mark);
        arena.reset();
    }
}

TEST(Arena, CountsInABudget) {
    MemoryBudget budget{64u << 20};
    {
        Arena arena{kArenaBytesMax, &budget};
        EXPECT_EQ(budget.used(), 0u);
        ASSERT_NE(arena.make<char>(10), nullptr);
        ASSERT_NE(arena.make<char>(3'000'000), nullptr);
        ASSERT_NE(arena.make<char>(3'000'000), nullptr);
        EXPECT_EQ(budget.used(), arena.bytes_held());
        arena.reset();
        EXPECT_EQ(budget.used(), arena.bytes_held());
        EXPECT_GT(budget.used(), 3'000'000u) << "kept for the next call";
        arena.shrink();
        EXPECT_EQ(budget.used(), arena.bytes_held());
        EXPECT_LE(budget.used(), 64u << 10);
    }
    EXPECT_EQ(budget.used(), 0u);
}

// Memory counts as soon as it is known to be needed, and only once.
TEST(Arena, AReservationCountsAtOnce) {
    MemoryBudget budget{64u << 20};
    Arena arena{kArenaBytesMax, &budget};
    arena.reserve(1'000'000);
    EXPECT_EQ(budget.used(), 1'000'000u);
    ASSERT_NE(arena.make<char>(600'000), nullptr);
    EXPECT_EQ(budget.used(), 1'000'000u);
    arena.end_reservation();
    EXPECT_EQ(budget.used(), arena.bytes_held());
    arena.reserve(10);
    ASSERT_NE(arena.make<char>(2'000'000), nullptr);
    EXPECT_EQ(budget.used(), arena.bytes_held());
}

#ifdef HELIO_POISON
TEST(Arena, PoisonsWhatIsGone) {
    Arena arena;
    auto* const kept_too_long = arena.make<unsigned char>(64);
    std::memset(kept_too_long, 0, 64);
    arena.reset();
    for (int i = 0; i < 64; ++i) EXPECT_EQ(kept_too_long[i], 0xdb);
}
#endif

}  // namespace
}  // namespace helio::xdr::arena_test
