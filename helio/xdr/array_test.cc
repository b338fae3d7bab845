#include "helio/xdr/array.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "helio/xdr/wire.h"
#include "testing/xdr/bytes.h"

namespace helio::xdr::array_test {
namespace {

TEST(Array, BorrowsFromAnyContainer) {
    const std::vector<int> items{1, 2, 3};
    const Array<int> array = items;
    EXPECT_EQ(array.data(), items.data());
    EXPECT_EQ(array.size(), 3u);
    EXPECT_EQ(array[2], 3);
    EXPECT_EQ(array.end() - array.begin(), 3);
    EXPECT_TRUE(Array<int>{}.empty());
}

TEST(Same, ComparesWhatViewsPointAt) {
    const std::vector<int> one{1, 2, 3}, equal{1, 2, 3}, shorter{1, 2}, other{1, 2, 4};
    EXPECT_TRUE(same(Array<int>{one}, Array<int>{equal}));
    EXPECT_FALSE(same(Array<int>{one}, Array<int>{shorter}));
    EXPECT_FALSE(same(Array<int>{one}, Array<int>{other}));
    EXPECT_TRUE(same(Array<int>{}, Array<int>{}));

    const Bytes bytes = hex("0102"), copy = hex("0102"), longer = hex("010203");
    EXPECT_TRUE(same(ByteView{bytes}, ByteView{copy}));
    EXPECT_FALSE(same(ByteView{bytes}, ByteView{longer}));
    EXPECT_TRUE(same(ByteView{}, ByteView{}));

    const int a = 1, b = 1, c = 2;
    const int *const to_a = &a, *const to_b = &b, *const to_c = &c, *const none = nullptr;
    EXPECT_TRUE(same(to_a, to_b));
    EXPECT_FALSE(same(to_a, to_c));
    EXPECT_FALSE(same(to_a, none));
    EXPECT_TRUE(same(none, none));

    EXPECT_TRUE(same(std::optional<int>{}, std::optional<int>{}));
    EXPECT_FALSE(same(std::optional<int>{}, std::optional<int>{0}));
    EXPECT_FALSE(same(std::optional<int>{1}, std::optional<int>{0}));
}

// A NaN is itself after a round trip; the two zeros are two values.
TEST(Same, ComparesFloatingPointByBits) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(same(nan, nan));
    EXPECT_FALSE(same(0.0, -0.0));
    EXPECT_FALSE(same(0.0f, -0.0f));
    const std::vector<float> nans{std::numeric_limits<float>::quiet_NaN()};
    EXPECT_TRUE(same(Array<float>{nans}, Array<float>{nans}));
}

TEST(Wire, IsBigEndian) {
    const Bytes bytes = hex("0102030405060708");
    EXPECT_EQ(load_u32(bytes.data()), 0x01020304u);
    EXPECT_EQ(load_u64(bytes.data()), 0x0102030405060708u);
    EXPECT_EQ(load_u32(bytes.data() + 1), 0x02030405u) << "any address will do";
    EXPECT_EQ(load_i32(hex("fffffffe").data()), -2);
    EXPECT_EQ(load_i64(hex("fffffffffffffffe").data()), -2);
    Bytes out(12);
    store_u32(out.data(), 0xa1b2c3d4);
    store_i64(out.data() + 4, -2);
    EXPECT_EQ(to_hex(out), "a1b2c3d4fffffffffffffffe");
}

TEST(Wire, RunsOfWords) {
    for (std::size_t count = 0; count < 10; ++count) {
        Bytes wire(count * 4 + 4, std::byte{0xee});
        std::vector<std::uint32_t> words(count + 1, 0x5a5a5a5a);
        for (std::size_t i = 0; i < count * 4; ++i) wire[i] = static_cast<std::byte>(i);
        load_words(words.data(), wire.data(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(words[i], load_u32(wire.data() + i * 4));
        EXPECT_EQ(words[count], 0x5a5a5a5au) << "nothing behind the run is touched";
        Bytes back(wire.size(), std::byte{0xee});
        store_words(back.data(), words.data(), count);
        EXPECT_EQ(back, wire);
    }
}

}  // namespace
}  // namespace helio::xdr::array_test
