// Listings of the posix back end: which system calls they make, changes by local programs, and
// failing system calls. tests/vfs_conformance tests what every back end must do.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "helio/backend/posix/nodes/file_handle_internal.h"
#include "helio/backend/posix/posix_fs.h"
#include "helio/base/fd.h"
#include "testing/backend/own_mounts.h"
#include "testing/backend/posix_calls.h"
#include "testing/vfs/client.h"

namespace helio::backend::list_test {
namespace {

namespace fs = std::filesystem;
using vfs::ClientForTest;
using vfs::FileId;
using vfs::Status;

class PosixList : public testing::Test {
 protected:
    PosixList() {
        std::string name = (fs::temp_directory_path() / "helio-list-XXXXXX").string();
        top = mkdtemp(name.data());
        fs::create_directories(top / "export");
        files = make_posix_fs({.directory = top / "export", .index_file = top / "index"});
    }
    ~PosixList() override {
        files.reset();
        std::error_code ignored;
        fs::remove_all(top, ignored);
    }

    fs::path in(std::string_view name) const { return top / "export" / name; }
    void put(std::string_view name, std::string_view text = {}) { std::ofstream(in(name)) << text; }
    void fill(int count) {
        for (int i = 0; i < count; ++i) put("file" + std::to_string(i));
    }
    static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(40)); }

    using Entries = std::map<std::string, vfs::ListedForTest>;
    Entries list(bool details = true, std::size_t piece = SIZE_MAX) {
        ClientForTest client(*files, geteuid(), getegid());
        Entries entries;
        std::uint64_t cookie = 0;
        do {
            for (auto& entry : client.list(files->root(), cookie, piece, details)) {
                cookie = entry.cookie;
                if (entry.name == "." || entry.name == "..") continue;
                const std::string name = entry.name;
                EXPECT_TRUE(entries.emplace(name, std::move(entry)).second) << name;
            }
            EXPECT_EQ(client.status, Status::ok);
        } while (client.status == Status::ok && !client.listed.end);
        return entries;
    }
    FileId find(std::string_view name) {
        ClientForTest client(*files, geteuid(), getegid());
        return client.lookup(files->root(), name);
    }
    // Whether the back end caches on this file system.
    bool is_local() const {
        const Fd root{open((top / "export").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        const FileIds ids{root.get()};
        return ids.has_kernel_handles() && ids.shows_changes(ids.device());
    }
    template <class Work>
    static CallsForTest calls_of(const Work& work) {
        calls_for_test() = {};
        work();
        return calls_for_test();
    }

    fs::path top;
    std::shared_ptr<vfs::FileSystem> files;
};

TEST_F(PosixList, AsksForEachFileOnceAndForItsIdOnlyTheFirstTime) {
    if (!is_local()) GTEST_SKIP() << "nothing is kept on this file system";
    fill(300);
    settle();
    const auto first = calls_of([&] { EXPECT_EQ(list().size(), 300u); });
    EXPECT_EQ(first.stats_by_name, 300u);
    EXPECT_EQ(first.handles, 300u);
    EXPECT_EQ(first.opens, 1u);
    // Nothing has changed: one stat per file.
    const auto again = calls_of([&] { EXPECT_EQ(list().size(), 300u); });
    EXPECT_EQ(again.stats_by_name, 300u);
    EXPECT_EQ(again.handles, 0u);
    EXPECT_EQ(again.directory_reads, 0u);
    EXPECT_EQ(again.opens + again.seeks, 0u);
    // A new name: the directory is read again, and one id is unknown.
    put("new");
    const auto changed = calls_of([&] { EXPECT_EQ(list().size(), 301u); });
    EXPECT_EQ(changed.stats_by_name, 301u);
    EXPECT_EQ(changed.handles, 1u);
    EXPECT_GT(changed.directory_reads, 0u);
    EXPECT_EQ(changed.opens, 0u);
}

TEST_F(PosixList, AsksByDescriptorForFilesThatAreOpen) {
    if (!is_local()) GTEST_SKIP() << "nothing is kept on this file system";
    fill(100);
    for (int i = 0; i < 100; ++i) find("file" + std::to_string(i));
    settle();
    EXPECT_EQ(list().size(), 100u);  // by name, to exclude mount points
    const auto again = calls_of([&] { EXPECT_EQ(list().size(), 100u); });
    EXPECT_EQ(again.stats_by_name, 0u);
    EXPECT_EQ(again.stats_by_descriptor, 100u + 1);  // and of the directory
    EXPECT_EQ(again.handles, 0u);
}

TEST_F(PosixList, NamesAloneCostNoLookAtFiles) {
    fill(100);
    const auto calls = calls_of([&] { EXPECT_EQ(list(false).size(), 100u); });
    EXPECT_EQ(calls.stats_by_name + calls.handles + calls.polls, 0u);
}

// Entries that do not fit the reply are not looked up.
TEST_F(PosixList, LooksAtNoMoreThanFits) {
    fill(1'000);
    settle();
    const std::size_t entry_size = 100;
    vfs::SinkForTest sink;
    vfs::ListOut out;
    const vfs::Caller caller{.uid = geteuid(), .gid = getegid(), .groups = {}};
    const auto calls = calls_of([&] {
        EXPECT_EQ(
            files->list(caller, files->root(),
                        {.details = true, .room = 200 * (entry_size + 8), .entry_size = entry_size},
                        sink, out),
            Status::ok);
    });
    EXPECT_FALSE(out.end);
    EXPECT_LE(calls.stats_by_name, sink.entries.size());
    EXPECT_GE(sink.entries.size(), 199u);
    EXPECT_LE(sink.entries.size(), 202u);
}

TEST_F(PosixList, ListingsThatTakeTurnsReadTheDirectoryOnce) {
    if (!is_local()) GTEST_SKIP() << "nothing is kept on this file system";
    fill(3'000);
    settle();
    list(false);
    const auto calls = calls_of([&] {
        ClientForTest client(*files, geteuid(), getegid());
        std::vector<std::uint64_t> cookies(16, 0);
        for (int ended = 0; ended < 16;)
            for (std::uint64_t& cookie : cookies) {
                if (cookie == UINT64_MAX) continue;
                const auto entries = client.list(files->root(), cookie, 150);
                cookie = client.listed.end ? UINT64_MAX : entries.back().cookie;
                ended += client.listed.end ? 1 : 0;
            }
    });
    EXPECT_EQ(calls.directory_reads, 0u);
    EXPECT_EQ(calls.seeks, 0u);
}

// Timestamps have a granularity: a second change within it may go unnoticed.
TEST_F(PosixList, TrustsNothingThatChangedAMomentAgo) {
    for (int round = 0; round < 200; ++round) {
        const std::string name = "f" + std::to_string(round);
        put(name);
        ASSERT_TRUE(list(false).count(name)) << round;
        fs::remove(in(name));
        ASSERT_FALSE(list(false).count(name)) << round;
        put("same");
        const auto first = list().at("same");
        fs::remove(in("same"));
        put("same", "x");
        const auto second = list().at("same");
        ASSERT_TRUE(first.id && second.id && second.attributes);
        ASSERT_EQ(second.attributes->size, 1u);
        ASSERT_EQ(*second.id, find("same"));
        ASSERT_NE(*second.id, *first.id);
        fs::remove(in("same"));
    }
}

// Changes that bypass the back end.
TEST_F(PosixList, ShowsWhatOthersChange) {
    fill(10);
    put("x", "old");
    const FileId x = find("x");
    for (int times = 0; times < 2; ++times) {
        settle();
        EXPECT_EQ(*list().at("x").id, x);
    }
    put("y", "replacement");
    fs::rename(in("y"), in("x"));
    const auto replaced = list();
    EXPECT_EQ(replaced.count("y"), 0u);
    EXPECT_EQ(replaced.at("x").attributes->size, 11u);
    EXPECT_NE(*replaced.at("x").id, x);
    EXPECT_EQ(*replaced.at("x").id, find("x"));
    settle();
    list();
    std::ofstream(in("x"), std::ios::app) << "!";
    ASSERT_EQ(chmod(in("file3").c_str(), 0640), 0);
    const auto changed = list();
    EXPECT_EQ(changed.at("x").attributes->size, 12u);
    EXPECT_EQ(changed.at("file3").attributes->mode, 0640u);
}

// Takes few entries at a time.
class SmallSink final : public vfs::EntrySink {
 public:
    bool add(const vfs::Entry& entry) override {
        if (room == 0) return false;
        --room;
        last = entry.cookie;
        if (entry.id != nullptr) ids.push_back(*entry.id);
        return true;
    }
    std::size_t room = 0;
    std::uint64_t last = 0;
    std::vector<FileId> ids;
};

// A thread that must not block gets what is in memory; another one continues from there. Ids from
// such a listing lead back to their files after a restart, by the index alone.
TEST_F(PosixList, IdsLeadBackToFiles) {
    fill(200);
    const PosixOptions options{
        .directory = top / "export", .index_file = top / "index", .kernel_handles = false};
    files.reset();
    files = make_posix_fs(options);
    SmallSink sink;
    int interrupted = 0;
    for (vfs::ListOut out; !out.end;) {
        sink.room = 30;
        for (const bool may_block : {false, true}) {
            const vfs::Caller caller{
                .uid = geteuid(), .gid = getegid(), .groups = {}, .may_block = may_block};
            const Status status = files->list(caller, files->root(),
                                              {.cookie = sink.last, .details = true}, sink, out);
            if (status == Status::ok) break;
            EXPECT_EQ(status, Status::would_block);
            EXPECT_FALSE(may_block);
            ++interrupted;
        }
    }
    EXPECT_GT(interrupted, 1);
    ASSERT_EQ(sink.ids.size(), 200u);
    files.reset();
    files = make_posix_fs(options);
    ClientForTest after(*files, geteuid(), getegid());
    for (const FileId& id : sink.ids) {
        after.attributes(id);
        EXPECT_EQ(after.status, Status::ok);
    }
}

// Every system call of a listing fails once. A client that continues from the last cookie misses no
// entry, and everything that it received is true.
class PosixListFailures : public PosixList, public testing::WithParamInterface<bool> {
 protected:
    // Runs a listing in which the nth system call fails, to its end.
    std::set<std::string> list_with_failure(std::size_t nth, int error) {
        ClientForTest client(*files, geteuid(), getegid());
        std::set<std::string> seen;
        std::uint64_t cookie = 0;
        calls_for_test() = {.fails_in = nth, .error = error};
        for (int calls = 0; calls < 100; ++calls) {
            for (const auto& entry : client.list(files->root(), cookie, 9, true)) {
                cookie = entry.cookie;
                EXPECT_TRUE(seen.insert(entry.name).second) << entry.name << " twice";
                const auto known = ids.find(entry.name);
                if (known == ids.end()) continue;
                if (entry.id) {
                    EXPECT_EQ(*entry.id, known->second) << entry.name;
                }
                if (entry.attributes) {
                    EXPECT_EQ(entry.attributes->fileid, entry.fileid);
                }
            }
            if (client.status == Status::ok && client.listed.end) return seen;
        }
        ADD_FAILURE() << "a listing without end";
        return seen;
    }
    std::map<std::string, FileId> ids;
};

TEST_P(PosixListFailures, LoseNothing) {
    const bool cached = GetParam();  // the directory does not change, so entries are cached
    fill(40);
    for (int i = 0; i < 40; ++i) ids["file" + std::to_string(i)] = find("file" + std::to_string(i));
    files.reset();
    files = make_posix_fs({.directory = top / "export", .index_file = top / "index"});
    for (int i = 0; i < 20; ++i) find("file" + std::to_string(i));  // half of them are open
    settle();
    list();
    for (const int error : {EIO, ENOMEM, EMFILE, EINTR}) {
        std::size_t failed = 0;
        for (std::size_t nth = 1; nth < 1'000; ++nth) {
            if (!cached) put("touched" + std::to_string(nth % 2));
            const auto seen = list_with_failure(nth, error);
            for (const auto& [name, id] : ids) EXPECT_TRUE(seen.count(name)) << name;
            if (calls_for_test().fails_in > 0) break;  // there were fewer calls
            ++failed;
        }
        EXPECT_GT(failed, 40u);
        calls_for_test() = {};
    }
}
INSTANTIATE_TEST_SUITE_P(Each, PosixListFailures, testing::Values(false, true),
                         [](const auto& each) {
                             return each.param ? "Cached" : "DirectoryChange";
                         });

class PosixListMounts : public PosixList {
 protected:
    template <class Body>
    void with_own_mounts(const Body& body) {
        files.reset();
        in_own_mounts([&] {
            files = make_posix_fs({.directory = top / "export", .index_file = top / "index"});
            body();
            files.reset();
            return true;
        });
    }
};

TEST_F(PosixListMounts, ShowsWhatIsMounted) {
    fs::create_directories(in("dir"));
    put("file", "below");
    put("linked", "linked");
    fs::create_hard_link(in("linked"), in("covered"));
    put("other", "mounted over it");
    with_own_mounts([&] {
        struct stat below, above;
        ASSERT_EQ(stat(in("dir").c_str(), &below), 0);
        const auto open_all = [&] {
            for (const char* name : {"dir", "file", "linked", "covered", "other"}) find(name);
        };
        open_all();
        for (int times = 0; times < 3; ++times) {
            settle();
            EXPECT_EQ(list().at("dir").fileid, below.st_ino);
        }
        ASSERT_EQ(mount("helio-test", in("dir").c_str(), "tmpfs", 0, nullptr), 0);
        ASSERT_EQ(mount(in("other").c_str(), in("covered").c_str(), nullptr, MS_BIND, nullptr), 0);
        ASSERT_EQ(stat(in("dir").c_str(), &above), 0);
        for (int times = 0; times < 3; ++times) {
            const auto entries = list();
            EXPECT_EQ(entries.at("dir").fileid, above.st_ino);
            EXPECT_NE(entries.at("dir").attributes->fsid, entries.at("file").attributes->fsid);
            EXPECT_EQ(*entries.at("dir").id, find("dir"));
            EXPECT_EQ(entries.at("covered").attributes->size, 15u);
            EXPECT_EQ(*entries.at("covered").id, *entries.at("other").id);
            EXPECT_EQ(entries.at("linked").attributes->size, 6u);
            settle();
        }
        ASSERT_EQ(umount2(in("dir").c_str(), MNT_DETACH), 0);
        ASSERT_EQ(umount2(in("covered").c_str(), MNT_DETACH), 0);
        for (int times = 0; times < 2; ++times) {
            const auto entries = list();
            EXPECT_EQ(entries.at("dir").fileid, below.st_ino);
            EXPECT_EQ(entries.at("covered").attributes->size, 6u);
            EXPECT_EQ(*entries.at("covered").id, *entries.at("linked").id);
        }
    });
}

}  // namespace
}  // namespace helio::backend::list_test
