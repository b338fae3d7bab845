// Tests of the posix back end alone: files found again after restarts, nothing outside the export,
// callers' identities. tests/vfs_conformance has what every back end must do.
#include "helio/backend/posix/posix_fs.h"

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

#include "testing/patience.h"

namespace helio::backend::posix_fs_test {
namespace {

namespace fs = std::filesystem;
using vfs::Status;

class Heap final : public vfs::Memory {
 public:
    std::span<std::byte> take(std::size_t size) override {
        blocks_.emplace_back(size);
        return blocks_.back();
    }
    ByteView borrow(ByteView bytes, std::shared_ptr<const void>) override { return bytes; }
    Payload file(int, std::uint64_t, std::size_t, std::shared_ptr<const void>) override {
        return {};
    }

 private:
    std::vector<std::vector<std::byte>> blocks_;
};

// With kernel handles, as far as the process may, and without.
class PosixTest : public testing::TestWithParam<bool> {
 protected:
    PosixTest() {
        std::string name = (fs::temp_directory_path() / "helio-posix-XXXXXX").string();
        top = mkdtemp(name.data());
        fs::create_directories(top / "export");
        fs::create_directories(top / "outside");
        std::ofstream(top / "outside" / "secret") << "secret";
        start();
    }
    ~PosixTest() override {
        files.reset();
        fs::remove_all(top);
    }

    void start(bool keep_index = true) {
        files.reset();
        files = make_posix_fs({.directory = top / "export",
                               .index_file = keep_index ? (top / "index").string() : "",
                               .kernel_handles = GetParam()});
    }
    fs::path in(std::string_view name) const { return top / "export" / name; }
    void put(std::string_view name, std::string_view text) { std::ofstream(in(name)) << text; }

    vfs::FileId find(std::string_view path) {
        vfs::FileId at = files->root();
        for (const auto& part : fs::path(path)) {
            vfs::LookupOut found;
            const Status status = files->lookup(caller, at, part.string(), found);
            EXPECT_EQ(status, Status::ok) << path << ": " << vfs::name_of(status);
            at = found.id;
        }
        return at;
    }
    // The contents of the file with an id, or the error.
    std::string text(const vfs::FileId& id) {
        Heap heap;
        vfs::ReadOut out;
        const Status status = again([&] { return files->read(caller, id, 0, 1000, heap, out); });
        return status == Status::ok ? std::string(as_text(out.data))
                                    : "<" + std::string(vfs::name_of(status)) + ">";
    }

    Status write(const vfs::FileId& id, std::uint64_t offset, std::string_view bytes) {
        vfs::WriteOut out;
        return files->write(caller, id, offset, as_bytes(bytes), vfs::Stability::unstable, out);
    }
    // Asks until there is an answer, as clients do that are told to try again.
    template <class Call>
    static Status again(const Call& call) {
        const auto patience = std::chrono::steady_clock::now() + kTestPatience;
        Status status = call();
        while (status == Status::busy && std::chrono::steady_clock::now() < patience) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            status = call();
        }
        return status;
    }
    // Whom no mode keeps out.
    static bool superuser() { return geteuid() == 0; }

    fs::path top;
    vfs::Caller caller{.uid = geteuid(), .gid = getegid(), .groups = {}};
    std::shared_ptr<vfs::FileSystem> files;
};
// On a connection's thread nothing waits for the file system, which may be frozen.
TEST_P(PosixTest, ChangesAndUnknownFilesAreForThreadsThatMayBlock) {
    put("file", "text");
    const vfs::FileId root = files->root(), file = find("file");
    vfs::Caller hurried = caller;
    hurried.may_block = false;
    vfs::Change change, other;
    vfs::CreateOut made;
    vfs::WriteOut written;
    vfs::Changes mode;
    mode.mode = 0600;
    const auto write_as = [&](const vfs::Caller& who, std::size_t size, vfs::Stability stability) {
        return files->write(who, file, 0, as_bytes(std::string(size, 'x')), stability, written);
    };
    const Status results[] = {
        files->create(hurried, root, "new", {}, made),
        files->make(hurried, root, "dir", {}, made),
        files->remove(hurried, root, "file", change),
        files->rename(hurried, root, "file", root, "other", change, other),
        files->set_attributes(hurried, file, mode, std::nullopt, change),
        write_as(hurried, 4, vfs::Stability::unstable),
    };
    for (const Status status : results) EXPECT_EQ(status, Status::would_block);
    EXPECT_EQ(text(file), "text");
    EXPECT_EQ(std::distance(fs::directory_iterator(top / "export"), {}), 1);

    // Where only its own clients would wait, a small write is quicker here.
    hurried.may_risk_blocking = true;
    EXPECT_EQ(write_as(hurried, 4, vfs::Stability::unstable), Status::ok);
    EXPECT_EQ(write_as(hurried, 4, vfs::Stability::data), Status::would_block);
    EXPECT_EQ(write_as(hurried, 1u << 20, vfs::Stability::unstable), Status::would_block);

    vfs::LookupOut found;
    EXPECT_EQ(files->lookup(hurried, root, "file", found), Status::ok) << "it is open";
    EXPECT_EQ(found.id, file);
    start();
    vfs::Attributes attributes;
    EXPECT_EQ(files->attributes(hurried, file, attributes), Status::would_block) << "not open yet";
    EXPECT_EQ(files->attributes(caller, file, attributes), Status::ok);
    EXPECT_EQ(files->attributes(hurried, file, attributes), Status::ok);
}

INSTANTIATE_TEST_SUITE_P(Handles, PosixTest, testing::Values(true, false),
                         [](const auto& each) { return each.param ? "Kernel" : "Index"; });

TEST_P(PosixTest, IdsSurviveARestart) {
    fs::create_directories(in("a/b"));
    put("a/b/file", "here");
    const auto id = find("a/b/file");
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixTest, IdsFollowRenamesThroughTheServer) {
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

TEST_P(PosixTest, IdsFollowRenamesOfDirectoriesAbove) {
    fs::create_directories(in("a/b"));
    put("a/b/file", "here");
    const auto id = find("a/b/file");
    vfs::Change from, to;
    ASSERT_EQ(files->rename(caller, files->root(), "a", files->root(), "z", from, to), Status::ok);
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixTest, FilesMovedWhileTheServerWasDownAreFoundAgain) {
    fs::create_directories(in("a/b"));
    fs::create_directories(in("c"));
    put("a/b/file", "here");
    put("other", "other");
    const auto id = find("a/b/file");
    files.reset();
    fs::rename(in("a/b/file"), in("c/moved"));
    put("a/b/file", "another");  // the old name has another file now
    start();
    EXPECT_EQ(text(id), "here");
    fs::rename(in("c"), in("d"));
    start();
    EXPECT_EQ(text(id), "here");
}

// A search for a file that is gone is followed by a pause. What exists is not stale because of it.
TEST_P(PosixTest, MovedFilesAreFoundWhileOthersAreSearchedInVain) {
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
    // One client asks for nothing but files that are gone; others are not told that theirs are.
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

TEST_P(PosixTest, AFileReplacedWhileTheServerWasDownIsStale) {
    put("file", "old");
    const auto id = find("file");
    files.reset();
    // Inodes are used again at once on many file systems: try to get the same.
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

TEST_P(PosixTest, AHardLinkedFileIsFoundByItsOtherName) {
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

TEST_P(PosixTest, WithoutAnIndexAKilledServerStillFindsFiles) {
    fs::create_directories(in("a/b"));
    put("a/b/file", "here");
    const auto id = find("a/b/file");
    files.reset();
    std::ofstream(top / "index", std::ios::trunc) << "not an index";
    start();
    EXPECT_EQ(text(id), "here");
}

TEST_P(PosixTest, AFileMovedOutOfTheExportIsStale) {
    put("file", "mine");
    fs::create_directories(in("dir"));
    put("dir/inner", "mine");
    const auto file = find("file");
    const auto directory = find("dir");
    const auto inner = find("dir/inner");
    fs::rename(in("file"), top / "outside/file");
    fs::rename(in("dir"), top / "outside/dir");
    start();  // a server that runs notices within a second
    EXPECT_EQ(text(file), "<stale handle>");
    EXPECT_EQ(text(inner), "<stale handle>");
    vfs::LookupOut found;
    EXPECT_EQ(again([&] { return files->lookup(caller, directory, "inner", found); }),
              Status::stale);
}

TEST_P(PosixTest, ARunningServerNoticesWhatIsMovedOut) {
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
    // And its parent was never shown.
    EXPECT_EQ(again([&] { return files->lookup(caller, directory, "..", found); }), Status::stale);
}

TEST_P(PosixTest, WhatIsMovedOutIsNeitherListedNorChanged) {
    struct Ignored final : vfs::EntrySink {
        bool add(const vfs::Entry&) override { return true; }
    } sink;
    vfs::ListOut listed;
    vfs::CreateOut made;
    vfs::Change change, other;
    std::optional<vfs::Attributes> after;
    put("file", "");
    const vfs::FileId root = files->root(), file = find("file");
    // Each on a directory that was in use a moment ago, and is not inside any more.
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

// The space of a file that was removed is free when nobody has it open.
TEST_P(PosixTest, FilesThatOthersRemoveAreClosed) {
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

TEST_P(PosixTest, NothingLeadsOutside) {
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

// A directory is swapped with a link to the outside while it is being looked into.
TEST_P(PosixTest, ARaceOfRenamesLeadsNowhere) {
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

TEST_P(PosixTest, ExclusiveCreateIsRememberedAcrossRestarts) {
    const vfs::NewFile how{vfs::CreateMode::exclusive, 0x0123456789abcdef, {}};
    const vfs::NewFile other{vfs::CreateMode::exclusive, 0x0123456789abcdee, {}};
    vfs::CreateOut first, second;
    ASSERT_EQ(files->create(caller, files->root(), "x", how, first), Status::ok);
    start();
    EXPECT_EQ(files->create(caller, files->root(), "x", other, second), Status::exists);
    ASSERT_EQ(files->create(caller, files->root(), "x", how, second), Status::ok);
    EXPECT_EQ(second.id, first.id);
}

// What must stay the same when a file is only read.
struct Guarded {
    explicit Guarded(const fs::path& path) { EXPECT_EQ(stat(path.c_str(), &status), 0); }
    bool operator==(const Guarded& other) const {
        return status.st_mode == other.status.st_mode &&
               status.st_ctim.tv_sec == other.status.st_ctim.tv_sec &&
               status.st_ctim.tv_nsec == other.status.st_ctim.tv_nsec;
    }
    struct stat status;
};

TEST_P(PosixTest, AnOwnerWritesWhatItsModeForbids) {
    vfs::CreateOut made;
    vfs::NewFile how;
    how.attributes.mode = 0444;
    ASSERT_EQ(files->create(caller, files->root(), "object", how, made), Status::ok);
    EXPECT_EQ(write(made.id, 0, "written"), Status::ok);
    EXPECT_EQ(write(made.id, 7, " twice"), Status::ok);
    vfs::Change change;
    EXPECT_EQ(files->commit(caller, made.id, 0, 0, change), Status::ok);
    EXPECT_EQ(text(made.id), "written twice");
    how.attributes.mode = 0;
    how.attributes.size = 5;
    vfs::CreateOut sized;
    EXPECT_EQ(files->create(caller, files->root(), "sized", how, sized), Status::ok);
    EXPECT_EQ(sized.attributes.size, 5u);
    const Guarded before{in("object")};
    start();  // the descriptor it was created with is gone
    EXPECT_EQ(write(made.id, 0, "WRITTEN"), superuser() ? Status::ok : Status::access_denied);
    EXPECT_EQ(text(made.id), superuser() ? "WRITTEN twice" : "written twice");
    EXPECT_EQ(Guarded{in("object")}.status.st_mode, before.status.st_mode);
}

// A client that is not told of an open knows no better than to try.
TEST_P(PosixTest, AModeIsNeverChangedToGetAtAFile) {
    for (const mode_t mode : {0u, 0111u, 0077u, 02000u}) {
        const std::string name = std::to_string(mode);
        put(name, "text");
        ASSERT_EQ(chmod(in(name).c_str(), mode), 0);
        const auto id = find(name);
        const Guarded before{in(name)};
        EXPECT_EQ(text(id), superuser() ? "text" : "<access denied>") << std::oct << mode;
        EXPECT_EQ(Guarded{in(name)}, before) << std::oct << mode;
        vfs::Changes cut;
        cut.size = 0;
        vfs::Change change;
        if (superuser()) continue;
        EXPECT_EQ(write(id, 0, "x"), Status::access_denied);
        EXPECT_EQ(files->set_attributes(caller, id, cut, {}, change), Status::access_denied);
        EXPECT_EQ(files->commit(caller, id, 0, 0, change), Status::access_denied);
        EXPECT_EQ(Guarded{in(name)}, before) << std::oct << mode;
    }
    put("drop box", "");
    ASSERT_EQ(chmod(in("drop box").c_str(), 0200), 0);
    const auto id = find("drop box");
    vfs::Change change;
    EXPECT_EQ(write(id, 0, "text"), Status::ok);
    EXPECT_EQ(files->commit(caller, id, 0, 0, change), Status::ok);
    EXPECT_EQ(text(id), superuser() ? "text" : "<access denied>");
    EXPECT_EQ(fs::file_size(in("drop box")), 4u);
}

// Linux's client creates exclusively, sets the mode, and writes when it likes. Its file may also
// become closed while it is open there.
TEST_P(PosixTest, AFileIsUsedOnAfterItsModeForbidsThat) {
    const auto set_mode = [&](const vfs::FileId& id, std::uint32_t mode) {
        vfs::Changes changes;
        changes.mode = mode;
        vfs::Change out;
        return files->set_attributes(caller, id, changes, {}, out);
    };
    vfs::CreateOut made;
    const vfs::NewFile how{vfs::CreateMode::exclusive, 7, {}};
    ASSERT_EQ(files->create(caller, files->root(), "new", how, made), Status::ok);
    ASSERT_EQ(set_mode(made.id, 0444), Status::ok);
    put("old", "text");
    const auto old = find("old");
    ASSERT_EQ(set_mode(old, 0), Status::ok);
    // Longer than a descriptor is kept that could be opened again.
    std::this_thread::sleep_for(std::chrono::seconds(6));
    EXPECT_EQ(write(made.id, 0, "new text"), Status::ok);
    EXPECT_EQ(text(made.id), "new text");
    EXPECT_EQ(text(old), "text");
    EXPECT_EQ(write(old, 0, "T"), Status::ok);
    EXPECT_EQ(text(old), "Text");
    vfs::Change change;
    EXPECT_EQ(files->commit(caller, old, 0, 0, change), Status::ok);
}

// The verifier is in the times of the file. Any file could have those.
TEST_P(PosixTest, ExclusiveCreateTakesNoOtherFileForItsOwn) {
    const vfs::NewFile how{vfs::CreateMode::exclusive, 0x0123456789abcdef, {}};
    const timespec times[2] = {{0x89abcdef & 0x7fffffff, 0}, {0x01234567, 0}};
    const auto try_again = [&](std::string_view name) {
        EXPECT_EQ(utimensat(AT_FDCWD, in(name).c_str(), times, 0), 0);
        vfs::CreateOut out;
        return files->create(caller, files->root(), name, how, out);
    };
    put("full", "text");
    chmod(in("full").c_str(), 0600);
    EXPECT_EQ(try_again("full"), Status::exists);
    put("open", "");
    chmod(in("open").c_str(), 0644);
    EXPECT_EQ(try_again("open"), Status::exists);
    put("linked", "");
    chmod(in("linked").c_str(), 0600);
    fs::create_hard_link(in("linked"), in("link"));
    EXPECT_EQ(try_again("linked"), Status::exists);
    if (geteuid() == 0) {
        put("another's", "");
        chmod(in("another's").c_str(), 0600);
        ASSERT_EQ(chown(in("another's").c_str(), 1234, 1234), 0);
        EXPECT_EQ(try_again("another's"), Status::exists);
    }
    put("like ours", "");
    chmod(in("like ours").c_str(), 0600);
    EXPECT_EQ(try_again("like ours"), Status::ok) << "the test has the right times";
}

// Clients refuse larger files themselves, when they are written and not when they are closed.
TEST_P(PosixTest, TheLargestFileIsThatOfTheFileSystem) {
    put("file", "");
    const auto id = find("file");
    const std::uint64_t largest = files->limits().file_size_max;
    vfs::Changes changes;
    vfs::Change out;
    changes.size = largest;
    EXPECT_EQ(files->set_attributes(caller, id, changes, {}, out), Status::ok) << largest;
    changes.size = largest + 1;
    EXPECT_EQ(files->set_attributes(caller, id, changes, {}, out), Status::too_big) << largest;
    EXPECT_EQ(fs::file_size(in("file")), largest);
    vfs::WriteOut written;
    EXPECT_EQ(files->write(caller, id, largest, as_bytes("x"), vfs::Stability::unstable, written),
              Status::too_big);
}

TEST_P(PosixTest, TheWriteVerifierChangesWithEveryStart) {
    const auto before = files->write_verifier();
    start();
    EXPECT_NE(files->write_verifier(), before);
}

TEST_P(PosixTest, FewDescriptorsAreEnough) {
    files.reset();
    files = make_posix_fs({.directory = top / "export",
                           .index_file = top / "index",
                           .kernel_handles = GetParam(),
                           .open_files_max = 16});
    std::vector<vfs::FileId> ids;
    for (int i = 0; i < 300; ++i) {
        put("f" + std::to_string(i), std::to_string(i));
        ids.push_back(find("f" + std::to_string(i)));
    }
    for (int i = 0; i < 300; ++i)
        EXPECT_EQ(text(ids[static_cast<std::size_t>(i)]), std::to_string(i));
}

// A file that is moved again and again, and only sometimes open, is always found at its old or its
// new place.
TEST_P(PosixTest, FilesAreFoundWhileTheyAreMoved) {
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

// Threads act as many users at once; no file may end up another's.
TEST(PosixIdentity, DoesNotLeakFromOneCallToTheNext) {
    if (geteuid() != 0 || !posix_powers("/").act_as_others)
        GTEST_SKIP() << "needs the superuser's capabilities";
    std::string name = (fs::temp_directory_path() / "helio-identity-XXXXXX").string();
    const fs::path top = mkdtemp(name.data());
    fs::create_directories(top / "export");
    chmod((top / "export").c_str(), 0777);
    {
        const auto files =
            make_posix_fs({.directory = top / "export", .index_file = "", .as_caller = true});
        std::vector<std::thread> threads;
        std::atomic<int> wrong = 0;
        for (std::uint32_t t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (std::uint32_t i = 0; i < 500; ++i) {
                    const std::uint32_t uid = i % 7 == 0 ? 0 : 1000 + (t * 31 + i) % 5;
                    const std::array<std::uint32_t, 2> groups{2000 + uid, 3000 + i % 3};
                    const vfs::Caller caller{.uid = uid, .gid = uid + 1, .groups = groups};
                    const std::string file = std::to_string(t) + "-" + std::to_string(i);
                    vfs::CreateOut made;
                    vfs::NewFile how;
                    how.attributes.mode = 0640;
                    if (files->create(caller, files->root(), file, how, made) != Status::ok ||
                        made.attributes.uid != uid || made.attributes.gid != uid + 1)
                        ++wrong;
                    // A stranger sees nothing, a member of the group reads.
                    const std::array<std::uint32_t, 1> member{uid + 1};
                    Heap heap;
                    vfs::ReadOut out;
                    const vfs::Caller stranger{.uid = 4000 + i, .gid = 4000, .groups = {}};
                    const vfs::Caller friendly{.uid = 4000 + i, .gid = 4000, .groups = member};
                    if (files->read(stranger, made.id, 0, 10, heap, out) != Status::access_denied)
                        ++wrong;
                    if (files->read(friendly, made.id, 0, 10, heap, out) != Status::ok) ++wrong;
                    vfs::WriteOut wrote;
                    if (files->write(friendly, made.id, 0, as_bytes("x"), vfs::Stability::unstable,
                                     wrote) != Status::access_denied)
                        ++wrong;
                }
            });
        for (auto& thread : threads) thread.join();
        EXPECT_EQ(wrong, 0);
    }
    fs::remove_all(top);
}

}  // namespace
}  // namespace helio::backend::posix_fs_test
