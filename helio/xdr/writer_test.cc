#include "helio/xdr/writer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "helio/base/fd.h"
#include "helio/xdr/plain.h"
#include "testing/xdr/begin.h"
#include "testing/xdr/bytes.h"

namespace helio::xdr::writer_test {
namespace {

Bytes payload_of(std::size_t size, std::uint8_t seed = 1) {
    Bytes out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(seed + i * 7);
    return out;
}

// Length, body, zeros to the next word: RFC 4506 §4.10, written the slow way.
Bytes opaque_of(ByteView body) {
    Bytes out = word(static_cast<std::uint32_t>(body.size()));
    append(out, body);
    while (out.size() % 4 != 0) out.push_back(std::byte{0});
    return out;
}

bool put_opaque(Writer& out, ByteView body) { return encode_plain(out, body); }
bool put_word(Writer& out, std::uint32_t value) { return encode_plain(out, value); }

// Fills an arena's memory, since it is not zero from the second call on.
void soil(Arena& arena) {
    constexpr std::size_t kSize = 1u << 20;
    std::memset(arena.make<char>(kSize), 0xee, kSize);
    arena.reset();
}

TEST(Writer, NothingWrittenIsNoSegments) {
    Arena arena;
    Writer out{arena};
    EXPECT_TRUE(out.ok());
    EXPECT_EQ(out.size(), 0u);
    EXPECT_TRUE(out.segments().empty());
    EXPECT_TRUE(out.joined().empty());
}

TEST(Writer, Scalars) {
    Arena arena;
    soil(arena);
    Writer out{arena};
    EXPECT_TRUE(encode_plain(out, std::int32_t{-2}));
    EXPECT_TRUE(encode_plain(out, std::uint32_t{0x01020304}));
    EXPECT_TRUE(encode_plain(out, std::int64_t{-2}));
    EXPECT_TRUE(encode_plain(out, std::uint64_t{0x0102030405060708}));
    EXPECT_TRUE(encode_plain(out, true));
    EXPECT_TRUE(encode_plain(out, false));
    EXPECT_TRUE(encode_plain(out, 1.5f));
    EXPECT_TRUE(encode_plain(out, -2.0));
    EXPECT_TRUE(encode_plain(out, std::int8_t{-1}));
    EXPECT_TRUE(encode_plain(out, std::uint8_t{255}));
    EXPECT_TRUE(encode_plain(out, std::int16_t{-32768}));
    EXPECT_TRUE(encode_plain(out, std::uint16_t{65535}));
    EXPECT_EQ(to_hex(out.joined()),
              "fffffffe"
              "01020304"
              "fffffffffffffffe"
              "0102030405060708"
              "00000001"
              "00000000"
              "3fc00000"
              "c000000000000000"
              "ffffffff"
              "000000ff"
              "ffff8000"
              "0000ffff");
    EXPECT_EQ(out.size(), 60u);
}

TEST(Writer, OpaqueOfEverySmallSizeIsPaddedWithZeros) {
    for (std::size_t size = 0; size <= 80; ++size) {
        Arena arena;
        soil(arena);
        Writer out{arena};
        const Bytes body = payload_of(size);
        ASSERT_TRUE(put_opaque(out, body));
        ASSERT_TRUE(put_word(out, 0x11223344));
        Bytes expected = opaque_of(body);
        append_u32(expected, 0x11223344);
        EXPECT_EQ(to_hex(out.joined()), to_hex(expected)) << size << " bytes";
    }
}

TEST(Writer, EmptyOpaqueMayHaveNoAddress) {
    Arena arena;
    Writer out{arena};
    ASSERT_TRUE(put_opaque(out, ByteView{}));
    ASSERT_TRUE(encode_plain(out, std::string_view{}));
    EXPECT_EQ(to_hex(out.joined()), "0000000000000000");
}

TEST(Writer, CopiesBelowTheReferenceSize) {
    Arena arena;
    Writer out{arena};
    const Bytes body = payload_of(kReferenceMin - 1);
    ASSERT_TRUE(put_opaque(out, body));
    ASSERT_EQ(out.segments().size(), 1u);
    EXPECT_FALSE(out.segments()[0].referenced);
    EXPECT_EQ(out.joined(), opaque_of(body));
}

TEST(Writer, ReferencesLargePayloads) {
    for (std::size_t size = kReferenceMin; size < kReferenceMin + 4; ++size) {
        Arena arena;
        soil(arena);
        Writer out{arena};
        const Bytes body = payload_of(size);
        ASSERT_TRUE(put_word(out, 0xaaaaaaaa));
        ASSERT_TRUE(put_opaque(out, body));
        ASSERT_TRUE(put_word(out, 0xbbbbbbbb));

        const auto segments = out.segments();
        ASSERT_EQ(segments.size(), 3u);
        EXPECT_FALSE(segments[0].referenced);
        EXPECT_TRUE(segments[1].referenced);
        EXPECT_EQ(segments[1].bytes().data(), body.data()) << "the caller's bytes, not a copy";
        EXPECT_EQ(segments[1].bytes().size(), size);
        EXPECT_FALSE(segments[2].referenced);
        EXPECT_EQ(segments[2].bytes().size(), padded(size) - size + 4) << "padding leads the next";

        Bytes expected = word(0xaaaaaaaa);
        append(expected, opaque_of(body));
        append_u32(expected, 0xbbbbbbbb);
        EXPECT_EQ(out.joined(), expected);
        EXPECT_EQ(out.size(), expected.size());
    }
}

TEST(Writer, TakesNoMemoryForWhatItReferences) {
    Arena arena;
    Writer out{arena};
    const Bytes body = payload_of(4u << 20);
    ASSERT_TRUE(put_opaque(out, body));
    ASSERT_TRUE(put_word(out, 1));
    EXPECT_LE(arena.bytes_held(), std::size_t{64} << 10);
}

TEST(Writer, AReferenceMayComeFirstAndLast) {
    Arena arena;
    Writer out{arena};
    const Bytes body = payload_of(kReferenceMin);
    ASSERT_TRUE(put_opaque(out, body));
    ASSERT_EQ(out.segments().size(), 2u);
    EXPECT_EQ(out.segments()[0].bytes().size(), 4u);
    EXPECT_EQ(out.joined(), opaque_of(body));
}

TEST(Writer, GrowsAcrossBuffers) {
    Arena arena;
    Writer out{arena};
    Bytes expected;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        ASSERT_TRUE(put_word(out, i * 2654435761u));
        append_u32(expected, i * 2654435761u);
        ASSERT_EQ(out.size(), expected.size());
    }
    EXPECT_EQ(out.joined(), expected);
    const auto segments = out.segments();
    EXPECT_GT(segments.size(), 1u);
    EXPECT_LT(segments.size(), 16u) << "buffers grow, or writev would get one for every page";
    for (const Segment& segment : segments) {
        EXPECT_FALSE(segment.bytes().empty());
        EXPECT_FALSE(segment.referenced);
    }
}

// An arena whose block has little more room than a Writer needs.
void leave_little(Arena& arena) {
    ASSERT_NE(arena.make<char>(), nullptr);
    ASSERT_NE(arena.make<char>(arena.bytes_held() - 4096), nullptr);
}

std::size_t little() {
    Arena arena;
    leave_little(arena);
    Writer out{arena};
    const std::byte* const first = out.at();
    std::size_t size = 0;
    while (out.at() == first + size && put_word(out, 0)) size += 4;
    return size - 4;  // the last word went to another buffer
}

// Bodies of all sizes meet the end of a buffer in all positions.
TEST(Writer, BodiesMeetBufferEndsAnywhere) {
    const std::size_t room = little();
    ASSERT_GT(room, 1000u);
    ASSERT_LT(room, 5000u);
    for (std::size_t start = room - 64; start <= room; start += 4) {
        for (std::size_t size = 0; size < 40; ++size) {
            Arena arena;
            leave_little(arena);
            Writer out{arena};
            Bytes expected;
            while (expected.size() < start) {
                ASSERT_TRUE(put_word(out, 5));
                append_u32(expected, 5);
            }
            const Bytes body = payload_of(size);
            ASSERT_TRUE(put_opaque(out, body));
            append(expected, opaque_of(body));
            ASSERT_TRUE(put_word(out, 6));
            append_u32(expected, 6);
            ASSERT_EQ(out.joined(), expected) << size << " bytes at " << start;
        }
    }
}

TEST(Writer, GathersManySegmentsInOrder) {
    Arena arena;
    Writer out{arena};
    Bytes expected;
    std::deque<Bytes> bodies;  // references stay good while it grows
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const std::size_t size = i % 3 == 2 ? i : kReferenceMin + i % 7;
        const Bytes& body = bodies.emplace_back(payload_of(size, static_cast<std::uint8_t>(i)));
        ASSERT_TRUE(put_word(out, i));
        ASSERT_TRUE(put_opaque(out, body));
        append_u32(expected, i);
        append(expected, opaque_of(body));
    }
    EXPECT_EQ(out.size(), expected.size());
    EXPECT_EQ(out.joined(), expected);
    const auto segments = out.segments();
    const auto referenced = std::count_if(segments.begin(), segments.end(),
                                          [](const Segment& one) { return one.referenced; });
    EXPECT_EQ(referenced, 667);
}

// However short it is: its bytes are not in memory.
TEST(Writer, APieceOfAFileIsASegmentOfItsOwn) {
    const Fd file{memfd_create("piece", MFD_CLOEXEC)};
    ASSERT_EQ(write(file.get(), "..12345", 7), 7);
    const FilePiece piece{file.get(), 2};
    for (const bool apart : {false, true}) {
        Arena arena;
        Writer out{arena};
        if (apart) out.keep_bulk_apart();
        ASSERT_TRUE(put_word(out, 7));
        ASSERT_TRUE(out.ready(4));
        ASSERT_TRUE(out.end(out.bulk<kUnbounded, 0>(out.at(), Payload{piece, 5})));
        ASSERT_TRUE(put_word(out, 9));
        const auto segments = out.segments();
        ASSERT_EQ(segments.size(), 3u);
        EXPECT_TRUE(segments[1].data.is_file());
        EXPECT_TRUE(segments[1].referenced);
        EXPECT_EQ(segments[1].bulk, apart);
        EXPECT_EQ(out.size(), 20u);
        EXPECT_EQ(to_hex(out.joined()), "0000000700000005313233343500000000000009");
        out.rewind(out.mark());
    }
    Arena arena;
    Writer out{arena};
    ASSERT_TRUE(out.ready(4));
    EXPECT_FALSE(out.end(out.bulk<4, 0>(out.at(), Payload{piece, 5})));
    EXPECT_EQ(out.error().fault, Fault::too_long);
}

TEST(Writer, SegmentsCanBeSeenWhileWritingGoesOn) {
    Arena arena;
    Writer out{arena};
    ASSERT_TRUE(put_word(out, 1));
    EXPECT_EQ(to_hex(out.joined()), "00000001");
    ASSERT_TRUE(put_word(out, 2));
    EXPECT_EQ(to_hex(out.joined()), "0000000100000002");
    EXPECT_EQ(out.size(), 8u);
    EXPECT_EQ(to_hex(out.joined()), "0000000100000002") << "asking twice changes nothing";
}

// Memory that a Writer did not use is available to the next; what it used stays as long as the
// arena.
TEST(Writer, GivesBackWhatItDidNotUse) {
    Arena arena;
    std::vector<ByteView> messages;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        Writer out{arena};
        for (std::uint32_t words = 0; words <= i % 3; ++words) ASSERT_TRUE(put_word(out, i));
        messages.push_back(out.segments()[0].bytes());
    }
    EXPECT_LE(arena.bytes_held(), std::size_t{64} << 10) << "all of them in one block";
    for (std::uint32_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(messages[i].size(), 4 * (i % 3 + 1));
        for (std::size_t at = 0; at < messages[i].size(); at += 4)
            ASSERT_EQ(load_u32(messages[i].data() + at), i);
    }
}

// A reply is written while the call's arguments live in the same arena, and other replies too.
TEST(Writer, SharesItsArena) {
    Arena arena;
    std::vector<std::uint64_t*> values;
    const auto make = [&] {
        for (int i = 0; i < 100; ++i) {
            values.push_back(arena.make<std::uint64_t>());
            *values.back() = values.size();
        }
    };
    make();
    Writer one{arena};
    make();
    {
        Writer gone{arena};
        for (std::uint32_t i = 0; i < 500; ++i) ASSERT_TRUE(put_word(gone, 0xdddddddd));
        make();  // while it lives: what it gives back then belongs to nobody
    }
    Writer other{arena};
    Bytes expected;
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        ASSERT_TRUE(put_word(one, i) && put_word(other, i));
        append_u32(expected, i);
        if (i % 5000 == 0) make();
    }
    EXPECT_EQ(one.joined(), expected);
    EXPECT_EQ(other.joined(), expected);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(*values[i], i + 1);
}

TEST(Writer, RestartsForTheNextMessage) {
    Arena arena;
    Writer out{arena};
    const Bytes large = payload_of(kReferenceMin);
    for (int i = 0; i < 10; ++i) {
        out.restart();
        EXPECT_EQ(out.size(), 0u);
        for (int j = 0; j < 10; ++j) ASSERT_TRUE(put_opaque(out, large));
        EXPECT_EQ(out.size(), 10 * (4 + kReferenceMin));
        out.restart();
        ASSERT_TRUE(put_word(out, 7));
        EXPECT_EQ(to_hex(out.joined()), "00000007");
        EXPECT_FALSE(out.end(out.string<2, 0>(begin(out, 4), "abc")));
    }
    EXPECT_LE(arena.bytes_held(), std::size_t{256} << 10);
}

// A message inside a message: the length is known when the body is written.
TEST(Writer, WritesABodyInPlace) {
    Arena arena;
    soil(arena);
    Writer out{arena};
    const Bytes large = payload_of(5000);
    ASSERT_TRUE(put_word(out, 1));
    const Writer::Body body = out.open_body();
    ASSERT_TRUE(put_word(out, 2));
    ASSERT_TRUE(put_opaque(out, large));
    ASSERT_TRUE(out.close_body(body, 6000));
    ASSERT_TRUE(put_word(out, 3));
    Bytes inner = word(2);
    append(inner, opaque_of(large));
    Bytes expected = word(1);
    append(expected, opaque_of(inner));
    append_u32(expected, 3);
    EXPECT_EQ(out.joined(), expected);

    const Writer::Body too_long = out.open_body();
    ASSERT_TRUE(put_word(out, 4));
    EXPECT_FALSE(out.close_body(too_long, 3));
    EXPECT_EQ(out.error(),
              (DecodeError{static_cast<std::uint32_t>(expected.size()), Fault::too_long, 4, 3}))
        << "the length word's place";
    EXPECT_FALSE(out.close_body(out.open_body(), 100)) << "after a failure there is no body";
}

TEST(Writer, BoundsAreEnforced) {
    Arena arena;
    const Bytes nine = payload_of(9);
    Writer out{arena};
    ASSERT_TRUE(put_word(out, 0));
    EXPECT_TRUE(out.end(out.opaque<9, 0>(begin(out, 4), nine)));
    EXPECT_FALSE(out.end(out.opaque<8, 0>(begin(out, 4), nine)));
    EXPECT_EQ(out.error(), (DecodeError{4 + 16, Fault::too_long, 9, 8}));

    Writer strings{arena};
    EXPECT_FALSE(strings.end(strings.string<2, 0>(begin(strings, 4), "abc")));
    EXPECT_EQ(strings.error(), (DecodeError{0, Fault::too_long, 3, 2}));

    Writer counts{arena};
    EXPECT_NE((counts.count<3, 0>(begin(counts, 4), 3, 4)), nullptr);
    EXPECT_EQ((counts.count<3, 0>(begin(counts, 4), 4, 4)), nullptr);
    EXPECT_EQ(counts.error(), (DecodeError{0, Fault::too_long, 4, 3}));
}

// On both sides of the size from which bodies are referenced, and beyond 32 bits.
TEST(Writer, BoundsOfLargePayloadsAreEnforced) {
    Arena arena;
    const Bytes body = payload_of(5000);
    Writer within{arena};
    EXPECT_TRUE(within.end(within.opaque<5000, 0>(begin(within, 4), body)));
    Writer over{arena};
    ASSERT_TRUE(put_word(over, 0));
    EXPECT_FALSE(over.end(over.opaque<4999, 0>(begin(over, 4), body)));
    EXPECT_EQ(over.error(), (DecodeError{4, Fault::too_long, 5000, 4999}));
    Writer small_bound{arena};
    EXPECT_FALSE(small_bound.end(small_bound.opaque<64, 0>(begin(small_bound, 4), body)));
    EXPECT_EQ(small_bound.error(), (DecodeError{0, Fault::too_long, 5000, 64}));

    // Never read, so the memory need not exist.
    const ByteView huge{body.data(), std::size_t{0x100000000}};
    Writer wide{arena};
    EXPECT_FALSE(put_opaque(wide, huge));
    EXPECT_EQ(wide.error(), (DecodeError{0, Fault::too_long, 0xffffffff, 0xffffffff}));
    EXPECT_EQ((wide.count<0xffffffff, 0>(begin(wide, 4), std::size_t{0x100000000}, 0)), nullptr);
}

TEST(Writer, ErrorOffsetsCountReferencedBytes) {
    Arena arena;
    const Bytes body = payload_of(kReferenceMin + 1);
    Writer out{arena};
    ASSERT_TRUE(put_opaque(out, body));
    EXPECT_EQ(out.size(), 4 + kReferenceMin + 4);
    EXPECT_FALSE(out.end(out.string<2, 0>(begin(out, 4), "abc")));
    EXPECT_EQ(out.error(), (DecodeError{4 + kReferenceMin + 4, Fault::too_long, 3, 2}));
}

TEST(Writer, MemoryIsLimited) {
    Arena arena{64 << 10};
    Writer out{arena};
    std::uint32_t written = 0;
    while (put_word(out, written)) written += 4;
    EXPECT_EQ(out.error().fault, Fault::out_of_memory);
    EXPECT_EQ(out.error().offset, written);
    EXPECT_EQ(out.error().limit, 64u);
    EXPECT_GE(written, 32u << 10);
    EXPECT_LE(arena.bytes_held(), std::size_t{64} << 10);
}

TEST(Writer, TheSegmentListIsMemoryToo) {
    Arena arena{16 << 10};
    const Bytes body = payload_of(kReferenceMin);
    Writer out{arena};
    int count = 0;
    while (put_opaque(out, body)) ASSERT_LT(++count, 10'000) << "no limit on segments";
    EXPECT_EQ(out.error().fault, Fault::out_of_memory);
}

// No peer may get half a value: after a failure there is nothing to send.
TEST(Writer, AfterAFailureThereIsNothing) {
    Arena arena;
    const Bytes body = payload_of(kReferenceMin);
    Writer out{arena};
    ASSERT_TRUE(put_word(out, 1));
    // A struct whose first field is referenced and whose second does not fit.
    std::byte* at = begin(out, 4);
    at = out.opaque<kUnbounded, 4>(at, body);
    ASSERT_NE(at, nullptr);
    EXPECT_FALSE(out.end(out.string<2, 0>(at, "abc")));

    const DecodeError first = out.error();
    EXPECT_EQ(first.offset, 4 + 4 + kReferenceMin);
    EXPECT_FALSE(out.ok());
    EXPECT_EQ(begin(out, 4), nullptr);
    EXPECT_FALSE(put_word(out, 2));
    EXPECT_EQ(out.size(), 0u);
    EXPECT_TRUE(out.segments().empty());
    EXPECT_TRUE(out.joined().empty());
    EXPECT_EQ(out.error(), first) << "the first fault stays";
}

// Several replies share one Writer; one that fails does not affect the others.
TEST(Writer, RewindForgetsOneMessageOfSeveral) {
    for (const std::size_t first_size : {std::size_t{8}, kReferenceMin, std::size_t{100'000}}) {
        Arena arena;
        const Bytes first = payload_of(first_size, 1), second = payload_of(kReferenceMin + 1, 2);
        Writer out{arena};
        ASSERT_TRUE(put_opaque(out, first));
        const std::size_t size = out.size();
        const Writer::Mark mark = out.mark();
        for (int i = 0; i < 10; ++i) ASSERT_TRUE(put_opaque(out, second));  // more segments
        EXPECT_EQ(out.size_since(mark), out.size() - size);
        std::byte* const at = begin(out, 4);
        EXPECT_FALSE(out.end(out.string<2, 0>(at, "abc")));
        EXPECT_FALSE(out.ok());
        out.rewind(mark);
        EXPECT_TRUE(out.ok());
        EXPECT_EQ(out.size_since(mark), 0u);
        ASSERT_TRUE(put_word(out, 7));
        EXPECT_EQ(out.size_since(mark), 4u);
        Bytes expected = opaque_of(first);
        append(expected, word(7));
        EXPECT_EQ(out.joined(), expected);
    }
}

}  // namespace
}  // namespace helio::xdr::writer_test
