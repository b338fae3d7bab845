#include "helio/frame/length_word.h"

#include <gtest/gtest.h>

#include "testing/xdr/bytes.h"

namespace helio::frame::length_word_test {
namespace {

using xdr::Bytes;
using xdr::hex;

Bytes message(std::uint32_t length) {
    Bytes out = xdr::word(length);
    out.resize(length, std::byte{0x5a});
    return out;
}

TEST(LengthWord, AMessageIsUsedInPlace) {
    Bytes bytes = message(30);
    xdr::append(bytes, hex("0000001c 01"));
    const Cut cut = LengthWord::cut(bytes);
    ASSERT_EQ(cut.kind, CutKind::message);
    EXPECT_EQ(cut.consumed, 30u);
    EXPECT_EQ(cut.message.data(), bytes.data() + 4);
    EXPECT_EQ(cut.message.size(), 26u);

    const Cut rest = LengthWord::cut(ByteView{bytes}.subspan(cut.consumed));
    EXPECT_EQ(rest.kind, CutKind::more);
    EXPECT_EQ(rest.consumed, 0u);
    EXPECT_EQ(rest.wanted, 28u);
}

TEST(LengthWord, EveryPrefixWantsMore) {
    const Bytes bytes = message(40);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const Cut cut = LengthWord::cut(ByteView{bytes}.first(size));
        EXPECT_EQ(cut.kind, CutKind::more);
        EXPECT_EQ(cut.wanted, size < 4 ? 4u : 40u);
        EXPECT_EQ(cut.consumed, 0u);
    }
}

TEST(LengthWord, TheLimitsAreLibvirts) {
    for (const std::uint32_t length : {0u, 4u, 27u, 33'554'437u, 0x80000000u, 0xffffffffu}) {
        const Cut cut = LengthWord::cut(xdr::word(length));
        EXPECT_EQ(cut.kind, CutKind::broken) << length;
        EXPECT_EQ(cut.fault, FrameFault::bad_length);
        EXPECT_EQ(cut.got, length);
    }
    for (const std::uint32_t length : {28u, 33'554'436u}) {
        const Cut cut = LengthWord::cut(xdr::word(length));
        EXPECT_EQ(cut.kind, CutKind::more) << length;
        EXPECT_EQ(cut.wanted, length);
    }
    EXPECT_EQ(to_text(LengthWord::cut(xdr::word(27))), "a message of 27 bytes; the least is 28");
    EXPECT_EQ(to_text(LengthWord::cut(xdr::word(33'554'437))),
              "a message of 33554437 bytes; the limit is 33554436");
}

TEST(LengthWord, TheWordCountsItself) {
    Bytes word(4);
    LengthWord::store(word.data(), 24);
    EXPECT_EQ(xdr::to_hex(word), "0000001c");
}

}  // namespace
}  // namespace helio::frame::length_word_test
