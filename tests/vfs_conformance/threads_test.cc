#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::threads_test {
namespace {

class VfsThreads : public Vfs {
 protected:
    static constexpr unsigned kThreads = 4;
    template <class Work>
    static void together(const Work& work) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
        for (auto& thread : threads) thread.join();
    }
};

TEST_P(VfsThreads, OneOfAllCreatesAName) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> created{0};
        const std::string name = "a" + std::to_string(round);
        together([&](unsigned) {
            ClientForTest mine(fs(), 0, 0);
            mine.create(root(), name);
            EXPECT_TRUE(one_of(mine.status, {Status::ok, Status::exists}));
            if (mine.status == Status::ok) ++created;
        });
        EXPECT_EQ(created, 1);
    }
}

TEST_P(VfsThreads, OneOfAllRemovesAName) {
    for (int round = 0; round < 50; ++round) {
        const std::string name = "a" + std::to_string(round);
        file(name);
        std::atomic<int> removed{0};
        together([&](unsigned) {
            ClientForTest mine(fs(), 0, 0);
            mine.remove(root(), name);
            EXPECT_TRUE(one_of(mine.status, {Status::ok, Status::not_found}));
            if (mine.status == Status::ok) ++removed;
        });
        EXPECT_EQ(removed, 1);
    }
}

TEST_P(VfsThreads, NamesOfAllAreThereAfterwards) {
    const FileId sub = directory("sub");
    together([&](unsigned me) {
        ClientForTest mine(fs(), 0, 0);
        for (int i = 0; i < 300; ++i) {
            const std::string name = std::to_string(me) + "-" + std::to_string(i);
            const FileId id = got(mine, mine.create(sub, name));
            EXPECT_EQ(mine.write(id, 0, name), Status::ok);
            EXPECT_EQ(got(mine, mine.lookup(sub, name)), id);
            if (i % 3 == 0) {
                EXPECT_EQ(mine.remove(sub, name), Status::ok);
            }
        }
    });
    const auto names = sorted_names(sub);
    EXPECT_EQ(names.size(), kThreads * 200);
    for (const auto& name : names) EXPECT_EQ(c.read(c.lookup(sub, name)), name);
}

TEST_P(VfsThreads, WritesToTheirOwnPartsOfAFile) {
    const FileId a = file("a");
    constexpr std::size_t kPiece = 7'000;
    constexpr unsigned kPieces = 40;
    together([&](unsigned me) {
        ClientForTest mine(fs(), 0, 0);
        for (unsigned i = me; i < kPieces; i += kThreads) {
            EXPECT_EQ(mine.write(a, i * kPiece, pattern(kPiece, i)), Status::ok);
            EXPECT_EQ(mine.read(a, i * kPiece, kPiece), pattern(kPiece, i));
        }
    });
    for (unsigned i = 0; i < kPieces; ++i)
        EXPECT_EQ(c.read(a, i * kPiece, kPiece), pattern(kPiece, i)) << i;
    EXPECT_EQ(c.attributes(a).size, kPieces * kPiece);
}

TEST_P(VfsThreads, LinksAreCountedRight) {
    const FileId a = file("a");
    together([&](unsigned me) {
        ClientForTest mine(fs(), 0, 0);
        for (int i = 0; i < 100; ++i)
            EXPECT_EQ(mine.link(a, root(), std::to_string(me) + "-" + std::to_string(i)),
                      Status::ok);
    });
    EXPECT_EQ(c.attributes(a).links, 1 + kThreads * 100);
}

TEST_P(VfsThreads, RenamedFileIsAlwaysSomewhere) {
    const FileId here = directory("here");
    const FileId there = directory("there");
    const FileId a = got(c, c.create(here, "a"));
    ASSERT_EQ(c.write(a, 0, "text"), Status::ok);
    std::atomic<bool> done{false};
    std::thread mover([&] {
        ClientForTest mine(fs(), 0, 0);
        for (int i = 0; i < 500; ++i) {
            EXPECT_EQ(mine.rename(here, "a", there, "b"), Status::ok);
            EXPECT_EQ(mine.rename(there, "b", here, "a"), Status::ok);
        }
        done = true;
    });
    ClientForTest mine(fs(), 0, 0);
    while (!done) {
        EXPECT_EQ(mine.read(a), "text") << "its id finds it wherever it is";
        EXPECT_EQ(mine.status, Status::ok);
    }
    mover.join();
}

// Readers see a name all the time while others are moved over it.
TEST_P(VfsThreads, ReplacedNameIsNeverMissing) {
    file("a", "text");
    std::atomic<bool> done{false};
    std::thread replacer([&] {
        ClientForTest mine(fs(), 0, 0);
        for (int i = 0; i < 300; ++i) {
            const FileId b = got(mine, mine.create(root(), "b"));
            EXPECT_EQ(mine.write(b, 0, "text"), Status::ok);
            EXPECT_EQ(mine.rename(root(), "b", root(), "a"), Status::ok);
        }
        done = true;
    });
    ClientForTest mine(fs(), 0, 0);
    while (!done) {
        mine.lookup(root(), "a");
        EXPECT_EQ(mine.status, Status::ok);
        if (mine.status != Status::ok) break;
    }
    replacer.join();
}

TEST_P(VfsThreads, TwoMovesNeverMakeALoop) {
    for (int round = 0; round < 100; ++round) {
        const FileId a = directory("a");
        const FileId b = directory("b");
        std::atomic<int> moved{0};
        together([&](unsigned me) {
            ClientForTest mine(fs(), 0, 0);
            const Status status =
                me % 2 == 0 ? mine.rename(root(), "a", b, "a") : mine.rename(root(), "b", a, "b");
            if (status == Status::ok) ++moved;
        });
        EXPECT_EQ(moved, 1);
        // One is still in the root, and the other in it.
        const auto names = sorted_names(root());
        ASSERT_EQ(names.size(), 1u);
        const bool outer_is_a = names[0] == "a";
        ASSERT_EQ(c.rmdir(outer_is_a ? a : b, outer_is_a ? "b" : "a"), Status::ok);
        ASSERT_EQ(c.rmdir(root(), names[0]), Status::ok);
    }
}

TEST_P(VfsThreads, ListingsWhileOthersChange) {
    const FileId sub = directory("sub");
    for (int i = 0; i < 500; ++i) got(c, c.create(sub, "stays" + std::to_string(i)));
    std::atomic<bool> done{false};
    std::thread changer([&] {
        ClientForTest mine(fs(), 0, 0);
        for (int i = 0; i < 1'000; ++i) {
            const std::string name = "comes" + std::to_string(i);
            got(mine, mine.create(sub, name));
            EXPECT_EQ(mine.remove(sub, name), Status::ok);
        }
        done = true;
    });
    ClientForTest mine(fs(), 0, 0);
    do {
        std::set<std::string> seen;
        std::size_t stay = 0;
        for (const auto& name : mine.names(sub, 20)) {
            EXPECT_TRUE(seen.insert(name).second) << name;
            if (name.starts_with("stays")) ++stay;
        }
        EXPECT_EQ(stay, 500u);
    } while (!done);
    changer.join();
}

// All threads list one directory in pieces of different sizes, while another thread changes it.
TEST_P(VfsThreads, ConcurrentListings) {
    const FileId sub = directory("sub");
    std::map<std::string, FileId> stay;
    for (int i = 0; i < 1'500; ++i) {
        const std::string name = "stays" + std::to_string(i);
        stay[name] = got(c, c.create(sub, name));
    }
    std::atomic<bool> done{false};
    std::thread changer([&] {
        ClientForTest mine(fs(), 0, 0);
        for (int i = 0; i < 40; ++i) {
            got(mine, mine.create(sub, "comes" + std::to_string(i)));
            EXPECT_EQ(mine.chmod(stay["stays" + std::to_string(i)], 0600), Status::ok);
            // Long enough for caching now and then.
            std::this_thread::sleep_for(std::chrono::milliseconds(i % 4 == 0 ? 60 : 1));
        }
        done = true;
    });
    together([&](unsigned me) {
        ClientForTest mine(fs(), 0, 0);
        do {
            std::set<std::string> seen;
            std::uint64_t cookie = 0;
            do {
                for (const auto& entry : mine.list(sub, cookie, 100 + 77 * me, true)) {
                    cookie = entry.cookie;
                    EXPECT_TRUE(seen.insert(entry.name).second) << entry.name;
                    const auto known = stay.find(entry.name);
                    if (known == stay.end()) continue;
                    ASSERT_TRUE(entry.id && entry.attributes) << entry.name;
                    EXPECT_EQ(*entry.id, known->second) << entry.name;
                    EXPECT_EQ(entry.attributes->fileid, entry.fileid) << entry.name;
                }
                ASSERT_EQ(mine.status, Status::ok);
            } while (!mine.listed.end);
            for (const auto& [name, id] : stay) EXPECT_TRUE(seen.count(name)) << name;
        } while (!done);
    });
    changer.join();
    // Nothing cached survives a change.
    ASSERT_EQ(c.remove(sub, "stays7"), Status::ok);
    for (const auto& entry : c.list(sub, 0, SIZE_MAX, true)) EXPECT_NE(entry.name, "stays7");
}

TEST_P(VfsThreads, OwnersUnderLoad) {
    if (!traits().identities) GTEST_SKIP() << "everybody is the server's user here";
    const FileId sub = directory("sub", 0777);
    const FileId secret = file("secret", "x", 0600);
    together([&](unsigned me) {
        ClientForTest mine(fs(), 1001 + me, 2001 + me);
        for (int i = 0; i < 200; ++i) {
            got(mine, mine.create(sub, std::to_string(me) + "-" + std::to_string(i)));
            EXPECT_EQ(mine.made.attributes.uid, 1001 + me);
            EXPECT_EQ(mine.made.attributes.gid, 2001 + me);
            mine.read(secret);
            EXPECT_EQ(mine.status, Status::access_denied);
        }
    });
}

// Everything at once, on few names: only possible statuses, and a consistent result.
TEST_P(VfsThreads, AllOperationsOnFewNames) {
    const FileId one = directory("one");
    const FileId two = directory("two");
    together([&](unsigned me) {
        std::mt19937 random(me);
        ClientForTest mine(fs(), 0, 0);
        const auto where = [&] { return random() % 2 == 0 ? one : two; };
        const auto name = [&] { return std::string(1, static_cast<char>('a' + random() % 5)); };
        for (int i = 0; i < 1'500; ++i) {
            const FileId directory = where();
            switch (random() % 12) {
                case 0:
                    mine.create(directory, name());
                    break;
                case 1:
                    mine.create(directory, name(), 0600, CreateMode::unchecked);
                    break;
                case 2:
                    mine.mkdir(directory, name());
                    break;
                case 3:
                    mine.remove(directory, name());
                    break;
                case 4:
                    mine.rmdir(directory, name());
                    break;
                case 5:
                    mine.rename(directory, name(), where(), name());
                    break;
                case 6:
                    mine.link(mine.lookup(directory, name()), where(), name());
                    break;
                case 7:
                    mine.symlink(directory, name(), "x");
                    break;
                case 8:
                    mine.write(mine.lookup(directory, name()), random() % 100'000, "text");
                    break;
                case 9:
                    mine.read(mine.lookup(directory, name()));
                    break;
                case 10:
                    mine.truncate(mine.lookup(directory, name()), random() % 100'000);
                    break;
                default:
                    mine.list(directory, 0, SIZE_MAX, true);
                    break;
            }
            EXPECT_FALSE(one_of(mine.status,
                                {Status::io_error, Status::server_fault, Status::access_denied}))
                << name_of(mine.status);
        }
    });
    // Everything left is consistent.
    for (const FileId& sub : {one, two}) {
        for (const auto& entry : c.list(sub, 0, SIZE_MAX, true)) {
            c.lookup(sub, entry.name);
            EXPECT_EQ(c.status, Status::ok) << entry.name;
            EXPECT_GE(c.found.attributes.links, 1u);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, VfsThreads, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::threads_test
