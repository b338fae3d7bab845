#include "helio/vfs/copying.h"

#include "tests/vfs_conformance/parts/parts.h"

namespace helio::tests::copying_test {
namespace {

using vfs::CopyRange;
using vfs::kCopyToEnd;

class VfsCopying : public VfsWith<&FileSystem::copying> {
 protected:
    Status copy(OpenedForTest& source, OpenedForTest& target, const CopyRange& range) {
        return part().copy(c.caller(), *source, *target, range, copied);
    }
    std::uint64_t copied = 0;
};

TEST_P(VfsCopying, BytesArrive) {
    const FileId a = file("a", "0123456789"), b = file("b", "abcdef");
    OpenedForTest from(c, a, OpenAccess::read), to(c, b, OpenAccess::write);
    struct {
        CopyRange range;
        std::uint64_t copied;
        std::string target;
    } const cases[] = {
        {{2, 1, 3}, 3, "a234ef"},
        {{0, 4, 4}, 4, "a2340123"},
        {{8, 0, 100}, 2, "89340123"},
        {{5, 0, kCopyToEnd}, 5, "56789123"},
        {{10, 0, 5}, 0, "56789123"},
        {{99, 0, kCopyToEnd}, 0, "56789123"},
        {{0, 0, 0}, 0, "56789123"},
        {{9, 10, 1}, 1, std::string("56789123") + std::string(2, '\0') + "9"},
    };
    for (const auto& the : cases) {
        EXPECT_EQ(copy(from, to, the.range), Status::ok) << the.target;
        EXPECT_EQ(copied, the.copied) << the.target;
        EXPECT_EQ(c.read(b), the.target);
    }
    EXPECT_EQ(c.read(a), "0123456789");
}

TEST_P(VfsCopying, WithinAFile) {
    const FileId a = file("a", "0123456789");
    OpenedForTest open(c, a), again(c, a);
    EXPECT_EQ(copy(open, again, {0, 5, 5}), Status::ok) << "adjacent ranges do not overlap";
    EXPECT_EQ(c.read(a), "0123401234");
    EXPECT_EQ(copy(open, open, {6, 1, 3}), Status::ok);
    EXPECT_EQ(c.read(a), "0123401234");
    for (const CopyRange& range : {CopyRange{0, 0, 5}, {0, 4, 5}, {4, 0, 5}, {0, 9, kCopyToEnd}}) {
        EXPECT_EQ(copy(open, again, range), Status::invalid) << range.target_offset;
        EXPECT_EQ(copied, 0u);
    }
    EXPECT_EQ(c.read(a), "0123401234");
    EXPECT_EQ(copy(open, again, {5, 10, kCopyToEnd}), Status::ok);
    EXPECT_EQ(c.read(a), "012340123401234");
}

TEST_P(VfsCopying, MayStopEarlyAndGoOn) {
    constexpr std::uint64_t kSize = 70u << 20;
    const FileId a = file("a"), b = file("b");
    const std::string head = pattern(100'000), tail = pattern(100'000, 2);
    ASSERT_EQ(c.write(a, 0, head), Status::ok);
    ASSERT_EQ(c.write(a, kSize - tail.size(), tail), Status::ok);
    OpenedForTest from(c, a, OpenAccess::read), to(c, b, OpenAccess::write);
    std::uint64_t done = 0;
    do {
        ASSERT_EQ(copy(from, to, {done, done, kCopyToEnd}), Status::ok);
        done += copied;
    } while (copied > 0);
    EXPECT_EQ(done, kSize);
    EXPECT_EQ(c.attributes(b).size, kSize);
    EXPECT_EQ(c.read(b, 0, 100'000), head);
    EXPECT_EQ(c.read(b, kSize - tail.size(), 200'000), tail);
}

// The ranges only overlap in a part that a single call would not reach.
TEST_P(VfsCopying, SeesOverlapsFarAway) {
    const FileId a = file("a");
    ASSERT_EQ(c.truncate(a, 200u << 20), Status::ok);
    OpenedForTest open(c, a);
    EXPECT_EQ(copy(open, open, {0, 150u << 20, 160u << 20}), Status::invalid);
}

TEST_P(VfsCopying, HasLimits) {
    const FileId a = file("a", "text"), b = file("b");
    OpenedForTest from(c, a), to(c, b);
    const std::uint64_t edge = INT64_MAX;
    EXPECT_EQ(copy(from, to, {0, edge, 4}), Status::too_big);
    EXPECT_EQ(copy(from, to, {0, UINT64_MAX, 4}), Status::too_big);
    EXPECT_EQ(copy(from, to, {UINT64_MAX, 0, kCopyToEnd}), Status::ok);
    EXPECT_EQ(copied, 0u);
    EXPECT_EQ(c.attributes(b).size, 0u);
}

TEST_P(VfsCopying, TakesFilesThatAreOpenForIt) {
    const FileId a = file("a", "text"), b = file("b");
    OpenedForTest from(c, a, OpenAccess::read), from_writer(c, a, OpenAccess::write);
    OpenedForTest to(c, b, OpenAccess::write), to_reader(c, b, OpenAccess::read);
    EXPECT_EQ(copy(from_writer, to, {}), Status::access_denied);
    EXPECT_EQ(copy(from, to_reader, {}), Status::access_denied);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    EXPECT_EQ(copy(from, to, {}), Status::ok) << "the source needs no name";
    EXPECT_EQ(c.read(b), "text");
}

TEST_P(VfsCopying, IsAWrite) {
    const FileId a = file("a", "text"), b = file("b", "other");
    OpenedForTest from(c, a), to(c, b);
    const Attributes before = c.attributes(b);
    tick();
    ASSERT_EQ(copy(from, to, {}), Status::ok);
    EXPECT_GT(c.attributes(b).modified, before.modified);
    EXPECT_GT(c.attributes(b).changed, before.changed);
    vfs::Caller hurried = c.caller();
    hurried.may_block = false;
    const Status status = part().copy(hurried, *from, *to, {0, 1, 1}, copied);
    EXPECT_TRUE(one_of(status, {Status::ok, Status::would_block}));
    EXPECT_EQ(c.read(b), status == Status::ok ? "ttxtr" : "textr");
}

TEST_P(VfsCopying, DoesNothingWhenItWouldBlock) {
    const std::string text = pattern(4u << 20);
    const FileId a = file("a", text), b = file("b", "other");
    OpenedForTest from(c, a), to(c, b);
    vfs::Caller hurried = c.caller();
    hurried.may_block = false;
    const Status status = part().copy(hurried, *from, *to, {}, copied);
    EXPECT_TRUE(one_of(status, {Status::ok, Status::would_block}));
    if (status == Status::would_block) {
        EXPECT_EQ(copied, 0u);
        EXPECT_EQ(c.read(b), "other");
    } else {
        EXPECT_TRUE(c.read(b, 0, 100) == text.substr(0, 100));
    }
}

class VfsCloning : public VfsWith<&FileSystem::cloning> {
 protected:
    Status clone(OpenedForTest& source, OpenedForTest& target, const CopyRange& range) {
        return part().clone(c.caller(), *source, *target, range);
    }
    std::uint64_t block() { return part().clone_block_size(); }
};

TEST_P(VfsCloning, WholeFiles) {
    for (const std::size_t size : {std::size_t{10}, std::size_t{5'000}, std::size_t{300'000}}) {
        const std::string name = std::to_string(size), text = pattern(size);
        const FileId a = file(name + "a", text), b = file(name + "b");
        OpenedForTest from(c, a, OpenAccess::read), to(c, b, OpenAccess::write);
        ASSERT_EQ(clone(from, to, {}), Status::ok) << size;
        EXPECT_EQ(c.read(b), text);
        // Later writes do not show up in the other file.
        ASSERT_EQ(c.write(a, 1, "changed"), Status::ok);
        EXPECT_EQ(c.read(b), text);
        ASSERT_EQ(c.write(b, 0, "x"), Status::ok);
        EXPECT_EQ(c.read(a, 0, 3), text.substr(0, 1) + "ch");
    }
}

TEST_P(VfsCloning, Blocks) {
    const std::string text = pattern(8 * block()), old = pattern(6 * block(), 2);
    const FileId a = file("a", text), b = file("b", old);
    OpenedForTest from(c, a), to(c, b);
    ASSERT_EQ(clone(from, to, {2 * block(), block(), 3 * block()}), Status::ok);
    EXPECT_EQ(c.read(b), old.substr(0, block()) + text.substr(2 * block(), 3 * block()) +
                             old.substr(4 * block()));
    ASSERT_EQ(clone(from, to, {6 * block(), 9 * block(), kCopyToEnd}), Status::ok);
    EXPECT_EQ(c.attributes(b).size, 11 * block());
    EXPECT_EQ(c.read(b, 9 * block(), 1u << 20), text.substr(6 * block()));
    // Holes are cloned too.
    const FileId sparse = file("sparse");
    ASSERT_EQ(c.truncate(sparse, 100 * block()), Status::ok);
    ASSERT_EQ(c.write(sparse, 50 * block(), "middle"), Status::ok);
    OpenedForTest holes(c, sparse);
    ASSERT_EQ(clone(holes, to, {}), Status::ok);
    EXPECT_EQ(c.attributes(b).size, 100 * block());
    EXPECT_EQ(c.read(b, 0, 1u << 20), c.read(sparse, 0, 1u << 20));
}

TEST_P(VfsCloning, OnlyWholeBlocks) {
    const std::string text = pattern(4 * block() + 10);
    const FileId a = file("a", text), b = file("b", pattern(8 * block(), 2));
    OpenedForTest from(c, a), to(c, b);
    const std::string before = c.read(b);
    for (const CopyRange& range : {
             CopyRange{1, 0, block()},              // from the middle of a block
             CopyRange{0, 1, block()},              // to the middle of a block
             CopyRange{0, 0, block() - 1},          // less than a block
             CopyRange{0, 0, 4 * block() + 11},     // beyond the end
             CopyRange{0, 0, UINT64_MAX - 1},       //
             CopyRange{5 * block(), 0, block()},    // after the end
             CopyRange{UINT64_MAX, 0, kCopyToEnd},  //
             CopyRange{0, block(), kCopyToEnd},     // a partial block before other data
         }) {
        EXPECT_EQ(clone(from, to, range), Status::invalid)
            << range.source_offset << " " << range.target_offset << " " << range.count;
        EXPECT_EQ(c.read(b), before);
    }
    EXPECT_EQ(clone(from, to, {0, 0, 0}), Status::ok) << "an empty range";
    EXPECT_EQ(c.read(b), before);
    // A partial block may go to the end of the target.
    EXPECT_EQ(clone(from, to, {4 * block(), 8 * block(), 10}), Status::ok);
    EXPECT_EQ(c.read(b), before + text.substr(4 * block()));
}

TEST_P(VfsCloning, WithinAFile) {
    const std::string text = pattern(4 * block());
    const FileId a = file("a", text);
    OpenedForTest open(c, a);
    EXPECT_EQ(clone(open, open, {0, 0, block()}), Status::invalid);
    EXPECT_EQ(clone(open, open, {0, block(), 2 * block()}), Status::invalid);
    EXPECT_EQ(clone(open, open, {0, 2 * block(), 2 * block()}), Status::ok);
    EXPECT_EQ(c.read(a), text.substr(0, 2 * block()) + text.substr(0, 2 * block()));
}

TEST_P(VfsCloning, TakesFilesThatAreOpenForIt) {
    const FileId a = file("a", "text"), b = file("b");
    OpenedForTest from(c, a, OpenAccess::write), to(c, b, OpenAccess::write);
    EXPECT_EQ(clone(from, to, {}), Status::access_denied);
    EXPECT_EQ(clone(to, from, {}), Status::access_denied);
    EXPECT_EQ(c.attributes(b).size, 0u);
}

TEST_P(VfsCloning, DoesNothingWhenItWouldBlock) {
    const std::string text = pattern(1024 * block());
    const FileId a = file("a", text), b = file("b", "other");
    OpenedForTest from(c, a), to(c, b);
    vfs::Caller hurried = c.caller();
    hurried.may_block = false;
    const Status status = part().clone(hurried, *from, *to, {});
    EXPECT_TRUE(one_of(status, {Status::ok, Status::would_block}));
    EXPECT_TRUE(c.read(b, 0, 1u << 30) == (status == Status::ok ? text : "other"));
}

HELIO_OVER_ALL_BACKENDS(VfsCopying);
HELIO_OVER_ALL_BACKENDS(VfsCloning);

}  // namespace
}  // namespace helio::tests::copying_test
