#include "helio/vfs/access_lists.h"

#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::access_lists_test {
namespace {

using vfs::Acl;
using vfs::acl_from_mode;
using vfs::AclEntry;
using vfs::AclKind;
using vfs::AclTag;

constexpr AclTag kOwner = AclTag::owner, kUser = AclTag::user, kOwning = AclTag::owning_group,
                 kGroup = AclTag::group, kMask = AclTag::mask, kOther = AclTag::other;

template <class Base>
class WithLists : public VfsWith<&FileSystem::access_lists, Base> {
 protected:
    Acl get(const FileId& id, AclKind kind = AclKind::access) {
        Acl list;
        status = this->part().get(this->c.caller(), id, kind, list);
        return list;
    }
    Status set(ClientForTest& who, const FileId& id, const Acl& list,
               AclKind kind = AclKind::access) {
        return this->part().set(who.caller(), id, kind, list);
    }
    std::uint32_t mode(const FileId& id) { return this->c.attributes(id).mode; }
    Status status = Status::ok;
};
using VfsLists = WithLists<Vfs>;
using VfsListRights = WithLists<VfsRights>;

// Names user 1002 (bob) and group 2003 (a group of carol).
Acl list_for(std::uint8_t user, std::uint8_t group, std::uint8_t mask) {
    return {{kOwner, 0, 6},        {kUser, 1002, user}, {kOwning, 0, 0},
            {kGroup, 2003, group}, {kMask, 0, mask},    {kOther, 0, 0}};
}

TEST_P(VfsLists, BeginAsTheMode) {
    const FileId a = file("a", "", 0640);
    EXPECT_EQ(get(a), acl_from_mode(0640));
    EXPECT_EQ(get(a, AclKind::inherited), Acl{});
    EXPECT_EQ(status, Status::ok);
    EXPECT_EQ(get(directory("sub", 0751)), acl_from_mode(0751));
}

TEST_P(VfsLists, AreKept) {
    const FileId a = file("a");
    const Acl list = list_for(6, 4, 6);
    const Attributes before = c.attributes(a);
    tick();
    ASSERT_EQ(set(c, a, list), Status::ok);
    EXPECT_EQ(get(a), list);
    EXPECT_EQ(mode(a), 0660u) << "the mask stands for the group";
    EXPECT_GT(c.attributes(a).changed, before.changed);
    EXPECT_EQ(c.attributes(a).modified, before.modified);
    // The order of entries does not matter.
    EXPECT_EQ(set(c, a, Acl(list.rbegin(), list.rend())), Status::ok);
    EXPECT_EQ(get(a), list);
    instance_->restart();
    if (traits().survives_restart) {
        EXPECT_EQ(get(a), list);
    }
}

TEST_P(VfsLists, FollowTheMode) {
    const FileId a = file("a");
    ASSERT_EQ(set(c, a, list_for(7, 4, 6)), Status::ok);
    ASSERT_EQ(c.chmod(a, 0741), Status::ok);
    Acl expected = list_for(7, 4, 4);
    expected.front().rights = 7;
    expected.back().rights = 1;
    EXPECT_EQ(get(a), expected);
    EXPECT_EQ(mode(a), 0741u);
}

TEST_P(VfsLists, OfThreeEntriesAreTheMode) {
    const FileId a = file("a");
    ASSERT_EQ(set(c, a, list_for(6, 6, 6)), Status::ok);
    ASSERT_EQ(set(c, a, acl_from_mode(0604)), Status::ok);
    EXPECT_EQ(get(a), acl_from_mode(0604));
    EXPECT_EQ(mode(a), 0604u);
    ASSERT_EQ(c.chmod(a, 0640), Status::ok);
    EXPECT_EQ(get(a), acl_from_mode(0640));
}

TEST_P(VfsLists, AreTakenAway) {
    const FileId a = file("a");
    ASSERT_EQ(set(c, a, list_for(6, 6, 5)), Status::ok);
    EXPECT_EQ(set(c, a, {}), Status::ok);
    EXPECT_EQ(mode(a), 0650u) << "the mode stays";
    EXPECT_EQ(get(a), acl_from_mode(0650));
    EXPECT_EQ(set(c, a, {}), Status::ok);
    const FileId sub = directory("sub");
    ASSERT_EQ(set(c, sub, list_for(6, 6, 6), AclKind::inherited), Status::ok);
    EXPECT_EQ(set(c, sub, {}, AclKind::inherited), Status::ok);
    EXPECT_EQ(get(sub, AclKind::inherited), Acl{});
    EXPECT_EQ(set(c, sub, {}, AclKind::inherited), Status::ok);
}

TEST_P(VfsLists, AreRefusedWhenWrong) {
    const FileId a = file("a", "", 0640);
    Acl no_mask = list_for(6, 6, 6);
    no_mask.erase(no_mask.begin() + 4);
    Acl twice = list_for(6, 6, 6);
    twice.push_back({kUser, 1002, 1});
    for (const Acl& wrong : {no_mask, twice, Acl{{kOwner, 0, 7}}})
        EXPECT_EQ(set(c, a, wrong), Status::invalid);
    EXPECT_EQ(get(a), acl_from_mode(0640));
}

TEST_P(VfsLists, AreNotForEverything) {
    const FileId link = got(c, c.symlink(root(), "link", "a"));
    get(link);
    EXPECT_EQ(status, Status::not_supported);
    EXPECT_EQ(set(c, link, acl_from_mode(0700)), Status::not_supported);
    const FileId a = file("a");
    EXPECT_EQ(set(c, a, acl_from_mode(0700), AclKind::inherited), Status::not_a_directory);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    get(a);
    EXPECT_EQ(status, Status::stale);
    EXPECT_EQ(set(c, a, acl_from_mode(0700)), Status::stale);
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    EXPECT_EQ(set(c, fifo, list_for(6, 0, 6)), Status::ok);
    EXPECT_EQ(get(fifo), list_for(6, 0, 6));
}

TEST_P(VfsLists, AreInherited) {
    const FileId sub = directory("sub", 0755);
    const Acl inherited{
        {kOwner, 0, 7}, {kUser, 1002, 7}, {kOwning, 0, 5}, {kMask, 0, 7}, {kOther, 0, 1}};
    ASSERT_EQ(set(c, sub, inherited, AclKind::inherited), Status::ok);
    EXPECT_EQ(get(sub, AclKind::inherited), inherited);
    EXPECT_EQ(mode(sub), 0755u) << "it does not apply to the directory itself";
    EXPECT_EQ(get(sub), acl_from_mode(0755));

    // The new file gets the rights that both the list and the mode grant.
    const FileId a = got(c, c.create(sub, "a", 0664));
    const Acl of_a{
        {kOwner, 0, 6}, {kUser, 1002, 7}, {kOwning, 0, 5}, {kMask, 0, 6}, {kOther, 0, 0}};
    EXPECT_EQ(get(a), of_a);
    EXPECT_EQ(mode(a), 0660u);
    EXPECT_EQ(c.made.attributes.mode, 0660u);

    const FileId below = got(c, c.mkdir(sub, "below", 0755));
    EXPECT_EQ(get(below, AclKind::inherited), inherited) << "subdirectories inherit it too";
    EXPECT_EQ(mode(below), 0751u);
    const FileId special = got(c, c.mkdir(sub, "special", 02777));
    EXPECT_EQ(mode(special), 02771u);
    const FileId fifo = got(c, c.mknod(below, "fifo", FileType::fifo, 0, 0, 0600));
    EXPECT_EQ(mode(fifo), 0600u);
    got(c, c.symlink(sub, "link", "x"));
    // Existing files that are moved here do not change.
    const FileId b = file("b", "", 0644);
    ASSERT_EQ(c.rename(root(), "b", sub, "b"), Status::ok);
    EXPECT_EQ(get(b), acl_from_mode(0644));
}

TEST_P(VfsLists, OfThreeEntriesAreInheritedToo) {
    const FileId sub = directory("sub", 0755);
    ASSERT_EQ(set(c, sub, acl_from_mode(0740), AclKind::inherited), Status::ok);
    const FileId a = got(c, c.create(sub, "a", 0666));
    EXPECT_EQ(mode(a), 0640u);
    EXPECT_EQ(get(a), acl_from_mode(0640));
    EXPECT_EQ(get(got(c, c.mkdir(sub, "below", 0777)), AclKind::inherited), acl_from_mode(0740));
}

TEST_P(VfsListRights, GrantAndDeny) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0600));
    ASSERT_EQ(alice.write(a, 0, "text"), Status::ok);
    using namespace vfs::access;
    const auto may = [&](ClientForTest& who) {
        std::string text;
        const std::uint32_t granted = who.access(a);
        if (granted & kRead) text += 'r';
        if (granted & kModify) text += 'w';
        if (granted & kExecute) text += 'x';
        // Reading and writing agree with it.
        who.read(a);
        EXPECT_EQ(who.status == Status::ok, (granted & (kRead | kExecute)) != 0);
        EXPECT_EQ(who.write(a, 4, "") == Status::ok, (granted & kModify) != 0);
        return text;
    };
    EXPECT_EQ(may(bob), "");
    ASSERT_EQ(set(alice, a, list_for(6, 4, 7)), Status::ok);
    EXPECT_EQ(may(bob), "rw") << "named";
    EXPECT_EQ(may(carol), "r") << "by a named group, though the owning group is denied";
    ASSERT_EQ(set(alice, a, list_for(6, 4, 4)), Status::ok);
    EXPECT_EQ(may(bob), "r") << "masked";
    ASSERT_EQ(alice.chmod(a, 0600), Status::ok);
    EXPECT_EQ(may(bob), "") << "chmod changed the mask";
    Acl denied = list_for(0, 7, 7);
    denied.back().rights = 6;
    ASSERT_EQ(set(alice, a, denied), Status::ok);
    EXPECT_EQ(may(bob), "") << "denied by name, although others are allowed";
    EXPECT_EQ(may(carol), "rwx");
    ClientForTest dave(fs(), 1004, 2004);
    EXPECT_EQ(may(dave), "rw");
}

TEST_P(VfsListRights, AreForOwnersToSet) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0666));
    EXPECT_EQ(set(bob, a, list_for(7, 0, 7)), Status::not_permitted);
    EXPECT_EQ(set(alice, a, list_for(7, 0, 7)), Status::ok);
    EXPECT_EQ(set(bob, a, {}), Status::not_permitted);
    EXPECT_EQ(set(c, a, {}), Status::ok) << "the superuser";
}

TEST_P(VfsListRights, OfDirectoriesAreForNames) {
    const FileId sub = got(c, c.mkdir(root(), "sub", 0700));
    EXPECT_EQ(bob.create(sub, "a"), FileId{});
    EXPECT_EQ(bob.status, Status::access_denied);
    const Acl list{
        {kOwner, 0, 7}, {kUser, 1002, 7}, {kOwning, 0, 0}, {kMask, 0, 7}, {kOther, 0, 0}};
    ASSERT_EQ(set(c, sub, list), Status::ok);
    got(bob, bob.create(sub, "a"));
    EXPECT_EQ(bob.names(sub), std::vector<std::string>{"a"});
    EXPECT_EQ(alice.lookup(sub, "a"), FileId{});
    EXPECT_EQ(alice.status, Status::access_denied);
}

HELIO_OVER_ALL_BACKENDS(VfsLists);
HELIO_OVER_ALL_BACKENDS(VfsListRights);

}  // namespace
}  // namespace helio::tests::access_lists_test
