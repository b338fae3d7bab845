#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::rename_test {
namespace {

using VfsRename = Vfs;

TEST_P(VfsRename, WithinADirectory) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(root());
    tick();
    ASSERT_EQ(c.rename(root(), "a", root(), "b"), Status::ok);
    expect_change(c.change, before, root());
    expect_change(c.change_to, before, root());
    EXPECT_EQ(got(c, c.lookup(root(), "b")), a);
    c.lookup(root(), "a");
    EXPECT_EQ(c.status, Status::not_found);
    EXPECT_EQ(c.read(a), "text");
    EXPECT_EQ(sorted_names(root()), std::vector<std::string>{"b"});
}

TEST_P(VfsRename, ToAnotherDirectory) {
    const FileId from = directory("from");
    const FileId to = directory("to");
    const FileId a = got(c, c.create(from, "a"));
    const Attributes before_from = c.attributes(from);
    const Attributes before_to = c.attributes(to);
    tick();
    ASSERT_EQ(c.rename(from, "a", to, "b"), Status::ok);
    expect_change(c.change, before_from, from);
    expect_change(c.change_to, before_to, to);
    EXPECT_TRUE(sorted_names(from).empty());
    EXPECT_EQ(got(c, c.lookup(to, "b")), a);
    EXPECT_GT(c.attributes(from).modified, before_from.modified);
    EXPECT_GT(c.attributes(to).modified, before_to.modified);
}

TEST_P(VfsRename, OverAFile) {
    const FileId a = file("a", "new");
    const FileId b = file("b", "old");
    ASSERT_EQ(c.rename(root(), "a", root(), "b"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(root(), "b")), a);
    EXPECT_EQ(c.read(a), "new");
    EXPECT_EQ(sorted_names(root()), std::vector<std::string>{"b"});
    c.attributes(b);
    EXPECT_EQ(c.status, Status::stale);
}

TEST_P(VfsRename, OverOneNameOfAFileLeavesTheOthers) {
    file("a", "new");
    const FileId b = file("b", "old");
    ASSERT_EQ(c.link(b, root(), "second"), Status::ok);
    ASSERT_EQ(c.rename(root(), "a", root(), "b"), Status::ok);
    EXPECT_EQ(c.read(b), "old");
    EXPECT_EQ(c.attributes(b).links, 1u);
}

TEST_P(VfsRename, OverItselfIsNothing) {
    const FileId a = file("a", "text");
    EXPECT_EQ(c.rename(root(), "a", root(), "a"), Status::ok);
    EXPECT_EQ(c.read(a), "text");
    const FileId sub = directory("sub");
    EXPECT_EQ(c.rename(root(), "sub", root(), "sub"), Status::ok);
    c.attributes(sub);
    EXPECT_EQ(c.status, Status::ok);
}

TEST_P(VfsRename, OverAnotherNameOfItselfIsNothing) {
    const FileId a = file("a", "text");
    const FileId sub = directory("sub");
    ASSERT_EQ(c.link(a, root(), "b"), Status::ok);
    ASSERT_EQ(c.link(a, sub, "c"), Status::ok);
    EXPECT_EQ(c.rename(root(), "a", root(), "b"), Status::ok);
    EXPECT_EQ(c.rename(root(), "a", sub, "c"), Status::ok);
    EXPECT_EQ(sorted_names(root()), (std::vector<std::string>{"a", "b", "sub"}));
    EXPECT_EQ(c.attributes(a).links, 3u);
}

TEST_P(VfsRename, OfAFileOverADirectoryIsRefused) {
    file("a");
    directory("sub");
    const Attributes before = c.attributes(root());
    EXPECT_EQ(c.rename(root(), "a", root(), "sub"), Status::is_a_directory);
    expect_unchanged(c.change, before, root());
    EXPECT_EQ(sorted_names(root()).size(), 2u);
}

TEST_P(VfsRename, OfADirectoryOverAFileIsRefused) {
    file("a");
    directory("sub");
    const Attributes before = c.attributes(root());
    EXPECT_EQ(c.rename(root(), "sub", root(), "a"), Status::not_a_directory);
    expect_unchanged(c.change, before, root());
    got(c, c.symlink(root(), "link", "sub"));
    EXPECT_EQ(c.rename(root(), "sub", root(), "link"), Status::not_a_directory);
}

TEST_P(VfsRename, OfADirectoryOverAnEmptyOne) {
    const FileId a = directory("a");
    const FileId b = directory("b");
    got(c, c.create(a, "inside"));
    const std::uint32_t links = c.attributes(root()).links;
    ASSERT_EQ(c.rename(root(), "a", root(), "b"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(root(), "b")), a);
    EXPECT_EQ(sorted_names(a), std::vector<std::string>{"inside"});
    EXPECT_EQ(c.attributes(root()).links, links - 1);
    c.attributes(b);
    EXPECT_EQ(c.status, Status::stale);
}

TEST_P(VfsRename, OfADirectoryOverAFullOneIsRefused) {
    directory("a");
    const FileId b = directory("b");
    got(c, c.create(b, "inside"));
    EXPECT_TRUE(one_of(c.rename(root(), "a", root(), "b"), {Status::not_empty, Status::exists}))
        << name_of(c.status);
    EXPECT_EQ(sorted_names(root()), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(sorted_names(b), std::vector<std::string>{"inside"});
}

TEST_P(VfsRename, IntoItselfIsInvalid) {
    const FileId a = directory("a");
    const FileId b = got(c, c.mkdir(a, "b"));
    const FileId d = got(c, c.mkdir(b, "d"));
    for (const FileId& inside : {a, b, d})
        EXPECT_EQ(c.rename(root(), "a", inside, "x"), Status::invalid);
    EXPECT_EQ(c.rename(a, "b", d, "x"), Status::invalid);
    EXPECT_EQ(c.rename(a, "b", b, "d"), Status::invalid);
    EXPECT_EQ(sorted_names(root()), std::vector<std::string>{"a"});
    EXPECT_EQ(got(c, c.lookup(d, "..")), b);
}

TEST_P(VfsRename, OverWhatIsAboveIsRefused) {
    const FileId a = directory("a");
    const FileId b = got(c, c.mkdir(a, "b"));
    got(c, c.mkdir(b, "d"));
    EXPECT_TRUE(one_of(c.rename(b, "d", root(), "a"), {Status::not_empty, Status::exists}))
        << name_of(c.status);
    EXPECT_TRUE(one_of(c.rename(b, "d", a, "b"), {Status::not_empty, Status::exists}))
        << name_of(c.status);
    got(c, c.create(b, "file"));
    EXPECT_NE(c.rename(b, "file", a, "b"), Status::ok);
}

TEST_P(VfsRename, MovesWhatIsInside) {
    const FileId a = directory("a");
    const FileId b = directory("b");
    const FileId inner = got(c, c.mkdir(a, "inner"));
    const FileId deep = got(c, c.create(inner, "deep"));
    ASSERT_EQ(c.rename(a, "inner", b, "moved"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(inner, "..")), b);
    EXPECT_EQ(got(c, c.lookup(got(c, c.lookup(b, "moved")), "deep")), deep);
    for (const auto& entry : c.list(inner)) {
        if (entry.name == "..") {
            EXPECT_EQ(entry.fileid, c.attributes(b).fileid);
        }
    }
}

TEST_P(VfsRename, OfSymbolicLinksIsOfTheLink) {
    file("a", "text");
    const FileId link = got(c, c.symlink(root(), "link", "a"));
    ASSERT_EQ(c.rename(root(), "link", root(), "moved"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(root(), "moved")), link);
    const FileId b = file("b", "other");
    ASSERT_EQ(c.rename(root(), "b", root(), "moved"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(root(), "moved")), b);
    EXPECT_EQ(c.read(c.lookup(root(), "a")), "text");
}

TEST_P(VfsRename, OfOddFiles) {
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    const FileId sub = directory("sub");
    ASSERT_EQ(c.rename(root(), "fifo", sub, "x"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(sub, "x")), fifo);
    file("a");
    ASSERT_EQ(c.rename(sub, "x", root(), "a"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(root(), "a")), fifo);
}

TEST_P(VfsRename, OfWhatIsMissing) {
    file("a", "text");
    const Attributes before = c.attributes(root());
    EXPECT_EQ(c.rename(root(), "missing", root(), "a"), Status::not_found);
    expect_unchanged(c.change, before, root());
    expect_unchanged(c.change_to, before, root());
    EXPECT_EQ(c.read(c.lookup(root(), "a")), "text");
}

TEST_P(VfsRename, BackAndForthManyTimes) {
    const FileId a = file("a", "text");
    const FileId sub = directory("sub");
    for (int round = 0; round < 200; ++round) {
        ASSERT_EQ(c.rename(root(), "a", sub, "b"), Status::ok);
        ASSERT_EQ(c.rename(sub, "b", root(), "a"), Status::ok);
    }
    EXPECT_EQ(c.read(a), "text");
    EXPECT_EQ(sorted_names(root()), (std::vector<std::string>{"a", "sub"}));
    EXPECT_TRUE(sorted_names(sub).empty());
}

INSTANTIATE_TEST_SUITE_P(All, VfsRename, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::rename_test
