#include "helio/backend/posix/listing/dir_stream_internal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace helio::backend::dir_stream_test {
namespace {

namespace fs = std::filesystem;

vfs::FileId directory_id(unsigned number) {
    vfs::FileId id;
    id.size = 4;
    for (unsigned i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::byte>(number >> (8 * i));
    return id;
}

constexpr vfs::Time kDirChanged{1'000, 1};
constexpr vfs::Time kDirChangedLater{1'000, 2};

class DirStreamTest : public testing::Test {
 protected:
    DirStreamTest() {
        std::string name = (fs::temp_directory_path() / "helio-streams-XXXXXX").string();
        top = mkdtemp(name.data());
        path = Fd{open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    }
    ~DirStreamTest() override { fs::remove_all(top); }

    void fill(int count) {
        for (int i = 0; i < count; ++i) std::ofstream(top / ("file" + std::to_string(i)));
    }
    // A stream that has read a chunk after the cookie.
    std::unique_ptr<DirStream> stream(unsigned directory, std::uint64_t cookie = 0,
                                      std::size_t bytes = kChunkBytesMax) {
        auto made = std::make_unique<DirStream>();
        EXPECT_TRUE(made->open(directory_id(directory), path.get()));
        EXPECT_TRUE(made->read(cookie, bytes, kDirChanged));
        return made;
    }
    std::unique_ptr<DirStream> take(unsigned directory, std::uint64_t cookie = 0,
                                    const vfs::Time& changed = kDirChanged) {
        return streams.take(directory_id(directory), cookie, changed, placed);
    }

    fs::path top;
    Fd path;
    DirStreams streams;
    bool placed = false;
};

TEST_F(DirStreamTest, ReadsAllInChunksOfAnySize) {
    fill(500);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1'000}, kChunkBytesMax, SIZE_MAX}) {
        DirStream one;
        ASSERT_TRUE(one.open(directory_id(1), path.get()));
        std::set<std::string> names;
        std::uint64_t cookie = 0;
        do {
            ASSERT_TRUE(one.read(cookie, bytes, std::nullopt));
            for (const DirEntry& entry : one.entries) {
                const std::string name = one.name(entry);
                EXPECT_EQ(name.size(), entry.name_size);
                EXPECT_TRUE(names.insert(name).second) << name;
                cookie = entry.cookie;
            }
        } while (!one.at_end);
        EXPECT_EQ(names.size(), 502u);
    }
}

TEST_F(DirStreamTest, FindsEveryPlaceOfItsChunk) {
    fill(20);
    auto one = stream(1);
    ASSERT_EQ(one->entries.size(), 22u);
    EXPECT_TRUE(one->at_end);
    EXPECT_TRUE(one->go_to(0, kDirChanged));
    EXPECT_EQ(one->position, 0u);
    for (std::size_t i = 0; i < 22; ++i) {
        EXPECT_TRUE(one->go_to(one->entries[i].cookie, kDirChanged));
        EXPECT_EQ(one->position, i + 1);
    }
    EXPECT_FALSE(one->go_to(12'345, kDirChanged));
    EXPECT_FALSE(one->go_to(0, kDirChangedLater)) << "the directory has changed";
}

TEST_F(DirStreamTest, DoesNotReuseChunksOfAnUnsettledDirectory) {
    fill(5);
    DirStream one;
    ASSERT_TRUE(one.open(directory_id(1), path.get()));
    ASSERT_TRUE(one.read(0, kChunkBytesMax, std::nullopt));
    EXPECT_FALSE(one.go_to(0, kDirChanged));
}

TEST_F(DirStreamTest, ClearsConfirmationsWhenMountsChange) {
    fill(5);
    auto one = stream(1);
    one->set_mounts(1);
    one->entries[3].confirmed = true;
    one->set_mounts(1);
    EXPECT_TRUE(one->entries[3].confirmed);
    one->set_mounts(2);
    EXPECT_FALSE(one->entries[3].confirmed);
}

TEST_F(DirStreamTest, IsTakenByOneAtATime) {
    fill(5);
    streams.put(stream(1), 1);
    auto first = take(1);
    ASSERT_TRUE(first);
    EXPECT_TRUE(placed);
    EXPECT_FALSE(take(1));
    streams.put(std::move(first), 1);
    EXPECT_FALSE(take(2)) << "another directory";
    EXPECT_TRUE(take(1));
}

// A stream with an outdated chunk is reused; one with a current chunk is left to others.
TEST_F(DirStreamTest, ReusesOutdatedStreams) {
    fill(200);
    auto one = stream(1, 0, 1'000);
    ASSERT_FALSE(one->at_end);
    const std::uint64_t last = one->entries.back().cookie;
    const DirStream* const same = one.get();
    streams.put(std::move(one), 1);
    EXPECT_FALSE(take(1, last)) << "open another one to continue after the chunk";
    auto taken = take(1, last, kDirChangedLater);
    EXPECT_EQ(taken.get(), same);
    EXPECT_FALSE(placed);
    EXPECT_TRUE(taken->is_positioned_at(last));
}

TEST_F(DirStreamTest, StreamsPerDirectoryAreLimited) {
    fill(2'000);
    std::uint64_t cookie = 0;
    for (std::size_t i = 0; i < kStreamsPerDirectoryMax; ++i) {
        EXPECT_FALSE(take(1, cookie)) << i;
        auto one = stream(1, cookie, 1'000);
        cookie = one->entries.back().cookie;
        streams.put(std::move(one), 1);
    }
    // At the limit, the stream that is already positioned there is reused.
    auto last = take(1, cookie);
    ASSERT_TRUE(last);
    EXPECT_FALSE(placed);
    EXPECT_TRUE(last->is_positioned_at(cookie));
    streams.put(std::move(last), 1);
    // For any other place it is the least recently used one.
    auto oldest = take(1, 12'345);
    ASSERT_TRUE(oldest);
    EXPECT_TRUE(oldest->go_to(0, kDirChanged)) << "the first of them";
}

TEST_F(DirStreamTest, StreamsAreLimitedInTotal) {
    fill(1);
    constexpr unsigned kMany = 2 * kStreamShards * kStreamsPerShardMax;
    for (unsigned i = 0; i < kMany; ++i) streams.put(stream(i), 1);
    std::size_t kept = 0;
    for (unsigned i = 0; i < kMany; ++i)
        if (take(i)) ++kept;
    EXPECT_EQ(kept, kStreamShards * kStreamsPerShardMax);
}

TEST_F(DirStreamTest, EvictsTheLeastRecentlyUsed) {
    fill(1);
    std::vector<unsigned> same_shard;  // directories of one shard
    const auto shard = [](unsigned i) {
        return std::hash<vfs::FileId>{}(directory_id(i)) % kStreamShards;
    };
    for (unsigned i = 0; same_shard.size() < kStreamsPerShardMax + 1; ++i)
        if (shard(i) == shard(0)) same_shard.push_back(i);
    for (std::size_t i = 0; i < kStreamsPerShardMax; ++i) streams.put(stream(same_shard[i]), 1);
    streams.put(take(same_shard[0]), 1);
    streams.put(stream(same_shard.back()), 1);
    EXPECT_TRUE(take(same_shard[0]));
    EXPECT_FALSE(take(same_shard[1]));
    EXPECT_TRUE(take(same_shard.back()));
}

TEST_F(DirStreamTest, ClosesIdleStreams) {
    fill(1);
    streams.put(stream(1), 10);
    streams.put(stream(2), 11);
    streams.close_older_than(11);
    EXPECT_FALSE(take(1));
    EXPECT_TRUE(take(2));
    // Also after the clock has wrapped around.
    streams.put(stream(3), UINT32_MAX);
    streams.put(stream(4), 2);
    streams.close_older_than(1);
    EXPECT_FALSE(take(3));
    EXPECT_TRUE(take(4));
}

}  // namespace
}  // namespace helio::backend::dir_stream_test
