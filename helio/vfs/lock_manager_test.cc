#include "helio/vfs/lock_manager.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "testing/vfs/open_file.h"

namespace helio::vfs::lock_manager_test {
namespace {

constexpr LockType kRead = LockType::read;
constexpr LockType kWrite = LockType::write;

class LockManagerTest : public testing::Test {
 protected:
    Status lock(LockOwner owner, LockRange range, LockType type) {
        return locks.lock(caller, file, owner, range, type, conflict);
    }
    Status unlock(LockOwner owner, LockRange range) {
        return locks.unlock(caller, file.id(), owner, range);
    }

    const Caller caller{};
    OpenFileForTest file{"a"};
    LockManager locks;
    LockConflict conflict;
};

TEST_F(LockManagerTest, GrantsAndRefuses) {
    EXPECT_EQ(lock(1, {0, 9}, kWrite), Status::ok);
    EXPECT_EQ(lock(2, {5, 14}, kRead), Status::locked);
    EXPECT_EQ(conflict, (LockConflict{{0, 9}, kWrite, 1}));
    std::optional<LockConflict> found;
    EXPECT_EQ(locks.test(caller, file, 2, {9, 9}, kRead, found), Status::ok);
    EXPECT_EQ(found, conflict);
    EXPECT_EQ(locks.test(caller, file, 1, {9, 9}, kWrite, found), Status::ok);
    EXPECT_FALSE(found);
    EXPECT_EQ(unlock(1, {5, kLockToEnd}), Status::ok);
    EXPECT_EQ(lock(2, {5, 14}, kRead), Status::ok);
    EXPECT_EQ(locks.count(), 2u);
}

TEST_F(LockManagerTest, RefusesWhatMakesNoSense) {
    EXPECT_EQ(lock(1, {1, 0}, kRead), Status::invalid);
    EXPECT_EQ(unlock(1, {1, 0}), Status::invalid);
    std::optional<LockConflict> found;
    EXPECT_EQ(locks.test(caller, file, 1, {1, 0}, kRead, found), Status::invalid);
    OpenFileForTest reader("b", OpenAccess::read), writer("b", OpenAccess::write);
    EXPECT_EQ(locks.lock(caller, reader, 1, {}, kWrite, conflict), Status::access_denied);
    EXPECT_EQ(locks.lock(caller, writer, 1, {}, kRead, conflict), Status::access_denied);
    EXPECT_EQ(locks.lock(caller, reader, 1, {}, kRead, conflict), Status::ok);
    EXPECT_EQ(locks.lock(caller, writer, 1, {}, kWrite, conflict), Status::ok);
    EXPECT_EQ(locks.test(caller, reader, 1, {}, kWrite, found), Status::ok)
        << "testing needs no access";
}

TEST_F(LockManagerTest, ReleasesAllOfAnOwnerOnAFile) {
    OpenFileForTest other("b");
    EXPECT_EQ(lock(1, {0, 9}, kWrite), Status::ok);
    EXPECT_EQ(locks.lock(caller, other, 1, {}, kWrite, conflict), Status::ok);
    EXPECT_EQ(locks.lock(caller, file, 2, {10, 19}, kWrite, conflict), Status::ok);
    EXPECT_EQ(lock(1, {30, 39}, kRead), Status::ok);
    locks.release(file.id(), 1);
    EXPECT_EQ(locks.count(), 2u);
    EXPECT_EQ(lock(3, {0, 9}, kWrite), Status::ok);
    EXPECT_EQ(lock(3, {10, 19}, kWrite), Status::locked);
    EXPECT_EQ(locks.lock(caller, other, 3, {}, kWrite, conflict), Status::locked);
    locks.release(other.id(), 1);
    EXPECT_EQ(locks.lock(caller, other, 3, {}, kWrite, conflict), Status::ok);
    locks.release(file.id(), 99);
    locks.release(file.id(), 2);
    locks.release(file.id(), 3);
    locks.release(other.id(), 3);
    locks.release(other.id(), 3);
    EXPECT_EQ(locks.count(), 0u);
}

TEST_F(LockManagerTest, ListsWhatAnOwnerHoldsPieceByPiece) {
    for (std::uint64_t i = 0; i < 5; ++i)
        EXPECT_EQ(lock(1, {10 * i, 10 * i + 3}, i % 2 == 0 ? kWrite : kRead), Status::ok);
    EXPECT_EQ(lock(2, {100, kLockToEnd}, kRead), Status::ok);
    using All = std::vector<HeldLock>;
    EXPECT_EQ(locks.held(file.id(), 1, 0, 2), (All{{{0, 3}, kWrite}, {{10, 13}, kRead}}));
    EXPECT_EQ(locks.held(file.id(), 1, 14, 2), (All{{{20, 23}, kWrite}, {{30, 33}, kRead}}));
    EXPECT_EQ(locks.held(file.id(), 1, 34, 2), (All{{{40, 43}, kWrite}}));
    EXPECT_EQ(locks.held(file.id(), 1, 22, 1), (All{{{20, 23}, kWrite}})) << "it reaches 22";
    EXPECT_EQ(locks.held(file.id(), 1, 44, 2), All{});
    EXPECT_EQ(locks.held(file.id(), 2, 5000, 9), (All{{{100, kLockToEnd}, kRead}}));
    EXPECT_EQ(locks.held(file.id(), 3, 0, 9), All{});
    EXPECT_EQ(locks.held(OpenFileForTest{"b"}.id(), 1, 0, 9), All{});
}

TEST_F(LockManagerTest, HasALimit) {
    LockManager small({}, 2);
    EXPECT_EQ(small.lock(caller, file, 1, {0, 0}, kRead, conflict), Status::ok);
    EXPECT_EQ(small.lock(caller, file, 1, {2, 9}, kRead, conflict), Status::ok);
    EXPECT_EQ(small.lock(caller, file, 1, {20, 20}, kRead, conflict), Status::no_locks);
    // Unlocking is never refused, even if it splits a range.
    EXPECT_EQ(small.unlock(caller, file.id(), 1, {5, 5}), Status::ok);
    EXPECT_EQ(small.count(), 3u);
    EXPECT_EQ(small.unlock(caller, file.id(), 1, {}), Status::ok);
    EXPECT_EQ(small.lock(caller, file, 1, {20, 20}, kRead, conflict), Status::ok);
}

TEST_F(LockManagerTest, HasALimitForEachFile) {
    LockManager manager;
    for (std::uint64_t i = 0; i < kLockRangesPerFileMax; ++i)
        ASSERT_EQ(manager.lock(caller, file, i, {2 * i, 2 * i}, kWrite, conflict), Status::ok);
    EXPECT_EQ(manager.lock(caller, file, 0, {1, 1}, kWrite, conflict), Status::no_locks);
    EXPECT_EQ(manager.unlock(caller, file.id(), 7, {}), Status::ok);
    EXPECT_EQ(manager.lock(caller, file, 0, {1, 1}, kWrite, conflict), Status::ok);
    OpenFileForTest other{"other"};
    EXPECT_EQ(manager.lock(caller, other, 0, {1, 1}, kWrite, conflict), Status::ok);
}

// Records the locks it is asked for, and refuses them on demand.
struct OutsideForTest {
    int made = 0;
    int alive = 0;
    FileLocks held;
    std::optional<LockConflict> refuses;

    std::string shown() const {
        std::string text;
        for (const auto& piece : held.pieces({0, 99}))
            text +=
                std::string(piece.range.last - piece.range.first + 1, !piece.type            ? '-'
                                                                      : *piece.type == kRead ? 'r'
                                                                                             : 'w');
        return text.substr(0, text.find_last_not_of('-') + 1);
    }
};
class OuterForTest final : public OuterLocks {
 public:
    explicit OuterForTest(OutsideForTest& outside) : outside_(outside) {
        ++outside_.made;
        ++outside_.alive;
    }
    ~OuterForTest() override {
        outside_.held.clear(0, {});
        --outside_.alive;
    }
    Status test(const LockRange&, LockType, std::optional<LockConflict>& conflict) override {
        conflict = outside_.refuses;
        return Status::ok;
    }
    Status acquire(OpenFile&, const LockRange& range, LockType type,
                   LockConflict& conflict) override {
        if (outside_.refuses) {
            conflict = *outside_.refuses;
            return Status::locked;
        }
        outside_.held.set(0, range, type);
        return Status::ok;
    }
    void weaken(const LockRange& range, std::optional<LockType> type) override {
        if (type)
            outside_.held.set(0, range, *type);
        else
            outside_.held.clear(0, range);
    }

 private:
    OutsideForTest& outside_;
};

class OuterLocksTest : public LockManagerTest {
 protected:
    OutsideForTest outside;
    LockManager outer{[this](OpenFile&, std::unique_ptr<OuterLocks>& out) {
        out = std::make_unique<OuterForTest>(outside);
        return Status::ok;
    }};
    Status take(LockOwner owner, LockRange range, LockType type) {
        return outer.lock(caller, file, owner, range, type, conflict);
    }
    void give(LockOwner owner, LockRange range) {
        EXPECT_EQ(outer.unlock(caller, file.id(), owner, range), Status::ok);
    }
};

TEST_F(OuterLocksTest, SeeTheStrongestOfAllOwners) {
    EXPECT_EQ(take(1, {0, 5}, kRead), Status::ok);
    EXPECT_EQ(take(2, {3, 8}, kRead), Status::ok);
    EXPECT_EQ(outside.shown(), "rrrrrrrrr");
    EXPECT_EQ(take(1, {0, 1}, kWrite), Status::ok);
    EXPECT_EQ(outside.shown(), "wwrrrrrrr");
    EXPECT_EQ(take(2, {0, 1}, kRead), Status::locked);
    EXPECT_EQ(conflict.owner, 1u);
    EXPECT_EQ(take(1, {0, 3}, kRead), Status::ok);  // downgrades a part
    EXPECT_EQ(outside.shown(), "rrrrrrrrr");
    give(1, {2, 4});
    EXPECT_EQ(outside.shown(), "rr-rrrrrr") << "the other owner keeps its lock";
    give(2, {3, 3});
    EXPECT_EQ(outside.shown(), "rr--rrrrr");
    give(3, {0, 9});
    EXPECT_EQ(outside.shown(), "rr--rrrrr") << "an owner without locks changes nothing";
    outer.release(file.id(), 1);
    EXPECT_EQ(outside.shown(), "----rrrrr");
    EXPECT_EQ(outside.made, 1);
    EXPECT_EQ(outside.alive, 1);
    outer.release(file.id(), 2);
    EXPECT_EQ(outside.alive, 0) << "a file without locks is forgotten";
}

TEST_F(OuterLocksTest, MayRefuse) {
    const LockConflict theirs{{100, 199}, kWrite, std::nullopt};
    outside.refuses = theirs;
    EXPECT_EQ(take(1, {0, 200}, kRead), Status::locked);
    EXPECT_EQ(conflict, theirs);
    EXPECT_EQ(outside.alive, 0) << "nothing was locked";
    std::optional<LockConflict> found;
    EXPECT_EQ(outer.test(caller, file, 1, {}, kRead, found), Status::ok);
    EXPECT_EQ(found, theirs);
    EXPECT_EQ(outside.alive, 0);
    outside.refuses.reset();
    EXPECT_EQ(take(1, {0, 9}, kRead), Status::ok);
    outside.refuses = theirs;
    EXPECT_EQ(take(1, {0, 9}, kWrite), Status::locked);
    EXPECT_EQ(outside.shown(), "rrrrrrrrrr") << "the old lock is kept";
    EXPECT_EQ(outer.test(caller, file, 2, {0, 0}, kWrite, found), Status::ok);
    EXPECT_EQ(found->owner, 1u) << "conflicts inside the server name the owner";
}

TEST_F(OuterLocksTest, MayNotBeHad) {
    LockManager none([](OpenFile&, std::unique_ptr<OuterLocks>&) { return Status::server_fault; });
    EXPECT_EQ(none.lock(caller, file, 1, {}, kRead, conflict), Status::server_fault);
    std::optional<LockConflict> found;
    EXPECT_EQ(none.test(caller, file, 1, {}, kRead, found), Status::server_fault);
    EXPECT_EQ(none.count(), 0u);
}

// Threads increment a plain integer under a write lock. Without mutual exclusion counts get lost,
// and TSan reports a race.
TEST_F(LockManagerTest, ExcludesThreads) {
    constexpr int kRounds = 2'000;
    int counter = 0;
    std::vector<std::thread> threads;
    for (LockOwner owner = 1; owner <= 4; ++owner) {
        threads.emplace_back([&, owner] {
            OpenFileForTest mine("a");
            LockConflict why;
            for (int i = 0; i < kRounds; ++i) {
                while (locks.lock(caller, mine, owner, {7, 7}, kWrite, why) != Status::ok)
                    std::this_thread::yield();
                ++counter;
                if (i % 2 == 0)
                    EXPECT_EQ(locks.unlock(caller, mine.id(), owner, {}), Status::ok);
                else
                    locks.release(mine.id(), owner);
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(counter, 4 * kRounds);
    EXPECT_EQ(locks.count(), 0u);
}

}  // namespace
}  // namespace helio::vfs::lock_manager_test
