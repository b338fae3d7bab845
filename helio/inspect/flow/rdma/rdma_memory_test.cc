#include "helio/inspect/flow/rdma/rdma_memory.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "testing/inspect/packets.h"

namespace helio::inspect::rdma_memory_test {
namespace {

using for_test::Bytes;
using for_test::pattern;

constexpr RdmaMemory::Registration kHere{1, 0x100};
constexpr RdmaMemory::Registration kThere{1, 0x101};

TEST(RdmaMemory, WhatWasPutIsTakenOnce) {
    RdmaMemory memory;
    const Bytes data = pattern(5000);
    memory.put(kHere, 1000, ByteView{data}.first(2000));
    memory.put(kThere, 3000, ByteView{data}.first(100));
    memory.put(kHere, 3000, ByteView{data}.subspan(2000));
    EXPECT_EQ(memory.bytes(), 5100u);
    EXPECT_EQ(memory.known(kHere, 1000, 6000), 5000u);
    EXPECT_EQ(memory.known(kHere, 1500, 20), 20u);
    EXPECT_EQ(memory.known(kHere, 999, 20), 0u);

    Bytes out(5000);
    EXPECT_EQ(memory.take(kHere, 1000, out), 5000u);
    EXPECT_EQ(out, data);
    EXPECT_EQ(memory.take(kHere, 1000, out), 0u);
    EXPECT_EQ(memory.bytes(), 100u);
}

TEST(RdmaMemory, TheLatestCounts) {
    RdmaMemory memory;
    memory.put(kHere, 0, Bytes(100, std::byte{1}));
    memory.put(kHere, 40, Bytes(20, std::byte{2}));
    EXPECT_EQ(memory.bytes(), 100u);
    Bytes out(100);
    EXPECT_EQ(memory.take(kHere, 0, out), 100u);
    EXPECT_EQ(out[39], std::byte{1});
    EXPECT_EQ(out[40], std::byte{2});
    EXPECT_EQ(out[59], std::byte{2});
    EXPECT_EQ(out[60], std::byte{1});
}

TEST(RdmaMemory, TheOldestGoesFirst) {
    RdmaMemory memory{64u << 10};
    std::size_t gone = 0;
    for (std::uint32_t i = 0; i < 100; ++i) gone += memory.put({0, i}, 0, pattern(1000));
    EXPECT_LE(memory.memory(), 64u << 10);
    EXPECT_EQ(gone + memory.bytes(), 100'000u);
    EXPECT_EQ(memory.known({0, 0}, 0, 1000), 0u);
    EXPECT_EQ(memory.known({0, 99}, 0, 1000), 1000u);
    // Too large to fit at all.
    EXPECT_EQ(memory.put({0, 100}, 0, pattern(70'000)), 70'000 + 100'000 - gone);
    EXPECT_EQ(memory.memory(), 0u);
}

TEST(RdmaMemory, TheEndOfAddressesIsNoWayAround) {
    RdmaMemory memory;
    const Bytes data = pattern(16);
    EXPECT_EQ(memory.put(kHere, ~std::uint64_t{0} - 3, data), 0u);
    EXPECT_EQ(memory.bytes(), 0u);
    memory.put(kHere, ~std::uint64_t{0} - 16, data);
    EXPECT_EQ(memory.known(kHere, ~std::uint64_t{0} - 16, 16), 16u);
    Bytes out(16);
    EXPECT_EQ(memory.take(kHere, ~std::uint64_t{0} - 16, out), 16u);
    EXPECT_EQ(out, data);
}

// Compared with the simplest model.
TEST(RdmaMemory, AgreesWithAnArray) {
    std::mt19937 random{7};
    RdmaMemory memory;
    std::vector<std::optional<std::byte>> plain(4096);
    for (int round = 0; round < 5000; ++round) {
        const std::size_t at = random() % 4000;
        const std::size_t size = 1 + random() % 96;
        if (random() % 3 != 0) {
            const Bytes data = pattern(size, static_cast<unsigned>(round));
            memory.put(kHere, at, data);
            for (std::size_t i = 0; i < size; ++i) plain[at + i] = data[i];
            continue;
        }
        std::size_t known = 0;
        while (known < size && plain[at + known]) ++known;
        ASSERT_EQ(memory.known(kHere, at, size), known);
        Bytes expected(size);
        std::size_t found = 0;
        for (std::size_t i = 0; i < size; ++i) {
            if (!plain[at + i]) continue;
            expected[i] = *plain[at + i];
            plain[at + i].reset();
            ++found;
        }
        Bytes out(size);
        ASSERT_EQ(memory.take(kHere, at, out), found);
        ASSERT_EQ(out, expected);
    }
}

}  // namespace
}  // namespace helio::inspect::rdma_memory_test
