#include <ctime>

#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::attributes_test {
namespace {

using VfsAttributes = Vfs;

NewTime at(std::int64_t seconds, std::uint32_t nanoseconds) {
    return {NewTime::How::set, {seconds, nanoseconds}};
}

TEST_P(VfsAttributes, OfANewFileAreThoseAskedFor) {
    NewFile how;
    how.mode = CreateMode::guarded;
    how.attributes.mode = 0640;
    how.attributes.size = 1000;
    how.attributes.modified = at(1'000'000'000, 123'456'789);
    how.attributes.accessed = at(1'100'000'000, 1);
    const FileId id = got(c, c.create(root(), "a", how));
    const Attributes found = c.attributes(id);
    expect_same(found, c.made.attributes);
    EXPECT_EQ(found.type, FileType::regular);
    EXPECT_EQ(found.mode, 0640u);
    EXPECT_EQ(found.links, 1u);
    EXPECT_EQ(found.size, 1000u);
    EXPECT_EQ(found.modified, (Time{1'000'000'000, 123'456'789}));
    EXPECT_EQ(found.accessed, (Time{1'100'000'000, 1}));
    EXPECT_EQ(c.read(id), std::string(1000, '\0'));
}

TEST_P(VfsAttributes, OfANewFileHaveTheTimeOfNow) {
    const std::int64_t before = std::time(nullptr);
    const Attributes found = c.attributes(file("a"));
    const std::int64_t after = std::time(nullptr);
    for (const Time& time : {found.accessed, found.modified, found.changed}) {
        EXPECT_GE(time.seconds, before - 1);
        EXPECT_LE(time.seconds, after + 1);
        EXPECT_LT(time.nanoseconds, 1'000'000'000u);
    }
}

TEST_P(VfsAttributes, ModeIsSet) {
    const FileId a = file("a", "text");
    for (const std::uint32_t mode : {0u, 0777u, 0400u, 0001u, 0644u}) {
        const Attributes before = c.attributes(a);
        tick();
        ASSERT_EQ(c.chmod(a, mode), Status::ok);
        expect_change(c.change, before, a);
        const Attributes found = c.attributes(a);
        EXPECT_EQ(found.mode, mode);
        EXPECT_GT(found.changed, before.changed);
        EXPECT_EQ(found.modified, before.modified);
    }
}

TEST_P(VfsAttributes, ModeHasTheBitsBeforePermissions) {
    if (!traits().superuser) GTEST_SKIP();
    const FileId a = file("a");
    ASSERT_EQ(c.chmod(a, 07755), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 07755u);
    const FileId sub = directory("sub");
    ASSERT_EQ(c.chmod(sub, 03777), Status::ok);
    EXPECT_EQ(c.attributes(sub).mode, 03777u);
}

TEST_P(VfsAttributes, NothingAskedNothingChanged) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    tick();
    ASSERT_EQ(c.set(a, {}), Status::ok);
    expect_same(c.attributes(a), before);
}

TEST_P(VfsAttributes, SizeShrinksAndGrowsWithZeros) {
    const FileId a = file("a", "0123456789");
    tick();
    const Attributes before = c.attributes(a);
    ASSERT_EQ(c.truncate(a, 4), Status::ok);
    expect_change(c.change, before, a);
    EXPECT_EQ(c.attributes(a).size, 4u);
    EXPECT_GT(c.attributes(a).modified, before.modified);
    EXPECT_EQ(c.read(a), "0123");
    ASSERT_EQ(c.truncate(a, 8), Status::ok);
    EXPECT_EQ(c.read(a), std::string("0123\0\0\0\0", 8));
    ASSERT_EQ(c.truncate(a, 0), Status::ok);
    EXPECT_EQ(c.read(a), "");
    EXPECT_TRUE(c.end);
}

TEST_P(VfsAttributes, SizeOfWhatHasNoneIsRefused) {
    const FileId sub = directory("sub");
    EXPECT_TRUE(one_of(c.truncate(sub, 0), {Status::is_a_directory, Status::invalid}))
        << name_of(c.status);
    const FileId link = got(c, c.symlink(root(), "link", "a"));
    EXPECT_NE(c.truncate(link, 0), Status::ok);
    EXPECT_EQ(c.attributes(link).size, 1u);
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    EXPECT_NE(c.truncate(fifo, 10), Status::ok);
    EXPECT_EQ(c.attributes(fifo).size, 0u);
}

TEST_P(VfsAttributes, SizeHasAnEnd) {
    const FileId a = file("a", "text");
    for (const std::uint64_t size :
         {static_cast<std::uint64_t>(INT64_MAX) + 1, UINT64_MAX, UINT64_MAX - 1}) {
        const Attributes before = c.attributes(a);
        EXPECT_TRUE(one_of(c.truncate(a, size), {Status::too_big, Status::invalid}))
            << name_of(c.status);
        expect_unchanged(c.change, before, a);
    }
    EXPECT_EQ(c.read(a), "text");
}

TEST_P(VfsAttributes, SizeMayBeHuge) {
    const FileId a = file("a", "text");
    const std::uint64_t size = std::uint64_t{1} << 40;
    ASSERT_EQ(c.truncate(a, size), Status::ok);
    const Attributes found = c.attributes(a);
    EXPECT_EQ(found.size, size);
    EXPECT_LT(found.used, 1u << 20) << "it is a hole";
    EXPECT_EQ(c.read(a, 0, 8), std::string("text\0\0\0\0", 8));
    EXPECT_EQ(c.read(a, size - 3, 10), std::string(3, '\0'));
    EXPECT_TRUE(c.end);
    ASSERT_EQ(c.truncate(a, 2), Status::ok);
    EXPECT_EQ(c.read(a), "te");
}

TEST_P(VfsAttributes, TimesAreKeptToTheNanosecond) {
    const FileId a = file("a", "text");
    const Time times[] = {{0, 0},
                          {1, 999'999'999},
                          {1'700'000'000, 123'456'789},
                          {INT32_MAX, 1},
                          {std::int64_t{INT32_MAX} + 1, 0},
                          {UINT32_MAX, 999'999'999}};
    for (const Time& time : times) {
        Changes changes;
        changes.modified = {NewTime::How::set, time};
        changes.accessed = {NewTime::How::set, {time.seconds, 7}};
        ASSERT_EQ(c.set(a, changes), Status::ok) << time.seconds;
        EXPECT_EQ(c.attributes(a).modified, time) << time.seconds;
        EXPECT_EQ(c.attributes(a).accessed, (Time{time.seconds, 7})) << time.seconds;
    }
}

TEST_P(VfsAttributes, OneTimeLeavesTheOther) {
    const FileId a = file("a", "text");
    Changes both;
    both.accessed = at(1000, 1);
    both.modified = at(2000, 2);
    ASSERT_EQ(c.set(a, both), Status::ok);
    Changes one;
    one.accessed = at(3000, 3);
    ASSERT_EQ(c.set(a, one), Status::ok);
    EXPECT_EQ(c.attributes(a).accessed, (Time{3000, 3}));
    EXPECT_EQ(c.attributes(a).modified, (Time{2000, 2}));
    Changes other;
    other.modified = at(4000, 4);
    ASSERT_EQ(c.set(a, other), Status::ok);
    EXPECT_EQ(c.attributes(a).accessed, (Time{3000, 3}));
    EXPECT_EQ(c.attributes(a).modified, (Time{4000, 4}));
}

TEST_P(VfsAttributes, TimesMayBeTheServersNow) {
    const FileId a = file("a", "text");
    Changes old;
    old.accessed = old.modified = at(1000, 1);
    ASSERT_EQ(c.set(a, old), Status::ok);
    Changes changes;
    changes.modified.how = NewTime::How::now;
    changes.accessed.how = NewTime::How::now;
    changes.accessed.time = changes.modified.time = {5, 5};  // means nothing then
    const std::int64_t before = std::time(nullptr);
    ASSERT_EQ(c.set(a, changes), Status::ok);
    EXPECT_GE(c.attributes(a).modified.seconds, before - 1);
    EXPECT_LE(c.attributes(a).modified.seconds, std::time(nullptr) + 1);
    EXPECT_GE(c.attributes(a).accessed.seconds, before - 1);
    Changes mixed;
    mixed.modified = at(77, 8);
    mixed.accessed.how = NewTime::How::now;
    ASSERT_EQ(c.set(a, mixed), Status::ok);
    EXPECT_EQ(c.attributes(a).modified, (Time{77, 8}));
    EXPECT_GE(c.attributes(a).accessed.seconds, before - 1);
}

// Among them UTIME_NOW and UTIME_OMIT, which must not come in by that door.
TEST_P(VfsAttributes, TimesWithTooManyNanosecondsAreRefused) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    for (const std::uint32_t wrong : {1'000'000'000u, (1u << 30) - 1, (1u << 30) - 2, UINT32_MAX}) {
        for (const bool modified : {false, true}) {
            Changes changes;
            (modified ? changes.modified : changes.accessed) = at(1000, wrong);
            EXPECT_EQ(c.set(a, changes), Status::invalid) << wrong;
        }
    }
    expect_same(c.attributes(a), before);
}

TEST_P(VfsAttributes, ChangeTimeMovesWithTimes) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    tick();
    Changes changes;
    changes.accessed = at(1000, 1);
    ASSERT_EQ(c.set(a, changes), Status::ok);
    EXPECT_GT(c.attributes(a).changed, before.changed);
    EXPECT_EQ(c.attributes(a).modified, before.modified);
}

TEST_P(VfsAttributes, SeveralChangeTogether) {
    const FileId a = file("a", "text");
    Changes changes;
    changes.mode = 0600;
    changes.size = 2;
    changes.modified = at(1234, 5678);
    changes.accessed = at(4321, 8765);
    ASSERT_EQ(c.set(a, changes), Status::ok);
    const Attributes found = c.attributes(a);
    EXPECT_EQ(found.mode, 0600u);
    EXPECT_EQ(found.size, 2u);
    EXPECT_EQ(found.modified, (Time{1234, 5678})) << "what is set wins over what the size did";
    EXPECT_EQ(found.accessed, (Time{4321, 8765}));
    expect_same(*c.change.after, found);
}

TEST_P(VfsAttributes, OneThatIsRefusedTakesTheOthersWithIt) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    Changes changes;
    changes.mode = 0600;
    changes.size = UINT64_MAX;
    EXPECT_NE(c.set(a, changes), Status::ok);
    expect_unchanged(c.change, before, a);
}

TEST_P(VfsAttributes, GuardLetsThroughWhatHasNotChanged) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    Changes changes;
    changes.mode = 0600;
    tick();
    ASSERT_EQ(c.set(a, changes, before.changed), Status::ok);
    expect_change(c.change, before, a);
    EXPECT_EQ(c.attributes(a).mode, 0600u);
}

TEST_P(VfsAttributes, GuardStopsWhatHasChanged) {
    const FileId a = file("a", "text");
    const Attributes first = c.attributes(a);
    tick();
    ASSERT_EQ(c.write(a, 0, "more text"), Status::ok);
    const Attributes before = c.attributes(a);
    Changes changes;
    changes.size = 0;
    EXPECT_EQ(c.set(a, changes, first.changed), Status::guard_mismatch);
    expect_unchanged(c.change, before, a);
    // Not by a nanosecond, neither way.
    Time later = before.changed;
    later.nanoseconds ^= 1;
    EXPECT_EQ(c.set(a, changes, later), Status::guard_mismatch);
    EXPECT_EQ(c.set(a, changes, Time{}), Status::guard_mismatch);
    EXPECT_EQ(c.read(a), "more text");
}

TEST_P(VfsAttributes, OfSymbolicLinksAreTheirOwn) {
    const FileId target = file("target", "text");
    const FileId link = got(c, c.symlink(root(), "link", "target"));
    const Attributes before = c.attributes(target);
    EXPECT_EQ(c.attributes(link).type, FileType::symlink);
    EXPECT_EQ(c.attributes(link).size, 6u);
    Changes changes;
    changes.modified = at(1000, 1);
    changes.accessed = at(2000, 2);
    ASSERT_EQ(c.set(link, changes), Status::ok);
    EXPECT_EQ(c.attributes(link).modified, (Time{1000, 1}));
    c.chmod(link, 0600);  // let pass or refused, but never for the target
    expect_same(c.attributes(target), before);
}

TEST_P(VfsAttributes, OwnersAreSetBySuperusers) {
    if (!traits().superuser) GTEST_SKIP();
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    tick();
    ASSERT_EQ(c.chown(a, 1234, 4321), Status::ok);
    expect_change(c.change, before, a);
    EXPECT_EQ(c.attributes(a).uid, 1234u);
    EXPECT_EQ(c.attributes(a).gid, 4321u);
    ASSERT_EQ(c.chown(a, std::nullopt, 5), Status::ok);
    EXPECT_EQ(c.attributes(a).uid, 1234u);
    EXPECT_EQ(c.attributes(a).gid, 5u);
    ASSERT_EQ(c.chown(a, 0xfffffffe, std::nullopt), Status::ok);
    EXPECT_EQ(c.attributes(a).uid, 0xfffffffeu);
    const FileId link = got(c, c.symlink(root(), "link", "a"));
    ASSERT_EQ(c.chown(link, 77, 88), Status::ok);
    EXPECT_EQ(c.attributes(link).uid, 77u);
    EXPECT_EQ(c.attributes(a).gid, 5u);
}

TEST_P(VfsAttributes, GivingAFileAwayDropsItsPrivileges) {
    if (!traits().superuser) GTEST_SKIP();
    const FileId a = file("a", "text");
    ASSERT_EQ(c.chmod(a, 06755), Status::ok);
    ASSERT_EQ(c.chown(a, 1234, std::nullopt), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 0755u);
    ASSERT_EQ(c.chmod(a, 06755), Status::ok);
    ASSERT_EQ(c.chown(a, std::nullopt, 99), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 0755u);
    // Not those of directories, where the bits mean something else.
    const FileId sub = directory("sub");
    ASSERT_EQ(c.chmod(sub, 03775), Status::ok);
    ASSERT_EQ(c.chown(sub, 1234, 99), Status::ok);
    EXPECT_EQ(c.attributes(sub).mode, 03775u);
}

TEST_P(VfsAttributes, MadeBySuperusersMayBeAnybodys) {
    if (!traits().superuser) GTEST_SKIP();
    NewFile how;
    how.attributes.mode = 0600;
    how.attributes.uid = 1234;
    how.attributes.gid = 4321;
    const FileId a = got(c, c.create(root(), "a", how));
    EXPECT_EQ(c.attributes(a).uid, 1234u);
    EXPECT_EQ(c.attributes(a).gid, 4321u);
    NewNode what;
    what.attributes.mode = 0750;
    what.attributes.uid = 1234;
    what.attributes.gid = 4321;
    const FileId sub = got(c, c.make(root(), "sub", what));
    EXPECT_EQ(c.attributes(sub).uid, 1234u);
    EXPECT_EQ(c.attributes(sub).gid, 4321u);
    EXPECT_EQ(c.attributes(sub).mode, 0750u);
    expect_same(c.made.attributes, c.attributes(sub));
}

TEST_P(VfsAttributes, LinksAreCounted) {
    const FileId a = file("a");
    for (std::uint32_t links = 2; links < 6; ++links) {
        const Attributes before = c.attributes(a);
        tick();
        ASSERT_EQ(c.link(a, root(), "a" + std::to_string(links)), Status::ok);
        EXPECT_EQ(c.attributes(a).links, links);
        ASSERT_TRUE(c.after);
        EXPECT_EQ(c.after->links, links);
        EXPECT_GT(c.attributes(a).changed, before.changed);
        EXPECT_EQ(c.attributes(a).modified, before.modified);
    }
    tick();
    const Attributes before = c.attributes(a);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    EXPECT_EQ(c.attributes(a).links, 4u);
    EXPECT_GT(c.attributes(a).changed, before.changed);
}

TEST_P(VfsAttributes, LinksOfDirectoriesCountTheirDirectories) {
    const FileId sub = directory("sub");
    EXPECT_EQ(c.attributes(sub).links, 2u);
    const std::uint32_t links = c.attributes(root()).links;
    got(c, c.mkdir(sub, "one"));
    got(c, c.mkdir(sub, "two"));
    got(c, c.create(sub, "file"));
    EXPECT_EQ(c.attributes(sub).links, 4u);
    EXPECT_EQ(c.attributes(root()).links, links);
    ASSERT_EQ(c.rename(sub, "two", root(), "two"), Status::ok);
    EXPECT_EQ(c.attributes(sub).links, 3u);
    EXPECT_EQ(c.attributes(root()).links, links + 1);
    ASSERT_EQ(c.rmdir(sub, "one"), Status::ok);
    EXPECT_EQ(c.attributes(sub).links, 2u);
}

TEST_P(VfsAttributes, OfADirectoryMoveWithEveryName) {
    const FileId sub = directory("sub");
    const FileId a = file("a");
    Attributes last = c.attributes(sub);
    tick();
    const auto moves = [&](const char* what) {
        const Attributes now = c.attributes(sub);
        EXPECT_GT(now.modified, last.modified) << what;
        EXPECT_GT(now.changed, last.changed) << what;
        last = now;
        tick();
    };
    got(c, c.create(sub, "file"));
    moves("create");
    got(c, c.mkdir(sub, "directory"));
    moves("mkdir");
    got(c, c.symlink(sub, "link", "x"));
    moves("symlink");
    got(c, c.mknod(sub, "fifo", FileType::fifo));
    moves("mknod");
    ASSERT_EQ(c.link(a, sub, "hard"), Status::ok);
    moves("link");
    ASSERT_EQ(c.rename(sub, "hard", sub, "harder"), Status::ok);
    moves("rename");
    ASSERT_EQ(c.rename(sub, "fifo", root(), "fifo"), Status::ok);
    moves("rename away");
    ASSERT_EQ(c.rename(root(), "fifo", sub, "fifo"), Status::ok);
    moves("rename here");
    ASSERT_EQ(c.remove(sub, "link"), Status::ok);
    moves("remove");
    ASSERT_EQ(c.rmdir(sub, "directory"), Status::ok);
    moves("rmdir");
}

TEST_P(VfsAttributes, OfADirectoryAreChangedToo) {
    const FileId sub = directory("sub");
    got(c, c.create(sub, "a"));
    Changes changes;
    changes.mode = 0700;
    changes.modified = at(1000, 1);
    ASSERT_EQ(c.set(sub, changes), Status::ok);
    EXPECT_EQ(c.attributes(sub).mode, 0700u);
    EXPECT_EQ(c.attributes(sub).modified, (Time{1000, 1}));
    EXPECT_EQ(c.chmod(root(), 0711), Status::ok);
    EXPECT_EQ(c.attributes(root()).mode, 0711u);
}

TEST_P(VfsAttributes, TimesOfOddFilesAreSetWithoutOpeningThem) {
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    const FileId socket = got(c, c.mknod(root(), "socket", FileType::socket));
    for (const FileId& odd : {fifo, socket}) {
        Changes changes;
        changes.mode = 0600;
        changes.modified = at(1000, 1);
        ASSERT_EQ(c.set(odd, changes), Status::ok);
        EXPECT_EQ(c.attributes(odd).modified, (Time{1000, 1}));
        EXPECT_EQ(c.attributes(odd).mode, 0600u);
    }
}

INSTANTIATE_TEST_SUITE_P(All, VfsAttributes, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::attributes_test
