// Files are found again after restarts and moves, and nothing outside the export is reachable.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "helio/backend/posix/nodes/index_internal.h"
#include "testing/backend/posix_export.h"

namespace helio::backend::nodes_test {
namespace {

namespace fs = std::filesystem;
using vfs::Status;

class PosixNodes : public PosixExport {};

INSTANTIATE_TEST_SUITE_P(Handles, PosixNodes, testing::Bool(), handles_named);

TEST_P(PosixNodes, IdsSurviveARestart) {
    fs::create_directories(in("a/b"));
    put("a/b/file", "here");
    const auto id = find("a/b/file");
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixNodes, IdsFollowRenamesThroughTheServer) {
    fs::create_directories(in("a"));
    fs::create_directories(in("b"));
    put("a/file", "here");
    const auto id = find("a/file");
    vfs::Change from, to;
    ASSERT_EQ(files->rename(caller, find("a"), "file", find("b"), "other", from, to), Status::ok);
    EXPECT_EQ(text(id), "here");
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixNodes, IdsFollowRenamesOfDirectoriesAbove) {
    fs::create_directories(in("a/b"));
    put("a/b/file", "here");
    const auto id = find("a/b/file");
    vfs::Change from, to;
    ASSERT_EQ(files->rename(caller, files->root(), "a", files->root(), "z", from, to), Status::ok);
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixNodes, FilesMovedWhileTheServerWasDownAreFoundAgain) {
    fs::create_directories(in("a/b"));
    fs::create_directories(in("c"));
    put("a/b/file", "here");
    put("other", "other");
    const auto id = find("a/b/file");
    files.reset();
    fs::rename(in("a/b/file"), in("c/moved"));
    put("a/b/file", "another");  // the old name now belongs to another file
    start();
    EXPECT_EQ(text(id), "here");
    fs::rename(in("c"), in("d"));
    start();
    EXPECT_EQ(text(id), "here");
}

// A search for a file that is gone is followed by a pause. An existing file must not be stale
// because of it.
TEST_P(PosixNodes, MovedFilesAreFoundWhileOthersAreSearchedInVain) {
    constexpr int kFiles = 20;
    fs::create_directories(in("a"));
    fs::create_directories(in("b"));
    for (int i = 0; i < 500; ++i) put("a/entry" + std::to_string(i), "");
    std::vector<vfs::FileId> ids, gone;
    for (int i = 0; i < kFiles; ++i) {
        put("moved" + std::to_string(i), std::to_string(i));
        ids.push_back(find("moved" + std::to_string(i)));
        put("gone" + std::to_string(i), "");
        gone.push_back(find("gone" + std::to_string(i)));
    }
    files.reset();
    for (int i = 0; i < kFiles; ++i) {
        fs::rename(in("moved" + std::to_string(i)), in("b/" + std::to_string(i)));
        fs::remove(in("gone" + std::to_string(i)));
    }
    start();
    // One client asks only for files that are gone; others must not be told that theirs are.
    std::atomic<bool> stop = false;
    std::thread greedy([&] {
        for (std::size_t i = 0; !stop; i = (i + 1) % gone.size()) {
            vfs::Attributes out;
            const Status status = files->attributes(caller, gone[i], out);
            EXPECT_TRUE(status == Status::stale || status == Status::busy);
        }
    });
    for (std::size_t i = 0; i < ids.size(); ++i) {
        vfs::Attributes out;
        EXPECT_NE(files->attributes(caller, gone[i], out), Status::ok);
        EXPECT_EQ(text(ids[i]), std::to_string(i));
    }
    stop = true;
    greedy.join();
    for (const auto& id : gone) EXPECT_EQ(text(id), "<stale handle>");
}

// The index has 16 bits of each name, so it takes some for others. Among so many names of one file
// there are some that it cannot tell from the one before.
TEST_P(PosixNodes, FilesAreFoundWhateverTheirNamesAre) {
    put("0", "here");
    const auto id = find("0");
    std::vector<std::string> alike;
    const auto binding = [&](std::string_view name) {
        return Index::name_hash(files->root(), name) >> 16 & 0xffff;
    };
    for (int i = 1; alike.size() < 3; ++i)
        if (std::string name = std::to_string(i); binding(name) == binding("0"))
            alike.push_back(std::move(name));
    // Moved through the server, and while it was down.
    vfs::Change from, to;
    ASSERT_EQ(files->rename(caller, files->root(), "0", files->root(), alike[0], from, to),
              Status::ok);
    EXPECT_EQ(text(id), "here");
    start();
    EXPECT_EQ(text(id), "here");
    files.reset();
    fs::rename(in(alike[0]), in(alike[1]));
    start();
    EXPECT_EQ(text(id), "here");
    fs::rename(in(alike[1]), in(alike[2]));
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixNodes, AFileReplacedWhileTheServerWasDownIsStale) {
    put("file", "old");
    const auto id = find("file");
    files.reset();
    // Many file systems reuse inodes at once: try to get the same one.
    struct stat before, after;
    ASSERT_EQ(stat(in("file").c_str(), &before), 0);
    for (int i = 0; i < 50; ++i) {
        fs::remove(in("file"));
        put("file", "new");
        ASSERT_EQ(stat(in("file").c_str(), &after), 0);
        if (before.st_ino == after.st_ino) break;
    }
    start();
    EXPECT_EQ(text(id), "<stale handle>");
}

TEST_P(PosixNodes, AHardLinkedFileIsFoundByItsOtherName) {
    put("one", "linked");
    const auto id = find("one");
    std::optional<vfs::Attributes> after;
    vfs::Change change;
    ASSERT_EQ(files->link(caller, id, files->root(), "two", after, change), Status::ok);
    ASSERT_EQ(after->links, 2u);
    ASSERT_EQ(files->remove(caller, files->root(), "one", change), Status::ok);
    EXPECT_EQ(text(id), "linked");
    start();
    EXPECT_EQ(text(id), "linked");
    ASSERT_EQ(files->remove(caller, files->root(), "two", change), Status::ok);
    EXPECT_EQ(text(id), "<stale handle>");
    start();
    EXPECT_EQ(text(id), "<stale handle>");
}

TEST_P(PosixNodes, WithoutAnIndexAKilledServerStillFindsFiles) {
    fs::create_directories(in("a/b"));
    put("a/b/file", "here");
    const auto id = find("a/b/file");
    files.reset();
    std::ofstream(top / "index", std::ios::trunc) << "not an index";
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixNodes, AFileMovedOutOfTheExportIsStale) {
    put("file", "mine");
    fs::create_directories(in("dir"));
    put("dir/inner", "mine");
    const auto file = find("file");
    const auto directory = find("dir");
    const auto inner = find("dir/inner");
    fs::rename(in("file"), top / "outside/file");
    fs::rename(in("dir"), top / "outside/dir");
    start();  // a running server notices within a second
    EXPECT_EQ(text(file), "<stale handle>");
    EXPECT_EQ(text(inner), "<stale handle>");
    vfs::LookupOut found;
    EXPECT_EQ(again([&] { return files->lookup(caller, directory, "inner", found); }),
              Status::stale);
}

TEST_P(PosixNodes, ARunningServerNoticesWhatIsMovedOut) {
    fs::create_directories(in("dir"));
    put("dir/inner", "mine");
    const auto directory = find("dir");
    fs::rename(in("dir"), top / "outside/dir");
    vfs::LookupOut found;
    Status status = Status::ok;
    for (int i = 0; i < 40 && status != Status::stale; ++i) {
        status = files->lookup(caller, directory, "inner", found);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EXPECT_EQ(status, Status::stale);
    // Its parent was never exposed.
    EXPECT_EQ(again([&] { return files->lookup(caller, directory, "..", found); }), Status::stale);
}

TEST_P(PosixNodes, WhatIsMovedOutIsNeitherListedNorChanged) {
    struct Ignored final : vfs::EntrySink {
        bool add(const vfs::Entry&) override { return true; }
    } sink;
    vfs::ListOut listed;
    vfs::CreateOut made;
    vfs::Change change, other;
    std::optional<vfs::Attributes> after;
    put("file", "");
    const vfs::FileId root = files->root(), file = find("file");
    // Each uses a directory that was in use a moment ago, and is no longer inside.
    using Attempt = std::function<Status(const vfs::FileId& directory, const vfs::FileId& inner)>;
    const std::vector<Attempt> attempts = {
        [&](const auto& at, const auto&) { return files->list(caller, at, {}, sink, listed); },
        [&](const auto& at, const auto&) { return files->create(caller, at, "new", {}, made); },
        [&](const auto& at, const auto&) { return files->make(caller, at, "new", {}, made); },
        [&](const auto& at, const auto&) { return files->remove(caller, at, "inner", change); },
        [&](const auto& at, const auto&) {
            return files->rename(caller, at, "inner", root, "x", change, other);
        },
        [&](const auto& at, const auto&) {
            return files->link(caller, file, at, "new", after, change);
        },
        [&](const auto&, const auto& inner) {
            return files->link(caller, inner, root, "x", after, change);
        },
        [&](const auto&, const auto& inner) {
            return files->set_attributes(caller, inner, {}, {}, change);
        },
    };
    for (std::size_t i = 0; i < attempts.size(); ++i) {
        const std::string name = "dir" + std::to_string(i);
        fs::create_directories(in(name));
        put(name + "/inner", "mine");
        const vfs::FileId directory = find(name), inner = find(name + "/inner");
        fs::rename(in(name), top / "outside" / name);
        EXPECT_EQ(again([&] { return attempts[i](directory, inner); }), Status::stale) << i;
        EXPECT_TRUE(fs::exists(top / "outside" / name / "inner")) << i;
        EXPECT_FALSE(fs::exists(top / "outside" / name / "new")) << i;
    }
    EXPECT_FALSE(fs::exists(in("x")));
}

// The space of a removed file is free when nobody has it open.
TEST_P(PosixNodes, FilesThatOthersRemoveAreClosed) {
    // Whether this process has a file open that had this name.
    const auto holds = [this](std::string_view name) {
        for (const auto& one : fs::directory_iterator("/proc/self/fd")) {
            std::error_code error;
            if (fs::read_symlink(one, error).string().starts_with(in(name).string())) return true;
        }
        return false;
    };
    put("used", "text");
    put("unused", "text");
    put("there", "text");
    const auto used = find("used");
    for (const auto& id : {used, find("unused"), find("there")}) EXPECT_EQ(text(id), "text");
    fs::remove(in("used"));
    EXPECT_TRUE(holds("used"));
    EXPECT_EQ(text(used), "<stale handle>");
    EXPECT_FALSE(holds("used"));
    struct statfs system;
    ASSERT_EQ(statfs(top.c_str(), &system), 0);
    if (system.f_type != EXT4_SUPER_MAGIC && system.f_type != TMPFS_MAGIC)
        GTEST_SKIP() << "unused files are examined on local file systems alone";
    fs::remove(in("unused"));
    const auto patience = std::chrono::steady_clock::now() + kTestPatience;
    while (holds("unused") && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(holds("unused"));
    EXPECT_TRUE(holds("there")) << "it went because it was removed, not because it was unused";
}

TEST_P(PosixNodes, NothingLeadsOutside) {
    fs::create_symlink(top / "outside", in("link"));
    fs::create_symlink("../outside/secret", in("file-link"));
    fs::create_directories(in("dir"));
    vfs::LookupOut found;
    ASSERT_EQ(files->lookup(caller, files->root(), "..", found), Status::ok);
    EXPECT_EQ(found.id, files->root());
    ASSERT_EQ(files->lookup(caller, find("dir"), "..", found), Status::ok);
    EXPECT_EQ(found.id, files->root());
    const auto link = find("link");
    EXPECT_EQ(files->lookup(caller, link, "secret", found), Status::not_a_directory);
    EXPECT_EQ(text(find("file-link")), "<invalid argument>");
    vfs::CreateOut made;
    EXPECT_EQ(files->create(caller, files->root(), "file-link", {}, made), Status::exists);
    EXPECT_EQ(files->create(caller, link, "new", {}, made), Status::not_a_directory);
    EXPECT_FALSE(fs::exists(top / "outside/new"));
}

// A directory is replaced by a link to the outside while names in it are looked up.
TEST_P(PosixNodes, ARaceOfRenamesLeadsNowhere) {
    fs::create_directories(in("dir"));
    put("dir/secret", "inside");
    fs::create_directory_symlink(top / "outside", in("link"));
    const auto directory = find("dir");
    std::atomic<bool> stop = false;
    std::thread swapper([&] {
        while (!stop) {
            renameat2(AT_FDCWD, in("dir").c_str(), AT_FDCWD, in("link").c_str(), RENAME_EXCHANGE);
        }
    });
    for (int i = 0; i < 3000; ++i) {
        vfs::LookupOut found, inner;
        for (const auto& at : {files->root(), directory}) {
            if (files->lookup(caller, at, "dir", found) != Status::ok) continue;
            if (files->lookup(caller, found.id, "secret", inner) != Status::ok) continue;
            ASSERT_EQ(text(inner.id), "inside");
        }
        if (files->lookup(caller, directory, "secret", inner) == Status::ok) {
            ASSERT_EQ(text(inner.id), "inside");
        }
    }
    stop = true;
    swapper.join();
}

// A file that is moved again and again, and is only sometimes open, is always found at its old or
// its new place.
TEST_P(PosixNodes, FilesAreFoundWhileTheyAreMoved) {
    files = make_posix_fs({.directory = top / "export",
                           .index_file = top / "index",
                           .kernel_handles = GetParam(),
                           .open_files_max = 16});
    for (int i = 0; i < 40; ++i) put("f" + std::to_string(i), "");
    put("x0", "text");
    const vfs::FileId id = find("x0");
    const vfs::FileId root = files->root();
    std::atomic<bool> done = false;
    std::thread mover([&] {
        for (int i = 0; i < 10'000; ++i) {
            vfs::Change from, to;
            const Status moved = files->rename(caller, root, "x" + std::to_string(i % 2), root,
                                               "x" + std::to_string((i + 1) % 2), from, to);
            EXPECT_EQ(moved, Status::ok);
        }
        done = true;
    });
    std::atomic<int> asked = 0, lost = 0;
    const auto ask = [&](int first) {
        for (int at = first; !done; at += 20, ++asked) {
            vfs::Attributes attributes;
            if (files->attributes(caller, id, attributes) != Status::ok) ++lost;
            for (int i = 0; i < 20; ++i) find("f" + std::to_string((at + i) % 40));
        }
    };
    std::thread other([&] { ask(7); });
    ask(0);
    mover.join();
    other.join();
    EXPECT_EQ(lost, 0) << "of " << asked;
}

}  // namespace
}  // namespace helio::backend::nodes_test
