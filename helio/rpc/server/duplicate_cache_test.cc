#include "helio/rpc/server/duplicate_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace helio::rpc::duplicate_cache_test {
namespace {

using std::chrono::seconds;
using Verdict = DuplicateCache::Verdict;
using Ticket = DuplicateCache::Ticket;

const DuplicateCache::Time kStart{seconds{1000}};

CallKey call(std::uint32_t xid, std::uint64_t checksum = 7, std::uint8_t client = 1) {
    CallKey key;
    key.client.bytes[15] = std::byte{client};
    key.xid = xid;
    key.program = 100003;
    key.version = 3;
    key.procedure = 12;
    key.checksum = checksum;
    key.size = 100;
    return key;
}

std::string text(const CachedReply& reply) { return std::string{as_text(reply.bytes())}; }

// Begins a call, which must be fresh, and finishes it.
void run(DuplicateCache& cache, const CallKey& key, std::string_view reply,
         DuplicateCache::Time now = kStart) {
    const auto begun = cache.begin(key, now);
    ASSERT_EQ(begun.verdict, Verdict::fresh);
    ASSERT_FALSE(begun.ticket.empty());
    cache.finish(begun.ticket, as_bytes(reply), now);
}

// The reply to a retransmission; "-" if the call would run. Does not leave it begun.
std::string replay(DuplicateCache& cache, const CallKey& key, DuplicateCache::Time now = kStart) {
    const auto begun = cache.begin(key, now);
    if (begun.verdict == Verdict::done) return text(begun.reply);
    if (begun.verdict == Verdict::running) return "running";
    cache.abandon(begun.ticket);
    return "-";
}

class Listener final : public DuplicateCache::Waiter {
 public:
    void answer(const CachedReply& reply) override {
        const std::lock_guard lock{mutex_};
        answers_.push_back(text(reply));
    }
    std::vector<std::string> answers() const {
        const std::lock_guard lock{mutex_};
        return answers_;
    }

 private:
    mutable std::mutex mutex_;
    std::vector<std::string> answers_;
};

TEST(DuplicateCache, ARetransmissionGetsTheFirstReply) {
    DuplicateCache cache;
    const auto first = cache.begin(call(1), kStart);
    ASSERT_EQ(first.verdict, Verdict::fresh);
    EXPECT_EQ(cache.begin(call(1), kStart).verdict, Verdict::running);
    cache.finish(first.ticket, as_bytes("removed"), kStart);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(replay(cache, call(1)), "removed");

    const auto counts = cache.counters();
    EXPECT_EQ(counts.lookups, 5u);
    EXPECT_EQ(counts.fresh, 1u);
    EXPECT_EQ(counts.while_running, 1u);
    EXPECT_EQ(counts.replayed, 3u);
    EXPECT_EQ(counts.entries, 1u);
    EXPECT_EQ(counts.running, 0u);
    EXPECT_EQ(counts.reply_bytes, 7u);
}

TEST(DuplicateCache, JoinsTheReplysParts) {
    DuplicateCache cache;
    const xdr::Segment parts[] = {{as_bytes("head"), false}, {{}, false}, {as_bytes("data"), true}};
    cache.finish(cache.begin(call(1), kStart).ticket, parts, kStart);
    EXPECT_EQ(replay(cache, call(1)), "headdata");
    cache.finish(cache.begin(call(2), kStart).ticket, std::span<const xdr::Segment>{}, kStart);
    EXPECT_EQ(replay(cache, call(2)), "");
}

// Each row differs from the remembered call in one way, so it is another call.
TEST(DuplicateCache, NobodyGetsAnothersReply) {
    DuplicateCache cache;
    run(cache, call(1), "mine");
    const CallKey mine = call(1);
    struct Row {
        const char* what;
        void (*change)(CallKey&);
    };
    const Row rows[] = {
        {"address", [](CallKey& key) { key.client.bytes[0] = std::byte{1}; }},
        {"kind of address", [](CallKey& key) { key.client.kind = 10; }},
        {"xid", [](CallKey& key) { ++key.xid; }},
        {"program", [](CallKey& key) { ++key.program; }},
        {"version", [](CallKey& key) { ++key.version; }},
        {"procedure", [](CallKey& key) { ++key.procedure; }},
        {"checksum", [](CallKey& key) { ++key.checksum; }},
        {"size", [](CallKey& key) { ++key.size; }},
    };
    for (const Row& row : rows) {
        CallKey other = mine;
        row.change(other);
        EXPECT_EQ(replay(cache, other), "-") << row.what;
    }
    EXPECT_EQ(cache.counters().mismatched, 2u);  // checksum, size
    EXPECT_EQ(replay(cache, mine), "mine");
}

TEST(DuplicateCache, AReusedXidLivesBesideItsFirstUse) {
    DuplicateCache cache;
    run(cache, call(1, 7), "seven");
    run(cache, call(1, 8), "eight");
    EXPECT_EQ(replay(cache, call(1, 7)), "seven");
    EXPECT_EQ(replay(cache, call(1, 8)), "eight");
    EXPECT_EQ(cache.counters().mismatched, 1u);
}

TEST(DuplicateCache, SoManyUsesOfOneXidAndNoMore) {
    DuplicateCache cache;
    for (std::uint64_t i = 0; i < kDuplicateSameXidMax; ++i)
        run(cache, call(1, i), std::to_string(i), kStart + seconds{i});
    EXPECT_EQ(cache.counters().evicted, 0u);
    run(cache, call(1, 100), "new", kStart + seconds{20});
    EXPECT_EQ(cache.counters().evicted, 1u);
    EXPECT_EQ(cache.counters().entries, kDuplicateSameXidMax);
    EXPECT_EQ(replay(cache, call(1, 1), kStart + seconds{20}), "1");
    EXPECT_EQ(replay(cache, call(1, 100), kStart + seconds{20}), "new");
    EXPECT_EQ(replay(cache, call(1, 0), kStart + seconds{20}), "-");  // the oldest was dropped
}

TEST(DuplicateCache, RunningUsesOfOneXidAreNotPushedOut) {
    DuplicateCache cache;
    for (std::uint64_t i = 0; i < kDuplicateSameXidMax; ++i)
        EXPECT_FALSE(cache.begin(call(1, i), kStart).ticket.empty());
    EXPECT_TRUE(cache.begin(call(1, 100), kStart).ticket.empty());
    EXPECT_EQ(cache.counters().unremembered, 1u);
}

TEST(DuplicateCache, ForgetsTheLeastRecentlyUsedFirst) {
    DuplicateCache cache{{.entries_max = 3}};
    run(cache, call(1), "one");
    run(cache, call(2), "two");
    run(cache, call(3), "three");
    EXPECT_EQ(cache.counters().evicted, 0u);
    EXPECT_EQ(replay(cache, call(1)), "one");  // now 2 is the oldest
    run(cache, call(4), "four");
    EXPECT_EQ(cache.counters().evicted, 1u);
    EXPECT_EQ(replay(cache, call(1)), "one");
    EXPECT_EQ(replay(cache, call(3)), "three");
    EXPECT_EQ(replay(cache, call(4)), "four");
    EXPECT_EQ(replay(cache, call(2)), "-");
}

TEST(DuplicateCache, HoldsSoManyEntriesAndNoMore) {
    DuplicateCache cache;
    for (std::uint32_t i = 0; i < 3 * kDuplicateEntriesMax; ++i) run(cache, call(i), "reply");
    const auto counts = cache.counters();
    EXPECT_EQ(counts.entries, kDuplicateEntriesMax);
    EXPECT_EQ(counts.evicted, 2 * kDuplicateEntriesMax);
    EXPECT_EQ(counts.reply_bytes, 5 * kDuplicateEntriesMax);
}

CallKey overwriting(std::uint32_t xid) {
    CallKey key = call(xid);
    key.procedure = 7;
    key.kind = CallKind::overwrite;
    return key;
}

TEST(DuplicateCache, EachKindCanHaveHalf) {
    DuplicateCache cache{{.entries_max = 4}};
    for (std::uint32_t i = 1; i <= 4; ++i) run(cache, call(i), "change");
    // A stream of the other kind takes half, and no more.
    for (std::uint32_t i = 1; i <= 100; ++i) run(cache, overwriting(i), "overwrite");
    EXPECT_EQ(replay(cache, call(3)), "change");
    EXPECT_EQ(replay(cache, call(4)), "change");
    EXPECT_EQ(replay(cache, overwriting(99)), "overwrite");
    EXPECT_EQ(replay(cache, overwriting(100)), "overwrite");
    EXPECT_EQ(cache.counters().entries, 4u);
    EXPECT_EQ(cache.counters().evicted, 100u);
}

TEST(DuplicateCache, AKindLendsWhatItDoesNotNeed) {
    DuplicateCache cache{{.entries_max = 4}};
    for (std::uint32_t i = 1; i <= 4; ++i) run(cache, overwriting(i), "overwrite");
    EXPECT_EQ(cache.counters().evicted, 0u);
    run(cache, call(1), "change");
    run(cache, call(2), "change");
    EXPECT_EQ(replay(cache, call(1)), "change");
    EXPECT_EQ(replay(cache, overwriting(2)), "-");
    EXPECT_EQ(replay(cache, overwriting(4)), "overwrite");
}

TEST(DuplicateCache, EachKindCanHaveHalfOfTheBytes) {
    DuplicateCache cache{{.entries_max = 10, .bytes_max = 20, .reply_bytes_max = 10}};
    run(cache, call(1), "0123456789");
    for (std::uint32_t i = 1; i <= 9; ++i) run(cache, overwriting(i), "abcde");
    EXPECT_EQ(replay(cache, call(1)), "0123456789");
    EXPECT_EQ(replay(cache, overwriting(7)), "-");
    EXPECT_EQ(replay(cache, overwriting(8)), "abcde");
    EXPECT_EQ(cache.counters().reply_bytes, 20u);
}

TEST(DuplicateCache, BothKindsAgeAndAreCounted) {
    DuplicateCache cache{{.age_max = seconds{10}}};
    run(cache, call(1), "change");
    run(cache, overwriting(1), "overwrite");
    EXPECT_EQ(cache.counters().entries, 2u);
    EXPECT_EQ(cache.counters().reply_bytes, 15u);
    cache.expire(kStart + seconds{11});
    EXPECT_EQ(cache.counters().expired, 2u);
    EXPECT_EQ(cache.counters().entries, 0u);
    EXPECT_EQ(cache.counters().reply_bytes, 0u);
}

TEST(DuplicateCache, RunningCallsAreBoundedButNeverForgotten) {
    DuplicateCache cache{{.entries_max = 2, .age_max = seconds{10}}};
    const auto one = cache.begin(call(1), kStart);
    const auto two = cache.begin(call(2), kStart);
    const auto three = cache.begin(call(3), kStart);
    EXPECT_EQ(three.verdict, Verdict::fresh);
    EXPECT_TRUE(three.ticket.empty());
    EXPECT_EQ(cache.counters().unremembered, 1u);
    cache.finish(three.ticket, as_bytes("three"), kStart);  // has no effect
    cache.abandon(three.ticket);

    const auto later = kStart + seconds{1000};
    EXPECT_EQ(cache.begin(call(1), later).verdict, Verdict::running);
    cache.finish(one.ticket, as_bytes("one"), later);
    run(cache, call(3), "three", later);  // takes the place of 1, which is done
    EXPECT_EQ(cache.begin(call(2), later).verdict, Verdict::running);
    cache.finish(two.ticket, as_bytes("two"), later);
    EXPECT_EQ(replay(cache, call(2), later), "two");
}

TEST(DuplicateCache, OfNoEntriesRemembersNothing) {
    DuplicateCache cache{{.entries_max = 0}};
    for (int i = 0; i < 2; ++i) {
        const auto begun = cache.begin(call(1), kStart);
        EXPECT_EQ(begun.verdict, Verdict::fresh);
        EXPECT_TRUE(begun.ticket.empty());
        cache.finish(begun.ticket, as_bytes("one"), kStart);
    }
}

TEST(DuplicateCache, HoldsSoManyBytesAndNoMore) {
    DuplicateCache cache{{.entries_max = 10, .bytes_max = 20, .reply_bytes_max = 10}};
    run(cache, call(1), "0123456789");
    run(cache, call(2), "abcdefghij");
    EXPECT_EQ(cache.counters().reply_bytes, 20u);
    EXPECT_EQ(cache.counters().evicted, 0u);
    run(cache, call(3), "x");
    EXPECT_EQ(cache.counters().reply_bytes, 11u);
    EXPECT_EQ(cache.counters().evicted, 1u);
    EXPECT_EQ(replay(cache, call(1)), "-");
    EXPECT_EQ(replay(cache, call(2)), "abcdefghij");
    EXPECT_EQ(replay(cache, call(3)), "x");
}

TEST(DuplicateCache, TooLongRepliesAreNotKept) {
    DuplicateCache cache;
    run(cache, call(1), std::string(kDuplicateReplyMax, 'x'));
    EXPECT_EQ(replay(cache, call(1)).size(), kDuplicateReplyMax);
    EXPECT_EQ(cache.counters().too_long, 0u);
    run(cache, call(2), std::string(kDuplicateReplyMax + 1, 'x'));
    EXPECT_EQ(replay(cache, call(2)), "-");
    EXPECT_EQ(cache.counters().too_long, 1u);
    EXPECT_EQ(cache.counters().entries, 1u);
}

TEST(DuplicateCache, ForgetsWithAge) {
    DuplicateCache cache;
    run(cache, call(1), "one");
    run(cache, call(2), "two");
    const auto at_limit = kStart + kDuplicateAgeMax;
    EXPECT_EQ(replay(cache, call(1), at_limit), "one");  // and its age starts again
    const auto past = at_limit + std::chrono::nanoseconds{1};
    EXPECT_EQ(replay(cache, call(2), past), "-");
    EXPECT_EQ(replay(cache, call(1), past), "one");
    EXPECT_EQ(cache.counters().expired, 1u);
}

// Each call removes a few old entries, never all at once; the remaining ones are not used either.
TEST(DuplicateCache, WhatIsTooOldIsNotReplayedBeforeItIsTakenAway) {
    DuplicateCache cache{{.entries_max = 20}};
    for (std::uint32_t i = 0; i < 10; ++i) run(cache, call(i), "old");
    const auto later = kStart + 2 * kDuplicateAgeMax;
    EXPECT_EQ(replay(cache, call(9), later), "-");
    EXPECT_EQ(cache.counters().expired, 3u);
    for (std::uint32_t i = 100; i < 104; ++i) run(cache, call(i), "young", later);
    EXPECT_EQ(cache.counters().expired, 10u);
    EXPECT_EQ(cache.counters().entries, 4u);
}

TEST(DuplicateCache, ExpireLeavesOnlyTheYoungAndTheRunning) {
    DuplicateCache cache;
    for (std::uint32_t i = 0; i < 100; ++i) run(cache, call(i), "old");
    EXPECT_FALSE(cache.begin(call(1000), kStart).ticket.empty());
    const auto later = kStart + 2 * kDuplicateAgeMax;
    run(cache, call(2000), "young", later);
    cache.expire(later);
    const auto counts = cache.counters();
    EXPECT_EQ(counts.entries, 2u);
    EXPECT_EQ(counts.running, 1u);
    EXPECT_EQ(counts.expired, 100u);
    EXPECT_EQ(counts.reply_bytes, 5u);
}

TEST(DuplicateCache, AnOldTicketDoesNothing) {
    DuplicateCache cache{{.entries_max = 1}};
    const Ticket first = cache.begin(call(1), kStart).ticket;
    cache.finish(first, as_bytes("one"), kStart);
    cache.finish(first, as_bytes("uno"), kStart);
    cache.abandon(first);
    EXPECT_EQ(replay(cache, call(1)), "one");

    const Ticket second = cache.begin(call(2), kStart).ticket;  // in the same place
    cache.finish(first, as_bytes("one"), kStart);
    cache.abandon(first);
    EXPECT_EQ(cache.begin(call(2), kStart).verdict, Verdict::running);
    cache.finish(second, as_bytes("two"), kStart);
    EXPECT_EQ(replay(cache, call(2)), "two");
}

TEST(DuplicateCache, AnAbandonedCallIsForgotten) {
    DuplicateCache cache;
    auto listener = std::make_shared<Listener>();
    const Ticket first = cache.begin(call(1), kStart).ticket;
    cache.begin(call(1), kStart, [&] { return listener; });
    EXPECT_EQ(listener.use_count(), 2);
    cache.abandon(first);
    EXPECT_EQ(listener.use_count(), 1);
    EXPECT_TRUE(listener->answers().empty());
    EXPECT_EQ(cache.counters().dropped_waiters, 1u);
    EXPECT_EQ(cache.counters().abandoned, 1u);
    run(cache, call(1), "again");
}

TEST(DuplicateCache, WaitersAreAnsweredOnce) {
    DuplicateCache cache;
    int made = 0;
    auto listener = std::make_shared<Listener>();
    const auto make = [&] {
        ++made;
        return listener;
    };
    const Ticket first = cache.begin(call(1), kStart, make).ticket;
    EXPECT_EQ(made, 0);  // a call does not wait for itself
    EXPECT_EQ(cache.begin(call(1), kStart, make).verdict, Verdict::running);
    EXPECT_EQ(cache.begin(call(1), kStart, [] { return nullptr; }).verdict, Verdict::running);
    EXPECT_EQ(made, 1);
    EXPECT_TRUE(listener->answers().empty());
    cache.finish(first, as_bytes("one"), kStart);
    cache.finish(first, as_bytes("one"), kStart);
    EXPECT_EQ(listener->answers(), std::vector<std::string>{"one"});
    EXPECT_EQ(listener.use_count(), 1);
    EXPECT_EQ(cache.begin(call(1), kStart, make).verdict, Verdict::done);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(cache.counters().dropped_waiters, 0u);
}

TEST(DuplicateCache, SoManyWaitersAndNoMore) {
    DuplicateCache cache;
    auto listener = std::make_shared<Listener>();
    const auto make = [&] { return listener; };
    const Ticket first = cache.begin(call(1), kStart).ticket;
    for (std::size_t i = 0; i < kDuplicateWaitersMax; ++i) cache.begin(call(1), kStart, make);
    EXPECT_EQ(cache.counters().dropped_waiters, 0u);
    EXPECT_EQ(cache.begin(call(1), kStart, make).verdict, Verdict::running);
    EXPECT_EQ(cache.counters().dropped_waiters, 1u);
    cache.finish(first, as_bytes("one"), kStart);
    EXPECT_EQ(listener->answers(), std::vector<std::string>(kDuplicateWaitersMax, "one"));
}

TEST(DuplicateCache, WaitersGetAlsoWhatIsTooLongToKeep) {
    DuplicateCache cache{{.reply_bytes_max = 2}};
    auto listener = std::make_shared<Listener>();
    const Ticket first = cache.begin(call(1), kStart).ticket;
    cache.begin(call(1), kStart, [&] { return listener; });
    cache.finish(first, as_bytes("long"), kStart);
    EXPECT_EQ(listener->answers(), std::vector<std::string>{"long"});
    EXPECT_EQ(replay(cache, call(1)), "-");
}

TEST(DuplicateCache, AReplyOutlivesItsPlaceInTheCache) {
    DuplicateCache cache{{.entries_max = 1}};
    run(cache, call(1), "one");
    const auto begun = cache.begin(call(1), kStart);
    run(cache, call(2), "two");
    EXPECT_EQ(text(begun.reply), "one");
}

TEST(DuplicateCache, ItsMemoryCountsInABudget) {
    MemoryBudget budget{64u << 20};
    DuplicateCache cache;
    const std::string reply(4000, 'r');
    for (std::uint32_t xid = 1; xid <= 1000; ++xid) run(cache, call(xid), reply);
    cache.count_in(&budget);
    EXPECT_GT(budget.used(), 3'800'000u);
    for (std::uint32_t xid = 1001; xid <= 2000; ++xid) run(cache, call(xid), reply);
    EXPECT_GT(budget.used(), 7'600'000u);
    EXPECT_LT(budget.used(), 9'000'000u);
    cache.expire(kStart + 2 * kDuplicateAgeMax);
    EXPECT_LT(budget.used(), 1'000'000u) << "entries stay, replies do not";
    cache.count_in(nullptr);
    EXPECT_EQ(budget.used(), 0u);
}

// Each call arrives on four threads at about the same time.
TEST(DuplicateCache, EachCallRunsOnceHoweverOftenItComes) {
    constexpr std::uint32_t kCalls = 2000;
    constexpr std::uint32_t kThreads = 4;
    DuplicateCache cache;
    std::vector<std::atomic<int>> runs(kCalls);
    std::atomic<int> serial = 0;
    std::barrier together{kThreads};
    std::array<std::vector<std::shared_ptr<Listener>>, kThreads> listeners;
    std::vector<std::thread> threads;
    for (auto& mine : listeners) {
        mine.resize(kCalls);
        threads.emplace_back([&] {
            for (std::uint32_t i = 0; i < kCalls; ++i) {
                if (i % 8 == 0) together.arrive_and_wait();
                mine[i] = std::make_shared<Listener>();
                const auto begun = cache.begin(call(i), kStart, [&] { return mine[i]; });
                if (begun.verdict == Verdict::done) mine[i]->answer(begun.reply);
                if (begun.verdict != Verdict::fresh) continue;
                ++runs[i];
                if (i % 3 == 0) std::this_thread::yield();  // a slow call
                const std::string reply = std::to_string(i) + " ran as " + std::to_string(serial++);
                cache.finish(begun.ticket, as_bytes(reply), kStart);
                const auto again = cache.begin(call(i), kStart);
                EXPECT_EQ(again.verdict, Verdict::done);
                mine[i]->answer(again.reply);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::uint32_t i = 0; i < kCalls; ++i) {
        ASSERT_EQ(runs[i], 1) << i;
        const std::vector<std::string> expected = listeners[0][i]->answers();
        ASSERT_EQ(expected.size(), 1u) << i;
        ASSERT_EQ(expected[0].find(std::to_string(i) + " ran"), 0u);
        for (const auto& one : listeners) ASSERT_EQ(one[i]->answers(), expected) << i;
    }
    EXPECT_EQ(cache.counters().fresh, kCalls);
    EXPECT_EQ(cache.counters().dropped_waiters, 0u);
}

// Too small for its calls, some of which give no reply: every answer must belong to its call.
TEST(DuplicateCache, UnderPressureNoReplyGoesAstray) {
    constexpr int kCalls = 20'000;
    DuplicateCache cache{{.entries_max = 150, .bytes_max = 600, .age_max = seconds{3}}};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
        threads.emplace_back([&cache, t] {
            std::mt19937 random{t};
            std::vector<std::pair<std::string, std::shared_ptr<Listener>>> waiting;
            for (int i = 0; i < kCalls; ++i) {
                const auto now = kStart + std::chrono::milliseconds{i};
                const auto xid = static_cast<std::uint32_t>(random() % 300);
                const std::uint64_t checksum = random() % 3;
                const std::string own = std::to_string(xid) + '/' + std::to_string(checksum);
                const auto begun = cache.begin(call(xid, checksum), now, [&] {
                    return waiting.emplace_back(own, std::make_shared<Listener>()).second;
                });
                if (begun.verdict == Verdict::done) {
                    ASSERT_EQ(text(begun.reply), own);
                }
                if (begun.verdict != Verdict::fresh) continue;
                if (i % 5 == 0) std::this_thread::yield();
                if (i % 7 == 0) cache.abandon(begun.ticket);
                cache.finish(begun.ticket, as_bytes(own), now);
            }
            for (const auto& [own, listener] : waiting) {
                const auto answers = listener->answers();
                ASSERT_LE(answers.size(), 1u);
                if (!answers.empty()) {
                    ASSERT_EQ(answers[0], own);
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    const auto counts = cache.counters();
    EXPECT_EQ(counts.running, 0u);
    EXPECT_LE(counts.entries, 150u);
    EXPECT_LE(counts.reply_bytes, 600u);
    EXPECT_EQ(counts.lookups, counts.fresh + counts.replayed + counts.while_running);
    EXPECT_GT(counts.evicted, 0u);
    cache.expire(kStart + seconds{1000});
    EXPECT_EQ(cache.counters().entries, 0u);
    EXPECT_EQ(cache.counters().reply_bytes, 0u);
}

// The bytes 0, 1, 2 … under a key of zeros, as CPython 3.11 (PYTHONHASHSEED=0) hashes them.
TEST(CallChecksum, IsSipHash13) {
    struct Row {
        std::size_t size;
        std::uint64_t hash;
    };
    const Row rows[] = {
        {1, 0x68a914128e01e473},   {7, 0x2f098ab0c751325a},   {8, 0xead411e67ebe2eea},
        {9, 0x75927f9d95124362},   {15, 0xf30eb725bb91c9ea},  {16, 0x8972188433a5c5b7},
        {36, 0xac77921fcc642bd3},  {63, 0x385d3e39e5f37359},  {255, 0x5dc1f93ea135eb43},
        {256, 0x31ae646afba70308}, {257, 0xef7cec81c6f56af4},
    };
    std::array<std::byte, 257> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i & 0xff);
    for (const Row& row : rows)
        EXPECT_EQ(siphash13(0, 0, ByteView{bytes}.first(row.size)), row.hash) << row.size;
    EXPECT_NE(siphash13(0, 0, bytes), siphash13(1, 0, bytes));
    EXPECT_NE(siphash13(0, 0, bytes), siphash13(0, 1, bytes));
}

TEST(CallChecksum, EachByteCounts) {
    std::array<std::byte, 41> bytes{};
    const std::uint64_t before = call_checksum(bytes);
    EXPECT_EQ(call_checksum(bytes), before);
    for (std::byte& byte : bytes) {
        byte = std::byte{1};
        EXPECT_NE(call_checksum(bytes), before);
        byte = std::byte{0};
    }
    EXPECT_NE(call_checksum(ByteView{bytes}.first(40)), before);
}

}  // namespace
}  // namespace helio::rpc::duplicate_cache_test
