#include "helio/nfs/v4/opens/plain_file.h"

#include <gtest/gtest.h>

#include "helio/backend/memory/memory_fs.h"
#include "helio/base/bytes.h"

namespace helio::nfs::v4::plain_file_test {
namespace {

using vfs::OpenAccess;
using vfs::OpenRights;
using vfs::Status;

struct PlainFile : ::testing::Test {
    std::shared_ptr<vfs::FileSystem> files = backend::make_memory_fs([] {
        backend::MemoryOptions options;
        options.root_mode = 0777;
        return options;
    }());

    static vfs::Caller caller(std::uint32_t uid) {
        vfs::Caller out;
        out.uid = uid;
        out.gid = uid;
        out.may_block = true;
        return out;
    }
    vfs::FileId create(std::string_view name, std::uint32_t mode) {
        vfs::NewFile how;
        how.attributes.mode = mode;
        vfs::CreateOut made;
        EXPECT_EQ(files->create(caller(1000), files->root(), name, how, made), Status::ok);
        return made.id;
    }
    Status open(std::uint32_t uid, const vfs::FileId& id, OpenAccess access,
                OpenRights rights = OpenRights::checked) {
        return open_plainly(files, caller(uid), id, access, rights, opened);
    }
    std::shared_ptr<vfs::OpenFile> opened;
};

TEST_F(PlainFile, RightsAreCheckedAtOpen) {
    const vfs::FileId mine = create("mine", 0600);
    EXPECT_EQ(open(1000, mine, OpenAccess::both), Status::ok);
    EXPECT_EQ(opened->id(), mine);
    EXPECT_EQ(opened->access(), OpenAccess::both);
    EXPECT_EQ(open(1001, mine, OpenAccess::read), Status::access_denied);
    EXPECT_EQ(open(1001, mine, OpenAccess::read, OpenRights::owner_may), Status::access_denied);
    const vfs::FileId readable = create("readable", 0644);
    EXPECT_EQ(open(1001, readable, OpenAccess::read), Status::ok);
    EXPECT_EQ(open(1001, readable, OpenAccess::write), Status::access_denied);
    EXPECT_EQ(open(1001, readable, OpenAccess::both), Status::access_denied);
    const vfs::FileId program = create("program", 0711);
    EXPECT_EQ(open(1001, program, OpenAccess::read), Status::ok) << "to run it";
    const vfs::FileId closed = create("closed", 0000);
    EXPECT_EQ(open(1000, closed, OpenAccess::read), Status::access_denied);
    EXPECT_EQ(open(1000, closed, OpenAccess::both, OpenRights::owner_may), Status::ok);
}

TEST_F(PlainFile, OnlyRegularFiles) {
    EXPECT_EQ(open(1000, files->root(), OpenAccess::read), Status::is_a_directory);
    vfs::NewNode link;
    link.type = vfs::FileType::symlink;
    link.target = "elsewhere";
    vfs::CreateOut made;
    ASSERT_EQ(files->make(caller(1000), files->root(), "link", link, made), Status::ok);
    EXPECT_EQ(open(1000, made.id, OpenAccess::read), Status::invalid);
}

TEST_F(PlainFile, IsUsedAsItWasOpened) {
    const vfs::FileId id = create("f", 0600);
    vfs::WriteOut written;
    vfs::Change change;
    vfs::Changes longer;
    longer.size = 100;
    ASSERT_EQ(open(1000, id, OpenAccess::read), Status::ok);
    EXPECT_EQ(opened->write(caller(1000), 0, as_bytes("x"), vfs::Stability::file, written),
              Status::access_denied);
    EXPECT_EQ(opened->set_attributes(caller(1000), longer, {}, change), Status::access_denied);
    ASSERT_EQ(open(1000, id, OpenAccess::write), Status::ok);
    EXPECT_EQ(opened->write(caller(1000), 0, as_bytes("text"), vfs::Stability::file, written),
              Status::ok);
    EXPECT_EQ(written.count, 4u);
    EXPECT_EQ(opened->commit(caller(1000), 0, 0, change), Status::ok);
    EXPECT_EQ(opened->set_attributes(caller(1000), longer, {}, change), Status::ok);
    vfs::Attributes now;
    EXPECT_EQ(opened->attributes(caller(1000), now), Status::ok);
    EXPECT_EQ(now.size, 100u);
}

TEST_F(PlainFile, KeepsTheFileSystemButNotTheFile) {
    const vfs::FileId id = create("f", 0600);
    ASSERT_EQ(open(1000, id, OpenAccess::read), Status::ok);
    vfs::Change directory;
    ASSERT_EQ(files->remove(caller(1000), files->root(), "f", directory), Status::ok);
    files.reset();
    vfs::Attributes now;
    EXPECT_EQ(opened->attributes(caller(1000), now), Status::stale);
}

}  // namespace
}  // namespace helio::nfs::v4::plain_file_test
