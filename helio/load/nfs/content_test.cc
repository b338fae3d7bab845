#include "helio/load/nfs/content.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace helio::load::nfs::content_test {
namespace {

using Look = Content::Look;

std::vector<std::byte> copied(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

TEST(Content, ARangeIsTheSameHoweverItIsCut) {
    const Content content;
    const ByteView whole = content.range(3, 0, 100'000);
    const ByteView part = content.range(3, 40'000, 20'000);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 40'000));
    // Also where the pattern wraps around.
    const ByteView far = content.range(3, 1'000'000, 200'000);
    const ByteView further = content.range(3, 1'100'000, 1'000);
    EXPECT_TRUE(std::equal(further.begin(), further.end(), far.begin() + 100'000));
}

TEST(Content, BytesOfAnotherPlaceOrFileDiffer) {
    const Content content;
    for (const std::uint64_t offset : {4096ull, 65536ull, 1048576ull, 1ull << 32, 1ull << 40})
        EXPECT_TRUE(content.first_difference(1, 0, content.range(1, offset, 4096), Look::some));
    for (std::uint32_t file = 1; file < 100; ++file)
        EXPECT_TRUE(content.first_difference(0, 0, content.range(file, 0, 4096), Look::some));
    const std::vector<std::byte> zeroes(4096);
    EXPECT_EQ(content.first_difference(0, 0, zeroes, Look::some), 0u);
}

TEST(Content, WhatWasWrittenIsRight) {
    const Content content;
    for (const std::size_t size : {0u, 1u, 31u, 33u, 4096u, 1u << 20, 2u << 20})
        for (const Look look : {Look::all, Look::some})
            EXPECT_FALSE(content.first_difference(7, 12'345, content.range(7, 12'345, size), look))
                << size;
}

TEST(Content, OneWrongByteIsNamed) {
    const Content content;
    auto bytes = copied(content.range(2, 8192, 70'000));
    bytes[50'001] ^= std::byte{1};
    EXPECT_EQ(content.first_difference(2, 8192, bytes, Look::all), 50'001u);
    EXPECT_FALSE(content.first_difference(2, 8192, bytes, Look::some)) << "not looked at";
    bytes.back() ^= std::byte{1};
    EXPECT_EQ(content.first_difference(2, 8192, bytes, Look::some), 69'999u);
    bytes = copied(content.range(2, 8192, 70'000));
    bytes.front() ^= std::byte{1};
    EXPECT_EQ(content.first_difference(2, 8192, bytes, Look::some), 0u);
}

TEST(Content, MoreThanATransferHoldsIsWrongAndNotRead) {
    const Content content;
    const std::vector<std::byte> bytes(kTransferBytesMax + 1);
    EXPECT_EQ(content.first_difference(0, 0, bytes, Look::all), kTransferBytesMax);
}

}  // namespace
}  // namespace helio::load::nfs::content_test
