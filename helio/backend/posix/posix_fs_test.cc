// Tests of the posix back end alone: rights and modes, exclusive creation, limits, callers'
// identities. nodes/nodes_test.cc tests how files are found, tests/vfs_conformance what every back
// end must do.
#include "helio/backend/posix/posix_fs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "testing/backend/posix_export.h"

namespace helio::backend::posix_fs_test {
namespace {

namespace fs = std::filesystem;
using vfs::Status;

class PosixTest : public PosixExport {};

INSTANTIATE_TEST_SUITE_P(Handles, PosixTest, testing::Bool(), handles_named);

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

    // If only its own clients would wait, a small write is faster here.
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

// Everything that must stay the same when a file is only read.
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
    start();  // the descriptor from its creation is gone
    EXPECT_EQ(write(made.id, 0, "WRITTEN"), superuser() ? Status::ok : Status::access_denied);
    EXPECT_EQ(text(made.id), superuser() ? "WRITTEN twice" : "written twice");
    EXPECT_EQ(Guarded{in("object")}.status.st_mode, before.status.st_mode);
}

// Without an OPEN call, a client can only try.
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

// Linux's client creates exclusively, sets the mode, and writes later. The mode may also change
// while the client has the file open.
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
    // Longer than descriptors are kept that could be opened again.
    std::this_thread::sleep_for(std::chrono::seconds(6));
    EXPECT_EQ(write(made.id, 0, "new text"), Status::ok);
    EXPECT_EQ(text(made.id), "new text");
    EXPECT_EQ(text(old), "text");
    EXPECT_EQ(write(old, 0, "T"), Status::ok);
    EXPECT_EQ(text(old), "Text");
    vfs::Change change;
    EXPECT_EQ(files->commit(caller, old, 0, 0, change), Status::ok);
}

// The verifier is in the times of the file, and any file could have the same times.
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

// Clients refuse larger files themselves, on write and not on close.
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

// Threads act as many users at once; no file may belong to the wrong user.
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
                    // Others see nothing; a member of the group can read.
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
