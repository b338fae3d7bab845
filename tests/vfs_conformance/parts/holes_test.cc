#include "helio/vfs/holes.h"

#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::holes_test {
namespace {

using vfs::SeekFor;
using vfs::SeekOut;

// Larger than any block, and than the units in which file systems allocate.
constexpr std::uint64_t kPart = 1u << 20;

class VfsHoles : public VfsWith<&FileSystem::holes> {
 protected:
    struct LookupOut {
        Status status = Status::ok;
        std::uint64_t offset = 0;
        bool end = false;
    };
    LookupOut seek(OpenedForTest& open, std::uint64_t offset, SeekFor what) {
        SeekOut out;
        const Status status = part().seek(c.caller(), *open, offset, what, out);
        return {status, out.offset, out.end};
    }
    Status allocate(OpenedForTest& open, std::uint64_t offset, std::uint64_t length) {
        return part().allocate(c.caller(), *open, offset, length);
    }
    Status deallocate(OpenedForTest& open, std::uint64_t offset, std::uint64_t length) {
        return part().deallocate(c.caller(), *open, offset, length);
    }
    static std::string zeros(std::size_t size) { return std::string(size, '\0'); }
};

TEST_P(VfsHoles, AreFound) {
    const FileId a = file("a");
    // Data, a hole, data, a hole to the end.
    ASSERT_EQ(c.write(a, 0, pattern(kPart)), Status::ok);
    ASSERT_EQ(c.write(a, 4 * kPart, pattern(kPart)), Status::ok);
    ASSERT_EQ(c.truncate(a, 8 * kPart), Status::ok);
    OpenedForTest open(c, a, OpenAccess::read);
    struct {
        std::uint64_t from;
        SeekFor what;
        std::uint64_t offset;
        bool end;
    } const cases[] = {
        {0, SeekFor::data, 0, false},
        {123, SeekFor::data, 123, false},
        {0, SeekFor::hole, kPart, false},
        {kPart - 1, SeekFor::hole, kPart, false},
        {kPart, SeekFor::hole, kPart, false},
        {2 * kPart + 5, SeekFor::hole, 2 * kPart + 5, false},
        {2 * kPart, SeekFor::data, 4 * kPart, false},
        {4 * kPart + 7, SeekFor::hole, 5 * kPart, false},
        {5 * kPart, SeekFor::data, 8 * kPart, true},
        {8 * kPart - 1, SeekFor::data, 8 * kPart, true},
        {8 * kPart - 1, SeekFor::hole, 8 * kPart - 1, false},
    };
    for (const auto& the : cases) {
        const LookupOut found = seek(open, the.from, the.what);
        EXPECT_EQ(found.status, Status::ok) << the.from;
        EXPECT_EQ(found.offset, the.offset) << the.from;
        EXPECT_EQ(found.end, the.end) << the.from;
    }
}

TEST_P(VfsHoles, EndEachFile) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a, OpenAccess::read);
    const LookupOut hole = seek(open, 0, SeekFor::hole);
    EXPECT_EQ(hole.status, Status::ok);
    EXPECT_EQ(hole.offset, 4u);
    EXPECT_TRUE(hole.end);
    EXPECT_EQ(seek(open, 3, SeekFor::data).offset, 3u);
    for (const SeekFor what : {SeekFor::data, SeekFor::hole})
        for (const std::uint64_t offset : {std::uint64_t{4}, std::uint64_t{5}, UINT64_MAX})
            EXPECT_EQ(seek(open, offset, what).status, Status::past_end) << offset;
    const FileId none = file("none");
    OpenedForTest empty(c, none, OpenAccess::read);
    EXPECT_EQ(seek(empty, 0, SeekFor::hole).status, Status::past_end);
}

TEST_P(VfsHoles, AreFilled) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a);
    const Attributes before = c.attributes(a);
    tick();
    ASSERT_EQ(allocate(open, 0, kPart), Status::ok);
    const Attributes after = c.attributes(a);
    EXPECT_EQ(after.size, kPart) << "the file grows";
    EXPECT_GE(after.used, kPart);
    EXPECT_GT(after.changed, before.changed);
    EXPECT_EQ(c.read(a, 0, kPart), "text" + zeros(kPart - 4));
    // A range inside the file changes neither its data nor its size.
    ASSERT_EQ(allocate(open, 1, 100), Status::ok);
    EXPECT_EQ(c.attributes(a).size, kPart);
    EXPECT_EQ(c.read(a, 0, 4), "text");
    // A hole in the middle.
    ASSERT_EQ(c.write(a, 4 * kPart, "end"), Status::ok);
    ASSERT_EQ(allocate(open, 2 * kPart - 10, kPart), Status::ok);
    EXPECT_GE(c.attributes(a).used, 2 * kPart);
    EXPECT_EQ(c.attributes(a).size, 4 * kPart + 3);
    EXPECT_EQ(c.read(a, 4 * kPart - 2, 100), zeros(2) + "end");
}

TEST_P(VfsHoles, AreMade) {
    const FileId a = file("a");
    std::string text = pattern(4 * kPart);
    ASSERT_EQ(c.write(a, 0, text), Status::ok);
    OpenedForTest open(c, a);
    const Attributes before = c.attributes(a);
    tick();
    ASSERT_EQ(deallocate(open, kPart, kPart), Status::ok);
    text.replace(kPart, kPart, zeros(kPart));
    EXPECT_TRUE(c.read(a, 0, 1u << 30) == text);
    const Attributes after = c.attributes(a);
    EXPECT_EQ(after.size, before.size);
    EXPECT_LE(after.used, before.used - kPart);
    EXPECT_GT(after.modified, before.modified);
    EXPECT_EQ(seek(open, 0, SeekFor::hole).offset, kPart);
    EXPECT_EQ(seek(open, kPart, SeekFor::data).offset, 2 * kPart);
    // Partial blocks are zeroed exactly.
    ASSERT_EQ(deallocate(open, 3 * kPart + 1, 9'999), Status::ok);
    text.replace(3 * kPart + 1, 9'999, zeros(9'999));
    EXPECT_TRUE(c.read(a, 0, 1u << 30) == text);
}

TEST_P(VfsHoles, AreMadeInSmallFilesToo) {
    const FileId a = file("a", "0123456789");
    OpenedForTest open(c, a);
    ASSERT_EQ(deallocate(open, 3, 4), Status::ok);
    EXPECT_EQ(c.read(a), "012" + zeros(4) + "789");
    ASSERT_EQ(deallocate(open, 8, 100), Status::ok);
    EXPECT_EQ(c.read(a), "012" + zeros(4) + "7" + zeros(2)) << "the size does not change";
    EXPECT_EQ(deallocate(open, 10, 5), Status::ok) << "beyond the end is a hole already";
    EXPECT_EQ(c.attributes(a).size, 10u);
}

TEST_P(VfsHoles, ReachOverTheEnd) {
    const FileId a = file("a", pattern(3 * kPart));
    OpenedForTest open(c, a);
    ASSERT_EQ(deallocate(open, kPart, 100 * kPart), Status::ok);
    EXPECT_EQ(c.attributes(a).size, 3 * kPart);
    EXPECT_TRUE(c.read(a, 0, 1u << 30) == pattern(3 * kPart).substr(0, kPart) + zeros(2 * kPart));
    EXPECT_TRUE(seek(open, kPart, SeekFor::data).end);
    ASSERT_EQ(deallocate(open, 0, 3 * kPart), Status::ok);
    EXPECT_EQ(seek(open, 0, SeekFor::hole).offset, 0u);
    EXPECT_LT(c.attributes(a).used, kPart);
}

TEST_P(VfsHoles, HaveLimits) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a);
    const std::uint64_t edge = INT64_MAX;
    struct {
        std::uint64_t offset;
        std::uint64_t length;
        Status status;
    } const cases[] = {
        {0, 0, Status::invalid},          {edge, 1, Status::too_big},
        {1, edge, Status::too_big},       {1, UINT64_MAX, Status::too_big},
        {UINT64_MAX, 1, Status::too_big},
    };
    for (const auto& the : cases) {
        EXPECT_EQ(allocate(open, the.offset, the.length), the.status) << the.offset;
        EXPECT_EQ(deallocate(open, the.offset, the.length), the.status) << the.offset;
    }
    EXPECT_TRUE(one_of(allocate(open, 0, edge), {Status::no_space, Status::too_big}));
    EXPECT_EQ(c.read(a), "text");
}

TEST_P(VfsHoles, TakeAFileThatIsOpenForIt) {
    const FileId a = file("a", "text");
    OpenedForTest reader(c, a, OpenAccess::read), writer(c, a, OpenAccess::write);
    EXPECT_EQ(seek(writer, 0, SeekFor::data).status, Status::access_denied);
    EXPECT_EQ(allocate(reader, 0, 10), Status::access_denied);
    EXPECT_EQ(deallocate(reader, 0, 4), Status::access_denied);
    EXPECT_EQ(c.read(a), "text");
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    EXPECT_EQ(allocate(writer, 0, 10), Status::ok);
    EXPECT_EQ(deallocate(writer, 0, 2), Status::ok);
    EXPECT_EQ(reader.read(), zeros(2) + "xt" + zeros(6));
}

TEST_P(VfsHoles, DoNothingWhenTheyWouldBlock) {
    const FileId a = file("a", "text");
    OpenedForTest open(c, a);
    vfs::Caller hurried = c.caller();
    hurried.may_block = false;
    for (const std::uint64_t size : {std::uint64_t{10}, 4 * kPart}) {
        const std::uint64_t before = c.attributes(a).size;
        const Status filled = part().allocate(hurried, *open, 0, size);
        EXPECT_TRUE(one_of(filled, {Status::ok, Status::would_block}));
        EXPECT_EQ(c.attributes(a).size, filled == Status::ok ? size : before);
    }
    const Status cut = part().deallocate(hurried, *open, 0, 4);
    EXPECT_TRUE(one_of(cut, {Status::ok, Status::would_block}));
    EXPECT_EQ(c.read(a, 0, 4), cut == Status::ok ? zeros(4) : "text");
}

HELIO_OVER_ALL_BACKENDS(VfsHoles);

}  // namespace
}  // namespace helio::tests::holes_test
