#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::ids_test {
namespace {

using VfsIds = Vfs;

TEST_P(VfsIds, RootIsADirectory) {
    const Attributes found = c.attributes(root());
    EXPECT_EQ(c.status, Status::ok);
    EXPECT_EQ(found.type, FileType::directory);
    EXPECT_GE(found.links, 1u);
    EXPECT_TRUE(sorted_names(root()).empty());
}

TEST_P(VfsIds, RootIsItsOwnParent) {
    EXPECT_EQ(got(c, c.lookup(root(), ".")), root());
    EXPECT_EQ(got(c, c.lookup(root(), "..")), root());
    expect_same(c.found.attributes, c.attributes(root()));
}

TEST_P(VfsIds, DotsLeadWhereTheySay) {
    const FileId outer = directory("outer");
    const FileId inner = got(c, c.mkdir(outer, "inner"));
    EXPECT_EQ(got(c, c.lookup(inner, ".")), inner);
    EXPECT_EQ(got(c, c.lookup(inner, "..")), outer);
    EXPECT_EQ(got(c, c.lookup(outer, "..")), root());
}

TEST_P(VfsIds, AreTheSameWhereverTheyComeFrom) {
    const FileId made = file("a");
    EXPECT_EQ(got(c, c.lookup(root(), "a")), made);
    for (const auto& entry : c.list(root(), 0, SIZE_MAX, true)) {
        if (entry.name == "a" && entry.id) {
            EXPECT_EQ(*entry.id, made);
        }
    }
    EXPECT_EQ(c.made.attributes.fileid, c.attributes(made).fileid);
}

TEST_P(VfsIds, OfTwoFilesDiffer) {
    const FileId a = file("a");
    const FileId b = file("b");
    EXPECT_NE(a, b);
    EXPECT_NE(c.attributes(a).fileid, c.attributes(b).fileid);
    EXPECT_EQ(c.attributes(a).fsid, c.attributes(b).fsid);
    EXPECT_EQ(c.attributes(a).fsid, c.attributes(root()).fsid);
}

TEST_P(VfsIds, FitTheInterface) {
    EXPECT_GT(root().size, 0);
    EXPECT_LE(root().size, vfs::kFileIdMax);
    const FileId a = file("a");
    for (std::size_t at = a.size; at < a.bytes.size(); ++at) EXPECT_EQ(a.bytes[at], std::byte{0});
}

TEST_P(VfsIds, SurviveRenames) {
    const FileId a = file("a", "text");
    const FileId sub = directory("sub");
    ASSERT_EQ(c.rename(root(), "a", root(), "b"), Status::ok);
    EXPECT_EQ(c.read(a), "text");
    ASSERT_EQ(c.rename(root(), "b", sub, "c"), Status::ok);
    EXPECT_EQ(c.read(a), "text");
    EXPECT_EQ(got(c, c.lookup(sub, "c")), a);
}

TEST_P(VfsIds, SurviveARenameOfWhatIsAbove) {
    const FileId outer = directory("outer");
    const FileId inner = got(c, c.mkdir(outer, "inner"));
    const FileId a = got(c, c.create(inner, "a"));
    const FileId other = directory("other");
    ASSERT_EQ(c.rename(root(), "outer", other, "moved"), Status::ok);
    c.attributes(a);
    EXPECT_EQ(c.status, Status::ok);
    EXPECT_EQ(got(c, c.lookup(inner, "a")), a);
    EXPECT_EQ(c.write(a, 0, "still"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(outer, "..")), other);
}

TEST_P(VfsIds, OfAllNamesOfAFileAreOne) {
    const FileId a = file("a", "text");
    ASSERT_EQ(c.link(a, root(), "b"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(root(), "b")), a);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    EXPECT_EQ(c.read(a), "text");
    EXPECT_EQ(c.status, Status::ok);
}

TEST_P(VfsIds, OfRemovedFilesAreStale) {
    const FileId a = file("a", "text");
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    c.attributes(a);
    EXPECT_EQ(c.status, Status::stale);
    EXPECT_EQ(c.chmod(a, 0600), Status::stale);
    EXPECT_EQ(c.truncate(a, 0), Status::stale);
    c.access(a);
    EXPECT_EQ(c.status, Status::stale);
    c.read(a);
    EXPECT_EQ(c.status, Status::stale);
    EXPECT_EQ(c.write(a, 0, "x"), Status::stale);
    EXPECT_EQ(c.commit(a), Status::stale);
    EXPECT_EQ(c.link(a, root(), "b"), Status::stale);
    EXPECT_TRUE(sorted_names(root()).empty());
}

TEST_P(VfsIds, OfRemovedDirectoriesAreStale) {
    const FileId gone = directory("gone");
    const FileId a = file("a");
    ASSERT_EQ(c.rmdir(root(), "gone"), Status::ok);
    c.attributes(gone);
    EXPECT_EQ(c.status, Status::stale);
    c.lookup(gone, "x");
    EXPECT_EQ(c.status, Status::stale);
    c.lookup(gone, "..");
    EXPECT_EQ(c.status, Status::stale);
    c.create(gone, "x");
    EXPECT_EQ(c.status, Status::stale);
    c.mkdir(gone, "x");
    EXPECT_EQ(c.status, Status::stale);
    EXPECT_EQ(c.remove(gone, "x"), Status::stale);
    EXPECT_EQ(c.rmdir(gone, "x"), Status::stale);
    EXPECT_EQ(c.rename(gone, "x", root(), "y"), Status::stale);
    EXPECT_EQ(c.rename(root(), "a", gone, "y"), Status::stale);
    EXPECT_EQ(c.link(a, gone, "y"), Status::stale);
    c.list(gone);
    EXPECT_EQ(c.status, Status::stale);
    EXPECT_EQ(sorted_names(root()), std::vector<std::string>{"a"});
}

TEST_P(VfsIds, AreNeverAnothersAfterwards) {
    for (int round = 0; round < 50; ++round) {
        const FileId first = file("a", "first");
        ASSERT_EQ(c.remove(root(), "a"), Status::ok);
        const FileId second = file("a", "second");
        EXPECT_NE(first, second);
        EXPECT_EQ(c.read(first), "");
        EXPECT_EQ(c.status, Status::stale);
        EXPECT_EQ(c.write(first, 0, "wrong"), Status::stale);
        EXPECT_EQ(c.read(second), "second");
        ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    }
}

TEST_P(VfsIds, OfReplacedFilesAreStale) {
    const FileId first = file("a", "first");
    const FileId second = file("b", "second");
    ASSERT_EQ(c.rename(root(), "b", root(), "a"), Status::ok);
    c.attributes(first);
    EXPECT_EQ(c.status, Status::stale);
    EXPECT_EQ(c.read(second), "second");
}

TEST_P(VfsIds, ThatNobodyGaveLeadNowhere) {
    file("a", "text");
    const auto no = {Status::stale, Status::bad_handle};
    c.attributes(FileId{});
    EXPECT_TRUE(one_of(c.status, no)) << name_of(c.status);
    for (std::uint8_t size = 1; size <= vfs::kFileIdMax; ++size) {
        for (const std::byte fill : {std::byte{0}, std::byte{0x01}, std::byte{0xff}}) {
            FileId forged;
            forged.size = size;
            std::fill_n(forged.bytes.begin(), size, fill);
            c.attributes(forged);
            EXPECT_TRUE(one_of(c.status, no)) << name_of(c.status);
            c.lookup(forged, "a");
            EXPECT_TRUE(one_of(c.status, no)) << name_of(c.status);
        }
    }
}

TEST_P(VfsIds, WithAnyBitChangedLeadNowhereElse) {
    const FileId a = file("a", "text");
    for (std::size_t bit = 0; bit < 8u * a.size; ++bit) {
        FileId forged = a;
        forged.bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        EXPECT_NE(c.read(forged), "text") << bit;
        EXPECT_NE(c.status, Status::ok) << bit;
    }
}

TEST_P(VfsIds, SurviveARestart) {
    if (!traits().survives_restart) GTEST_SKIP() << "nothing does here";
    const FileId sub = directory("sub");
    const FileId a = file("a", "text");
    const FileId linked = file("linked", "two names");
    const FileId gone = file("gone", "gone");
    ASSERT_EQ(c.link(linked, sub, "second"), Status::ok);
    ASSERT_EQ(c.rename(root(), "a", sub, "b"), Status::ok);
    ASSERT_EQ(c.remove(root(), "linked"), Status::ok);
    ASSERT_EQ(c.remove(root(), "gone"), Status::ok);
    const FileId old_root = root();
    const std::uint64_t verifier = fs().write_verifier();

    instance_->restart();
    EXPECT_EQ(root(), old_root);
    EXPECT_NE(fs().write_verifier(), verifier);
    ClientForTest after(fs(), 0, 0);
    EXPECT_EQ(after.read(a), "text");
    EXPECT_EQ(after.status, Status::ok);
    EXPECT_EQ(after.read(linked), "two names");
    EXPECT_EQ(after.status, Status::ok);
    EXPECT_EQ(got(after, after.lookup(sub, "b")), a);
    EXPECT_EQ(got(after, after.lookup(old_root, "sub")), sub);
    after.attributes(gone);
    EXPECT_EQ(after.status, Status::stale);
}

TEST_P(VfsIds, ExclusiveCreatesSurviveARestart) {
    if (!traits().survives_restart) GTEST_SKIP() << "nothing does here";
    const FileId made = got(c, c.create_exclusive(root(), "a", 0x0123456789abcdef));
    instance_->restart();
    ClientForTest after(fs(), 0, 0);
    EXPECT_EQ(got(after, after.create_exclusive(root(), "a", 0x0123456789abcdef)), made);
    after.create_exclusive(root(), "a", 0x0123456789abcdee);
    EXPECT_EQ(after.status, Status::exists);
}

TEST_P(VfsIds, VerifierOfWritesStays) {
    const std::uint64_t verifier = fs().write_verifier();
    const FileId a = file("a", "text");
    c.commit(a);
    EXPECT_EQ(fs().write_verifier(), verifier);
}

TEST_P(VfsIds, SpaceAndLimitsMakeSense) {
    vfs::Space space;
    ASSERT_EQ(fs().space(c.caller(), root(), space), Status::ok);
    EXPECT_GT(space.bytes_total, 0u);
    EXPECT_LE(space.bytes_free, space.bytes_total);
    EXPECT_LE(space.bytes_available, space.bytes_free);
    EXPECT_LE(space.files_free, space.files_total);
    EXPECT_LE(space.files_available, space.files_free);
    EXPECT_GT(space.block_size, 0u);
    const vfs::Limits limits = fs().limits();
    EXPECT_GE(limits.name_size_max, 255u);
    EXPECT_GE(limits.file_size_max, std::uint64_t{1} << 31);
    EXPECT_LE(limits.file_size_max, static_cast<std::uint64_t>(INT64_MAX));
    EXPECT_GE(limits.links_max, 8u);
    EXPECT_FALSE(limits.names_cut);
    EXPECT_EQ(fs().space(c.caller(), FileId{}, space), Status::stale);
}

INSTANTIATE_TEST_SUITE_P(All, VfsIds, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::ids_test
