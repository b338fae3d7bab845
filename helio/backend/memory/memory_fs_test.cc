#include "helio/backend/memory/memory_fs.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "testing/vfs/client.h"

// tests/vfs_conformance tests what every file system must do; this tests what is specific to
// memory.
namespace helio::backend::memory_fs_test {
namespace {

using namespace vfs;

constexpr std::size_t kHeapMax = 64u << 10;

std::string pattern(std::size_t size, unsigned seed = 1) {
    std::string text(size, '\0');
    for (auto& letter : text) {
        seed = seed * 1664525 + 1013904223;
        letter = static_cast<char>(seed >> 24);
    }
    return text;
}

class MemoryFsTest : public testing::Test {
 protected:
    void remake(const MemoryOptions& options) {
        fs_ = make_memory_fs(options);
        root_client_.emplace(*fs_, 0, 0);
    }
    MemoryFsTest() { remake({}); }
    ClientForTest& superuser() { return *root_client_; }

    std::shared_ptr<FileSystem> fs_;
    std::optional<ClientForTest> root_client_;
};

TEST_F(MemoryFsTest, HasItsInitialContent) {
    MemoryOptions options;
    options.root_uid = 7;
    options.add_file("hello.txt", "hello").add_file("/deep/er//file", "x").add_file("deep/b", "");
    remake(options);
    auto& c = superuser();
    EXPECT_EQ(c.read(c.lookup(c.root(), "hello.txt")), "hello");
    const auto deep = c.lookup(c.root(), "deep");
    EXPECT_EQ(c.found.attributes.links, 3u);
    EXPECT_EQ(c.found.attributes.uid, 7u);
    EXPECT_EQ(c.read(c.lookup(c.lookup(deep, "er"), "file")), "x");
    c.lookup(deep, "b");
    EXPECT_EQ(c.status, Status::ok);
}

TEST_F(MemoryFsTest, RefusesInitialContentThatCannotBe) {
    for (const char* path : {"", "/", "a/..", "./b", "a/b/c", "a"}) {
        MemoryOptions options;
        options.add_file("a", "a file").add_file(path, "");
        EXPECT_THROW(make_memory_fs(options), std::invalid_argument) << path;
    }
    MemoryOptions full;
    full.bytes_max = 4096;
    full.add_file("a", std::string(5000, 'x'));
    EXPECT_THROW(make_memory_fs(full), std::invalid_argument);
}

TEST_F(MemoryFsTest, KnowsItsOwnIdsOnly) {
    const auto before = superuser().create(superuser().root(), "a");
    const auto old_root = superuser().root();
    remake({});
    auto& c = superuser();
    EXPECT_NE(c.root(), old_root);
    c.create(c.root(), "a");
    for (const FileId& id : {before, old_root, FileId{}}) {
        c.attributes(id);
        EXPECT_EQ(c.status, Status::stale);
    }
    FileId longer = c.root();
    ++longer.size;
    c.attributes(longer);
    EXPECT_EQ(c.status, Status::stale);
}

TEST_F(MemoryFsTest, SaysTheVerifierItIsGiven) {
    MemoryOptions options;
    options.start_verifier = 42;
    EXPECT_EQ(make_memory_fs(options)->write_verifier(), 42u);
    EXPECT_NE(make_memory_fs()->write_verifier(), make_memory_fs()->write_verifier());
}

TEST_F(MemoryFsTest, MovesGrowingFilesOffTheHeapUnchanged) {
    auto& c = superuser();
    const auto file = c.create(c.root(), "a");
    const std::string text = pattern(3 * kHeapMax);
    // At the limit, and one byte to each side.
    for (const std::size_t cut : {kHeapMax - 1, kHeapMax, kHeapMax + 1}) {
        c.truncate(file, 0);
        c.write(file, 0, std::string_view{text}.substr(0, cut));
        EXPECT_EQ(c.read(file), text.substr(0, cut)) << cut;
        c.write(file, cut, std::string_view{text}.substr(cut));
        EXPECT_EQ(c.read(file), text) << cut;
        EXPECT_EQ(c.attributes(file).used, 3 * kHeapMax);
    }
    c.truncate(file, 100);
    EXPECT_EQ(c.read(file), text.substr(0, 100));
    c.truncate(file, 2 * kHeapMax);
    EXPECT_EQ(c.read(file), text.substr(0, 100) + std::string(2 * kHeapMax - 100, '\0'));
}

TEST_F(MemoryFsTest, SendsLongPiecesOfLargeFilesAsFiles) {
    auto& c = superuser();
    const auto file = c.create(c.root(), "a");
    const std::string text = pattern(1u << 20);
    c.write(file, 0, text);
    struct {
        std::uint64_t offset;
        std::uint32_t count;
        bool as_file;
    } const cases[] = {{0, 1u << 20, true}, {5, 32u << 10, true}, {0, (32u << 10) - 1, false}};
    for (const auto& the : cases) {
        MemoryForTest memory;
        ReadOut out;
        ASSERT_EQ(fs_->read(c.caller(), file, the.offset, the.count, memory, out), Status::ok);
        EXPECT_EQ(as_text(out.data), text.substr(the.offset, the.count));
        EXPECT_EQ(memory.sent_as_file > 0, the.as_file) << the.count;
        EXPECT_EQ(memory.taken == 0, the.as_file) << the.count;
    }
    // If files cannot be sent, the bytes are read.
    EXPECT_EQ(c.read(file, 0, 1u << 20, false), text);
    EXPECT_TRUE(c.end);
}

TEST_F(MemoryFsTest, BytesBeingSentOutliveTheirFile) {
    auto& c = superuser();
    const auto file = c.create(c.root(), "a");
    const std::string text = pattern(1u << 20);
    c.write(file, 0, text);
    // Keeps the descriptor instead of reading at once, as a connection does.
    struct Later final : Memory {
        std::span<std::byte> take(std::size_t) override { return {}; }
        ByteView borrow(ByteView, std::shared_ptr<const void>) override { return {}; }
        Payload file(int descriptor, std::uint64_t offset, std::size_t size,
                     std::shared_ptr<const void> its_owner) override {
            piece = {descriptor, offset};
            owner = std::move(its_owner);
            return {piece, size};
        }
        FilePiece piece;
        std::shared_ptr<const void> owner;
    } later;
    ReadOut out;
    ASSERT_EQ(fs_->read(c.caller(), file, 0, 1u << 20, later, out), Status::ok);
    ASSERT_EQ(c.remove(c.root(), "a"), Status::ok);
    std::vector<std::byte> got(text.size());
    ASSERT_EQ(out.data.size(), got.size());
    ASSERT_TRUE(out.data.copy_to(got.data()));
    EXPECT_EQ(as_text(got), text);
}

TEST_F(MemoryFsTest, SaysWhenItGetsNoMemoryToReadInto) {
    auto& c = superuser();
    const auto file = c.create(c.root(), "a");
    c.write(file, 0, "some");
    const auto link = c.symlink(c.root(), "l", "target");
    MemoryForTest memory;
    memory.take_max = 0;
    ReadOut out;
    EXPECT_EQ(fs_->read(c.caller(), file, 0, 4, memory, out), Status::server_fault);
    LinkText text;
    EXPECT_EQ(fs_->read_link(c.caller(), link, memory, text), Status::server_fault);
}

TEST_F(MemoryFsTest, CountsSpaceAndGivesItBack) {
    MemoryOptions options;
    options.bytes_max = 1u << 20;
    remake(options);
    auto& c = superuser();
    const auto file = c.create(c.root(), "a");
    EXPECT_EQ(c.space().bytes_free, 1u << 20);
    c.write(file, 0, "x");
    EXPECT_EQ(c.space().bytes_free, (1u << 20) - 4096);
    c.write(file, 0, pattern(200'000));
    EXPECT_EQ(c.space().bytes_free, (1u << 20) - 200'704);
    // Over existing data.
    c.write(file, 0, pattern(200'000, 2));
    EXPECT_EQ(c.space().bytes_free, (1u << 20) - 200'704);
    c.truncate(file, 4096);
    EXPECT_EQ(c.space().bytes_free, (1u << 20) - 4096);
    c.truncate(file, 0);
    EXPECT_EQ(c.space().bytes_free, 1u << 20);
    c.write(file, 0, pattern(300'000));
    c.link(file, c.root(), "b");
    c.remove(c.root(), "a");
    EXPECT_LT(c.space().bytes_free, 1u << 20);
    c.remove(c.root(), "b");
    EXPECT_EQ(c.space().bytes_free, 1u << 20);
    c.symlink(c.root(), "long", std::string(1000, 't'));
    EXPECT_EQ(c.space().bytes_free, (1u << 20) - 4096);
    c.remove(c.root(), "long");
    EXPECT_EQ(c.space().bytes_free, 1u << 20);
}

TEST_F(MemoryFsTest, IsFullWhenItIsFull) {
    MemoryOptions options;
    options.bytes_max = 256u << 10;
    remake(options);
    auto& c = superuser();
    const auto large = c.create(c.root(), "large");
    const auto small = c.create(c.root(), "small");
    const std::string text = pattern(200u << 10);
    ASSERT_EQ(c.write(large, 0, text), Status::ok);
    EXPECT_EQ(c.write(large, 200u << 10, text), Status::no_space);
    EXPECT_EQ(c.change.after->size, 200u << 10) << "nothing was written";
    EXPECT_EQ(c.read(large), text);
    EXPECT_EQ(c.write(small, 0, std::string(60u << 10, 's')), Status::no_space);
    EXPECT_EQ(c.attributes(small).size, 0u);
    ASSERT_EQ(c.write(small, 0, std::string(56u << 10, 's')), Status::ok);
    EXPECT_EQ(c.space().bytes_available, 0u);
    // Existing data can still be overwritten, and holes cost nothing.
    EXPECT_EQ(c.write(large, 0, pattern(200u << 10, 3)), Status::ok);
    EXPECT_EQ(c.write(small, 10, "over"), Status::ok);
    EXPECT_EQ(c.truncate(large, std::uint64_t{1} << 40), Status::ok);
    EXPECT_EQ(c.write(large, std::uint64_t{1} << 39, "x"), Status::no_space);
    // An empty file takes no space; a long target does.
    c.create(c.root(), "empty");
    EXPECT_EQ(c.status, Status::ok);
    c.symlink(c.root(), "long", std::string(1000, 't'));
    EXPECT_EQ(c.status, Status::no_space);
    c.symlink(c.root(), "short", "t");
    EXPECT_EQ(c.status, Status::ok);
    c.remove(c.root(), "large");
    EXPECT_EQ(c.space().bytes_free, 200u << 10);
}

TEST_F(MemoryFsTest, HasNoMoreNamesThanItMay) {
    MemoryOptions options;
    options.files_max = 3;
    remake(options);
    auto& c = superuser();
    const auto file = c.create(c.root(), "a");
    c.mkdir(c.root(), "b");
    EXPECT_EQ(c.space().files_free, 1u);
    EXPECT_EQ(c.link(file, c.root(), "c"), Status::ok);
    EXPECT_EQ(c.link(file, c.root(), "d"), Status::no_space);
    c.create(c.root(), "d");
    EXPECT_EQ(c.status, Status::no_space);
    c.mkdir(c.root(), "d");
    EXPECT_EQ(c.status, Status::no_space);
    EXPECT_EQ(c.rename(c.root(), "a", c.root(), "e"), Status::ok);
    EXPECT_EQ(c.remove(c.root(), "c"), Status::ok);
    c.create(c.root(), "d");
    EXPECT_EQ(c.status, Status::ok);
    EXPECT_EQ(c.space().files_free, 0u);
    EXPECT_EQ(c.rename(c.root(), "d", c.root(), "e"), Status::ok);
    EXPECT_EQ(c.space().files_free, 1u) << "one name replaced another";
}

// Sockets need descriptors too, and the file system must not take them all.
TEST_F(MemoryFsTest, LeavesDescriptorsToOthers) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 40;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    auto& c = superuser();
    int made = 0;
    for (; made < 40; ++made) {
        const auto file = c.create(c.root(), std::to_string(made));
        if (c.write(file, kHeapMax, "x") != Status::ok) break;
    }
    EXPECT_EQ(c.status, Status::no_space);
    EXPECT_EQ(made, 15);  // share_descriptors(40).files
    c.remove(c.root(), "3");
    const auto file = c.create(c.root(), "again");
    EXPECT_EQ(c.write(file, kHeapMax, "x"), Status::ok);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(MemoryFsTest, CookiesOfNamesNeverComeAgain) {
    auto& c = superuser();
    c.create(c.root(), "a");
    c.create(c.root(), "b");
    const auto first = c.list(c.root());
    ASSERT_EQ(first.size(), 4u);
    EXPECT_EQ(first[0].name, ".");
    EXPECT_EQ(first[0].cookie, 1u);
    EXPECT_EQ(first[1].name, "..");
    EXPECT_EQ(first[1].cookie, 2u);
    c.remove(c.root(), "b");
    c.create(c.root(), "b");
    const auto second = c.list(c.root());
    EXPECT_EQ(second[2].cookie, first[2].cookie);
    EXPECT_GT(second[3].cookie, first[3].cookie);
    // A replaced name keeps its position.
    c.rename(c.root(), "b", c.root(), "a");
    const auto third = c.list(c.root());
    ASSERT_EQ(third.size(), 3u);
    EXPECT_EQ(third[2].cookie, first[2].cookie);
    EXPECT_TRUE(c.list(c.root(), UINT64_MAX).empty());
    EXPECT_TRUE(c.listed.end);
}

TEST_F(MemoryFsTest, NothingIsLeftToCommit) {
    auto& c = superuser();
    const auto file = c.create(c.root(), "a");
    c.write(file, 0, "x", Stability::unstable);
    EXPECT_EQ(c.written.stability, Stability::file);
}

}  // namespace
}  // namespace helio::backend::memory_fs_test
