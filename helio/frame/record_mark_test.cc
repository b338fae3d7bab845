#include "helio/frame/record_mark.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/frame/feeder.h"
#include "testing/xdr/bytes.h"

namespace helio::frame::record_mark_test {
namespace {

using xdr::Bytes;
using xdr::hex;
using xdr::to_hex;

// RFC 5531 §11, by hand.
const Bytes kStream =
    hex("80000004 01020304"         // one fragment
        "00000002 0506"             // of three: the first,
        "00000000"                  // an empty one,
        "80000001 07"               // the last
        "80000003 08090a"           // one whose size is no multiple of four
        "00000001 0b 80000000"      // the last fragment is empty
        "00000000 80000002 0c0d");  // the first one is
const std::vector<std::string> kMessages = {"01020304", "050607", "08090a", "0b", "0c0d"};

std::vector<std::string> texts(const Feeder& feeder) {
    std::vector<std::string> out;
    for (const auto& message : feeder.messages()) out.push_back(to_hex(message));
    return out;
}

Bytes fragment(std::size_t size, bool last, std::uint8_t fill = 0x5a) {
    Bytes out = xdr::word(static_cast<std::uint32_t>(size) | (last ? 0x80000000u : 0u));
    out.insert(out.end(), size, std::byte{fill});
    return out;
}

TEST(RecordMark, OneFragmentIsUsedInPlace) {
    RecordMark framer;
    const Bytes bytes = hex("80000004 01020304 8000");
    const Cut cut = framer.cut(bytes);
    ASSERT_EQ(cut.kind, CutKind::message);
    EXPECT_FALSE(cut.joined);
    EXPECT_EQ(cut.message.data(), bytes.data() + 4);
    EXPECT_EQ(cut.message.size(), 4u);
    EXPECT_EQ(cut.consumed, 8u);
    EXPECT_EQ(framer.bytes_held(), 0u);

    const Cut rest = framer.cut(ByteView{bytes}.subspan(cut.consumed));
    EXPECT_EQ(rest.kind, CutKind::more);
    EXPECT_EQ(rest.consumed, 0u);
    EXPECT_EQ(rest.wanted, 4u);
}

TEST(RecordMark, SeveralFragmentsAreJoined) {
    RecordMark framer;
    const Bytes bytes = hex("00000002 0102 00000001 03 80000003 040506");
    const Cut cut = framer.cut(bytes);
    ASSERT_EQ(cut.kind, CutKind::message);
    EXPECT_TRUE(cut.joined);
    EXPECT_EQ(to_hex(cut.message), "010203040506");
    EXPECT_EQ(cut.consumed, bytes.size());
    EXPECT_TRUE(framer.at_boundary()) << "the record is whole, also before the next cut";
}

// The joined message is freed with the next cut, whatever that finds.
TEST(RecordMark, HoldsNothingWhenIdle) {
    RecordMark framer;
    EXPECT_EQ(framer.bytes_held(), 0u);
    EXPECT_TRUE(framer.at_boundary());
    EXPECT_EQ(framer.cut(fragment(1000, false)).kind, CutKind::more);
    EXPECT_GE(framer.bytes_held(), 1000u);
    EXPECT_FALSE(framer.at_boundary());
    EXPECT_EQ(framer.cut(fragment(1, true)).kind, CutKind::message);
    EXPECT_EQ(framer.cut({}).kind, CutKind::more);
    EXPECT_EQ(framer.bytes_held(), 0u);
    EXPECT_TRUE(framer.at_boundary());
}

// A peer that disconnects after an empty first fragment did so in the middle of a record.
TEST(RecordMark, AnEmptyFragmentIsNoBoundary) {
    RecordMark framer;
    EXPECT_EQ(framer.cut(fragment(0, false)).kind, CutKind::more);
    EXPECT_FALSE(framer.at_boundary());
}

TEST(RecordMark, SaysHowManyBytesItWants) {
    RecordMark framer;
    const Bytes bytes = hex("80000008 0102030405060708");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const Cut cut = framer.cut(ByteView{bytes}.first(size));
        EXPECT_EQ(cut.kind, CutKind::more);
        EXPECT_EQ(cut.consumed, 0u);
        EXPECT_EQ(cut.wanted, size < 4 ? 4u : 12u) << size;
    }
    // After a consumed fragment, `wanted` counts from there.
    const Cut cut = framer.cut(hex("00000002 0102 80000005 03"));
    EXPECT_EQ(cut.kind, CutKind::more);
    EXPECT_EQ(cut.consumed, 6u);
    EXPECT_EQ(cut.wanted, 9u);
}

TEST(RecordMark, SameMessagesByteByByte) {
    Feeder feeder;
    for (const std::byte one : kStream) ASSERT_TRUE(feeder.feed({&one, 1}));
    EXPECT_EQ(texts(feeder), kMessages);
    EXPECT_EQ(feeder.pending(), 0u);
    EXPECT_TRUE(feeder.framer().at_boundary());
}

TEST(RecordMark, SameMessagesCutInTwoOrThreeAnywhere) {
    const ByteView stream{kStream};
    for (std::size_t first = 0; first <= stream.size(); ++first) {
        for (std::size_t second = first; second <= stream.size(); ++second) {
            Feeder feeder;
            ASSERT_TRUE(feeder.feed(stream.first(first)));
            ASSERT_TRUE(feeder.feed(stream.subspan(first, second - first)));
            ASSERT_TRUE(feeder.feed(stream.subspan(second)));
            ASSERT_EQ(texts(feeder), kMessages) << first << ", " << second;
        }
    }
}

TEST(RecordMark, RefusesAnEmptyRecord) {
    for (const char* const text :
         {"80000000", "00000000 80000000", "00000000 00000000 80000000 80000001 01"}) {
        Feeder feeder;
        EXPECT_FALSE(feeder.feed(hex(text))) << text;
        EXPECT_EQ(feeder.last().fault, FrameFault::empty_record);
        EXPECT_TRUE(feeder.messages().empty());
    }
}

TEST(RecordMark, RecordLimitAndOneMore) {
    const RecordLimits limits{.record_bytes = 100, .fragments = 10};
    {
        Feeder feeder{limits};
        EXPECT_TRUE(feeder.feed(fragment(100, true)));
        EXPECT_EQ(feeder.messages().size(), 1u);
    }
    {
        Feeder feeder{limits};
        EXPECT_FALSE(feeder.feed(fragment(101, true)));
        EXPECT_EQ(feeder.last().fault, FrameFault::record_too_long);
        EXPECT_EQ(feeder.last().got, 101u);
        EXPECT_EQ(feeder.last().limit, 100u);
        EXPECT_EQ(to_text(feeder.last()), "a record of 101 bytes or more; the limit is 100");
    }
    {
        Feeder feeder{limits};  // the sum counts
        EXPECT_TRUE(feeder.feed(fragment(60, false)));
        EXPECT_TRUE(feeder.feed(fragment(40, true)));
        EXPECT_EQ(feeder.messages().size(), 1u);
        EXPECT_TRUE(feeder.feed(fragment(60, false)));
        EXPECT_FALSE(feeder.feed(fragment(41, true)));
        EXPECT_EQ(feeder.last().got, 101u);
    }
}

// Rejected at its mark: no wait for, and no memory for, a record that will be rejected.
TEST(RecordMark, RefusesTheLargestFragmentByItsMark) {
    for (const char* const mark : {"ffffffff", "7fffffff", "80400001", "00400001"}) {
        Feeder feeder;
        EXPECT_FALSE(feeder.feed(hex(mark))) << mark;
        EXPECT_EQ(feeder.last().fault, FrameFault::record_too_long);
        EXPECT_EQ(feeder.framer().bytes_held(), 0u);
    }
    Feeder feeder;
    EXPECT_TRUE(feeder.feed(hex("80400000"))) << "4 MiB are within the limit";
    EXPECT_EQ(feeder.last().wanted, kRecordBytesMax + 4);
    EXPECT_EQ(feeder.framer().bytes_held(), 0u) << "and take no memory before they come";
}

TEST(RecordMark, EndlessFragmentsMeetTheRecordLimit) {
    Feeder feeder;
    const Bytes piece = fragment(64u << 10, false);
    std::size_t count = 0;
    while (feeder.feed(piece)) ASSERT_LT(++count, 1000u);
    EXPECT_EQ(count, kRecordBytesMax / (64u << 10));
    EXPECT_EQ(feeder.last().fault, FrameFault::record_too_long);
    EXPECT_LE(feeder.framer().bytes_held(), 2 * kRecordBytesMax);
}

TEST(RecordMark, EndlessSmallFragmentsMeetTheFragmentLimit) {
    for (const std::size_t size : {0u, 1u}) {
        Feeder feeder;
        const Bytes piece = fragment(size, false);
        std::size_t count = 0;
        while (feeder.feed(piece)) ASSERT_LT(++count, 10'000u);
        EXPECT_EQ(count, kFragmentsMax);
        EXPECT_EQ(feeder.last().fault, FrameFault::too_many_fragments);
        EXPECT_EQ(to_text(feeder.last()), "a record of 2049 fragments or more; the limit is 2048");
    }
}

TEST(RecordMark, AsManyFragmentsAsAllowed) {
    Feeder feeder{{.record_bytes = 100, .fragments = 3}};
    for (int record = 0; record < 2; ++record) {  // the count starts again
        EXPECT_TRUE(feeder.feed(fragment(1, false)));
        EXPECT_TRUE(feeder.feed(fragment(1, false)));
        EXPECT_TRUE(feeder.feed(fragment(1, true)));
    }
    EXPECT_EQ(feeder.messages().size(), 2u);
}

TEST(RecordMark, OneByteFragmentsMakeARecord) {
    Feeder feeder;
    for (std::uint8_t i = 0; i < 40; ++i) EXPECT_TRUE(feeder.feed(fragment(1, i == 39, i)));
    ASSERT_EQ(feeder.messages().size(), 1u);
    ASSERT_EQ(feeder.messages()[0].size(), 40u);
    EXPECT_EQ(feeder.messages()[0][39], std::byte{39});
}

TEST(RecordMark, WritesOneFragment) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    for (int i = 0; i < 2; ++i) {
        xdr::Writer::Mark begin{};
        std::byte* const mark = RecordMark::open(out, begin);
        ASSERT_NE(mark, nullptr);
        ASSERT_TRUE(out.ready(4));
        xdr::store_u32(out.at(), 0x01020304);
        out.end(out.at() + 4);
        RecordMark::close(out, mark, begin);
    }
    EXPECT_EQ(to_hex(out.joined()),
              "8000000401020304"
              "8000000401020304");
}

TEST(RecordMark, WritesAcrossBuffersAndReferencedData) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    const Bytes payload(100'000, std::byte{7});
    for (int i = 0; i < 100; ++i) {
        xdr::Writer::Mark begin{};
        std::byte* const mark = RecordMark::open(out, begin);
        ASSERT_NE(mark, nullptr);
        ASSERT_TRUE(out.ready(4));
        // Every third one is referenced; between them lie sizes that fill the buffers unevenly.
        const std::size_t size = i % 3 == 0 ? payload.size() : static_cast<std::size_t>(i * 40);
        ASSERT_TRUE(out.end(out.opaque<1u << 20, 0>(out.at(), ByteView{payload}.first(size))));
        RecordMark::close(out, mark, begin);
    }
    Feeder feeder;
    ASSERT_TRUE(feeder.feed(out.joined()));
    ASSERT_EQ(feeder.messages().size(), 100u);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_EQ(feeder.messages()[i].size(), 4 + (i % 3 == 0 ? payload.size() : i * 40));
    EXPECT_EQ(feeder.pending(), 0u);
}

}  // namespace
}  // namespace helio::frame::record_mark_test
