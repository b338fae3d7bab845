// Who is notified when a lock is released, and in which order.
#include "helio/nfs/state/lock_waiters.h"

#include <gtest/gtest.h>

namespace helio::nfs::state::lock_waiters_test {
namespace {

using vfs::LockRange;
using vfs::LockType;
using Names = std::vector<std::string>;
using Freed = LockWaiters::Freed;

const FileKey kFile{7, vfs::FileId::copy_of(as_bytes("file"))};
const FileKey kOther{7, vfs::FileId::copy_of(as_bytes("other"))};

struct Waiters : ::testing::Test {
    LockWaiters waiters;

    static LockWait want(const std::string& owner, LockRange range = {},
                         LockType type = LockType::write, ClientId client = 1,
                         const FileKey& file = kFile) {
        return {.client = client, .file = file, .owner = owner, .range = range, .type = type};
    }
    static Names owners(const LockWaiters::Waits& waits) {
        Names out;
        for (const LockWait& one : waits) out.push_back(one.owner);
        return out;
    }
    Names release(LockRange range = {}, Freed freed = Freed::for_all) {
        LockWaiters::Waits out;
        waiters.released(kFile, range, freed, out);
        return owners(out);
    }
    Names round() {
        LockWaiters::Waits out;
        waiters.next_round(out);
        return owners(out);
    }
};

TEST_F(Waiters, TheFirstWriterIsNotified) {
    for (const char* const owner : {"a", "b", "c"}) waiters.wait(want(owner));
    EXPECT_EQ(release(), Names{"a"});
    EXPECT_EQ(release(), Names{}) << "it has been told, and may be on its way";
    waiters.granted(want("a"));
    EXPECT_EQ(release(), Names{"b"});
}

TEST_F(Waiters, WhoIsDeniedAgainKeepsItsPlace) {
    waiters.wait(want("a"));
    waiters.wait(want("b"));
    EXPECT_EQ(release(), Names{"a"});
    waiters.wait(want("a"));  // somebody else was faster
    EXPECT_EQ(waiters.count(), 2u);
    EXPECT_EQ(release(), Names{"a"});
}

TEST_F(Waiters, ReadersAreNotifiedTogether) {
    waiters.wait(want("r1", {}, LockType::read));
    waiters.wait(want("w"));
    waiters.wait(want("r2", {}, LockType::read));
    EXPECT_EQ(release(), (Names{"r1", "r2"}));
}

TEST_F(Waiters, ADowngradeHelpsReaders) {
    waiters.wait(want("w"));
    waiters.wait(want("r", {}, LockType::read));
    EXPECT_EQ(release({}, Freed::for_readers), Names{"r"});
}

TEST_F(Waiters, OnlyWhoWantsTheseBytes) {
    waiters.wait(want("low", {0, 9}));
    waiters.wait(want("high", {10, vfs::kLockToEnd}));
    EXPECT_EQ(release({3, 3}), Names{"low"});
    EXPECT_EQ(release({9, 10}), Names{"high"});
    LockWaiters::Waits out;
    waiters.released(kOther, {}, Freed::for_all, out);
    EXPECT_TRUE(out.empty());
}

TEST_F(Waiters, DisjointRangesAreNotifiedTogether) {
    waiters.wait(want("low", {0, 9}));
    waiters.wait(want("high", {10, 19}));
    waiters.wait(want("both", {5, 15}));
    EXPECT_EQ(release(), (Names{"low", "high"}));
}

// A process that was killed while it waited says nothing.
TEST_F(Waiters, WhoDoesNotComeMakesWay) {
    waiters.wait(want("killed"));
    waiters.wait(want("next"));
    EXPECT_EQ(release(), Names{"killed"});
    Names told;
    for (std::uint64_t i = 0; i < kAnswerRoundsMax && told.empty(); ++i) told = round();
    EXPECT_EQ(told, Names{"next"});
    EXPECT_EQ(waiters.count(), 1u);
}

TEST_F(Waiters, WhoStopsAskingIsForgotten) {
    waiters.wait(want("a"));
    for (std::uint64_t i = 1; i < kWaitRoundsMax; ++i) EXPECT_EQ(round(), Names{});
    EXPECT_EQ(waiters.count(), 1u);
    round();
    EXPECT_TRUE(waiters.empty());
}

TEST_F(Waiters, ClientsAndFilesAreDropped) {
    waiters.wait(want("a", {}, LockType::write, 1));
    waiters.wait(want("a", {}, LockType::write, 2));
    waiters.wait(want("b", {}, LockType::write, 2, kOther));
    waiters.drop_file(2, kFile);
    EXPECT_EQ(waiters.count(), 2u);
    waiters.drop_client(1);
    EXPECT_EQ(waiters.count(), 1u);
    EXPECT_EQ(release(), Names{});
    waiters.drop_client(2);
    EXPECT_TRUE(waiters.empty());
}

TEST_F(Waiters, TheyAreBounded) {
    for (std::size_t i = 0; i < 2 * kWaitersPerClientMax; ++i)
        waiters.wait(want(std::to_string(i)));
    EXPECT_EQ(waiters.count(), kWaitersPerClientMax);
    for (ClientId client = 2; client < 100; ++client)
        for (std::size_t i = 0; i < kWaitersPerClientMax; ++i)
            waiters.wait(want(std::to_string(i), {}, LockType::read, client));
    EXPECT_EQ(waiters.count(), kWaitersMax);
    waiters.drop_client(1);
    EXPECT_EQ(release().size(), kNotifiedAtOnceMax);
}

TEST_F(Waiters, OutsideLocksAreTestedInTurn) {
    for (std::size_t i = 0; i < kWaitersPerClientMax; ++i)
        for (const ClientId client : {1, 2}) {
            LockWait what = want(std::to_string(i), {i, i}, LockType::write, client);
            what.outside = true;
            waiters.wait(what);
        }
    const auto first = waiters.outside(), second = waiters.outside();
    ASSERT_EQ(first.size(), kOutsideTestsMax);
    ASSERT_EQ(second.size(), kOutsideTestsMax);
    EXPECT_FALSE(first[0].same_owner(second[0]) && first[0].range == second[0].range);
    LockWaiters::Waits out;
    waiters.outside_freed(first[0], out);
    EXPECT_EQ(owners(out), Names{first[0].owner});
    waiters.granted(first[0]);
    out.clear();
    waiters.outside_freed(first[0], out);
    EXPECT_TRUE(out.empty()) << "nobody waits for it any more";
}

}  // namespace
}  // namespace helio::nfs::state::lock_waiters_test
