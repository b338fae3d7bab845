// The optional parts of PosixFs: descriptors, and interaction with local programs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "helio/backend/posix/posix_fs.h"
#include "helio/base/fd.h"
#include "helio/vfs/access_lists.h"
#include "helio/vfs/extended_attributes.h"
#include "helio/vfs/open_files.h"
#include "helio/vfs/range_locks.h"
#include "testing/vfs/client.h"

namespace helio::backend::parts_test {
namespace {

using namespace vfs;

class PosixPartsTest : public testing::Test {
 protected:
    PosixPartsTest() {
        std::string name = (std::filesystem::temp_directory_path() / "helio-parts-XXXXXX").string();
        directory = mkdtemp(name.data());
        start({});
    }
    ~PosixPartsTest() override {
        client.reset();
        files.reset();
        std::filesystem::remove_all(directory);
    }
    void start(PosixOptions options) {
        options.directory = directory;
        client.reset();
        files = make_posix_fs(options);
        client.emplace(*files, geteuid(), getegid());
    }
    Status open(const FileId& id, OpenAccess access, std::shared_ptr<OpenFile>& out) {
        return files->open_files()->open(client->caller(), id, access, OpenRights::checked, out);
    }

    std::string directory;
    std::shared_ptr<FileSystem> files;
    std::optional<ClientForTest> client;
};

std::size_t descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

TEST_F(PosixPartsTest, OneFileTakesFewDescriptorsHoweverOftenItIsOpen) {
    const FileId a = client->create(client->root(), "a");
    const std::size_t before = descriptors();
    std::vector<std::shared_ptr<OpenFile>> opened(300);
    for (std::size_t i = 0; i < opened.size(); ++i)
        ASSERT_EQ(open(a, i % 2 == 0 ? OpenAccess::read : OpenAccess::both, opened[i]), Status::ok);
    EXPECT_LE(descriptors(), before + 2);
    opened.clear();
    EXPECT_LE(descriptors(), before + 1) << "the readers' one stays open for a while";
}

TEST_F(PosixPartsTest, AFileThatIsReadAgainAndAgainIsOpenedOnce) {
    const FileId a = client->create(client->root(), "a");  // which keeps it open for writing
    std::shared_ptr<OpenFile> opened;
    ASSERT_EQ(open(a, OpenAccess::read, opened), Status::ok);
    opened.reset();
    const std::size_t before = descriptors();
    ASSERT_EQ(open(a, OpenAccess::read, opened), Status::ok);
    EXPECT_EQ(descriptors(), before) << "the descriptor of the first open serves the second";
}

// Closing a descriptor for writing, or the last of a file without a name, may take long.
TEST_F(PosixPartsTest, AnOpenFileKnowsWhetherClosingTakesTime) {
    client->create(client->root(), "a");
    start({});  // the descriptor of the creation is closed
    const FileId a = client->lookup(client->root(), "a");
    std::shared_ptr<OpenFile> reader, writer, second;
    ASSERT_EQ(open(a, OpenAccess::read, reader), Status::ok);
    EXPECT_TRUE(reader->closes_at_once());
    ASSERT_EQ(open(a, OpenAccess::write, writer), Status::ok);
    EXPECT_FALSE(writer->closes_at_once());
    ASSERT_EQ(open(a, OpenAccess::write, second), Status::ok);
    EXPECT_TRUE(writer->closes_at_once());
    Change change;
    ASSERT_EQ(files->remove(client->caller(), client->root(), "a", change), Status::ok);
    EXPECT_FALSE(reader->closes_at_once());
}

TEST_F(PosixPartsTest, AnOpenFileKnowsItsPathAsLongAsItHasOne) {
    ASSERT_TRUE(std::filesystem::create_directory(directory + "/docs"));
    std::ofstream{directory + "/docs/a b"} << "text";
    const FileId file = client->lookup(client->lookup(client->root(), "docs"), "a b");
    std::shared_ptr<OpenFile> opened;
    ASSERT_EQ(open(file, OpenAccess::read, opened), Status::ok);
    EXPECT_EQ(opened->path(), "docs/a b");
    std::filesystem::rename(directory + "/docs/a b", directory + "/moved");
    EXPECT_EQ(opened->path(), "moved");
    // The export may be moved, too.
    std::filesystem::rename(directory, directory + "-elsewhere");
    EXPECT_EQ(opened->path(), "moved");
    std::filesystem::rename(directory + "-elsewhere", directory);
    std::filesystem::rename(directory + "/moved", directory + "-outside");
    EXPECT_EQ(opened->path(), "") << "outside of the export";
    std::filesystem::rename(directory + "-outside", directory + "/moved");
    std::filesystem::remove(directory + "/moved");
    EXPECT_EQ(opened->path(), "");
}

TEST_F(PosixPartsTest, FilesThatAreOpenHaveALimit) {
    start({.directory = {}, .index_file = {}, .open_files_max = 16});
    std::vector<std::shared_ptr<OpenFile>> opened;
    Status status = Status::ok;
    for (int i = 0; i < 16 && status == Status::ok; ++i) {
        const FileId id = client->create(client->root(), std::to_string(i));
        status = open(id, OpenAccess::both, opened.emplace_back());
    }
    EXPECT_EQ(status, Status::busy);
    EXPECT_EQ(opened.size(), 6u) << "a third of 16, plus the refused one";
    // Opening a file again does not count.
    std::shared_ptr<OpenFile> again;
    EXPECT_EQ(open(opened.front()->id(), OpenAccess::read, again), Status::ok);
    again.reset();
    opened.erase(opened.begin());
    EXPECT_EQ(open(client->create(client->root(), "last"), OpenAccess::both, again), Status::ok);
}

// A program that is open for writing cannot be executed. Readers and read locks must not open it
// for writing.
TEST_F(PosixPartsTest, ReadersDoNotKeepProgramsFromRunning) {
    const FileId a = client->create(client->root(), "program", 0755);
    const std::string script = "#!/bin/sh\nexit 7\n";
    {
        std::shared_ptr<OpenFile> writer;
        ASSERT_EQ(open(a, OpenAccess::both, writer), Status::ok);
        WriteOut out;
        ASSERT_EQ(writer->write(client->caller(), 0, as_bytes(script), Stability::unstable, out),
                  Status::ok);
    }
    // The descriptor of the creation is closed after some seconds; restarting is faster.
    start({});
    const FileId again = client->lookup(client->root(), "program");
    std::shared_ptr<OpenFile> reader;
    ASSERT_EQ(open(again, OpenAccess::read, reader), Status::ok);
    LockConflict conflict;
    ASSERT_EQ(
        files->range_locks()->lock(client->caller(), *reader, 1, {}, LockType::read, conflict),
        Status::ok);
    const int result = std::system((directory + "/program").c_str());
    EXPECT_EQ(WEXITSTATUS(result), 7);
}

TEST_F(PosixPartsTest, ChangesWaitForTheDisk) {
    start({.directory = {}, .index_file = {}, .sync_metadata = true});
    const FileId a = client->create(client->root(), "a"),
                 sub = client->mkdir(client->root(), "sub");
    Caller hurried = client->caller();
    hurried.may_block = false;
    Change change;
    for (const FileId& id : {a, sub}) {
        if (ExtendedAttributes* const attributes = files->extended_attributes()) {
            EXPECT_EQ(
                attributes->set(hurried, id, "x", as_bytes("1"), AttributeSet::either, change),
                Status::would_block);
            std::vector<std::byte> value;
            EXPECT_EQ(attributes->get(hurried, id, "x", value), Status::no_attribute);
            EXPECT_EQ(attributes->set(client->caller(), id, "x", as_bytes("1"),
                                      AttributeSet::either, change),
                      Status::ok);
        }
        if (AccessLists* const lists = files->access_lists()) {
            EXPECT_EQ(lists->set(hurried, id, AclKind::access, acl_from_mode(0700)),
                      Status::would_block);
            EXPECT_EQ(lists->set(client->caller(), id, AclKind::access, acl_from_mode(0700)),
                      Status::ok);
            EXPECT_EQ(client->attributes(id).mode, 0700u);
        }
    }
    std::shared_ptr<OpenFile> file;
    ASSERT_EQ(open(a, OpenAccess::both, file), Status::ok);
    Changes size;
    size.size = 5;
    EXPECT_EQ(file->set_attributes(hurried, size, std::nullopt, change), Status::would_block);
    EXPECT_EQ(file->set_attributes(client->caller(), size, std::nullopt, change), Status::ok);
}

// They are on a description that is open anyway, so locking again and again opens nothing.
TEST_F(PosixPartsTest, LocksTakeNoDescriptorsAndLeaveNothingBehind) {
    const FileId a = client->create(client->root(), "a");
    std::shared_ptr<OpenFile> reader, writer;
    ASSERT_EQ(open(a, OpenAccess::read, reader), Status::ok);
    ASSERT_EQ(open(a, OpenAccess::both, writer), Status::ok);
    const Fd program{::open((directory + "/a").c_str(), O_RDWR | O_CLOEXEC)};
    const auto program_may = [&](short type) {
        struct flock wanted {};
        wanted.l_type = type;
        EXPECT_EQ(fcntl(program.get(), F_OFD_GETLK, &wanted), 0);
        return wanted.l_type == F_UNLCK;
    };
    const std::size_t before = descriptors();
    RangeLocks& locks = *files->range_locks();
    LockConflict conflict;
    for (OpenFile* const opened : {reader.get(), writer.get()}) {
        ASSERT_EQ(locks.lock(client->caller(), *opened, 1, {}, LockType::read, conflict),
                  Status::ok);
        EXPECT_FALSE(program_may(F_WRLCK));
        EXPECT_TRUE(program_may(F_RDLCK));
        EXPECT_EQ(locks.unlock(client->caller(), a, 1, {}), Status::ok);
        EXPECT_TRUE(program_may(F_WRLCK));
    }
    // The read lock moves from the readers' description to the writers'.
    ASSERT_EQ(locks.lock(client->caller(), *reader, 1, {0, 9}, LockType::read, conflict),
              Status::ok);
    ASSERT_EQ(locks.lock(client->caller(), *writer, 2, {20, 29}, LockType::write, conflict),
              Status::ok);
    EXPECT_EQ(descriptors(), before);
    EXPECT_FALSE(program_may(F_RDLCK));
    locks.release(a, 2);
    EXPECT_TRUE(program_may(F_RDLCK));
    EXPECT_FALSE(program_may(F_WRLCK));
    writer.reset();
    reader.reset();
    EXPECT_FALSE(program_may(F_WRLCK)) << "closing does not unlock";
    locks.release(a, 1);
    EXPECT_TRUE(program_may(F_WRLCK));
}

// Locks do not outlive the server.
TEST_F(PosixPartsTest, LocksEndWithTheServer) {
    const FileId a = client->create(client->root(), "a");
    std::shared_ptr<OpenFile> file;
    ASSERT_EQ(open(a, OpenAccess::both, file), Status::ok);
    LockConflict conflict;
    ASSERT_EQ(files->range_locks()->lock(client->caller(), *file, 1, {}, LockType::write, conflict),
              Status::ok);
    const Fd program{::open((directory + "/a").c_str(), O_RDWR | O_CLOEXEC)};
    struct flock wanted {};
    wanted.l_type = F_WRLCK;
    EXPECT_NE(fcntl(program.get(), F_OFD_SETLK, &wanted), 0);
    file.reset();
    start({});
    EXPECT_EQ(fcntl(program.get(), F_OFD_SETLK, &wanted), 0);
}

// Parts that the underlying file system lacks are not offered. /proc lacks most of them.
TEST(PosixPartsProbe, OffersWhatThereIs) {
    const auto files = make_posix_fs({.directory = "/proc/self/task", .index_file = {}});
    EXPECT_FALSE(files->extended_attributes());
    EXPECT_FALSE(files->access_lists());
    EXPECT_FALSE(files->cloning());
    EXPECT_TRUE(files->open_files() && files->range_locks() && files->copying());
}

}  // namespace
}  // namespace helio::backend::parts_test
