#include "helio/virt/host/storage/content.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::virt::host::content_test {
namespace {

std::string bytes_at(const VolumeContent& content, std::uint64_t offset, std::size_t size) {
    std::vector<std::byte> into(size, std::byte{0xee});
    into.resize(content.read(offset, into));
    return std::string(as_text(into));
}

TEST(VolumeContent, ReadsZerosWhereNothingWasWritten) {
    VolumeContent content(10'000, std::make_shared<ContentBudget>());
    EXPECT_EQ(content.write(5000, as_bytes("hello")), 5U);
    EXPECT_EQ(bytes_at(content, 4998, 9), std::string("\0\0hello\0\0", 9));
    EXPECT_EQ(bytes_at(content, 9'990, 100).size(), 10U);
    EXPECT_EQ(bytes_at(content, 10'000, 1).size(), 0U);
    EXPECT_EQ(content.allocation(), kVolumePageSize);
}

TEST(VolumeContent, TakesNoByteBehindItsCapacity) {
    VolumeContent content(5000, std::make_shared<ContentBudget>());
    EXPECT_EQ(content.write(4998, as_bytes("hello")), 2U);
    EXPECT_EQ(content.write(5000, as_bytes("hello")), 0U);
    EXPECT_EQ(content.write(~std::uint64_t{0}, as_bytes("hello")), 0U);
}

TEST(VolumeContent, StopsAtTheBudgetAndGivesItBack) {
    const auto budget = std::make_shared<ContentBudget>(2 * kVolumePageSize);
    const std::vector<std::byte> three(3 * kVolumePageSize, std::byte{1});
    {
        VolumeContent content(1 << 20, budget);
        EXPECT_EQ(content.write(0, three), 2 * kVolumePageSize);
        content.punch(0, kVolumePageSize);
        EXPECT_EQ(budget->used(), kVolumePageSize);
    }
    EXPECT_EQ(budget->used(), 0U);
}

TEST(VolumeContent, WhatShrankAwayDoesNotComeBack) {
    VolumeContent content(10'000, std::make_shared<ContentBudget>());
    EXPECT_EQ(content.write(0, as_bytes(std::string(10'000, 'x'))), 10'000U);
    content.resize(100);
    content.resize(10'000);
    EXPECT_EQ(bytes_at(content, 98, 4), std::string("xx\0\0", 4));
    EXPECT_EQ(bytes_at(content, 9000, 1), std::string(1, '\0'));
}

// Compared with a string: any order of writes, holes and reads.
TEST(VolumeContent, IsAsAnArrayOfBytes) {
    constexpr std::size_t kSize = 40'000;
    VolumeContent content(kSize, std::make_shared<ContentBudget>());
    std::string plain(kSize, '\0');
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
        const std::size_t at = random() % kSize;
        const std::size_t size = std::min<std::size_t>(random() % 9000, kSize - at);
        if (random() % 3 == 0) {
            content.punch(at, size);
            plain.replace(at, size, size, '\0');
        } else {
            const std::string piece(size, static_cast<char>('a' + round % 26));
            ASSERT_EQ(content.write(at, as_bytes(piece)), size);
            plain.replace(at, size, piece);
        }
        const std::size_t from = random() % kSize;
        ASSERT_EQ(bytes_at(content, from, 5000), plain.substr(from, 5000));
        // Extents cover everything, and holes are zeros.
        std::uint64_t where = from;
        while (const std::uint64_t length = content.extent(where).size) {
            if (!content.extent(where).data) {
                const std::size_t next = plain.find_first_not_of('\0', where);
                ASSERT_TRUE(next == std::string::npos || next >= where + length);
            }
            where += length;
        }
        ASSERT_EQ(where, kSize);
    }
}

}  // namespace
}  // namespace helio::virt::host::content_test
