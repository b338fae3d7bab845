#include <filesystem>

#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::open_files_test {
namespace {

using VfsOpenFiles = VfsWith<&FileSystem::open_files>;
using VfsOpenRights = VfsWith<&FileSystem::open_files, VfsRights>;

TEST_P(VfsOpenFiles, AreReadAndWritten) {
    const FileId a = file("a", "hello, world");
    OpenedForTest open(c, a);
    ASSERT_EQ(open.status, Status::ok);
    EXPECT_EQ((*open).id(), a);
    EXPECT_EQ((*open).access(), OpenAccess::both);
    EXPECT_EQ(open.read(7, 3), "wor");
    EXPECT_FALSE(open.end);
    EXPECT_EQ(open.read(7, 30), "world");
    EXPECT_TRUE(open.end);
    EXPECT_EQ(open.read(12, 1), "");
    EXPECT_TRUE(open.end);
    ASSERT_TRUE(open.after);
    expect_same(*open.after, c.attributes(a));
    const Attributes before = c.attributes(a);
    tick();
    EXPECT_EQ(open.write(7, "there"), Status::ok);
    EXPECT_EQ(open.written.count, 5u);
    expect_change(open.change, before, a);
    EXPECT_EQ(c.read(a), "hello, there");
    expect_same(open.attributes(), c.attributes(a));
    EXPECT_EQ(open.write(12, "!", Stability::file), Status::ok);
    EXPECT_EQ(open.written.stability, Stability::file);
    EXPECT_EQ(open.commit(), Status::ok);
    EXPECT_TRUE(open.change.after);
}

// Servers tell clients where the file ends, and clients believe it.
TEST_P(VfsOpenFiles, AreReadUpToTheirEndAndNoFurther) {
    const std::string text = pattern(100'000);
    OpenedForTest open(c, file("a", text));
    for (const std::uint32_t count : {0u, 1u, 4'095u, 4'096u, 32'767u, 32'768u, 90'000u})
        for (const std::uint64_t before_end : {0u, 1u, 4'095u, 4'096u, 4'097u, 100'000u}) {
            const std::uint64_t offset = text.size() - before_end;
            EXPECT_EQ(open.read(offset, count), text.substr(offset, count))
                << offset << ' ' << count;
            EXPECT_EQ(open.end, count >= before_end) << offset << ' ' << count;
        }
    for (const std::uint64_t offset : {std::uint64_t{100'001}, std::uint64_t{INT64_MAX},
                                       std::uint64_t{INT64_MAX} + 1, UINT64_MAX}) {
        EXPECT_EQ(open.read(offset, 10), "") << offset;
        EXPECT_TRUE(open.end) << offset;
    }
}

TEST_P(VfsOpenFiles, AreLongAndSparseToo) {
    const FileId a = file("a");
    OpenedForTest open(c, a);
    const std::string text = pattern(300'000);
    ASSERT_EQ(open.write(100'000, text), Status::ok);
    EXPECT_EQ(open.read(0, 1u << 20), std::string(100'000, '\0') + text);
    EXPECT_EQ(c.read(a, 100'000, 300'000), text);
}

TEST_P(VfsOpenFiles, DoWhatTheyWereOpenedFor) {
    const FileId a = file("a", "text");
    OpenedForTest reader(c, a, OpenAccess::read), writer(c, a, OpenAccess::write);
    EXPECT_EQ(reader.read(), "text");
    EXPECT_EQ(reader.write(0, "x"), Status::access_denied);
    EXPECT_EQ(reader.truncate(0), Status::access_denied);
    EXPECT_EQ(writer.read(), "");
    EXPECT_EQ(writer.status, Status::access_denied);
    EXPECT_EQ(writer.write(0, "T"), Status::ok);
    EXPECT_EQ(writer.truncate(3), Status::ok);
    EXPECT_EQ(reader.read(), "Tex");
    EXPECT_EQ(reader.commit(), Status::ok);
    EXPECT_EQ(writer.commit(), Status::ok);
}

TEST_P(VfsOpenFiles, AreRegularFiles) {
    const FileId sub = directory("sub");
    const FileId link = got(c, c.symlink(root(), "link", "a"));
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    const FileId gone = file("gone");
    ASSERT_EQ(c.remove(root(), "gone"), Status::ok);
    EXPECT_EQ(OpenedForTest(c, sub, OpenAccess::read).status, Status::is_a_directory);
    EXPECT_EQ(OpenedForTest(c, link, OpenAccess::read).status, Status::invalid);
    EXPECT_EQ(OpenedForTest(c, fifo, OpenAccess::read).status, Status::invalid);
    EXPECT_EQ(OpenedForTest(c, gone, OpenAccess::read).status, Status::stale);
    EXPECT_EQ(OpenedForTest(c, {}, OpenAccess::read).status, Status::stale);
}

TEST_P(VfsOpenFiles, StayWithoutAName) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a), reader(c, a, OpenAccess::read);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    c.attributes(a);
    EXPECT_EQ(c.status, Status::stale) << "its id is no longer valid";
    EXPECT_EQ(OpenedForTest(c, a, OpenAccess::read).status, Status::stale);
    EXPECT_EQ(c.link(a, root(), "b"), Status::stale);

    EXPECT_EQ(open.read(), "text");
    EXPECT_EQ(open.attributes().links, 0u);
    EXPECT_EQ(open.write(4, " and more"), Status::ok);
    EXPECT_EQ(open.truncate(8), Status::ok);
    Changes mode;
    mode.mode = 0600;
    EXPECT_EQ(open.set(mode), Status::ok);
    EXPECT_EQ(open.attributes().mode, 0600u);
    EXPECT_EQ(open.commit(), Status::ok);
    open.close();
    EXPECT_EQ(reader.read(), "text and");
    // A new file of the same name does not affect it.
    file("a", "new");
    EXPECT_EQ(reader.read(), "text and");
}

TEST_P(VfsOpenFiles, StayWhenTheyAreReplaced) {
    const FileId a = file("a", "old");
    file("b", "new");
    OpenedForTest open(c, a, OpenAccess::read);
    ASSERT_EQ(c.rename(root(), "b", root(), "a"), Status::ok);
    EXPECT_EQ(open.read(), "old");
    EXPECT_EQ(c.read(c.lookup(root(), "a")), "new");
}

TEST_P(VfsOpenFiles, StayWhenOthersRemoveThem) {
    if (instance_->path().empty()) GTEST_SKIP() << "no other program sees its files";
    const FileId a = file("a", "text");
    OpenedForTest open(c, a);
    ASSERT_TRUE(std::filesystem::remove(instance_->path() + "/a"));
    EXPECT_EQ(open.read(), "text");
    EXPECT_EQ(open.write(0, "T"), Status::ok);
    EXPECT_EQ(open.attributes().links, 0u);
}

TEST_P(VfsOpenFiles, GiveTheirSpaceBack) {
    const auto free_bytes = [this] { return c.space().bytes_free; };
    const std::uint64_t before = free_bytes();
    constexpr std::size_t kSize = 8u << 20;
    const FileId a = file("a", pattern(kSize));
    OpenedForTest one(c, a), two(c, a);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    one.close();
    EXPECT_EQ(two.read(kSize - 10, 100), pattern(kSize).substr(kSize - 10));
    if (GetParam().name != "memory") return;  // other programs use the disk too
    EXPECT_LE(free_bytes(), before - kSize);
    two.close();
    EXPECT_EQ(free_bytes(), before);
}

TEST_P(VfsOpenFiles, KeepTheGuard) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a);
    Changes size;
    size.size = 2;
    const Time changed = c.attributes(a).changed;
    EXPECT_EQ(open.set(size, Time{1, 2}), Status::guard_mismatch);
    EXPECT_EQ(c.read(a), "text");
    EXPECT_EQ(open.set(size, changed), Status::ok);
    EXPECT_EQ(c.read(a), "te");
}

TEST_P(VfsOpenFiles, HaveTheEdgesOf64Bits) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a);
    for (const std::uint64_t offset : {static_cast<std::uint64_t>(INT64_MAX) - 1,
                                       static_cast<std::uint64_t>(INT64_MAX), UINT64_MAX}) {
        EXPECT_EQ(open.read(offset, UINT32_MAX), "") << offset;
        EXPECT_EQ(open.status, Status::ok) << offset;
        EXPECT_TRUE(one_of(open.write(offset, "four"), {Status::too_big, Status::invalid}))
            << offset;
    }
    EXPECT_EQ(open.truncate(UINT64_MAX), Status::too_big);
    EXPECT_EQ(open.write(2, ""), Status::ok);
    EXPECT_EQ(open.written.count, 0u);
    EXPECT_EQ(c.read(a), "text");
}

TEST_P(VfsOpenFiles, DoNothingWhenTheyWouldBlock) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a);
    vfs::Caller hurried = c.caller();
    hurried.may_block = false;
    vfs::WriteOut out;
    const Status status = (*open).write(hurried, 0, as_bytes("TEXT"), Stability::file, out);
    EXPECT_TRUE(one_of(status, {Status::ok, Status::would_block}));
    EXPECT_EQ(c.read(a), status == Status::ok ? "TEXT" : "text");
    Change change;
    EXPECT_TRUE(one_of((*open).commit(hurried, 0, 0, change), {Status::ok, Status::would_block}));
}

// Modes against accesses, for the owner, a member of the group and others.
TEST_P(VfsOpenRights, AreAskedForOnce) {
    const FileId sub = directory("sub", 0777);
    struct {
        std::uint32_t mode;
        const char* owner;  // what may be opened: r, w, b for both
        const char* group;
        const char* other;
    } const cases[] = {
        {0644, "rwb", "r", "r"},     {0600, "rwb", "", ""},   {0400, "r", "", ""},
        {0200, "w", "", ""},         {0060, "", "rwb", ""},   {0006, "", "", "rwb"},
        {0777, "rwb", "rwb", "rwb"}, {0111, "r", "r", "r"},  // execute permission is enough to read
        {0000, "", "", ""},          {0622, "rwb", "w", "w"},
    };
    int number = 0;
    for (const auto& the : cases) {
        const FileId a = got(alice, alice.create(sub, std::to_string(number++), 0600));
        ASSERT_EQ(alice.chmod(a, the.mode), Status::ok);
        const auto granted = [&](ClientForTest& who) {
            std::string text;
            for (const auto& [letter, access] : {std::pair{'r', OpenAccess::read},
                                                 {'w', OpenAccess::write},
                                                 {'b', OpenAccess::both}}) {
                const Status status = OpenedForTest(who, a, access).status;
                EXPECT_TRUE(one_of(status, {Status::ok, Status::access_denied}));
                if (status == Status::ok) text += letter;
            }
            return text;
        };
        EXPECT_EQ(granted(alice), the.owner) << std::oct << the.mode;
        EXPECT_EQ(granted(carol), the.group) << std::oct << the.mode;
        EXPECT_EQ(granted(bob), the.other) << std::oct << the.mode;
        EXPECT_EQ(granted(c), "rwb") << "the superuser";
    }
}

TEST_P(VfsOpenRights, AreKept) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0666));
    ASSERT_EQ(alice.write(a, 0, "text"), Status::ok);
    OpenedForTest open(bob, a);
    ASSERT_EQ(open.status, Status::ok);
    ASSERT_EQ(alice.chmod(a, 0600), Status::ok);
    EXPECT_EQ(bob.read(a), "");
    EXPECT_EQ(bob.status, Status::access_denied);
    EXPECT_EQ(OpenedForTest(bob, a, OpenAccess::read).status, Status::access_denied);
    EXPECT_EQ(open.read(), "text");
    EXPECT_EQ(open.write(0, "T"), Status::ok);
    EXPECT_EQ(open.truncate(2), Status::ok);
    EXPECT_EQ(open.read(), "Te");
}

TEST_P(VfsOpenRights, OfACreatorGoBeyondTheMode) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0444));
    EXPECT_EQ(OpenedForTest(alice, a, OpenAccess::both).status, Status::access_denied);
    EXPECT_EQ(OpenedForTest(bob, a, OpenAccess::both, OpenRights::owner_may).status,
              Status::access_denied);
    OpenedForTest open(alice, a, OpenAccess::both, OpenRights::owner_may);
    ASSERT_EQ(open.status, Status::ok);
    EXPECT_EQ(open.write(0, "text"), Status::ok);
    EXPECT_EQ(bob.read(a), "text");
}

TEST_P(VfsOpenRights, AreNotThoseToChangeAttributes) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0666));
    OpenedForTest open(bob, a);
    Changes mode;
    mode.mode = 0777;
    EXPECT_EQ(open.set(mode), Status::not_permitted);
    OpenedForTest own(alice, a, OpenAccess::read);
    EXPECT_EQ(own.set(mode), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 0777u);
}

TEST_P(VfsOpenRights, WritingTakesSetUserIdAway) {
    const FileId sub = directory("sub", 0777);
    const FileId a = got(alice, alice.create(sub, "a", 0666));
    ASSERT_EQ(alice.chmod(a, 06777), Status::ok);
    OpenedForTest open(bob, a);
    EXPECT_EQ(open.write(0, "x"), Status::ok);
    EXPECT_EQ(c.attributes(a).mode, 0777u);
}

HELIO_OVER_ALL_BACKENDS(VfsOpenFiles);
HELIO_OVER_ALL_BACKENDS(VfsOpenRights);

}  // namespace
}  // namespace helio::tests::open_files_test
