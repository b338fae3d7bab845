// Clients and programs on the same machine must see each other's locks.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helio/base/fd.h"
#include "helio/vfs/range_locks.h"
#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::local_locks_test {
namespace {

using vfs::kLockToEnd;
using vfs::LockConflict;
using vfs::LockRange;
using vfs::LockType;

struct flock to_flock(short type, off_t start, off_t length) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
}

class VfsLocalLocks : public VfsWith<&FileSystem::range_locks> {
 protected:
    void SetUp() override {
        VfsWith::SetUp();
        if (instance_->path().empty()) GTEST_SKIP() << "no other program sees its files";
        program_ = Fd{::open((instance_->path() + "/a").c_str(), O_RDWR | O_CLOEXEC)};
        ASSERT_TRUE(program_);
    }
    Status lock(vfs::LockOwner owner, LockRange range, LockType type) {
        return part().lock(c.caller(), *open, owner, range, type, conflict);
    }
    Status unlock(vfs::LockOwner owner, LockRange range) {
        return part().unlock(c.caller(), a, owner, range);
    }
    // A local program takes an open file description lock.
    bool program_locks(short type, off_t start, off_t length) {
        struct flock lock = to_flock(type, start, length);
        return fcntl(program_.get(), F_OFD_SETLK, &lock) == 0;
    }
    // The locks that it sees on the first `length` bytes: r, w, or - for none.
    std::string program_sees(off_t length) {
        std::string text;
        for (off_t at = 0; at < length; ++at) {
            struct flock lock = to_flock(F_WRLCK, at, 1);
            EXPECT_EQ(fcntl(program_.get(), F_OFD_GETLK, &lock), 0);
            text += lock.l_type == F_UNLCK ? '-' : lock.l_type == F_RDLCK ? 'r' : 'w';
        }
        return text;
    }

    const FileId a = file("a", "text");
    OpenedForTest open{c, a};
    LockConflict conflict;
    Fd program_;
};

TEST_P(VfsLocalLocks, OfClientsAreSeenByPrograms) {
    EXPECT_EQ(lock(1, {0, 3}, LockType::write), Status::ok);
    EXPECT_EQ(lock(1, {6, 8}, LockType::read), Status::ok);
    EXPECT_EQ(program_sees(10), "wwww--rrr-");
    EXPECT_FALSE(program_locks(F_RDLCK, 3, 1));
    EXPECT_TRUE(program_locks(F_RDLCK, 4, 4));
    EXPECT_FALSE(program_locks(F_WRLCK, 4, 4));
    EXPECT_EQ(unlock(1, {1, 6}), Status::ok);
    EXPECT_EQ(program_sees(10), "w------rr-");
    part().release(a, 1);
    EXPECT_EQ(program_sees(10), "----------");
}

TEST_P(VfsLocalLocks, OfSeveralClientsAreOneToPrograms) {
    EXPECT_EQ(lock(1, {0, 5}, LockType::read), Status::ok);
    EXPECT_EQ(lock(2, {3, 8}, LockType::read), Status::ok);
    EXPECT_EQ(program_sees(10), "rrrrrrrrr-");
    EXPECT_EQ(unlock(1, {0, 5}), Status::ok);
    EXPECT_EQ(program_sees(10), "---rrrrrr-") << "the other client keeps its lock";
    EXPECT_EQ(lock(2, {3, 4}, LockType::write), Status::ok);
    EXPECT_EQ(program_sees(10), "---wwrrrr-");
    EXPECT_EQ(lock(2, {3, 8}, LockType::read), Status::ok);
    EXPECT_EQ(program_sees(10), "---rrrrrr-");
    part().release(a, 2);
    EXPECT_EQ(program_sees(10), "----------");
}

TEST_P(VfsLocalLocks, OfProgramsKeepClientsOut) {
    ASSERT_TRUE(program_locks(F_WRLCK, 10, 5));
    EXPECT_EQ(lock(1, {0, 20}, LockType::read), Status::locked);
    EXPECT_EQ(conflict, (LockConflict{{10, 14}, LockType::write, std::nullopt}));
    std::optional<LockConflict> found;
    EXPECT_EQ(part().test(c.caller(), *open, 1, {14, kLockToEnd}, LockType::read, found),
              Status::ok);
    EXPECT_EQ(found, conflict);
    EXPECT_EQ(lock(1, {0, 9}, LockType::write), Status::ok);
    EXPECT_EQ(lock(1, {15, kLockToEnd}, LockType::read), Status::ok);
    // A failed upgrade leaves the locks as they were.
    EXPECT_EQ(lock(1, {0, 20}, LockType::write), Status::locked);
    EXPECT_EQ(program_sees(10), "wwwwwwwwww");
    ASSERT_TRUE(program_locks(F_RDLCK, 10, 5));
    EXPECT_EQ(lock(2, {10, 14}, LockType::read), Status::ok);
    EXPECT_EQ(lock(2, {10, 14}, LockType::write), Status::locked);
    EXPECT_EQ(conflict, (LockConflict{{10, 14}, LockType::read, std::nullopt}));
    ASSERT_TRUE(program_locks(F_UNLCK, 0, 0));
    EXPECT_EQ(lock(2, {10, 14}, LockType::write), Status::ok);
}

TEST_P(VfsLocalLocks, OfProgramsReachToTheEnd) {
    ASSERT_TRUE(program_locks(F_WRLCK, 100, 0));
    EXPECT_EQ(lock(1, {INT64_MAX, INT64_MAX}, LockType::read), Status::locked);
    EXPECT_EQ(conflict, (LockConflict{{100, kLockToEnd}, LockType::write, std::nullopt}));
    // Programs cannot lock beyond this offset, but clients can.
    const std::uint64_t beyond = static_cast<std::uint64_t>(INT64_MAX) + 1;
    EXPECT_EQ(lock(1, {beyond, kLockToEnd}, LockType::write), Status::ok);
    EXPECT_EQ(lock(2, {beyond, beyond}, LockType::write), Status::locked);
    EXPECT_EQ(conflict.owner, 1u);
}

// Read locks are held by a read-only descriptor until the first write lock, which moves them to a
// writable one.
TEST_P(VfsLocalLocks, AreKeptWhenAReaderIsJoinedByAWriter) {
    open.close();
    OpenedForTest reader(c, a, OpenAccess::read);
    ASSERT_EQ(part().lock(c.caller(), *reader, 1, {0, 1}, LockType::read, conflict), Status::ok);
    ASSERT_EQ(part().lock(c.caller(), *reader, 1, {4, 6}, LockType::read, conflict), Status::ok);
    ASSERT_EQ(part().lock(c.caller(), *reader, 2, {6, 8}, LockType::read, conflict), Status::ok);
    ASSERT_EQ(part().unlock(c.caller(), a, 1, {5, 5}), Status::ok);
    EXPECT_EQ(program_sees(10), "rr--r-rrr-");
    OpenedForTest writer(c, a, OpenAccess::write);
    EXPECT_EQ(part().lock(c.caller(), *writer, 3, {2, 2}, LockType::write, conflict), Status::ok);
    EXPECT_EQ(program_sees(10), "rrw-r-rrr-");
    ASSERT_TRUE(program_locks(F_RDLCK, 0, 1));
    EXPECT_EQ(part().lock(c.caller(), *writer, 1, {0, 1}, LockType::write, conflict),
              Status::locked);
    EXPECT_EQ(program_sees(10), "rrw-r-rrr-");
}

// Traditional POSIX locks, which belong to a process.
TEST_P(VfsLocalLocks, OfAnotherProcessToo) {
    EXPECT_EQ(lock(1, {0, 9}, LockType::write), Status::ok);
    int ready[2], done[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct flock refused = to_flock(F_RDLCK, 0, 1);
        struct flock wanted = to_flock(F_WRLCK, 20, 10);
        const bool good = fcntl(program_.get(), F_SETLK, &refused) != 0 &&
                          fcntl(program_.get(), F_SETLK, &wanted) == 0;
        char letter = good ? 'y' : 'n';
        if (write(ready[1], &letter, 1) != 1 || read(done[0], &letter, 1) != 1) _exit(1);
        _exit(0);
    }
    char letter = '?';
    ASSERT_EQ(read(ready[0], &letter, 1), 1);
    EXPECT_EQ(letter, 'y');
    EXPECT_EQ(lock(1, {10, 25}, LockType::read), Status::locked);
    EXPECT_EQ(conflict, (LockConflict{{20, 29}, LockType::write, std::nullopt}));
    ASSERT_EQ(write(done[1], "x", 1), 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(lock(1, {10, 25}, LockType::read), Status::ok) << "the locks ended with the process";
    for (const int fd : {ready[0], ready[1], done[0], done[1]}) close(fd);
}

HELIO_OVER_ALL_BACKENDS(VfsLocalLocks);

}  // namespace
}  // namespace helio::tests::local_locks_test
