// Open files and locks from many threads at once.
#include <atomic>
#include <random>
#include <thread>

#include "helio/vfs/copying.h"
#include "helio/vfs/holes.h"
#include "helio/vfs/range_locks.h"
#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::threads_test {
namespace {

using vfs::LockRange;
using vfs::LockType;

template <class Base>
class Together : public Base {
 protected:
    static constexpr unsigned kThreads = 4;
    template <class Work>
    static void together(const Work& work) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
        for (auto& thread : threads) thread.join();
    }
};
using VfsOpenThreads = Together<VfsWith<&FileSystem::open_files>>;
using VfsLockThreads = Together<VfsWith<&FileSystem::range_locks>>;

// Threads open a file that another thread keeps creating and removing.
TEST_P(VfsOpenThreads, OpenWhatOthersRemove) {
    std::atomic<bool> done{false};
    std::atomic<int> opened{0};
    std::thread maker([&] {
        ClientForTest mine(fs(), 0, 0);
        // Continue until enough opens have succeeded.
        for (int i = 0; i < 300 || opened < 50; ++i) {
            const FileId a = got(mine, mine.create(root(), "a"));
            EXPECT_EQ(mine.write(a, 0, "text"), Status::ok);
            std::this_thread::yield();
            EXPECT_EQ(mine.remove(root(), "a"), Status::ok);
        }
        done = true;
    });
    together([&](unsigned) {
        ClientForTest mine(fs(), 0, 0);
        while (!done) {
            const FileId a = mine.lookup(root(), "a");
            if (mine.status != Status::ok) continue;
            OpenedForTest open(mine, a);
            if (open.status == Status::stale) continue;
            ASSERT_EQ(open.status, Status::ok);
            ++opened;
            const std::string head = open.read(0, 4);
            EXPECT_TRUE(head == "text" || head == std::string(head.size(), '\0')) << head;
            EXPECT_EQ(open.write(4, " more"), Status::ok);
            EXPECT_EQ(open.read(4, 5), " more");
        }
    });
    maker.join();
    EXPECT_EQ(c.names(root()), std::vector<std::string>{});
}

TEST_P(VfsOpenThreads, ShareOneFile) {
    const FileId a = file("a");
    together([&](unsigned me) {
        ClientForTest mine(fs(), 0, 0);
        for (unsigned i = 0; i < 200; ++i) {
            OpenedForTest open(mine, a, i % 2 == 0 ? OpenAccess::both : OpenAccess::write);
            const std::string text = std::to_string(me) + "-" + std::to_string(i);
            EXPECT_EQ(open.write(me * 100'000, text), Status::ok);
            if (i % 2 == 0) {
                EXPECT_EQ(open.read(me * 100'000, static_cast<std::uint32_t>(text.size())), text);
            }
        }
    });
}

// Threads increment a number in a file under a write lock.
TEST_P(VfsLockThreads, ExcludeOneAnother) {
    const FileId a = file("a", "00000");
    constexpr int kRounds = 150;
    together([&](unsigned me) {
        ClientForTest mine(fs(), 0, 0);
        OpenedForTest open(mine, a);
        vfs::LockConflict conflict;
        for (int i = 0; i < kRounds; ++i) {
            const LockRange range{me, 100};  // overlaps with all others
            while (true) {
                const Status status =
                    part().lock(mine.caller(), *open, me, range, LockType::write, conflict);
                if (status == Status::ok) break;
                ASSERT_EQ(status, Status::locked);
                ASSERT_TRUE(conflict.owner && *conflict.owner != me);
                std::this_thread::yield();
            }
            std::string digits = std::to_string(std::stoi(open.read(0, 5)) + 1);
            digits.insert(0, 5 - digits.size(), '0');
            EXPECT_EQ(open.write(0, digits), Status::ok);
            if (i % 3 == 0)
                part().release(a, me);
            else
                EXPECT_EQ(part().unlock(mine.caller(), a, me, range), Status::ok);
        }
    });
    EXPECT_EQ(std::stoi(c.read(a)), static_cast<int>(kThreads) * kRounds);
}

// Random operations of all parts on a few files. Only expected errors may occur.
TEST_P(VfsLockThreads, AllPartsOnFewFiles) {
    for (const char* name : {"a", "b", "c"}) file(name, pattern(200'000));
    together([&](unsigned me) {
        std::mt19937 random(me);
        ClientForTest mine(fs(), 0, 0);
        std::vector<FileId> locked;  // some of them removed since
        for (int i = 0; i < 300; ++i) {
            const std::string name(1, static_cast<char>('a' + random() % 3));
            const FileId id = mine.lookup(root(), name);
            if (mine.status == Status::not_found) {
                mine.create(root(), name, 0644, CreateMode::unchecked);
                continue;
            }
            OpenedForTest open(mine, id), other(mine, mine.lookup(root(), "b"));
            if (!open || !other) continue;
            vfs::LockConflict conflict;
            vfs::SeekOut found;
            std::uint64_t copied = 0;
            const std::uint64_t at = random() % 200'000;
            Status status = Status::ok;
            switch (random() % 8) {
                case 0:
                    status =
                        part().lock(mine.caller(), *open, me, {at, at + random() % 1'000},
                                    random() % 2 == 0 ? LockType::read : LockType::write, conflict);
                    locked.push_back(id);
                    break;
                case 1:
                    status = part().unlock(mine.caller(), id, me, {at, vfs::kLockToEnd});
                    break;
                case 2:
                    part().release(id, me);
                    break;
                case 3:
                    if (fs().holes())
                        status = fs().holes()->deallocate(mine.caller(), *open, at, 10'000);
                    break;
                case 4:
                    if (fs().holes())
                        status =
                            fs().holes()->seek(mine.caller(), *open, at, vfs::SeekFor::data, found);
                    break;
                case 5:
                    if (fs().copying())
                        status = fs().copying()->copy(mine.caller(), *open, *other,
                                                      {at, at / 2, 5'000}, copied);
                    break;
                case 6:
                    if (fs().cloning())
                        status = fs().cloning()->clone(mine.caller(), *open, *other, {});
                    break;
                default:
                    status = mine.remove(root(), name);
                    break;
            }
            EXPECT_TRUE(one_of(status, {Status::ok, Status::locked, Status::past_end,
                                        Status::invalid, Status::not_found}))
                << name_of(status);
        }
        for (const FileId& id : locked) part().release(id, me);
    });
    EXPECT_EQ(part().count(), 0u);
}

HELIO_OVER_ALL_BACKENDS(VfsOpenThreads);
HELIO_OVER_ALL_BACKENDS(VfsLockThreads);

}  // namespace
}  // namespace helio::tests::threads_test
