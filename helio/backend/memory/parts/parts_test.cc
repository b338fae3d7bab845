// The optional parts of MemoryFs: everything is charged to one budget.
#include <gtest/gtest.h>

#include "helio/backend/memory/memory_fs.h"
#include "helio/vfs/access_lists.h"
#include "helio/vfs/copying.h"
#include "helio/vfs/extended_attributes.h"
#include "helio/vfs/holes.h"
#include "helio/vfs/open_files.h"
#include "testing/vfs/client.h"

namespace helio::backend::parts_test {
namespace {

using namespace vfs;

class MemoryPartsTest : public testing::Test {
 protected:
    static constexpr std::uint64_t kBytesMax = 1u << 20;

    static MemoryOptions options() {
        MemoryOptions options;
        options.bytes_max = kBytesMax;
        options.files_max = 10;
        return options;
    }
    std::shared_ptr<OpenFile> open(const FileId& id) {
        std::shared_ptr<OpenFile> file;
        EXPECT_EQ(
            fs->open_files()->open(c.caller(), id, OpenAccess::both, OpenRights::checked, file),
            Status::ok);
        return file;
    }
    std::uint64_t free_bytes() { return c.space().bytes_free; }

    const std::shared_ptr<FileSystem> fs = make_memory_fs(options());
    ClientForTest c{*fs, 0, 0};
};

TEST_F(MemoryPartsTest, AllocatedSpaceIsThereWhenNoOtherIs) {
    constexpr std::uint64_t kSize = 300u << 10;
    const auto file = open(c.create(c.root(), "a"));
    ASSERT_EQ(fs->holes()->allocate(c.caller(), *file, 0, kSize), Status::ok);
    EXPECT_EQ(free_bytes(), kBytesMax - kSize);
    const FileId filler = c.create(c.root(), "b");
    ASSERT_EQ(c.write(filler, 0, std::string(kBytesMax - kSize, 'x')), Status::ok);
    EXPECT_EQ(free_bytes(), 0u);
    EXPECT_EQ(c.write(filler, kBytesMax - kSize, "x"), Status::no_space);
    EXPECT_EQ(c.write(file->id(), 0, std::string(kSize, 'y')), Status::ok);
    EXPECT_EQ(fs->holes()->allocate(c.caller(), *file, 0, kSize), Status::ok)
        << "already allocated";
    EXPECT_EQ(fs->holes()->allocate(c.caller(), *file, 0, kSize + 1), Status::no_space);
    EXPECT_EQ(c.attributes(file->id()).size, kSize);
    EXPECT_EQ(fs->holes()->deallocate(c.caller(), *file, 0, kSize), Status::ok);
    EXPECT_EQ(free_bytes(), kSize);
}

TEST_F(MemoryPartsTest, ClonesAreAllOrNothing) {
    const std::string old = "what was there";
    const FileId a = c.create(c.root(), "a"), b = c.create(c.root(), "b");
    ASSERT_EQ(c.write(a, 0, std::string(600u << 10, 'x')), Status::ok);
    ASSERT_EQ(c.write(b, 0, old), Status::ok);
    const auto source = open(a), target = open(b);
    EXPECT_EQ(fs->cloning()->clone(c.caller(), *source, *target, {}), Status::no_space);
    EXPECT_EQ(c.read(b), old);
    EXPECT_EQ(c.attributes(b).size, old.size());
    ASSERT_EQ(c.truncate(a, 300u << 10), Status::ok);
    EXPECT_EQ(fs->cloning()->clone(c.caller(), *source, *target, {}), Status::ok);
    EXPECT_TRUE(c.read(b) == std::string(300u << 10, 'x'));
    EXPECT_EQ(free_bytes(), kBytesMax - (600u << 10));
    // Overwriting needs no new space.
    const FileId filler = c.create(c.root(), "c");
    ASSERT_EQ(c.write(filler, 0, std::string(free_bytes(), 'z')), Status::ok);
    EXPECT_EQ(fs->cloning()->clone(c.caller(), *source, *target, {}), Status::ok);
}

// Copying a lot takes time, even without a disk.
TEST_F(MemoryPartsTest, LargeOperationsBlock) {
    const auto large = make_memory_fs();
    ClientForTest client(*large, 0, 0);
    const FileId a = client.create(client.root(), "a"), b = client.create(client.root(), "b");
    ASSERT_EQ(client.truncate(a, 8u << 20), Status::ok);
    std::shared_ptr<OpenFile> source, target;
    for (const auto& [id, file] : {std::pair{a, &source}, {b, &target}})
        ASSERT_EQ(large->open_files()->open(client.caller(), id, OpenAccess::both,
                                            OpenRights::checked, *file),
                  Status::ok);
    Caller hurried = client.caller();
    hurried.may_block = false;
    std::uint64_t copied = 0;
    constexpr std::uint64_t kLarge = 2u << 20, kSmall = 64u << 10;
    for (const auto& [size, status] :
         {std::pair{kLarge, Status::would_block}, {kSmall, Status::ok}}) {
        EXPECT_EQ(large->copying()->copy(hurried, *source, *target, {0, 0, size}, copied), status);
        EXPECT_EQ(large->cloning()->clone(hurried, *source, *target, {0, 0, size}), status);
        EXPECT_EQ(large->holes()->allocate(hurried, *target, 0, size), status);
    }
    EXPECT_EQ(client.attributes(b).size, kSmall);
}

TEST_F(MemoryPartsTest, AttributesAndListsTakeSpace) {
    const FileId a = c.create(c.root(), "a"), sub = c.mkdir(c.root(), "sub");
    ExtendedAttributes& attributes = *fs->extended_attributes();
    Change change;
    const std::string value(60'000, 'v');
    const auto set = [&](const std::string& name) {
        return attributes.set(c.caller(), a, name, as_bytes(value), AttributeSet::either, change);
    };
    ASSERT_EQ(set("0"), Status::ok);
    EXPECT_EQ(free_bytes(), kBytesMax - 61'440) << "charged in whole blocks";
    ASSERT_EQ(set("0"), Status::ok);
    EXPECT_EQ(free_bytes(), kBytesMax - 61'440) << "replacing it costs nothing";
    int count = 1;
    while (set(std::to_string(count)) == Status::ok) ++count;
    EXPECT_EQ(count, 17);
    ASSERT_EQ(c.write(c.create(c.root(), "filler"), 0, std::string(free_bytes(), 'x')), Status::ok);
    const Acl list = acl_from_mode(0700);
    EXPECT_EQ(fs->access_lists()->set(c.caller(), sub, AclKind::inherited, list), Status::no_space);
    ASSERT_EQ(attributes.remove(c.caller(), a, "0", change), Status::ok);
    EXPECT_EQ(fs->access_lists()->set(c.caller(), sub, AclKind::inherited, list), Status::ok);
    for (const char* name : {"a", "filler"}) EXPECT_EQ(c.remove(c.root(), name), Status::ok);
    EXPECT_EQ(c.rmdir(c.root(), "sub"), Status::ok);
    EXPECT_EQ(free_bytes(), kBytesMax);
}

TEST_F(MemoryPartsTest, NamesOfAttributesHaveALimitTogether) {
    const FileId a = c.create(c.root(), "a");
    Change change;
    std::size_t bytes = 0;
    for (int i = 100; bytes + kAttributeNameBytesMax + 1 <= kAttributeNamesBytesMax; ++i) {
        std::string name = std::to_string(i);
        name.resize(kAttributeNameBytesMax, 'n');
        ASSERT_EQ(
            fs->extended_attributes()->set(c.caller(), a, name, {}, AttributeSet::create, change),
            Status::ok);
        bytes += name.size() + 1;
    }
    EXPECT_EQ(fs->extended_attributes()->set(c.caller(), a,
                                             std::string(kAttributeNamesBytesMax - bytes, 'z'), {},
                                             AttributeSet::create, change),
              Status::no_space);
    EXPECT_EQ(fs->extended_attributes()->set(c.caller(), a,
                                             std::string(kAttributeNamesBytesMax - bytes - 1, 'z'),
                                             {}, AttributeSet::create, change),
              Status::ok);
}

TEST_F(MemoryPartsTest, OpenFilesWithoutANameCount) {
    std::vector<std::shared_ptr<OpenFile>> opened;
    for (int i = 0; i < 9; ++i) {
        opened.push_back(open(c.create(c.root(), "a")));
        ASSERT_EQ(c.remove(c.root(), "a"), Status::ok);
    }
    c.create(c.root(), "b");
    EXPECT_EQ(c.status, Status::ok);
    c.create(c.root(), "c");
    EXPECT_EQ(c.status, Status::no_space);
    opened.pop_back();
    c.create(c.root(), "c");
    EXPECT_EQ(c.status, Status::ok);
}

}  // namespace
}  // namespace helio::backend::parts_test
