#include "helio/vfs/range_locks.h"

#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::range_locks_test {
namespace {

using vfs::kLockToEnd;
using vfs::LockConflict;
using vfs::LockRange;
using vfs::LockType;

constexpr LockType kRead = LockType::read;
constexpr LockType kWrite = LockType::write;

class VfsRangeLocks : public VfsWith<&FileSystem::range_locks> {
 protected:
    Status lock(vfs::LockOwner owner, LockRange range, LockType type) {
        return part().lock(c.caller(), *open, owner, range, type, conflict);
    }
    Status unlock(vfs::LockOwner owner, LockRange range) {
        return part().unlock(c.caller(), a, owner, range);
    }
    // The conflicting lock as "FIRST-LAST TYPE OWNER", or nothing.
    std::string blocked(vfs::LockOwner owner, LockRange range, LockType type) {
        std::optional<LockConflict> found;
        EXPECT_EQ(part().test(c.caller(), *open, owner, range, type, found), Status::ok);
        if (!found) return "";
        const auto text = [](std::uint64_t offset) {
            return offset == kLockToEnd ? "end" : std::to_string(offset);
        };
        return text(found->range.first) + "-" + text(found->range.last) +
               (found->type == kRead ? " r" : " w") +
               (found->owner ? std::to_string(*found->owner) : "?");
    }

    const FileId a = file("a", "text");
    OpenedForTest open{c, a};
    LockConflict conflict;
};

TEST_P(VfsRangeLocks, ExcludeOneAnother) {
    EXPECT_EQ(lock(1, {10, 19}, kWrite), Status::ok);
    for (const LockType type : {kRead, kWrite}) {
        EXPECT_EQ(lock(2, {0, 10}, type), Status::locked);
        EXPECT_EQ(conflict, (LockConflict{{10, 19}, kWrite, 1}));
        EXPECT_EQ(lock(2, {19, 19}, type), Status::locked);
        EXPECT_EQ(lock(2, {}, type), Status::locked);
        EXPECT_EQ(blocked(2, {15, 15}, type), "10-19 w1");
        EXPECT_EQ(blocked(1, {15, 15}, type), "") << "an owner does not block itself";
    }
    EXPECT_EQ(lock(2, {0, 9}, kWrite), Status::ok);
    EXPECT_EQ(lock(2, {20, kLockToEnd}, kWrite), Status::ok);
    EXPECT_EQ(lock(3, {20, 20}, kRead), Status::locked);
    EXPECT_EQ(conflict, (LockConflict{{20, kLockToEnd}, kWrite, 2}));
}

TEST_P(VfsRangeLocks, AreSharedByReaders) {
    EXPECT_EQ(lock(1, {0, 9}, kRead), Status::ok);
    EXPECT_EQ(lock(2, {5, 14}, kRead), Status::ok);
    EXPECT_EQ(blocked(3, {}, kRead), "");
    EXPECT_EQ(blocked(3, {7, 7}, kWrite), "0-9 r1");
    EXPECT_EQ(blocked(1, {0, 14}, kWrite), "5-14 r2");
    EXPECT_EQ(unlock(1, {0, 9}), Status::ok);
    EXPECT_EQ(blocked(3, {0, 4}, kWrite), "");
    EXPECT_EQ(blocked(3, {4, 5}, kWrite), "5-14 r2");
}

TEST_P(VfsRangeLocks, OfOneOwnerAreReplacedJoinedAndSplit) {
    EXPECT_EQ(lock(1, {0, 9}, kRead), Status::ok);
    EXPECT_EQ(lock(1, {10, 19}, kRead), Status::ok);
    EXPECT_EQ(blocked(2, {}, kWrite), "0-19 r1");
    EXPECT_EQ(lock(1, {5, 14}, kWrite), Status::ok);
    EXPECT_EQ(blocked(2, {}, kRead), "5-14 w1");
    EXPECT_EQ(blocked(2, {0, 4}, kWrite), "0-4 r1");
    EXPECT_EQ(blocked(2, {15, 30}, kWrite), "15-19 r1");
    EXPECT_EQ(lock(1, {0, 19}, kRead), Status::ok) << "a downgrade";
    EXPECT_EQ(blocked(2, {}, kRead), "");
    EXPECT_EQ(unlock(1, {8, 11}), Status::ok);
    EXPECT_EQ(blocked(2, {8, 11}, kWrite), "");
    EXPECT_EQ(blocked(2, {0, 11}, kWrite), "0-7 r1");
    EXPECT_EQ(blocked(2, {8, 99}, kWrite), "12-19 r1");
    EXPECT_EQ(unlock(1, {}), Status::ok);
    EXPECT_EQ(blocked(2, {}, kWrite), "");
}

TEST_P(VfsRangeLocks, CannotBeRaisedOverOthers) {
    EXPECT_EQ(lock(1, {0, 9}, kRead), Status::ok);
    EXPECT_EQ(lock(2, {0, 9}, kRead), Status::ok);
    EXPECT_EQ(lock(1, {0, 9}, kWrite), Status::locked);
    EXPECT_EQ(blocked(3, {0, 9}, kWrite), "0-9 r1") << "the old lock is kept";
    EXPECT_EQ(unlock(2, {5, 9}), Status::ok);
    EXPECT_EQ(lock(1, {5, 9}, kWrite), Status::ok);
    EXPECT_EQ(lock(1, {4, 9}, kWrite), Status::locked);
    EXPECT_EQ(blocked(2, {5, 9}, kRead), "5-9 w1");
}

TEST_P(VfsRangeLocks, ReachToTheEndOfTheNumbers) {
    const std::uint64_t edge = INT64_MAX;
    EXPECT_EQ(lock(1, {edge, edge}, kWrite), Status::ok);
    EXPECT_EQ(lock(2, {edge + 1, kLockToEnd}, kWrite), Status::ok);
    EXPECT_EQ(lock(3, {kLockToEnd, kLockToEnd}, kRead), Status::locked);
    EXPECT_EQ(conflict.owner, 2u);
    EXPECT_EQ(blocked(3, {edge - 5, edge - 1}, kWrite), "");
    EXPECT_EQ(lock(3, {1, 0}, kRead), Status::invalid);
    EXPECT_EQ(unlock(3, {1, 0}), Status::invalid);
    EXPECT_EQ(unlock(2, {kLockToEnd, kLockToEnd}), Status::ok);
    EXPECT_EQ(lock(3, {kLockToEnd, kLockToEnd}, kRead), Status::ok);
    EXPECT_EQ(blocked(1, {edge + 1, edge + 1}, kRead),
              std::to_string(edge + 1) + "-" + std::to_string(kLockToEnd - 1) + " w2");
}

TEST_P(VfsRangeLocks, AreOfOneFile) {
    const FileId b = file("b");
    OpenedForTest other(c, b);
    EXPECT_EQ(lock(1, {}, kWrite), Status::ok);
    EXPECT_EQ(part().lock(c.caller(), *other, 2, {}, kWrite, conflict), Status::ok);
    EXPECT_EQ(part().unlock(c.caller(), b, 2, {}), Status::ok);
    EXPECT_EQ(lock(2, {}, kWrite), Status::locked);
    // Another name and another open mean the same file.
    ASSERT_EQ(c.link(a, root(), "c"), Status::ok);
    OpenedForTest again(c, c.lookup(root(), "c"));
    EXPECT_EQ(part().lock(c.caller(), *again, 2, {}, kRead, conflict), Status::locked);
}

TEST_P(VfsRangeLocks, TakeAFileThatIsOpenForIt) {
    OpenedForTest reader(c, a, OpenAccess::read), writer(c, a, OpenAccess::write);
    EXPECT_EQ(part().lock(c.caller(), *reader, 1, {}, kWrite, conflict), Status::access_denied);
    EXPECT_EQ(part().lock(c.caller(), *writer, 1, {}, kRead, conflict), Status::access_denied);
    EXPECT_EQ(part().lock(c.caller(), *reader, 1, {0, 4}, kRead, conflict), Status::ok);
    EXPECT_EQ(part().lock(c.caller(), *writer, 1, {5, 9}, kWrite, conflict), Status::ok);
    EXPECT_EQ(blocked(2, {0, 4}, kWrite), "0-4 r1");
    EXPECT_EQ(blocked(2, {5, 9}, kRead), "5-9 w1");
    EXPECT_EQ(unlock(1, {}), Status::ok);
    EXPECT_EQ(unlock(1, {}), Status::ok) << "unlocking nothing is not an error";
}

TEST_P(VfsRangeLocks, AreReleasedTogether) {
    const FileId b = file("b");
    {
        OpenedForTest other(c, b);
        EXPECT_EQ(part().lock(c.caller(), *other, 1, {3, 5}, kWrite, conflict), Status::ok);
    }
    EXPECT_EQ(lock(1, {0, 9}, kWrite), Status::ok);
    EXPECT_EQ(lock(2, {10, 19}, kWrite), Status::ok);
    OpenedForTest other(c, b);
    EXPECT_EQ(part().lock(c.caller(), *other, 2, {}, kRead, conflict), Status::locked)
        << "closing the file keeps the lock";
    part().release(b, 1);
    EXPECT_EQ(part().lock(c.caller(), *other, 2, {}, kRead, conflict), Status::ok);
    EXPECT_EQ(blocked(3, {0, 9}, kWrite), "0-9 w1") << "of another file";
    part().release(a, 1);
    EXPECT_EQ(blocked(3, {0, 9}, kWrite), "");
    EXPECT_EQ(blocked(3, {}, kWrite), "10-19 w2");
}

TEST_P(VfsRangeLocks, StayWithoutAName) {
    EXPECT_EQ(lock(1, {0, 9}, kRead), Status::ok);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    EXPECT_EQ(lock(1, {0, 9}, kWrite), Status::ok);
    EXPECT_EQ(lock(2, {5, 5}, kRead), Status::locked);
    EXPECT_EQ(unlock(1, {0, 9}), Status::ok);
    EXPECT_EQ(lock(2, {5, 5}, kRead), Status::ok);
}

TEST_P(VfsRangeLocks, AreAdvisory) {
    EXPECT_EQ(lock(1, {}, kWrite), Status::ok);
    EXPECT_EQ(c.write(a, 0, "T"), Status::ok);
    EXPECT_EQ(c.read(a), "Text");
}

HELIO_OVER_ALL_BACKENDS(VfsRangeLocks);

}  // namespace
}  // namespace helio::tests::range_locks_test
