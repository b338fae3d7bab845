#include "helio/vfs/extended_attributes.h"

#include <sys/xattr.h>

#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::extended_attributes_test {
namespace {

using vfs::AttributeSet;

// Shorthands for the calls of the part.
template <class Base>
class WithAttributes : public VfsWith<&FileSystem::extended_attributes, Base> {
 protected:
    std::string get(ClientForTest& who, const FileId& id, std::string_view name) {
        std::vector<std::byte> value;
        status = this->part().get(who.caller(), id, name, value);
        return status == Status::ok ? std::string{as_text(value)} : std::string{};
    }
    Status set(ClientForTest& who, const FileId& id, std::string_view name, std::string_view value,
               AttributeSet how = AttributeSet::either) {
        change = {};
        return this->part().set(who.caller(), id, name, as_bytes(value), how, change);
    }
    Status remove(ClientForTest& who, const FileId& id, std::string_view name) {
        change = {};
        return this->part().remove(who.caller(), id, name, change);
    }
    std::vector<std::string> list(ClientForTest& who, const FileId& id) {
        std::vector<std::string> names;
        status = this->part().list(who.caller(), id, names);
        std::sort(names.begin(), names.end());
        return names;
    }
    Status status = Status::ok;
    Change change;
};
using VfsAttributes = WithAttributes<Vfs>;
using VfsAttributeRights = WithAttributes<VfsRights>;
using Names = std::vector<std::string>;

TEST_P(VfsAttributes, AreSetReadListedAndRemoved) {
    for (const FileId& id : {file("a", "text"), directory("sub")}) {
        EXPECT_EQ(list(c, id), Names{});
        EXPECT_EQ(get(c, id, "color"), "");
        EXPECT_EQ(status, Status::no_attribute);
        EXPECT_EQ(set(c, id, "color", "red"), Status::ok);
        EXPECT_EQ(set(c, id, "shape", ""), Status::ok);
        EXPECT_EQ(get(c, id, "color"), "red");
        EXPECT_EQ(get(c, id, "shape"), "");
        EXPECT_EQ(status, Status::ok);
        EXPECT_EQ(list(c, id), (Names{"color", "shape"}));
        EXPECT_EQ(set(c, id, "color", "a longer one"), Status::ok);
        EXPECT_EQ(get(c, id, "color"), "a longer one");
        EXPECT_EQ(remove(c, id, "color"), Status::ok);
        EXPECT_EQ(remove(c, id, "color"), Status::no_attribute);
        EXPECT_EQ(list(c, id), (Names{"shape"}));
    }
}

TEST_P(VfsAttributes, AreCreatedOrReplaced) {
    const FileId a = file("a");
    EXPECT_EQ(set(c, a, "x", "1", AttributeSet::replace), Status::no_attribute);
    EXPECT_EQ(list(c, a), Names{});
    EXPECT_EQ(set(c, a, "x", "1", AttributeSet::create), Status::ok);
    EXPECT_EQ(set(c, a, "x", "2", AttributeSet::create), Status::exists);
    EXPECT_EQ(get(c, a, "x"), "1");
    EXPECT_EQ(set(c, a, "x", "2", AttributeSet::replace), Status::ok);
    EXPECT_EQ(get(c, a, "x"), "2");
    EXPECT_EQ(set(c, a, "x", "3"), Status::ok);
    EXPECT_EQ(get(c, a, "x"), "3");
}

TEST_P(VfsAttributes, HoldAnyBytes) {
    const FileId a = file("a");
    std::size_t size_now = 0;
    const auto is_intact = [&] { return get(c, a, "x") == pattern(size_now); };
    for (const std::size_t size : {0u, 1u, 255u, 256u, 2'000u}) {
        EXPECT_EQ(set(c, a, "x", pattern(size)), Status::ok) << size;
        size_now = size;
        EXPECT_TRUE(is_intact()) << size;
    }
    // Between this and the limit it depends on the file system.
    for (const std::size_t size : {std::size_t{5'000}, vfs::kAttributeValueBytesMax}) {
        const Status set_status = set(c, a, "x", pattern(size));
        EXPECT_TRUE(one_of(set_status, {Status::ok, Status::no_space, Status::attribute_too_big}));
        if (set_status == Status::ok) size_now = size;
        EXPECT_TRUE(is_intact()) << size;
    }
    EXPECT_EQ(set(c, a, "x", pattern(vfs::kAttributeValueBytesMax + 1)), Status::attribute_too_big);
    EXPECT_TRUE(is_intact());
}

TEST_P(VfsAttributes, HaveNamesWithLimits) {
    const FileId a = file("a");
    const std::string longest(vfs::kAttributeNameBytesMax, 'n');
    EXPECT_EQ(set(c, a, longest, "x"), Status::ok);
    EXPECT_EQ(list(c, a), Names{longest});
    for (const auto& [name, wrong] : {std::pair{std::string{}, Status::invalid},
                                      {std::string("a\0b", 3), Status::invalid},
                                      {longest + "n", Status::name_too_long}}) {
        EXPECT_EQ(set(c, a, name, "x"), wrong);
        EXPECT_EQ(get(c, a, name), "");
        EXPECT_EQ(status, wrong);
        EXPECT_EQ(remove(c, a, name), wrong);
    }
    EXPECT_EQ(set(c, a, "with a dot.and space\n", "y"), Status::ok);
    EXPECT_EQ(get(c, a, "with a dot.and space\n"), "y");
}

TEST_P(VfsAttributes, AreMany) {
    const FileId a = file("a");
    Names names;
    for (int i = 100; i < 140; ++i) {
        names.push_back("name" + std::to_string(i));
        ASSERT_EQ(set(c, a, names.back(), "v" + std::to_string(i)), Status::ok);
    }
    EXPECT_EQ(list(c, a), names);
    for (int i = 100; i < 140; ++i)
        EXPECT_EQ(get(c, a, "name" + std::to_string(i)), "v" + std::to_string(i));
}

TEST_P(VfsAttributes, ChangeTheFile) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    tick();
    ASSERT_EQ(set(c, a, "x", "1"), Status::ok);
    expect_change(change, before, a);
    EXPECT_GT(c.attributes(a).changed, before.changed);
    EXPECT_EQ(c.attributes(a).modified, before.modified) << "the contents have not changed";
    const Attributes then = c.attributes(a);
    tick();
    ASSERT_EQ(remove(c, a, "x"), Status::ok);
    expect_change(change, then, a);
    EXPECT_GT(c.attributes(a).changed, then.changed);
    const Attributes last = c.attributes(a);
    tick();
    EXPECT_EQ(remove(c, a, "x"), Status::no_attribute);
    expect_unchanged(change, last, a);
}

TEST_P(VfsAttributes, GoWithTheFile) {
    const FileId a = file("a");
    ASSERT_EQ(set(c, a, "x", "1"), Status::ok);
    ASSERT_EQ(c.rename(root(), "a", root(), "b"), Status::ok);
    ASSERT_EQ(c.link(a, root(), "c"), Status::ok);
    EXPECT_EQ(get(c, c.lookup(root(), "c"), "x"), "1");
    ASSERT_EQ(c.remove(root(), "b"), Status::ok);
    ASSERT_EQ(c.remove(root(), "c"), Status::ok);
    EXPECT_EQ(get(c, a, "x"), "");
    EXPECT_EQ(status, Status::stale);
    EXPECT_EQ(set(c, a, "x", "1"), Status::stale);
    EXPECT_EQ(list(c, a), Names{});
    EXPECT_EQ(status, Status::stale);
    EXPECT_EQ(list(c, file("a")), Names{}) << "a new file of the same name";
}

TEST_P(VfsAttributes, AreForFilesAndDirectories) {
    const FileId link = got(c, c.symlink(root(), "link", "a"));
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    for (const FileId& id : {link, fifo}) {
        EXPECT_EQ(set(c, id, "x", "1"), Status::not_permitted);
        EXPECT_EQ(remove(c, id, "x"), Status::not_permitted);
        EXPECT_EQ(get(c, id, "x"), "");
        EXPECT_EQ(status, Status::no_attribute);
        EXPECT_EQ(list(c, id), Names{});
        EXPECT_EQ(status, Status::ok);
    }
}

TEST_P(VfsAttributes, AreThoseOfPrograms) {
    if (instance_->path().empty()) GTEST_SKIP() << "no other program sees its files";
    const FileId a = file("a");
    const std::string path = instance_->path() + "/a";
    ASSERT_EQ(set(c, a, "ours", "1"), Status::ok);
    char value[8];
    EXPECT_EQ(getxattr(path.c_str(), "user.ours", value, sizeof value), 1);
    ASSERT_EQ(setxattr(path.c_str(), "user.theirs", "22", 2, 0), 0);
    EXPECT_EQ(get(c, a, "theirs"), "22");
    // Other namespaces are hidden.
    static_cast<void>(setxattr(path.c_str(), "trusted.theirs", "3", 1, 0));
    EXPECT_EQ(list(c, a), (Names{"ours", "theirs"}));
}

TEST_P(VfsAttributeRights, AreThoseOfTheFile) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0644));
    EXPECT_EQ(set(alice, a, "x", "1"), Status::ok);
    EXPECT_EQ(get(bob, a, "x"), "1");
    EXPECT_EQ(set(bob, a, "x", "2"), Status::access_denied);
    EXPECT_EQ(remove(bob, a, "x"), Status::access_denied);
    ASSERT_EQ(alice.chmod(a, 0622), Status::ok);
    EXPECT_EQ(get(bob, a, "x"), "");
    EXPECT_EQ(status, Status::access_denied);
    EXPECT_EQ(set(bob, a, "x", "2"), Status::ok);
    EXPECT_EQ(get(c, a, "x"), "2");
    EXPECT_EQ(list(bob, a), (Names{"x"})) << "listing names needs no permission";
}

TEST_P(VfsAttributeRights, OfStickyDirectoriesAreTheOwners) {
    const FileId sub = got(c, c.mkdir(root(), "sub", 01777));
    EXPECT_EQ(set(bob, sub, "x", "1"), Status::not_permitted);
    EXPECT_EQ(set(c, sub, "x", "1"), Status::ok);
    EXPECT_EQ(remove(bob, sub, "x"), Status::not_permitted);
    EXPECT_EQ(get(bob, sub, "x"), "1");
    ASSERT_EQ(c.chmod(sub, 0777), Status::ok);
    EXPECT_EQ(set(bob, sub, "x", "2"), Status::ok);
}

HELIO_OVER_ALL_BACKENDS(VfsAttributes);
HELIO_OVER_ALL_BACKENDS(VfsAttributeRights);

}  // namespace
}  // namespace helio::tests::extended_attributes_test
