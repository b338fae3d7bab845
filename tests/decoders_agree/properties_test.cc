// Properties of every type of every schema, on random values and on broken ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "helio/reflect/decode.h"
#include "helio/reflect/random.h"
#include "tests/decoders_agree/schemas.h"

namespace helio::test::properties_test {
namespace {

// HELIO_SEEDS=1000 looks longer.
std::uint64_t seeds_per_type() {
    const char* const wanted = std::getenv("HELIO_SEEDS");
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 20;
}

template <class Check>
void for_every_type(Check check) {
    for (const auto& one : schemas()) {
        for (std::size_t i = 0; i < one.codecs.size(); ++i) {
            const auto picked = pick(one, i);
            ASSERT_NE(picked.type, nullptr) << one.name << "." << one.codecs[i].name;
            SCOPED_TRACE(fmt::format("{}.{}", one.name, picked.codec->name));
            check(picked);
            if (::testing::Test::HasFailure()) return;
        }
    }
}

TEST(EveryType, HasACodecAndASchema) {
    std::size_t types = 0;
    for (const auto& one : schemas()) {
        for (const auto* type : one.schema->types) types += type->where.file == 0;
        std::size_t own = 0;  // a sparse struct has bytes only beside its bitmap
        for (const auto* type : one.schema->types) own += type->where.file == 0 && !type->sparse;
        EXPECT_EQ(own, one.codecs.size()) << one.name;
    }
    EXPECT_GT(types, 1000u);
}

TEST(EveryType, DecodesWhatItEncodesAndAgreesWithReflection) {
    for_every_type([](const PickedType& picked) {
        for (std::uint64_t seed = 0; seed < seeds_per_type(); ++seed) {
            const auto bytes = reflect::random_bytes(*picked.type, seed);
            ASSERT_TRUE(bytes.has_value());
            EXPECT_EQ(disagreement(picked, *bytes), "") << "seed " << seed;
            xdr::Arena arena;
            xdr::Reader in{*bytes, arena, xdr::Mode::strict};
            xdr::Writer out{arena};
            EXPECT_TRUE(picked.codec->recode(in, out) && in.finish()) << to_string(in.error());
        }
    });
}

TEST(EveryType, EqualsItselfAndPrints) {
    for_every_type([](const PickedType& picked) {
        const auto bytes = reflect::random_bytes(*picked.type, 7);
        ASSERT_TRUE(bytes.has_value());
        xdr::Arena arena;
        xdr::Reader one{*bytes, arena}, other{*bytes, arena}, printed{*bytes, arena};
        EXPECT_TRUE(picked.codec->same(one, other));
        const auto text = picked.codec->print(printed);
        for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    });
}

TEST(EveryType, DiffersWhenBytesDiffer) {
    for_every_type([](const PickedType& picked) {
        const auto a = reflect::random_bytes(*picked.type, 1);
        const auto b = reflect::random_bytes(*picked.type, 2);
        xdr::Arena arena;
        xdr::Reader one{*a, arena}, other{*b, arena};
        EXPECT_EQ(picked.codec->same(one, other), *a == *b);
    });
}

// Cut anywhere: refused by both, at the place where the bytes end.
TEST(EveryType, RefusesEveryTruncation) {
    for_every_type([](const PickedType& picked) {
        const auto bytes = reflect::random_bytes(*picked.type, 3, {.size_soft_max = 200});
        for (std::size_t n = 0; n < bytes->size(); n += n < 256 ? 1 : 97) {
            const ByteView prefix = ByteView{*bytes}.first(n);
            xdr::Arena arena;
            xdr::Reader in{prefix, arena, xdr::Mode::strict};
            xdr::Writer out{arena};
            ASSERT_FALSE(picked.codec->recode(in, out)) << "prefix of " << n << " bytes";
            EXPECT_EQ(in.error().fault, xdr::Fault::truncated);
            EXPECT_EQ(in.error().offset, n);
            const auto tree = reflect::decode(prefix, *picked.type);
            EXPECT_EQ(tree.error.fault, xdr::Fault::truncated);
            EXPECT_EQ(tree.error.offset, n);
        }
    });
}

// Every word replaced by the numbers that overflow, wrap and sign-extend: both readers agree,
// nothing is allocated by a count alone.
TEST(EveryType, SurvivesEveryWordMadeHostile) {
    constexpr std::uint32_t kHostile[] = {
        0, 1, 2, 0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff};
    for_every_type([&](const PickedType& picked) {
        auto bytes = *reflect::random_bytes(*picked.type, 5, {.size_soft_max = 100});
        const std::size_t stride = bytes.size() > 400 ? 52 : 4;
        for (std::size_t at = 0; at + 4 <= bytes.size(); at += stride) {
            const auto kept = xdr::load_u32(bytes.data() + at);
            for (const auto word : kHostile) {
                xdr::store_u32(bytes.data() + at, word);
                ASSERT_EQ(disagreement(picked, bytes), "")
                    << fmt::format("word {:08x} at {}", word, at);
            }
            xdr::store_u32(bytes.data() + at, kept);
        }
    });
}

TEST(EveryType, AgreesOnNoise) {
    std::mt19937_64 random{20'000};
    for_every_type([&](const PickedType& picked) {
        for (int round = 0; round < 20; ++round) {
            std::vector<std::byte> bytes(random() % 12 * 4);
            // Small words often: they are plausible lengths, flags and discriminants.
            for (std::size_t at = 0; at < bytes.size(); at += 4)
                xdr::store_u32(bytes.data() + at, static_cast<std::uint32_t>(
                                                      random() % 4 != 0 ? random() % 4 : random()));
            ASSERT_EQ(disagreement(picked, bytes), "");
        }
    });
}

}  // namespace
}  // namespace helio::test::properties_test
