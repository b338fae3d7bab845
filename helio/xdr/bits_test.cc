#include "helio/xdr/bits.h"

#include <gtest/gtest.h>

#include <vector>

namespace helio::xdr::bits_test {
namespace {

using Set = Bits<87>;

std::vector<std::uint32_t> listed(const Set& bits) {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t bit : bits) out.push_back(bit);
    return out;
}

TEST(Bits, ListsWhatIsSetInOrder) {
    Set bits{86, 0, 33, 31, 32};
    EXPECT_EQ(listed(bits), (std::vector<std::uint32_t>{0, 31, 32, 33, 86}));
    EXPECT_EQ(bits.count(), 5u);
    EXPECT_TRUE(bits.test(86));
    EXPECT_FALSE(bits.test(1));
    EXPECT_FALSE(bits.test(1000));
    bits.reset(86);
    bits.reset(1000);
    EXPECT_EQ(listed(bits), (std::vector<std::uint32_t>{0, 31, 32, 33}));
    bits.clear();
    EXPECT_TRUE(bits.empty());
    EXPECT_EQ(listed(bits), std::vector<std::uint32_t>{});
}

TEST(Bits, AreSets) {
    const Set a{1, 4, 33};
    const Set b{4, 33, 53};
    EXPECT_EQ(a & b, (Set{4, 33}));
    EXPECT_EQ(a | b, (Set{1, 4, 33, 53}));
    EXPECT_EQ(a - b, (Set{1}));
}

// RFC 8881 §3.2: type (1) and size (4) are in the first word, mode (33) in the second.
TEST(Bits, AreWordsOfABitmap) {
    const Set bits{1, 4, 33};
    const auto words = bits.words();
    ASSERT_EQ(words.size(), 2u);
    EXPECT_EQ(words[0], 0x00000012u);
    EXPECT_EQ(words[1], 0x00000002u);
    EXPECT_TRUE(Set{}.words().empty());
    EXPECT_EQ(Set::of(words), bits);
    const std::uint32_t all[] = {~0u, ~0u, ~0u, ~0u};
    EXPECT_EQ(Set::of({all, 4}).count(), 87u);
}

TEST(Bits, TakeWhatIsKnownAndNameTheFirstThatIsNot) {
    const Set known{1, 4, 33};
    const auto take = [&](std::vector<std::uint32_t> words, std::uint32_t unknown,
                          const Set& taken) {
        Set bits{2};  // forgotten
        EXPECT_EQ(bits.take(words, known), unknown);
        EXPECT_EQ(bits, taken);
    };
    take({}, Set::kNone, {});
    take({0x12, 0x2}, Set::kNone, {1, 4, 33});
    take({0x12, 0x2, 0, 0, 0}, Set::kNone, {1, 4, 33});
    take({0x16}, 2, {1, 4});
    take({0x12, 0x3}, 32, {1, 4, 33});
    take({0x2, 0, 0x800000}, 87, {1});
    take({0x2, 0, 0, 0, 0x80000000, 1}, 159, {1});
}

}  // namespace
}  // namespace helio::xdr::bits_test
