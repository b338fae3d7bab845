#include "helio/vfs/access_lists.h"
#include "helio/vfs/extended_attributes.h"
#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::change_test {
namespace {

class VfsChange : public Vfs {
 protected:
    void SetUp() override {
        if (fs().change_kind() == vfs::ChangeKind::absent)
            GTEST_SKIP() << "this file system has no change attribute";
    }
    // Checks that an operation changes the change attribute of a file.
    template <class Work>
    void expect_moves(const FileId& id, const char* what, const Work& work) {
        const std::uint64_t before = c.attributes(id).change;
        tick();
        work();
        const std::uint64_t after = c.attributes(id).change;
        if (fs().change_kind() == vfs::ChangeKind::counter)
            EXPECT_EQ(after, before + 1) << what;
        else
            EXPECT_GT(after, before) << what;
    }
};

TEST_P(VfsChange, MovesWithEachChange) {
    const FileId a = file("a", "text");
    const FileId sub = directory("sub");
    expect_moves(a, "write", [&] { c.write(a, 0, "T"); });
    expect_moves(a, "truncate", [&] { c.truncate(a, 2); });
    expect_moves(a, "mode", [&] { c.chmod(a, 0600); });
    expect_moves(a, "link", [&] { c.link(a, root(), "b"); });
    expect_moves(a, "unlink", [&] { c.remove(root(), "b"); });
    expect_moves(sub, "create", [&] { c.create(sub, "x"); });
    expect_moves(sub, "rename", [&] { c.rename(sub, "x", sub, "y"); });
    expect_moves(sub, "rename to elsewhere", [&] { c.rename(sub, "y", root(), "y"); });
    expect_moves(sub, "mkdir", [&] { c.mkdir(sub, "z"); });
    expect_moves(sub, "rmdir", [&] { c.rmdir(sub, "z"); });
    if (fs().extended_attributes())
        expect_moves(a, "attribute", [&] {
            Change change;
            EXPECT_EQ(fs().extended_attributes()->set(c.caller(), a, "x", as_bytes("y"),
                                                      vfs::AttributeSet::either, change),
                      Status::ok);
        });
    if (fs().access_lists())
        expect_moves(a, "access list", [&] {
            EXPECT_EQ(fs().access_lists()->set(c.caller(), a, vfs::AclKind::access,
                                               vfs::acl_from_mode(0640)),
                      Status::ok);
        });
}

TEST_P(VfsChange, StaysWhenNothingChanges) {
    const FileId a = file("a", "text");
    const std::uint64_t before = c.attributes(a).change;
    tick();
    c.read(a);
    c.lookup(root(), "a");
    c.access(a);
    c.write(a, 0, "");
    EXPECT_EQ(c.create(root(), "a"), FileId{});
    EXPECT_EQ(c.attributes(a).change, before);
}

TEST_P(VfsChange, IsToldWithEachOperation) {
    const FileId sub = directory("sub");
    const std::uint64_t before = c.attributes(sub).change;
    got(c, c.create(sub, "x"));
    ASSERT_TRUE(c.change.before && c.change.after);
    EXPECT_EQ(c.change.before->change, before);
    EXPECT_EQ(c.change.after->change, c.attributes(sub).change);
    // Atomic only if no other program can change the files.
    EXPECT_EQ(c.change.atomic, instance_->path().empty());
}

HELIO_OVER_ALL_BACKENDS(VfsChange);

// The parts that each back end must have everywhere.
TEST(VfsParts, MemoryHasAllOfThem) {
    for (const Backend& backend : backends()) {
        const auto instance = backend.make();
        FileSystem& fs = instance->fs();
        EXPECT_TRUE(fs.open_files() && fs.range_locks() && fs.copying()) << backend.name;
        EXPECT_FALSE(fs.always_blocks()) << backend.name;
        if (backend.name != "memory") continue;
        EXPECT_TRUE(fs.holes() && fs.cloning() && fs.extended_attributes() && fs.access_lists());
        EXPECT_EQ(fs.change_kind(), vfs::ChangeKind::counter);
    }
}

}  // namespace
}  // namespace helio::tests::change_test
