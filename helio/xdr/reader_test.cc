#include "helio/xdr/reader.h"

#include <gtest/gtest.h>

#include "helio/xdr/plain.h"
#include "testing/xdr/begin.h"
#include "testing/xdr/bytes.h"

namespace helio::xdr::reader_test {
namespace {

DecodeError truncated_at(std::uint32_t offset, std::uint32_t needed, std::uint32_t there) {
    return {offset, Fault::truncated, needed, there};
}

TEST(Reader, NoBytesAreAMessageToo) {
    Arena arena;
    for (const Mode mode : {Mode::lenient, Mode::strict}) {
        Reader in{ByteView{}, arena, mode};
        EXPECT_TRUE(in.ready(0)) << "nothing is there, which is not a failure";
        EXPECT_TRUE(in.finish());
        EXPECT_TRUE(in.rest().empty());
        EXPECT_EQ(begin(in, 4), nullptr);
        EXPECT_EQ(in.error(), truncated_at(0, 4, 0));
        EXPECT_FALSE(in.finish());
    }
}

TEST(Reader, ReadsOneValueBehindAnother) {
    const Bytes bytes =
        hex("ffffffff"            // int -1
            "fedcba9876543210"    // unsigned hyper
            "00000001"            // bool
            "00000003 616263 00"  // string "abc"
            "3f800000"            // float 1
            "bff0000000000000");  // double -1
    Arena arena;
    Reader in{bytes, arena, Mode::strict};
    std::int32_t number;
    std::uint64_t large;
    bool yes;
    std::string_view text;
    float one;
    double minus_one;
    ASSERT_TRUE(decode_plain(in, number));
    EXPECT_EQ(in.consumed(), 4u);
    ASSERT_TRUE(decode_plain(in, large));
    EXPECT_EQ(in.consumed(), 12u);
    ASSERT_TRUE(decode_plain(in, yes));
    ASSERT_TRUE(decode_plain(in, text));
    EXPECT_EQ(in.consumed(), 24u);
    ASSERT_TRUE(decode_plain(in, one));
    EXPECT_EQ(in.rest().size(), 8u);
    EXPECT_EQ(in.rest().data(), bytes.data() + 28);
    ASSERT_TRUE(decode_plain(in, minus_one));
    EXPECT_TRUE(in.finish());

    EXPECT_EQ(number, -1);
    EXPECT_EQ(large, 0xfedcba9876543210u);
    EXPECT_TRUE(yes);
    EXPECT_EQ(text, "abc");
    EXPECT_EQ(one, 1.0f);
    EXPECT_EQ(minus_one, -1.0);
    EXPECT_EQ(arena.bytes_held(), 0u) << "strings are views, scalars are values";
}

TEST(Reader, OpaqueIsAViewOfTheInput) {
    for (std::uint32_t size = 0; size < 40; ++size) {
        Bytes bytes = word(size);
        bytes.resize(4 + size, std::byte{0xee});
        bytes.resize(padded(bytes.size()));
        Arena arena;
        Reader in{bytes, arena, Mode::strict};
        ByteView body;
        ASSERT_TRUE(decode_plain(in, body)) << size;
        EXPECT_EQ(body.data(), bytes.data() + 4);
        EXPECT_EQ(body.size(), size);
        EXPECT_TRUE(in.finish());
    }
}

TEST(Reader, StringsAreCountedNotTerminated) {
    const Bytes bytes = hex("00000005 6100622f00 000000");
    Arena arena;
    Reader in{bytes, arena, Mode::strict};
    std::string_view text;
    ASSERT_TRUE(decode_plain(in, text));
    EXPECT_EQ(text, std::string_view("a\0b/\0", 5));
}

TEST(Reader, PaddingCountsOnlyInStrictMode) {
    // The last body byte and each of the three padding bytes, alone not zero.
    const struct {
        const char* bytes;
        std::uint32_t size;
        bool strict_accepts;
    } rows[] = {
        {"00000001 ff000000", 1, true},  {"00000001 00010000", 1, false},
        {"00000001 00000100", 1, false}, {"00000001 00000001", 1, false},
        {"00000002 ffff0000", 2, true},  {"00000002 00000100", 2, false},
        {"00000003 00000080", 3, false}, {"00000004 ffffffff", 4, true},
    };
    for (const auto& row : rows) {
        const Bytes bytes = hex(row.bytes);
        Arena arena;
        ByteView body;
        Reader lenient{bytes, arena};
        EXPECT_TRUE(decode_plain(lenient, body)) << row.bytes;
        EXPECT_EQ(body.size(), row.size);

        Reader strict{bytes, arena, Mode::strict};
        EXPECT_EQ(decode_plain(strict, body), row.strict_accepts) << row.bytes;
        if (!row.strict_accepts) {
            EXPECT_EQ(strict.error(), (DecodeError{4 + row.size, Fault::bad_padding, 0, 0}));
        }
    }
}

TEST(Reader, MissingPaddingIsTruncationInBothModes) {
    for (const Mode mode : {Mode::lenient, Mode::strict}) {
        for (const char* const text : {"00000001 61", "00000002 6162", "00000003 616263",
                                       "00000001 610000", "00000005 6162636465 0000"}) {
            const Bytes bytes = hex(text);
            Arena arena;
            Reader in{bytes, arena, mode};
            std::string_view body;
            EXPECT_FALSE(decode_plain(in, body)) << text;
            EXPECT_EQ(in.error().fault, Fault::truncated);
            EXPECT_EQ(in.error().offset, bytes.size());
        }
    }
}

TEST(Reader, TrailingBytesCountOnlyInStrictMode) {
    for (std::uint32_t trailing = 0; trailing < 9; ++trailing) {
        Bytes bytes = word(7);
        bytes.resize(4 + trailing);
        Arena arena;
        std::uint32_t value;
        Reader lenient{bytes, arena};
        ASSERT_TRUE(decode_plain(lenient, value));
        EXPECT_TRUE(lenient.finish());
        EXPECT_EQ(lenient.rest().size(), trailing);

        Reader strict{bytes, arena, Mode::strict};
        ASSERT_TRUE(decode_plain(strict, value));
        EXPECT_EQ(strict.finish(), trailing == 0);
        if (trailing != 0) {
            EXPECT_EQ(strict.error(), (DecodeError{4, Fault::trailing_bytes, trailing, 0}));
        }
    }
}

TEST(Reader, TheFirstFaultStays) {
    const Bytes bytes = hex("00000002 00000001");
    Arena arena;
    Reader in{bytes, arena, Mode::strict};
    bool flag;
    EXPECT_FALSE(decode_plain(in, flag));
    const DecodeError first{0, Fault::bad_bool, 2, 1};
    EXPECT_EQ(in.error(), first);

    EXPECT_EQ(begin(in, 4), nullptr) << "a Reader that has failed stays failed";
    EXPECT_TRUE(in.rest().empty());
    EXPECT_EQ(in.fail(Fault::too_deep, bytes.data() + 4, 1, 2), nullptr);
    EXPECT_FALSE(in.finish());
    EXPECT_EQ(in.error(), first);

    in.restart(ByteView{bytes}.subspan(4));
    EXPECT_TRUE(decode_plain(in, flag) && in.finish()) << "the next message is another one";
    EXPECT_TRUE(flag);
}

// The certain run: one check for a body and the fixed words after it.
TEST(Reader, TailIsCheckedWithTheBody) {
    const Bytes whole = hex("00000005 6162636465 000000 11111111 22222222");
    for (std::size_t size = 4; size <= whole.size(); ++size) {
        Arena arena;
        Reader in{ByteView{whole}.first(size), arena};
        ByteView body;
        const std::byte* const at = begin(in, 4);
        ASSERT_NE(at, nullptr);
        const std::byte* const behind = in.opaque<64, 8>(at, body);
        if (size == whole.size()) {
            EXPECT_EQ(behind, whole.data() + 12);
            EXPECT_EQ(body.size(), 5u);
        } else {
            EXPECT_EQ(behind, nullptr);
            EXPECT_EQ(in.error(), truncated_at(static_cast<std::uint32_t>(size), 16,
                                               static_cast<std::uint32_t>(size - 4)));
        }
    }
}

TEST(Reader, ThenChecksOnlyWhatItIsTold) {
    const Bytes bytes = word(0);
    Arena arena;
    Reader in{bytes, arena};
    const std::byte* const at = begin(in, 4);
    EXPECT_EQ(in.then<4>(at), at);
    EXPECT_EQ(in.then<0>(at + 4), at + 4);
    EXPECT_EQ(in.then<4>(nullptr), nullptr);
    EXPECT_TRUE(in.ok()) << "nullptr in is somebody else's fault";
    EXPECT_EQ(in.then<4>(at + 4), nullptr);
    EXPECT_EQ(in.error(), truncated_at(4, 4, 0));
}

TEST(Reader, BoundsComeBeforeTheBytes) {
    Arena arena;
    const Bytes bytes = hex("00000009 0102030405060708 09000000");
    ByteView body;
    Reader within{bytes, arena, Mode::strict};
    EXPECT_NE((within.opaque<9, 0>(begin(within, 4), body)), nullptr);
    Reader over{bytes, arena, Mode::strict};
    EXPECT_EQ((over.opaque<8, 0>(begin(over, 4), body)), nullptr) << "though the bytes are there";
    EXPECT_EQ(over.error(), (DecodeError{0, Fault::too_long, 9, 8}));
    std::string_view text;
    Reader string_over{bytes, arena, Mode::strict};
    EXPECT_EQ((string_over.string<8, 0>(begin(string_over, 4), text)), nullptr);
    EXPECT_EQ(string_over.error(), (DecodeError{0, Fault::too_long, 9, 8}));
}

// count × element size passes 32 bits long before the count does.
TEST(Reader, CountTimesSizeDoesNotWrap) {
    Arena arena;
    for (const std::uint32_t count :
         {0x10000000u, 0x20000000u, 0x40000000u, 0x80000000u, 0xc0000000u, 0xffffffffu}) {
        Bytes bytes = word(count);
        bytes.resize(4 + 64);
        Reader in{bytes, arena};
        std::uint32_t got;
        EXPECT_EQ((in.count<kUnbounded, 16, 0>(begin(in, 4), got)), nullptr) << count;
        EXPECT_EQ(in.error(), truncated_at(68, 0xffffffff, 64)) << "needed saturates";
    }
    Bytes bytes = word(4);
    bytes.resize(4 + 64);
    for (const bool strict : {false, true}) {
        Reader in{bytes, arena, strict ? Mode::strict : Mode::lenient};
        std::uint32_t got;
        EXPECT_EQ((in.count<4, 16, 0>(begin(in, 4), got)), bytes.data() + 4);
        EXPECT_EQ(got, 4u);
        EXPECT_EQ((in.count<kUnbounded, 16, 1>(bytes.data(), got)), nullptr);
        EXPECT_EQ(in.error(), truncated_at(68, 65, 64));
    }
}

TEST(Reader, FixedOpaquePadding) {
    const Bytes bytes = hex("0102030405 000100");
    Arena arena;
    Reader lenient{bytes, arena};
    EXPECT_TRUE(lenient.padding_ok(bytes.data(), 5));
    Reader strict{bytes, arena, Mode::strict};
    EXPECT_TRUE(strict.padding_ok(bytes.data(), 8)) << "no padding behind eight bytes";
    EXPECT_FALSE(strict.padding_ok(bytes.data(), 5));
    EXPECT_EQ(strict.error(), (DecodeError{5, Fault::bad_padding, 0, 0}));
}

TEST(Reader, MemoryPastTheArenasLimitIsAFault) {
    const Bytes bytes = hex("00000000 00000000");
    Arena arena{64 << 10};
    Reader in{bytes, arena};
    EXPECT_EQ(in.make<std::uint64_t>(bytes.data() + 4, 8193), nullptr);
    EXPECT_EQ(in.error(), (DecodeError{4, Fault::out_of_memory, 8193, 64}));
    EXPECT_EQ(arena.bytes_held(), 0u);
}

TEST(Reader, DepthIsLimited) {
    const Bytes bytes = word(0);
    Arena arena;
    Reader in{bytes, arena};
    for (std::uint32_t level = 0; level < kDepthMax; ++level) ASSERT_TRUE(in.enter(bytes.data()));
    in.leave();
    ASSERT_TRUE(in.enter(bytes.data())) << "levels left can be entered again";
    EXPECT_FALSE(in.enter(bytes.data() + 4));
    EXPECT_EQ(in.error(), (DecodeError{4, Fault::too_deep, kDepthMax + 1, kDepthMax}));
}

}  // namespace
}  // namespace helio::xdr::reader_test
