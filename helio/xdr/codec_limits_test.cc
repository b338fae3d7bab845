// The cost of a peer's claims: counts far beyond the bytes present, lists of a million, trees that
// are too deep. Nothing is allocated for a claim.
#include <gtest/gtest.h>

#include <array>
#include <ostream>

#include "helio/xdr/codec.h"
#include "testing/xdr/begin.h"
#include "testing/xdr/bytes.h"
#include "testing/xdr/small_stack.h"

namespace helio::xdr::codec_limits_test {
namespace {

// ---- Counts ----

constexpr std::uint32_t kBound = 3;
constexpr std::uint32_t kLargeBound = 0x7fffffff;

constexpr auto get_flat = [](const std::byte* at, Reader& in, std::uint64_t& out) {
    return get_scalar(at, in, out);
};
constexpr auto get_short_text = [](const std::byte* at, Reader& in, std::string_view& out) {
    return in.string<8, 0>(at, out);
};

using Get = const std::byte* (*)(const std::byte* at, Reader& in);

template <std::uint32_t Max>
const std::byte* get_any_opaque(const std::byte* at, Reader& in) {
    ByteView out;
    return in.opaque<Max, 0>(at, out);
}
template <std::uint32_t Max>
const std::byte* get_any_string(const std::byte* at, Reader& in) {
    std::string_view out;
    return in.string<Max, 0>(at, out);
}
template <std::uint32_t Max>
const std::byte* get_any_words(const std::byte* at, Reader& in) {
    Array<std::uint32_t> out;
    return get_words<Max, 0>(at, in, out);
}
template <std::uint32_t Max>
const std::byte* get_any_flat_array(const std::byte* at, Reader& in) {
    Array<std::uint64_t> out;
    return get_flat_array<Max, 8, 0, get_flat>(at, in, out);
}
template <std::uint32_t Max>
const std::byte* get_any_array(const std::byte* at, Reader& in) {
    Array<std::string_view> out;
    return get_array<Max, 4, 4, 0, get_short_text>(at, in, out);
}

struct Shape {
    const char* name;
    Get get;
    std::uint32_t bound;
    std::size_t element;  // bytes each at least, and all of them zero make a valid one
};
std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

constexpr Shape kShapes[] = {
    {"opaque_3", get_any_opaque<kBound>, kBound, 1},
    {"opaque_2G", get_any_opaque<kLargeBound>, kLargeBound, 1},
    {"opaque_any", get_any_opaque<kUnbounded>, kUnbounded, 1},
    {"string_3", get_any_string<kBound>, kBound, 1},
    {"string_2G", get_any_string<kLargeBound>, kLargeBound, 1},
    {"string_any", get_any_string<kUnbounded>, kUnbounded, 1},
    {"words_3", get_any_words<kBound>, kBound, 4},
    {"words_2G", get_any_words<kLargeBound>, kLargeBound, 4},
    {"words_any", get_any_words<kUnbounded>, kUnbounded, 4},
    {"flat_array_3", get_any_flat_array<kBound>, kBound, 8},
    {"flat_array_2G", get_any_flat_array<kLargeBound>, kLargeBound, 8},
    {"flat_array_any", get_any_flat_array<kUnbounded>, kUnbounded, 8},
    {"array_3", get_any_array<kBound>, kBound, 4},
    {"array_2G", get_any_array<kLargeBound>, kLargeBound, 4},
    {"array_any", get_any_array<kUnbounded>, kUnbounded, 4},
};

class Counts : public testing::TestWithParam<Shape> {
 protected:
    // The count, and zeros for `present` elements.
    DecodeError decode(std::uint32_t count, std::size_t present) {
        Bytes bytes = word(count);
        bytes.resize(4 + padded(present * GetParam().element));
        size_ = static_cast<std::uint32_t>(bytes.size());
        Reader in{bytes, arena_, Mode::strict};
        const std::byte* const at = begin(in, 4);
        if (in.end(GetParam().get(at, in)) && in.finish()) return {};
        return in.error();
    }

    Arena arena_;
    std::uint32_t size_ = 0;  // of what was decoded
};

TEST_P(Counts, NoneAndAllThatIsAllowed) {
    EXPECT_EQ(decode(0, 0), DecodeError{});
    EXPECT_EQ(decode(1, 1), DecodeError{});
    EXPECT_EQ(decode(kBound, kBound), DecodeError{});
}

TEST_P(Counts, OneMoreThanAllowedWithTheBytesPresent) {
    const DecodeError error = decode(kBound + 1, kBound + 1);
    if (GetParam().bound == kBound) {
        EXPECT_EQ(error, (DecodeError{0, Fault::too_long, kBound + 1, kBound}));
        EXPECT_EQ(arena_.bytes_held(), 0u);
    } else {
        EXPECT_EQ(error, DecodeError{});
    }
}

TEST_P(Counts, MoreThanTheBytesLeft) {
    constexpr std::uint32_t kClaims[] = {0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000,
                                         0xffffffff};
    for (const std::uint32_t claim : kClaims) {
        for (const std::size_t present : {0, 3, 1000}) {
            const DecodeError error = decode(claim, present);
            if (claim > GetParam().bound) {
                EXPECT_EQ(error, (DecodeError{0, Fault::too_long, claim, GetParam().bound}));
                continue;
            }
            const std::uint64_t need = GetParam().element == 1
                                           ? (std::uint64_t{claim} + 3) / 4 * 4
                                           : std::uint64_t{claim} * GetParam().element;
            const auto saturated =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(need, 0xffffffff));
            EXPECT_EQ(error, (DecodeError{size_, Fault::truncated, saturated, size_ - 4})) << claim;
        }
    }
    EXPECT_EQ(arena_.bytes_held(), 0u) << "refused before allocation";
}

TEST_P(Counts, AMillionRefusalsLeaveMemoryAsItIs) {
    Bytes bytes = word(0x40000000);
    bytes.resize(16);
    for (int i = 0; i < 1'000'000; ++i) {
        Reader in{bytes, arena_};
        if (in.end(GetParam().get(begin(in, 4), in))) FAIL();
    }
    EXPECT_EQ(arena_.bytes_held(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Counts, testing::ValuesIn(kShapes),
                         [](const auto& one) { return std::string{one.param.name}; });

// Elements that are present but invalid: their memory is the arena's, and no more than that.
TEST(CodecLimits, FailureHalfWayTakesNoMoreThanTheBytesAllow) {
    Arena arena;
    Bytes bytes = word(1000);
    bytes.resize(4 + 4000);
    store_u32(bytes.data() + 4 + 3996, 9);  // the last string is longer than <8>
    for (int i = 0; i < 1000; ++i) {
        Reader in{bytes, arena};
        EXPECT_EQ(get_any_array<kUnbounded>(begin(in, 4), in), nullptr);
        EXPECT_EQ(in.error(), (DecodeError{4000, Fault::too_long, 9, 8}));
        arena.reset();
    }
    EXPECT_LE(arena.bytes_held(), std::size_t{64} << 10) << "the first block";
}

TEST(CodecLimits, TheArenaLimitsWhatValidBytesMayTake) {
    Arena arena{64 << 10};
    Bytes bytes = word(10'000);
    bytes.resize(4 + 40'000);  // 10,000 empty strings: 160,000 bytes of string_view
    Reader in{bytes, arena};
    EXPECT_EQ(get_any_array<kUnbounded>(begin(in, 4), in), nullptr);
    EXPECT_EQ(in.error(), (DecodeError{4, Fault::out_of_memory, 10'000, 64}));
    EXPECT_EQ(arena.bytes_held(), 0u);
}

// ---- Lists ----

struct Entry {
    std::uint32_t id;
    const Entry* next;
};

constexpr auto get_entry = [](const std::byte* at, Reader& in, Entry& out) {
    get_scalar(at, in, out.id);
    return at + 4;
};
constexpr auto put_entry = [](std::byte* at, Writer& out, const Entry& in) {
    put_scalar(at, out, in.id);
    return at + 4;
};
const std::byte* get_entries(const std::byte* at, Reader& in, const Entry*& head) {
    return get_list<8, &Entry::next, get_entry>(at, in, head);
}
std::byte* put_entries(std::byte* at, Writer& out, const Entry* head) {
    return put_list<8, &Entry::next, put_entry>(at, out, head);
}

Bytes entries(std::uint32_t count) {
    Bytes out;
    for (std::uint32_t i = 0; i < count; ++i) {
        append_u32(out, 1);
        append_u32(out, i);
    }
    append_u32(out, 0);
    return out;
}

TEST(CodecLimits, AListOfAMillionIsALoop) {
    static constexpr std::uint32_t kCount = 1'000'000;
    const Bytes bytes = entries(kCount);
    on_small_stack([&bytes] {
        Arena arena;
        Reader in{bytes, arena, Mode::strict};
        const Entry* head = nullptr;
        ASSERT_TRUE(in.end(get_entries(begin(in, 4), in, head)) && in.finish());
        std::uint32_t count = 0;
        for (const Entry* entry = head; entry != nullptr; entry = entry->next)
            ASSERT_EQ(entry->id, count++);
        EXPECT_EQ(count, kCount);

        Writer out{arena};
        ASSERT_TRUE(out.end(put_entries(begin(out, 4), out, head)));
        EXPECT_EQ(out.joined(), bytes);
    });
}

TEST(CodecLimits, AListEndsAtAnyCut) {
    const Bytes bytes = entries(3);
    Arena arena;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        Reader in{ByteView{bytes}.first(size), arena};
        const Entry* head = nullptr;
        const std::byte* const at = begin(in, 4);
        EXPECT_FALSE(at != nullptr && in.end(get_entries(at, in, head)));
        EXPECT_EQ(in.error().fault, Fault::truncated);
        EXPECT_EQ(in.error().offset, size);
    }
}

TEST(CodecLimits, APresenceWordIsABool) {
    Bytes bytes = entries(2);
    store_u32(bytes.data() + 8, 2);
    Arena arena;
    Reader in{bytes, arena};
    const Entry* head = nullptr;
    EXPECT_EQ(get_entries(begin(in, 4), in, head), nullptr);
    EXPECT_EQ(in.error(), (DecodeError{8, Fault::bad_bool, 2, 1}));
}

// A list is one level while it is read; after it that level is free again.
TEST(CodecLimits, ListsOneBehindAnotherAreNotDeep) {
    Arena arena;
    Bytes bytes;
    for (std::uint32_t i = 0; i <= kDepthMax; ++i) append(bytes, entries(2));
    Reader in{bytes, arena, Mode::strict};
    Writer out{arena};
    for (std::uint32_t i = 0; i <= kDepthMax; ++i) {
        const Entry* head = nullptr;
        ASSERT_TRUE(in.end(get_entries(begin(in, 4), in, head))) << to_string(in.error());
        ASSERT_TRUE(out.end(put_entries(begin(out, 4), out, head))) << to_string(out.error());
    }
    EXPECT_TRUE(in.finish());
    EXPECT_EQ(out.joined(), bytes);
}

TEST(CodecLimits, AListIsLimitedByTheArena) {
    const Bytes bytes = entries(100'000);
    Arena arena{1 << 20};
    Reader in{bytes, arena};
    const Entry* head = nullptr;
    EXPECT_EQ(get_entries(begin(in, 4), in, head), nullptr);
    EXPECT_EQ(in.error().fault, Fault::out_of_memory);
    EXPECT_EQ(in.error().limit, 1024u);
    EXPECT_LE(arena.bytes_held(), arena.bytes_max());
}

// ---- Trees ----

struct Tree {
    Array<Tree> children;
};

const std::byte* get_tree(const std::byte* at, Reader& in, Tree& out) {
    if (!in.enter(at)) return nullptr;
    at = get_array<kUnbounded, 4, 4, 0, get_tree>(at, in, out.children);
    in.leave();
    return at;
}
std::byte* put_tree(std::byte* at, Writer& out, const Tree& tree) {
    if (!out.enter(at)) return nullptr;
    at = put_array<kUnbounded, 4, 4, 0, put_tree>(at, out, tree.children);
    out.leave();
    return at;
}

// A chain of only children: one word a level, the last without any.
Bytes chain(std::uint32_t levels) {
    Bytes out;
    for (std::uint32_t i = 1; i < levels; ++i) append_u32(out, 1);
    append_u32(out, 0);
    return out;
}

TEST(CodecLimits, TreesAreReadToTheDepthLimit) {
    Arena arena;
    Tree tree;
    for (const std::uint32_t levels : {1u, 2u, kDepthMax}) {
        const Bytes bytes = chain(levels);
        Reader in{bytes, arena, Mode::strict};
        EXPECT_TRUE(in.end(get_tree(begin(in, 4), in, tree)) && in.finish()) << levels;
    }
    for (const std::uint32_t levels : {kDepthMax + 1, 1'000'000u}) {
        const Bytes bytes = chain(levels);
        Reader in{bytes, arena, Mode::strict};
        EXPECT_EQ(get_tree(begin(in, 4), in, tree), nullptr) << levels;
        EXPECT_EQ(in.error(),
                  (DecodeError{kDepthMax * 4, Fault::too_deep, kDepthMax + 1, kDepthMax}));
    }
}

TEST(CodecLimits, BroadTreesAreNotDeep) {
    Bytes bytes = word(1000);
    bytes.resize(4 + 4000);
    Arena arena;
    Tree tree;
    Reader in{bytes, arena, Mode::strict};
    EXPECT_TRUE(in.end(get_tree(begin(in, 4), in, tree)) && in.finish());
    EXPECT_EQ(tree.children.size(), 1000u);
}

TEST(CodecLimits, WhatCannotBeReadIsNotWritten) {
    std::array<Tree, kDepthMax + 1> levels;
    for (std::size_t i = 1; i < levels.size(); ++i) levels[i].children = {&levels[i - 1], 1};
    Arena arena;
    Writer within{arena};
    EXPECT_TRUE(within.end(put_tree(begin(within, 4), within, levels[kDepthMax - 1])));
    EXPECT_EQ(within.joined(), chain(kDepthMax));
    Writer over{arena};
    EXPECT_FALSE(over.end(put_tree(begin(over, 4), over, levels[kDepthMax])));
    EXPECT_EQ(over.error(),
              (DecodeError{kDepthMax * 4, Fault::too_deep, kDepthMax + 1, kDepthMax}));
}

}  // namespace
}  // namespace helio::xdr::codec_limits_test
