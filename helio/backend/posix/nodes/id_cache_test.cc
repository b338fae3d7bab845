#include "helio/backend/posix/nodes/id_cache_internal.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <initializer_list>
#include <thread>
#include <vector>

namespace helio::backend::id_cache_test {
namespace {

vfs::FileId id_of(std::initializer_list<int> bytes) {
    vfs::FileId id;
    for (const int one : bytes) id.bytes[id.size++] = static_cast<std::byte>(one);
    return id;
}

constexpr std::uint64_t kSmall = 0x0a0b0c0d;
constexpr std::uint64_t kLarge = 0x0102030405060708;

// Ids as Linux file systems produce them: form, handle type, handle.
const std::vector<std::pair<std::uint64_t, vfs::FileId>>& cacheable() {
    static const std::vector<std::pair<std::uint64_t, vfs::FileId>> list = {
        // ext4: inode, generation
        {kSmall, id_of({1, 1, 0x0d, 0x0c, 0x0b, 0x0a, 0x44, 0x33, 0x22, 0x11})},
        // tmpfs: generation, inode in two halves
        {kLarge, id_of({1, 1, 0x44, 0x33, 0x22, 0x11, 8, 7, 6, 5, 4, 3, 2, 1})},
        // xfs with large inode numbers: inode, generation
        {kLarge, id_of({1, 0x81, 8, 7, 6, 5, 4, 3, 2, 1, 0x44, 0x33, 0x22, 0x11})},
        // our own form: no device tag, inode, generation of 64 bits
        {kLarge, id_of({2, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 9, 9, 9, 9, 0x44, 0x33, 0x22, 0x11})}};
    return list;
}

constexpr vfs::Time kFileChanged{1'700'000'000, 123'456'789};

TEST(IdCache, ReturnsWhatWasPut) {
    for (const auto& [inode, id] : cacheable()) {
        IdCache cache;
        vfs::FileId found;
        EXPECT_FALSE(cache.find(inode, kFileChanged, found));
        cache.put(inode, kFileChanged, id);
        ASSERT_TRUE(cache.find(inode, kFileChanged, found));
        EXPECT_EQ(found, id);
    }
}

// A file that reuses the inode has another change time.
TEST(IdCache, TellsFilesWithTheSameInodeApart) {
    for (const auto& [inode, id] : cacheable()) {
        IdCache cache;
        cache.put(inode, kFileChanged, id);
        vfs::FileId found;
        EXPECT_FALSE(
            cache.find(inode, {kFileChanged.seconds, kFileChanged.nanoseconds + 1}, found));
        EXPECT_FALSE(
            cache.find(inode, {kFileChanged.seconds + 1, kFileChanged.nanoseconds}, found));
        EXPECT_FALSE(
            cache.find(inode, {kFileChanged.seconds - 1, kFileChanged.nanoseconds}, found));
        EXPECT_FALSE(cache.find(inode, {}, found));
        EXPECT_FALSE(cache.find(inode + kIdsCachedMax, kFileChanged, found)) << "the same slot";
        EXPECT_TRUE(cache.find(inode, kFileChanged, found));
        // Only the last one is cached.
        const vfs::Time later{kFileChanged.seconds + 5, 0};
        cache.put(inode, later, id);
        EXPECT_TRUE(cache.find(inode, later, found));
        EXPECT_FALSE(cache.find(inode, kFileChanged, found));
    }
}

TEST(IdCache, RejectsOtherLayouts) {
    const auto other_inode = id_of({1, 1, 0x0e, 0x0c, 0x0b, 0x0a, 0x44, 0x33, 0x22, 0x11});
    const auto other_type = id_of({1, 2, 0x0d, 0x0c, 0x0b, 0x0a, 0x44, 0x33, 0x22, 0x11});
    const auto longer = id_of({1, 1, 0x0d, 0x0c, 0x0b, 0x0a, 0x44, 0x33, 0x22, 0x11, 0});
    const auto tagged =
        id_of({2, 0, 1, 0, 0x0d, 0x0c, 0x0b, 0x0a, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
    for (const auto& id : {other_inode, other_type, longer, tagged, vfs::FileId{}}) {
        IdCache cache;
        cache.put(kSmall, kFileChanged, id);
        vfs::FileId found;
        EXPECT_FALSE(cache.find(kSmall, kFileChanged, found));
    }
}

// Threads that write the same slot never produce a mixture of two ids.
TEST(IdCache, SurvivesConcurrentWriters) {
    IdCache cache;
    constexpr std::size_t kWriters = 3;
    const auto id_number = [](std::uint8_t number) {
        return id_of({1, 1, 0x0d, 0x0c, 0x0b, 0x0a, number, number, number, number});
    };
    std::atomic<bool> done = false;
    std::vector<std::thread> writers;
    for (std::size_t i = 1; i <= kWriters; ++i)
        writers.emplace_back([&, i] {
            const auto number = static_cast<std::uint8_t>(i);
            while (!done) cache.put(kSmall, {static_cast<std::int64_t>(i), 0}, id_number(number));
        });
    for (int round = 0; round < 300'000; ++round)
        for (std::size_t i = 1; i <= kWriters; ++i) {
            vfs::FileId found;
            if (cache.find(kSmall, {static_cast<std::int64_t>(i), 0}, found)) {
                ASSERT_EQ(found, id_number(static_cast<std::uint8_t>(i)));
            }
        }
    done = true;
    for (std::thread& one : writers) one.join();
}

}  // namespace
}  // namespace helio::backend::id_cache_test
