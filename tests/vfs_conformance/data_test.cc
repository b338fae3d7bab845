#include <random>

#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::data_test {
namespace {

using VfsData = Vfs;

TEST_P(VfsData, WhatIsWrittenIsRead) {
    const FileId a = file("a");
    const Attributes before = c.attributes(a);
    tick();
    ASSERT_EQ(c.write(a, 0, "hello, world"), Status::ok);
    EXPECT_EQ(c.written.count, 12u);
    expect_change(c.change, before, a);
    EXPECT_EQ(c.attributes(a).size, 12u);
    EXPECT_GT(c.attributes(a).modified, before.modified);
    EXPECT_GT(c.attributes(a).changed, before.changed);
    EXPECT_EQ(c.read(a), "hello, world");
    ASSERT_TRUE(c.after);
    expect_same(*c.after, c.attributes(a));
}

TEST_P(VfsData, ReadsSayWhereTheEndIs) {
    const FileId a = file("a", "0123456789");
    struct {
        std::uint64_t offset;
        std::uint32_t count;
        const char* text;
        bool end;
    } const cases[] = {
        {0, 10, "0123456789", true}, {0, 9, "012345678", false}, {0, 11, "0123456789", true},
        {9, 1, "9", true},           {8, 1, "8", false},         {9, 100, "9", true},
        {10, 1, "", true},           {11, 5, "", true},          {3, 4, "3456", false},
    };
    for (const auto& the : cases) {
        EXPECT_EQ(c.read(a, the.offset, the.count), the.text) << the.offset << " " << the.count;
        EXPECT_EQ(c.status, Status::ok);
        EXPECT_EQ(c.end, the.end) << the.offset << " " << the.count;
    }
}

TEST_P(VfsData, ReadsOfNothing) {
    const FileId empty = file("empty");
    EXPECT_EQ(c.read(empty, 0, 10), "");
    EXPECT_TRUE(c.end);
    EXPECT_EQ(c.read(empty, 0, 0), "");
    EXPECT_EQ(c.status, Status::ok);
    const FileId a = file("a", "text");
    EXPECT_EQ(c.read(a, 0, 0), "");
    EXPECT_EQ(c.status, Status::ok);
    EXPECT_FALSE(c.end);
    EXPECT_EQ(c.read(a, 4, 0), "");
    EXPECT_TRUE(c.end);
}

TEST_P(VfsData, ReadsAtTheEdgesOf64Bits) {
    const FileId a = file("a", "text");
    for (const std::uint64_t offset :
         {static_cast<std::uint64_t>(INT64_MAX) - 1, static_cast<std::uint64_t>(INT64_MAX),
          static_cast<std::uint64_t>(INT64_MAX) + 1, UINT64_MAX - 1, UINT64_MAX}) {
        EXPECT_EQ(c.read(a, offset, UINT32_MAX), "") << offset;
        EXPECT_EQ(c.status, Status::ok) << offset;
        EXPECT_TRUE(c.end) << offset;
    }
    EXPECT_EQ(c.read(a, 1, UINT32_MAX), "ext");
    EXPECT_TRUE(c.end);
}

TEST_P(VfsData, WritesAtTheEdgesOf64Bits) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    for (const std::uint64_t offset :
         {static_cast<std::uint64_t>(INT64_MAX) - 1, static_cast<std::uint64_t>(INT64_MAX),
          static_cast<std::uint64_t>(INT64_MAX) + 1, UINT64_MAX - 3, UINT64_MAX}) {
        EXPECT_TRUE(one_of(c.write(a, offset, "four"), {Status::too_big, Status::invalid}))
            << offset << " " << name_of(c.status);
        expect_unchanged(c.change, before, a);
    }
    EXPECT_EQ(c.read(a), "text");
}

TEST_P(VfsData, TheLastByteThereCanBe) {
    const FileId a = file("a");
    const std::uint64_t last = fs().limits().file_size_max - 1;
    const Status status = c.write(a, last, "x");
    if (status == Status::ok) {
        EXPECT_EQ(c.attributes(a).size, last + 1);
        EXPECT_EQ(c.read(a, last - 1, 100), std::string("\0x", 2));
        EXPECT_TRUE(c.end);
    } else {
        EXPECT_EQ(status, Status::too_big) << name_of(status);
    }
    EXPECT_EQ(c.write(a, last + 1, "x"), Status::too_big);
}

TEST_P(VfsData, HolesAreZeros) {
    const FileId a = file("a", "begin");
    ASSERT_EQ(c.write(a, 100, "end"), Status::ok);
    EXPECT_EQ(c.attributes(a).size, 103u);
    EXPECT_EQ(c.read(a), "begin" + std::string(95, '\0') + "end");
    const FileId b = file("b");
    ASSERT_EQ(c.write(b, 10u << 20, "end"), Status::ok);
    EXPECT_EQ(c.read(b, 5u << 20, 100'000), std::string(100'000, '\0'));
    EXPECT_LT(c.attributes(b).used, 1u << 20);
    EXPECT_EQ(c.read(b, (10u << 20) - 1, 100), std::string("\0end", 4));
    EXPECT_TRUE(c.end);
}

TEST_P(VfsData, OverwritingStaysInPlace) {
    const FileId a = file("a", "0123456789");
    ASSERT_EQ(c.write(a, 3, "abc"), Status::ok);
    EXPECT_EQ(c.read(a), "012abc6789");
    ASSERT_EQ(c.write(a, 9, "xyz"), Status::ok);
    EXPECT_EQ(c.read(a), "012abc678xyz");
    EXPECT_EQ(c.attributes(a).size, 12u);
}

TEST_P(VfsData, WritingNothingChangesNothing) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    tick();
    EXPECT_EQ(c.write(a, 100, ""), Status::ok);
    EXPECT_EQ(c.written.count, 0u);
    expect_unchanged(c.change, before, a);
}

TEST_P(VfsData, LargeWritesAndReads) {
    const FileId a = file("a");
    const std::string text = pattern(4u << 20);
    for (std::size_t at = 0; at < text.size(); at += 1u << 20)
        ASSERT_EQ(c.write(a, at, std::string_view{text}.substr(at, 1u << 20)), Status::ok);
    for (const bool sends_files : {true, false}) {
        for (std::size_t at = 0; at < text.size(); at += 1u << 20)
            ASSERT_EQ(c.read(a, at, 1u << 20, sends_files), text.substr(at, 1u << 20));
        EXPECT_TRUE(c.end);
        ASSERT_EQ(c.read(a, 12'345, 777'777, sends_files), text.substr(12'345, 777'777));
        EXPECT_FALSE(c.end);
    }
    EXPECT_GE(c.attributes(a).used, 4u << 20);
}

TEST_P(VfsData, LastAsLongAsAsked) {
    const FileId a = file("a");
    for (const Stability asked : {Stability::unstable, Stability::data, Stability::file}) {
        ASSERT_EQ(c.write(a, 0, "x", asked), Status::ok);
        EXPECT_GE(c.written.stability, asked);
    }
}

TEST_P(VfsData, AreCommitted) {
    const FileId a = file("a", "text");
    const Attributes before = c.attributes(a);
    EXPECT_EQ(c.commit(a), Status::ok);
    expect_change(c.change, before, a);
    EXPECT_EQ(c.commit(a, 1, 2), Status::ok);
    EXPECT_EQ(c.commit(a, 1u << 20, 100), Status::ok);
    EXPECT_EQ(c.commit(a, UINT64_MAX, 0), Status::ok);
    EXPECT_EQ(c.commit(a, UINT64_MAX, UINT32_MAX), Status::ok);
    EXPECT_EQ(c.read(a), "text");
}

// And does not wait for the other end of a FIFO.
TEST_P(VfsData, OnlyOfRegularFiles) {
    const FileId sub = directory("sub");
    c.read(sub);
    EXPECT_EQ(c.status, Status::is_a_directory);
    EXPECT_EQ(c.write(sub, 0, "x"), Status::is_a_directory);
    const FileId link = got(c, c.symlink(root(), "link", "sub"));
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    const FileId socket = got(c, c.mknod(root(), "socket", FileType::socket));
    for (const FileId& odd : {link, fifo, socket}) {
        c.read(odd);
        EXPECT_EQ(c.status, Status::invalid);
        EXPECT_EQ(c.write(odd, 0, "x"), Status::invalid);
        EXPECT_NE(c.commit(odd), Status::ok);
    }
    EXPECT_NE(c.commit(sub), Status::ok);
}

TEST_P(VfsData, DevicesAreNotOpened) {
    if (!traits().superuser) GTEST_SKIP();
    const FileId zero = got(c, c.mknod(root(), "zero", FileType::character_device, 1, 5));
    EXPECT_EQ(c.read(zero, 0, 16), "");
    EXPECT_EQ(c.status, Status::invalid);
    EXPECT_EQ(c.write(zero, 0, "x"), Status::invalid);
    EXPECT_NE(c.truncate(zero, 0), Status::ok);
}

TEST_P(VfsData, TargetsOfSymbolicLinks) {
    const std::string targets[] = {"a",
                                   "../../..",
                                   "/etc/passwd",
                                   "a/./b//c",
                                   "\xff\xfe not UTF-8",
                                   std::string(59, 'x'),
                                   std::string(60, 'x'),
                                   std::string(4095, 'y')};
    for (const auto& target : targets) {
        const FileId link = got(c, c.symlink(root(), "link", target));
        EXPECT_EQ(c.attributes(link).size, target.size());
        EXPECT_EQ(c.read_link(link), target);
        ASSERT_TRUE(c.after);
        EXPECT_EQ(c.after->type, FileType::symlink);
        ASSERT_EQ(c.remove(root(), "link"), Status::ok);
    }
    c.symlink(root(), "link", std::string(4096, 'z'));
    EXPECT_NE(c.status, Status::ok);
    c.symlink(root(), "link", "");
    EXPECT_NE(c.status, Status::ok);
    EXPECT_TRUE(sorted_names(root()).empty());
}

TEST_P(VfsData, OnlySymbolicLinksHaveTargets) {
    const FileId a = file("a", "text");
    const FileId sub = directory("sub");
    for (const FileId& other : {a, sub}) {
        EXPECT_EQ(c.read_link(other), "");
        EXPECT_EQ(c.status, Status::invalid);
    }
}

// Random pieces compared with a string, across the border between small and large files in both
// directions.
TEST_P(VfsData, AgreeWithAString) {
    std::mt19937 random(7);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (const std::size_t reach : {200u, 70'000u, 300'000u}) {
        const FileId a = file("a" + std::to_string(reach));
        std::string model;
        for (int step = 0; step < 300; ++step) {
            const std::size_t offset = below(reach);
            switch (below(8)) {
                case 0: {
                    ASSERT_EQ(c.truncate(a, offset), Status::ok);
                    model.resize(offset);
                    break;
                }
                case 1:
                case 2:
                case 3: {
                    const std::string piece =
                        pattern(1 + below(reach / 4), static_cast<unsigned>(random()));
                    ASSERT_EQ(c.write(a, offset, piece), Status::ok);
                    if (model.size() < offset + piece.size()) model.resize(offset + piece.size());
                    model.replace(offset, piece.size(), piece);
                    break;
                }
                default: {
                    const std::size_t count = below(reach);
                    const std::string expected =
                        offset < model.size() ? model.substr(offset, count) : "";
                    const bool end = offset + count >= model.size();
                    ASSERT_EQ(c.read(a, offset, static_cast<std::uint32_t>(count), step % 2 == 0),
                              expected);
                    ASSERT_EQ(c.end, end);
                }
            }
            ASSERT_EQ(c.attributes(a).size, model.size());
        }
    }
}

TEST_P(VfsData, AreSharedByAllNames) {
    const FileId a = file("a", "one");
    ASSERT_EQ(c.link(a, root(), "b"), Status::ok);
    const FileId b = got(c, c.lookup(root(), "b"));
    ASSERT_EQ(c.write(b, 0, "two"), Status::ok);
    EXPECT_EQ(c.read(a), "two");
    ASSERT_EQ(c.truncate(a, 1), Status::ok);
    EXPECT_EQ(c.read(b), "t");
}

TEST_P(VfsData, OfOneFileAreNotAnothers) {
    std::vector<FileId> files;
    for (int i = 0; i < 100; ++i) files.push_back(file("f" + std::to_string(i)));
    for (unsigned i = 0; i < 100; ++i)
        ASSERT_EQ(c.write(files[i], 0, pattern(1000 + 1500 * i, i)), Status::ok);
    for (unsigned i = 0; i < 100; ++i)
        ASSERT_EQ(c.read(files[i]), pattern(1000 + 1500 * i, i)) << i;
}

INSTANTIATE_TEST_SUITE_P(All, VfsData, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace

}  // namespace helio::tests::data_test
