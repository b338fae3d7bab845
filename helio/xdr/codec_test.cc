// The building blocks of generated codecs, each compared with hand-written bytes, in both
// directions. codec_limits_test.cc tests what they reject.
#include "helio/xdr/codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "helio/xdr/plain.h"
#include "testing/xdr/begin.h"
#include "testing/xdr/bytes.h"

namespace helio::xdr::codec_test {
namespace {

// Decodes all of `bytes`, strictly, with get(at, in) → where it ended.
template <class Get>
DecodeError read(const Bytes& bytes, Arena& arena, std::size_t lead, Get get) {
    Reader in{bytes, arena, Mode::strict};
    const std::byte* const at = begin(in, lead);
    if (at != nullptr && in.end(get(at, in)) && in.finish()) return {};
    return in.error();
}

template <class Put>
std::string written(Arena& arena, std::size_t lead, Put put) {
    Writer out{arena};
    std::byte* const at = begin(out, lead);
    if (at != nullptr && out.end(put(at, out))) return to_hex(out.joined());
    return to_string(out.error());
}

template <class Scalar>
void expect_scalar(Scalar value, const char* text) {
    Arena arena;
    const Bytes bytes = hex(text);
    Reader in{bytes, arena, Mode::strict};
    Scalar got{};
    EXPECT_TRUE(decode_plain(in, got)) << text;
    EXPECT_TRUE(in.finish()) << text;
    EXPECT_TRUE(same(got, value)) << text;
    Writer out{arena};
    EXPECT_TRUE(encode_plain(out, value)) << text;
    EXPECT_EQ(to_hex(out.joined()), text);
}

TEST(Codec, Scalars) {
    expect_scalar(std::int32_t{0}, "00000000");
    expect_scalar(std::numeric_limits<std::int32_t>::min(), "80000000");
    expect_scalar(std::numeric_limits<std::int32_t>::max(), "7fffffff");
    expect_scalar(std::uint32_t{0xffffffff}, "ffffffff");
    expect_scalar(std::numeric_limits<std::int64_t>::min(), "8000000000000000");
    expect_scalar(std::int64_t{-2}, "fffffffffffffffe");
    expect_scalar(std::numeric_limits<std::uint64_t>::max(), "ffffffffffffffff");
    expect_scalar(true, "00000001");
    expect_scalar(false, "00000000");
    expect_scalar(std::array<std::byte, 16>{std::byte{0x3f}, std::byte{0xff}},
                  "3fff0000000000000000000000000000");  // quadruple 1
}

// RFC 4506 §4.6, §4.7: IEEE 754, sign first. NaNs keep their payload.
TEST(Codec, FloatingPoint) {
    expect_scalar(1.0f, "3f800000");
    expect_scalar(-0.0f, "80000000");
    expect_scalar(std::numeric_limits<float>::infinity(), "7f800000");
    expect_scalar(std::bit_cast<float>(0x7fc12345u), "7fc12345");
    expect_scalar(-2.0, "c000000000000000");
    expect_scalar(std::numeric_limits<double>::denorm_min(), "0000000000000001");
    expect_scalar(std::bit_cast<double>(0x7ff8000000abcdefu), "7ff8000000abcdef");
}

TEST(Codec, SmallIntegersFillAWord) {
    expect_scalar(std::int8_t{-128}, "ffffff80");
    expect_scalar(std::int8_t{127}, "0000007f");
    expect_scalar(std::uint8_t{255}, "000000ff");
    expect_scalar(std::int16_t{-32768}, "ffff8000");
    expect_scalar(std::int16_t{32767}, "00007fff");
    expect_scalar(std::uint16_t{65535}, "0000ffff");
}

template <class Scalar>
void expect_refused(const char* text, Fault fault, std::uint32_t limit = 0) {
    Arena arena;
    const Bytes bytes = hex(text);
    Reader in{bytes, arena};
    Scalar got{};
    EXPECT_FALSE(decode_plain(in, got)) << text;
    EXPECT_EQ(in.error(), (DecodeError{0, fault, load_u32(bytes.data()), limit})) << text;
}

TEST(Codec, SmallIntegersOutOfRange) {
    expect_refused<std::int8_t>("00000080", Fault::out_of_range);
    expect_refused<std::int8_t>("ffffff7f", Fault::out_of_range);
    expect_refused<std::int8_t>("000000ff", Fault::out_of_range);
    expect_refused<std::int8_t>("7fffffff", Fault::out_of_range);
    expect_refused<std::uint8_t>("00000100", Fault::out_of_range);
    expect_refused<std::uint8_t>("ffffffff", Fault::out_of_range);
    expect_refused<std::int16_t>("00008000", Fault::out_of_range);
    expect_refused<std::int16_t>("ffff7fff", Fault::out_of_range);
    expect_refused<std::int16_t>("80000000", Fault::out_of_range);
    expect_refused<std::uint16_t>("00010000", Fault::out_of_range);
    expect_refused<std::uint16_t>("ffffffff", Fault::out_of_range);
}

TEST(Codec, BooleansAreZeroOrOne) {
    for (const char* const text : {"00000002", "01000000", "80000000", "ffffffff"})
        expect_refused<bool>(text, Fault::bad_bool, 1);
}

// ---- Opaque data of fixed size ----

TEST(Codec, FixedOpaque) {
    Arena arena;
    const Bytes bytes = hex("0102030405 000000");
    std::array<std::byte, 5> value{};
    const auto get = [&](const std::byte* at, Reader& in) {
        return get_bytes(at, in, value, value.size()) ? at + 8 : nullptr;
    };
    EXPECT_EQ(read(bytes, arena, 8, get).fault, Fault::none);
    EXPECT_EQ(to_hex(value), "0102030405");
    EXPECT_EQ(read(hex("0102030405 000001"), arena, 8, get),
              (DecodeError{5, Fault::bad_padding, 0, 0}));
    std::memset(arena.make<char>(8192), 0xee, 8192);
    arena.reset();
    EXPECT_EQ(written(arena, 8,
                      [&](std::byte* at, Writer& out) {
                          EXPECT_TRUE(put_bytes(at, out, value, value.size()));
                          return at + 8;
                      }),
              "0102030405000000");
}

TEST(Codec, LargeFixedOpaqueIsAView) {
    Arena arena;
    const Bytes bytes = hex("010203040506 0000");
    ByteView value;
    EXPECT_EQ(read(bytes, arena, 8,
                   [&](const std::byte* at, Reader& in) {
                       return get_bytes(at, in, value, 6) ? at + 8 : nullptr;
                   })
                  .fault,
              Fault::none);
    EXPECT_EQ(value.data(), bytes.data());
    EXPECT_EQ(value.size(), 6u);
    const auto put = [&](std::byte* at, Writer& out) {
        return put_bytes(at, out, value, 6) ? at + 8 : nullptr;
    };
    EXPECT_EQ(written(arena, 8, put), "0102030405060000");
    for (const std::size_t wrong : {0, 5, 7}) {
        value = ByteView{bytes}.first(wrong);
        EXPECT_NE(written(arena, 8, put).find("too long at byte 0"), std::string::npos) << wrong;
    }
}

// ---- Arrays ----

// Words are swapped two at a time: even and odd counts, and none.
TEST(Codec, Words) {
    for (std::uint32_t count = 0; count < 20; ++count) {
        Arena arena;
        Bytes bytes = word(count);
        for (std::uint32_t i = 0; i < count; ++i) append_u32(bytes, 0x01020300 + i);
        append_u32(bytes, 0xffffffff);  // the Tail
        Array<std::uint32_t> items;
        EXPECT_EQ(read(bytes, arena, 4,
                       [&](const std::byte* at, Reader& in) {
                           at = get_words<100, 4>(at, in, items);
                           return at == nullptr ? nullptr : at + 4;
                       })
                      .fault,
                  Fault::none);
        ASSERT_EQ(items.size(), count);
        for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(items[i], 0x01020300 + i);
        EXPECT_EQ(written(arena, 4,
                          [&](std::byte* at, Writer& out) {
                              at = put_words<100, 4>(at, out, items);
                              store_u32(at, 0xffffffff);
                              return at + 4;
                          }),
                  to_hex(bytes));
    }
}

TEST(Codec, WordsOfOtherTypes) {
    Arena arena;
    const Bytes bytes = hex("00000003 ffffffff 80000000 00000001");
    Array<std::int32_t> integers;
    Array<float> floats;
    const auto get = [](auto& items) {
        return [&items](const std::byte* at, Reader& in) {
            return get_words<kUnbounded, 0>(at, in, items);
        };
    };
    EXPECT_EQ(read(bytes, arena, 4, get(integers)).fault, Fault::none);
    EXPECT_EQ(read(bytes, arena, 4, get(floats)).fault, Fault::none);
    EXPECT_EQ(integers[0], -1);
    EXPECT_EQ(integers[1], std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(std::bit_cast<std::uint32_t>(floats[0]), 0xffffffffu);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(floats[2]), 1u);
}

TEST(Codec, FlatArray) {
    Arena arena;
    const Bytes bytes = hex("00000003 00000001 00000000 00000001");
    Array<bool> items;
    const auto get = [&](const std::byte* at, Reader& in) {
        return get_flat_array<3, 4, 0, get_scalar>(at, in, items);
    };
    EXPECT_EQ(read(bytes, arena, 4, get).fault, Fault::none);
    ASSERT_EQ(items.size(), 3u);
    EXPECT_TRUE(items[0] && !items[1] && items[2]);
    EXPECT_EQ(written(arena, 4,
                      [&](std::byte* at, Writer& out) {
                          return put_flat_array<3, 4, 0, put_scalar>(at, out, items);
                      }),
              to_hex(bytes));
    EXPECT_EQ(read(hex("00000002 00000001 00000002"), arena, 4, get),
              (DecodeError{8, Fault::bad_bool, 2, 1}));
}

constexpr auto get_text = [](const std::byte* at, Reader& in, std::string_view& out) {
    return in.string<8, 0>(at, out);
};
constexpr auto put_text = [](std::byte* at, Writer& out, std::string_view text) {
    return out.string<8, 0>(at, text);
};

TEST(Codec, ArrayOfStrings) {
    Arena arena;
    const Bytes bytes =
        hex("00000003"
            "00000001 61000000"
            "00000000"
            "00000004 62636465"
            "77777777");
    Array<std::string_view> items;
    const auto get = [&](const std::byte* at, Reader& in) {
        at = get_array<3, 4, 4, 4, get_text>(at, in, items);
        return at == nullptr ? nullptr : at + 4;
    };
    EXPECT_EQ(read(bytes, arena, 4, get).fault, Fault::none);
    ASSERT_EQ(items.size(), 3u);
    EXPECT_EQ(items[0], "a");
    EXPECT_EQ(items[1], "");
    EXPECT_EQ(items[2], "bcde");
    EXPECT_EQ(written(arena, 4,
                      [&](std::byte* at, Writer& out) -> std::byte* {
                          at = put_array<3, 4, 4, 4, put_text>(at, out, items);
                          if (at == nullptr) return nullptr;
                          store_u32(at, 0x77777777);
                          return at + 4;
                      }),
              to_hex(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const Bytes cut{bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
        const DecodeError error = read(cut, arena, 4, get);
        EXPECT_EQ(error.fault, Fault::truncated) << size;
        EXPECT_EQ(error.offset, size);
    }
}

// ---- Fixed arrays ----

TEST(Codec, FixedArrays) {
    Arena arena;
    const Bytes flat = hex("00000001 00000002 00000003");
    std::array<std::uint8_t, 3> run{};
    Array<std::uint8_t> view;
    EXPECT_EQ(read(flat, arena, 12,
                   [&](const std::byte* at, Reader& in) {
                       return get_flat_run<4, get_scalar>(at, in, run, 3) &&
                                      get_flat_run<4, get_scalar>(at, in, view, 3)
                                  ? at + 12
                                  : nullptr;
                   })
                  .fault,
              Fault::none);
    EXPECT_EQ(run, (std::array<std::uint8_t, 3>{1, 2, 3}));
    EXPECT_TRUE(same(view, Array<std::uint8_t>{run}));
    for (const std::size_t count : {2, 3, 4}) {
        const std::string text = written(arena, 16, [&](std::byte* at, Writer& out) {
            return put_flat_run<4, put_scalar>(at, out, view, count) ? at + 12 : nullptr;
        });
        EXPECT_EQ(text == to_hex(flat), count == 3) << text;
    }

    const Bytes texts = hex("00000001 61000000 00000002 62630000");
    std::array<std::string_view, 2> names;
    Array<std::string_view> names_view;
    EXPECT_EQ(read(texts, arena, 8,
                   [&](const std::byte* at, Reader& in) {
                       return get_run<4, 4, 0, get_text>(at, in, names, 2);
                   })
                  .fault,
              Fault::none);
    EXPECT_EQ(read(texts, arena, 0,
                   [&](const std::byte* at, Reader& in) {
                       return get_run<4, 4, 0, get_text>(at, in, names_view, 2);
                   })
                  .fault,
              Fault::none);
    EXPECT_EQ(names[1], "bc");
    EXPECT_TRUE(same(names_view, Array<std::string_view>{names}));
    for (const std::size_t count : {1, 2, 3}) {
        const std::string text = written(arena, 0, [&](std::byte* at, Writer& out) {
            return put_run<4, 4, 0, put_text>(at, out, names, count);
        });
        EXPECT_EQ(text == to_hex(texts), count == 2) << text;
    }
}

// ---- Optionals ----

TEST(Codec, FlatOptional) {
    Arena arena;
    const std::uint64_t* item = nullptr;
    const auto get = [&](const std::byte* at, Reader& in) {
        return get_flat_optional<8, 0, get_scalar>(at, in, item);
    };
    const auto put = [&](std::byte* at, Writer& out) {
        return put_flat_optional<8, 0, put_scalar>(at, out, item);
    };
    EXPECT_EQ(read(hex("00000001 0102030405060708"), arena, 4, get).fault, Fault::none);
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(*item, 0x0102030405060708u);
    EXPECT_EQ(written(arena, 4, put), "000000010102030405060708");
    EXPECT_EQ(read(hex("00000000"), arena, 4, get).fault, Fault::none);
    EXPECT_EQ(item, nullptr);
    EXPECT_EQ(written(arena, 4, put), "00000000");
    EXPECT_EQ(read(hex("00000002 0102030405060708"), arena, 4, get),
              (DecodeError{0, Fault::bad_bool, 2, 1}));
    EXPECT_EQ(read(hex("00000001 01020304"), arena, 4, get),
              (DecodeError{8, Fault::truncated, 8, 4}));
}

TEST(Codec, Optional) {
    Arena arena;
    const std::string_view* item = nullptr;
    const auto get = [&](const std::byte* at, Reader& in) {
        at = get_optional<4, 4, get_text>(at, in, item);
        return at == nullptr ? nullptr : at + 4;
    };
    const auto put = [&](std::byte* at, Writer& out) {
        at = put_optional<4, 4, put_text>(at, out, item);
        store_u32(at, 9);
        return at + 4;
    };
    const Bytes present = hex("00000001 00000001 61000000 00000009");
    EXPECT_EQ(read(present, arena, 4, get).fault, Fault::none);
    ASSERT_NE(item, nullptr);
    EXPECT_EQ(*item, "a");
    EXPECT_EQ(written(arena, 4, put), to_hex(present));
    EXPECT_EQ(read(hex("00000000 00000009"), arena, 4, get).fault, Fault::none);
    EXPECT_EQ(item, nullptr);
    EXPECT_EQ(written(arena, 4, put), "0000000000000009");
    EXPECT_EQ(read(hex("ffffffff 00000009"), arena, 4, get),
              (DecodeError{0, Fault::bad_bool, 0xffffffff, 1}));
    EXPECT_EQ(read(hex("00000000"), arena, 4, get), (DecodeError{4, Fault::truncated, 4, 0}));
    EXPECT_EQ(read(hex("00000001 00000009"), arena, 4, get).fault, Fault::too_long);
}

// In uninitialised storage: its contents are not read (the sanitizer would notice).
TEST(Codec, OptionalsAreMadeNotAssigned) {
    using Value = std::optional<std::uint64_t>;
    alignas(Value) std::array<std::byte, sizeof(Value)> storage;
    auto& value = *reinterpret_cast<Value*>(storage.data());
    storage.fill(std::byte{0xdb});
    make_absent(value);
    EXPECT_FALSE(value.has_value());
    storage.fill(std::byte{0xdb});
    make_present(value) = 7;
    EXPECT_EQ(value, std::optional<std::uint64_t>{7});
}

}  // namespace
}  // namespace helio::xdr::codec_test
