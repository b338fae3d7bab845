#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::rights_test {
namespace {

using namespace vfs::access;

// The rights of owner, group and others, over all modes that differ in one of them.
TEST_P(VfsRights, AccessFollowsTheModeOfFiles) {
    const FileId a = file("a", "text");
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    struct {
        ClientForTest* who;
        unsigned shift;
    } const callers[] = {{&alice, 6}, {&carol, 3}, {&bob, 0}};
    for (std::uint32_t mode = 0; mode <= 0777; mode += 3) {
        ASSERT_EQ(c.chmod(a, mode), Status::ok);
        for (const auto& [who, shift] : callers) {
            const std::uint32_t bits = mode >> shift;
            std::uint32_t expected = 0;
            if (bits & 4) expected |= kRead;
            if (bits & 2) expected |= kModify | kExtend;
            if (bits & 1) expected |= kExecute;
            EXPECT_EQ(who->access(a) & ~kDelete, expected)
                << std::oct << mode << " uid " << std::dec << who->caller().uid;
            ASSERT_TRUE(who->after);
        }
    }
}

TEST_P(VfsRights, AccessFollowsTheModeOfDirectories) {
    const FileId sub = directory("sub");
    ASSERT_EQ(c.chown(sub, 1001, 2001), Status::ok);
    for (std::uint32_t mode = 0; mode <= 7; ++mode) {
        ASSERT_EQ(c.chmod(sub, mode << 6), Status::ok);
        std::uint32_t expected = 0;
        if (mode & 4) expected |= kRead;
        if (mode & 1) expected |= kLookup;
        if ((mode & 3) == 3) expected |= kModify | kExtend | kDelete;
        EXPECT_EQ(alice.access(sub), expected) << mode;
        EXPECT_EQ(bob.access(sub), 0u);
        EXPECT_EQ(carol.access(sub), 0u);
    }
}

TEST_P(VfsRights, AccessAnswersWhatWasAsked) {
    const FileId a = file("a", "text", 0777);
    EXPECT_EQ(bob.access(a, kRead), kRead);
    EXPECT_EQ(bob.access(a, kModify | kLookup), kModify);
    EXPECT_EQ(bob.access(a, 0), 0u);
    EXPECT_EQ(bob.status, Status::ok);
    EXPECT_EQ(bob.access(a, ~63u), 0u);
}

TEST_P(VfsRights, SuperusersMayAllButRunWhatNobodyRuns) {
    const FileId a = file("a", "text", 0000);
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    EXPECT_EQ(c.access(a) & ~kDelete, kRead | kModify | kExtend);
    ASSERT_EQ(c.chmod(a, 0001), Status::ok);
    EXPECT_EQ(c.access(a) & ~kDelete, kRead | kModify | kExtend | kExecute);
    const FileId sub = directory("sub", 0000);
    ASSERT_EQ(c.chown(sub, 1001, 2001), Status::ok);
    EXPECT_EQ(c.access(sub), kRead | kLookup | kModify | kExtend | kDelete);
    got(c, c.create(sub, "x"));
    EXPECT_EQ(c.read(a), "text");
    EXPECT_EQ(c.names(sub).size(), 1u);
}

TEST_P(VfsRights, OwnersClassCountsAlone) {
    // The group may, the owner may not, though it is in the group.
    const FileId a = file("a", "text");
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    ASSERT_EQ(c.chmod(a, 0077), Status::ok);
    EXPECT_EQ(alice.access(a), 0u);
    EXPECT_NE(carol.access(a) & kRead, 0u);
    ASSERT_EQ(c.chmod(a, 0707), Status::ok);
    EXPECT_EQ(carol.access(a), 0u);
    EXPECT_NE(bob.access(a) & kRead, 0u);
}

TEST_P(VfsRights, SupplementaryGroupsCount) {
    const FileId a = file("a", "text");
    ASSERT_EQ(c.chown(a, 0, 3001), Status::ok);
    ASSERT_EQ(c.chmod(a, 0040), Status::ok);
    EXPECT_EQ(alice.access(a, kRead), kRead);
    EXPECT_EQ(alice.read(a), "text");
    bob.read(a);
    EXPECT_EQ(bob.status, Status::access_denied);
    ClientForTest many(fs(), 1005, 2005, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 3001});
    EXPECT_EQ(many.read(a), "text");
}

TEST_P(VfsRights, ReadingAndWritingFollowTheMode) {
    const FileId a = file("a", "text");
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    ASSERT_EQ(c.chmod(a, 0640), Status::ok);
    EXPECT_EQ(alice.read(a), "text");
    EXPECT_EQ(alice.write(a, 0, "TEXT"), Status::ok);
    EXPECT_EQ(carol.read(a), "TEXT");
    EXPECT_EQ(carol.write(a, 0, "x"), Status::access_denied);
    EXPECT_EQ(bob.read(a), "");
    EXPECT_EQ(bob.status, Status::access_denied);
    const Attributes before = c.attributes(a);
    EXPECT_EQ(bob.write(a, 0, "x"), Status::access_denied);
    expect_unchanged(bob.change, before, a);
    EXPECT_EQ(bob.truncate(a, 0), Status::access_denied);
    expect_unchanged(bob.change, before, a);
    EXPECT_EQ(carol.truncate(a, 0), Status::access_denied);
    ASSERT_EQ(c.chmod(a, 0602), Status::ok);
    EXPECT_EQ(bob.write(a, 0, "x"), Status::ok);
    EXPECT_EQ(bob.truncate(a, 1), Status::ok);
    bob.read(a);
    EXPECT_EQ(bob.status, Status::access_denied);
}

// A client has checked when it opened the file; the server sees no opens.
TEST_P(VfsRights, OwnersReadAndWriteWhateverTheMode) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0444));
    EXPECT_EQ(alice.write(a, 0, "text"), Status::ok) << "as tar does with read-only files";
    ASSERT_EQ(alice.chmod(a, 0000), Status::ok);
    EXPECT_EQ(alice.read(a), "text");
    EXPECT_EQ(alice.write(a, 4, "more"), Status::ok);
    EXPECT_EQ(alice.truncate(a, 2), Status::ok);
    EXPECT_EQ(alice.access(a), 0u) << "but asked, it says what the mode says";
}

TEST_P(VfsRights, ProgramsAreReadByWhoMayRunThem) {
    const FileId a = file("a", "program");
    ASSERT_EQ(c.chmod(a, 0711), Status::ok);
    EXPECT_EQ(bob.read(a), "program");
    EXPECT_EQ(bob.access(a, kRead | kExecute), kExecute);
}

TEST_P(VfsRights, LookingUpTakesTheRightToSearch) {
    const FileId sub = directory("sub");
    const FileId a = got(c, c.create(sub, "a"));
    ASSERT_EQ(c.chmod(sub, 0744), Status::ok);
    bob.lookup(sub, "a");
    EXPECT_EQ(bob.status, Status::access_denied);
    bob.lookup(sub, "missing");
    EXPECT_EQ(bob.status, Status::access_denied) << "not even whether it is there";
    ASSERT_EQ(c.chmod(sub, 0711), Status::ok);
    EXPECT_EQ(got(bob, bob.lookup(sub, "a")), a);
}

TEST_P(VfsRights, ListingTakesTheRightToRead) {
    const FileId sub = directory("sub");
    got(c, c.create(sub, "a"));
    ASSERT_EQ(c.chmod(sub, 0711), Status::ok);
    EXPECT_TRUE(bob.list(sub).empty());
    EXPECT_EQ(bob.status, Status::access_denied);
    ASSERT_EQ(c.chmod(sub, 0744), Status::ok);
    EXPECT_EQ(bob.names(sub), std::vector<std::string>{"a"});
}

TEST_P(VfsRights, ListingWithoutSearchingGivesNamesAlone) {
    const FileId sub = directory("sub");
    got(c, c.create(sub, "a"));
    ASSERT_EQ(c.chmod(sub, 0744), Status::ok);
    bool seen = false;
    for (const auto& entry : bob.list(sub, 0, SIZE_MAX, true)) {
        if (entry.name != "a") continue;
        seen = true;
        EXPECT_FALSE(entry.attributes);
    }
    EXPECT_TRUE(seen);
}

TEST_P(VfsRights, MakingTakesWritingAndSearching) {
    const FileId sub = directory("sub");
    const FileId a = file("a");
    for (const std::uint32_t mode : {0755u, 0754u, 0752u, 0753u}) {
        ASSERT_EQ(c.chmod(sub, mode), Status::ok);
        const Status expected = (mode & 3) == 3 ? Status::ok : Status::access_denied;
        const std::string suffix = std::to_string(mode);
        const Attributes before = c.attributes(sub);
        bob.create(sub, "file" + suffix);
        EXPECT_EQ(bob.status, expected) << mode;
        if (expected != Status::ok) expect_unchanged(bob.change, before, sub);
        bob.mkdir(sub, "directory" + suffix);
        EXPECT_EQ(bob.status, expected) << mode;
        bob.symlink(sub, "link" + suffix, "x");
        EXPECT_EQ(bob.status, expected) << mode;
        bob.create_exclusive(sub, "exclusive" + suffix, 1);
        EXPECT_EQ(bob.status, expected) << mode;
    }
    ASSERT_EQ(c.chmod(sub, 0755), Status::ok);
    EXPECT_EQ(bob.rename(sub, "file" + std::to_string(0753), sub, "x"), Status::access_denied);
    EXPECT_EQ(bob.remove(sub, "file" + std::to_string(0753)), Status::access_denied);
    EXPECT_EQ(bob.rmdir(sub, "directory" + std::to_string(0753)), Status::access_denied);
    ASSERT_EQ(c.chown(a, 1002, 2002), Status::ok);
    EXPECT_EQ(bob.link(a, sub, "hard"), Status::access_denied);
}

TEST_P(VfsRights, WhatExistsIsSaidBeforeWhatMayNotBeMade) {
    const FileId sub = directory("sub", 0755);
    got(c, c.create(sub, "a", 0600));
    bob.create(sub, "a");
    EXPECT_EQ(bob.status, Status::exists);
    bob.mkdir(sub, "a");
    EXPECT_EQ(bob.status, Status::exists);
    EXPECT_EQ(bob.remove(sub, "missing"), Status::not_found);
}

TEST_P(VfsRights, NewFilesBelongToTheirMaker) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a"));
    EXPECT_EQ(c.attributes(a).uid, 1001u);
    EXPECT_EQ(c.attributes(a).gid, 2001u);
    const FileId b = got(alice, alice.create_exclusive(sub, "b", 1));
    EXPECT_EQ(c.attributes(b).uid, 1001u);
    const FileId d = got(alice, alice.mkdir(sub, "d"));
    EXPECT_EQ(c.attributes(d).uid, 1001u);
    const FileId l = got(alice, alice.symlink(sub, "l", "x"));
    EXPECT_EQ(c.attributes(l).uid, 1001u);
    const FileId f = got(alice, alice.mknod(sub, "f", FileType::fifo));
    EXPECT_EQ(c.attributes(f).uid, 1001u);
    EXPECT_EQ(c.attributes(f).gid, 2001u);
}

TEST_P(VfsRights, NewFilesAreNotMadeInOthersNames) {
    const FileId sub = directory("sub", 0777);
    NewFile how;
    how.attributes.uid = 1002;
    alice.create(sub, "a", how);
    EXPECT_EQ(alice.status, Status::not_permitted);
    how.attributes.uid = 1001;
    how.attributes.gid = 3001;  // one of hers
    const FileId b = got(alice, alice.create(sub, "b", how));
    EXPECT_EQ(c.attributes(b).gid, 3001u);
    how.attributes.gid = 2002;
    how.attributes.mode = 06777;
    alice.create(sub, "c", how);
    EXPECT_EQ(alice.status, Status::not_permitted);
    NewNode what;
    what.attributes.uid = 1002;
    for (const FileType type : {FileType::directory, FileType::fifo, FileType::symlink}) {
        what.type = type;
        what.target = type == FileType::symlink ? "x" : "";
        alice.make(sub, "d", what);
        EXPECT_EQ(alice.status, Status::not_permitted);
    }
    EXPECT_EQ(c.names(sub), std::vector<std::string>{"b"}) << "failures leave nothing behind";
}

TEST_P(VfsRights, DevicesAreNotForEverybody) {
    const FileId sub = directory("sub", 0777);
    for (const FileType type : {FileType::character_device, FileType::block_device}) {
        alice.mknod(sub, "device", type, 1, 3);
        EXPECT_EQ(alice.status, Status::not_permitted);
    }
    EXPECT_TRUE(c.names(sub).empty());
}

TEST_P(VfsRights, SetgidDirectoriesGiveTheirGroup) {
    const FileId sub = directory("sub");
    ASSERT_EQ(c.chown(sub, 0, 3001), Status::ok);
    ASSERT_EQ(c.chmod(sub, 02777), Status::ok);
    const FileId a = got(bob, bob.create(sub, "a"));
    EXPECT_EQ(c.attributes(a).gid, 3001u);
    EXPECT_EQ(c.attributes(a).uid, 1002u);
    EXPECT_EQ(c.attributes(a).mode, 0644u);
    const FileId d = got(bob, bob.mkdir(sub, "d", 0755));
    EXPECT_EQ(c.attributes(d).gid, 3001u);
    EXPECT_EQ(c.attributes(d).mode, 02755u);
    const FileId l = got(bob, bob.symlink(sub, "l", "x"));
    EXPECT_EQ(c.attributes(l).gid, 3001u);
}

TEST_P(VfsRights, OnlyOwnersSetModes) {
    const FileId a = file("a", "text", 0666);
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    EXPECT_EQ(alice.chmod(a, 0777), Status::ok);
    const Attributes before = c.attributes(a);
    EXPECT_EQ(bob.chmod(a, 0600), Status::not_permitted);
    expect_unchanged(bob.change, before, a);
    EXPECT_EQ(carol.chmod(a, 0600), Status::not_permitted);
}

TEST_P(VfsRights, GroupIdBitIsForMembersOnly) {
    const FileId a = file("a");
    ASSERT_EQ(c.chown(a, 1001, 2002), Status::ok);
    ASSERT_EQ(alice.chmod(a, 02755), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 0755u) << "she is not in that group";
    ASSERT_EQ(c.chown(a, 1001, 3001), Status::ok);
    ASSERT_EQ(alice.chmod(a, 02755), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 02755u);
}

TEST_P(VfsRights, OnlySuperusersGiveFilesAway) {
    const FileId a = file("a");
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    const Attributes before = c.attributes(a);
    EXPECT_EQ(alice.chown(a, 1002, std::nullopt), Status::not_permitted);
    EXPECT_EQ(bob.chown(a, 1002, std::nullopt), Status::not_permitted);
    EXPECT_EQ(alice.chown(a, std::nullopt, 2002), Status::not_permitted);
    EXPECT_EQ(carol.chown(a, std::nullopt, 2003), Status::not_permitted);
    expect_unchanged(carol.change, before, a);
    EXPECT_EQ(alice.chown(a, 1001, std::nullopt), Status::ok) << "to herself";
    EXPECT_EQ(alice.chown(a, std::nullopt, 3001), Status::ok) << "to another group of hers";
    EXPECT_EQ(c.attributes(a).gid, 3001u);
    EXPECT_EQ(alice.chown(a, 1001, 2001), Status::ok);
    EXPECT_EQ(c.attributes(a).gid, 2001u);
}

TEST_P(VfsRights, WritingDropsPrivileges) {
    const FileId a = file("a", "text");
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    for (const bool cut : {false, true}) {
        ASSERT_EQ(c.chmod(a, 06777), Status::ok);
        EXPECT_EQ(cut ? bob.truncate(a, 1) : bob.write(a, 0, "x"), Status::ok);
        EXPECT_EQ(c.attributes(a).mode, 0777u) << cut;
    }
    ASSERT_EQ(c.chmod(a, 06777), Status::ok);
    EXPECT_EQ(c.write(a, 0, "y"), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 06777u) << "the superuser knows what it does";
}

// To the kernel, and to Linux's server, the present owner is an owner like any other.
TEST_P(VfsRights, TheOwnerThatAFileHasIsSetLikeAnother) {
    const FileId a = file("a", "text", 0666);
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    const Attributes before = c.attributes(a);
    for (ClientForTest* const who : {&bob, &carol}) {
        EXPECT_EQ(who->chown(a, 1001, std::nullopt), Status::not_permitted);
        EXPECT_EQ(who->chown(a, std::nullopt, 2001), Status::not_permitted);
        EXPECT_EQ(who->chown(a, 1001, 2001), Status::not_permitted);
        expect_unchanged(who->change, before, a);
    }
    for (ClientForTest* const who : {&alice, &c}) {
        ASSERT_EQ(c.chmod(a, 06777), Status::ok);
        const Time changed = c.attributes(a).changed;
        tick();
        EXPECT_EQ(who->chown(a, 1001, 2001), Status::ok);
        EXPECT_EQ(c.attributes(a).mode, 0777u);
        EXPECT_GT(c.attributes(a).changed, changed);
    }
}

TEST_P(VfsRights, NewFilesHaveTheModeAskedForWhoeverOwnsThem) {
    NewFile how;
    how.attributes.mode = 04755;
    how.attributes.uid = 0;
    how.attributes.gid = 0;
    EXPECT_EQ(c.attributes(got(c, c.create(root(), "a", how))).mode, 04755u);
    how.attributes.uid = 1001;
    how.attributes.gid = 2001;
    EXPECT_EQ(c.attributes(got(c, c.create(root(), "b", how))).mode, 04755u);
}

TEST_P(VfsRights, TimesOfOthersMayBeTouchedNotSet) {
    const FileId a = file("a", "text", 0666);
    ASSERT_EQ(c.chown(a, 1001, 2001), Status::ok);
    Changes set;
    set.modified = {NewTime::How::set, {1000, 1}};
    Changes touch;
    touch.modified.how = touch.accessed.how = NewTime::How::now;
    EXPECT_EQ(alice.set(a, set), Status::ok);
    EXPECT_EQ(c.attributes(a).modified, (Time{1000, 1}));
    EXPECT_EQ(bob.set(a, set), Status::not_permitted);
    EXPECT_EQ(bob.set(a, touch), Status::ok);
    EXPECT_NE(c.attributes(a).modified, (Time{1000, 1}));
    ASSERT_EQ(c.chmod(a, 0644), Status::ok);
    EXPECT_EQ(bob.set(a, touch), Status::access_denied);
    EXPECT_EQ(alice.set(a, touch), Status::ok);
}

TEST_P(VfsRights, StickyDirectoriesProtectOthersNames) {
    const FileId sub = directory("sub");
    ASSERT_EQ(c.chmod(sub, 01777), Status::ok);
    got(alice, alice.create(sub, "hers", 0666));
    got(alice, alice.mkdir(sub, "her directory", 0777));
    got(bob, bob.create(sub, "his"));
    const Attributes before = c.attributes(sub);
    EXPECT_EQ(bob.remove(sub, "hers"), Status::not_permitted);
    EXPECT_EQ(bob.rmdir(sub, "her directory"), Status::not_permitted);
    EXPECT_EQ(bob.rename(sub, "hers", sub, "stolen"), Status::not_permitted);
    EXPECT_EQ(bob.rename(sub, "his", sub, "hers"), Status::not_permitted);
    expect_unchanged(bob.change, before, sub);
    EXPECT_EQ(bob.rename(sub, "his", sub, "still his"), Status::ok);
    EXPECT_EQ(bob.remove(sub, "still his"), Status::ok);
    EXPECT_EQ(alice.rename(sub, "hers", sub, "also hers"), Status::ok);
    // The directory's owner may too.
    ASSERT_EQ(c.chown(sub, 1002, 2002), Status::ok);
    ASSERT_EQ(c.chmod(sub, 01777), Status::ok);
    EXPECT_EQ(bob.remove(sub, "also hers"), Status::ok);
    EXPECT_EQ(carol.rmdir(sub, "her directory"), Status::not_permitted);
    EXPECT_EQ(c.rmdir(sub, "her directory"), Status::ok);
}

TEST_P(VfsRights, MovingTakesRightsOnBothEnds) {
    const FileId mine = directory("mine", 0777);
    const FileId closed = directory("closed", 0755);
    got(bob, bob.create(mine, "a"));
    got(c, c.create(closed, "b"));
    EXPECT_EQ(bob.rename(mine, "a", closed, "a"), Status::access_denied);
    EXPECT_EQ(bob.rename(closed, "b", mine, "b"), Status::access_denied);
    EXPECT_EQ(bob.rename(mine, "a", closed, "b"), Status::access_denied);
    EXPECT_EQ(c.names(mine), std::vector<std::string>{"a"});
    EXPECT_EQ(c.names(closed), std::vector<std::string>{"b"});
}

TEST_P(VfsRights, MovingADirectoryElsewhereTakesWritingToIt) {
    const FileId from = directory("from", 0777);
    const FileId to = directory("to", 0777);
    got(c, c.mkdir(from, "d", 0755));
    EXPECT_EQ(bob.rename(from, "d", to, "d"), Status::access_denied) << "its .. would change";
    EXPECT_EQ(bob.rename(from, "d", from, "e"), Status::ok);
}

TEST_P(VfsRights, UncheckedCreateDoesNotCutWhatMayNotBeWritten) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(c, c.create(sub, "a", 0644));
    ASSERT_EQ(c.write(a, 0, "text"), Status::ok);
    NewFile cut;
    cut.attributes.size = 0;
    bob.create(sub, "a", cut);
    EXPECT_EQ(bob.status, Status::access_denied);
    EXPECT_EQ(c.read(a), "text");
}

TEST_P(VfsRights, AttributesAreForEverybody) {
    const FileId sub = directory("sub", 0700);
    const FileId a = got(c, c.create(sub, "a", 0600));
    expect_same(bob.attributes(a), c.attributes(a));
    EXPECT_EQ(bob.status, Status::ok);
}

// The caller of one operation must never be that of the next one.
TEST_P(VfsRights, CallersDoNotLeakIntoOneAnother) {
    const FileId sub = directory("sub", 0777);
    const FileId closed = file("closed", "secret", 0600);
    for (int round = 0; round < 100; ++round) {
        const std::string name = std::to_string(round);
        got(alice, alice.create(sub, "a" + name));
        EXPECT_EQ(alice.made.attributes.uid, 1001u);
        EXPECT_EQ(c.read(closed), "secret");
        EXPECT_EQ(bob.read(closed), "");
        EXPECT_EQ(bob.status, Status::access_denied);
        got(bob, bob.create(sub, "b" + name));
        EXPECT_EQ(bob.made.attributes.uid, 1002u);
        EXPECT_EQ(bob.made.attributes.gid, 2002u);
        got(c, c.create(sub, "c" + name));
        EXPECT_EQ(c.made.attributes.uid, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(All, VfsRights, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

// If everyone is the server's user, attributes say so.
class VfsOneUser : public Vfs {
 protected:
    void SetUp() override {
        if (traits().identities) GTEST_SKIP() << "callers are who they say they are here";
    }
};

TEST_P(VfsOneUser, FilesAreTheServersWhoeverMakesThem) {
    ClientForTest alice(fs(), 1001, 2001);
    const FileId a = got(alice, alice.create(root(), "a", 0600));
    const FileId b = got(c, c.create(root(), "b", 0600));
    EXPECT_EQ(c.attributes(a).uid, c.attributes(b).uid);
    EXPECT_EQ(c.attributes(a).gid, c.attributes(b).gid);
    ASSERT_EQ(alice.write(b, 0, "text"), Status::ok);
    EXPECT_EQ(c.read(b), "text");
}

INSTANTIATE_TEST_SUITE_P(All, VfsOneUser, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::rights_test
