// Our code and rpcgen + libtirpc read each other's output, for every construct both know.
//
// If they differ, we are stricter; the tests at the end list how, so that new and vanished
// differences are noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "helio/reflect/decode.h"
#include "helio/reflect/random.h"
#include "tests/xdr_peers/both.h"

namespace xdr_peers::rpcgen_test {
namespace {

using helio::idl::Kind;
using helio::idl::Type;
namespace reflect = helio::reflect;

constexpr std::uint64_t kSeeds = 200;  // per type; all of them take about a second

// C strings end at their first zero byte, so libtirpc encodes less than it decoded. XDR has no such
// rule (RFC 4506 §4.11), and random values contain such strings now and then.
bool has_zero_in_string(const reflect::Tree& tree) {
    for (reflect::NodeIndex i = 0; i < tree.nodes.size(); ++i) {
        const reflect::Node& node = tree.nodes[i];
        if (node.role != reflect::Role::bytes || resolve(*node.type).kind != Kind::string) continue;
        if (std::ranges::count(bytes_of(tree, i), std::byte{0}) != 0) return true;
    }
    return false;
}

class EveryType : public testing::TestWithParam<std::string> {};

std::vector<std::string> type_names() {
    std::vector<std::string> names;
    for (const Type* type : schema().types) names.push_back(type->name);
    return names;
}

TEST(Interop, BothSidesKnowTheSameTypes) {
    const auto theirs = peer().types();
    const auto ours = type_names();
    EXPECT_EQ(std::set(theirs.begin(), theirs.end()), std::set(ours.begin(), ours.end()));
}

// Our random bytes → libtirpc decodes, encodes → the same bytes; and ours, typed and reflective,
// make the same of what libtirpc encoded.
TEST_P(EveryType, BytesGoThroughBothUnchanged) {
    const Type& type = type_named(GetParam());
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const auto bytes = reflect::random_bytes(type, seed);
        ASSERT_TRUE(bytes.has_value());
        const reflect::Tree tree = reflect::decode(*bytes, type);
        ASSERT_TRUE(tree.ok()) << to_hex(*bytes);
        if (has_zero_in_string(tree)) continue;
        ++compared;
        const std::string expected = "ok " + to_hex(*bytes);
        ASSERT_EQ(peer().echo(GetParam(), *bytes), expected) << "seed " << seed;
        ASSERT_EQ(our_echo(GetParam(), *bytes), expected) << "seed " << seed;
        ASSERT_EQ(reflective_echo(type, *bytes), expected) << "seed " << seed;
    }
    EXPECT_GE(compared, kSeeds / 20) << "nearly all values had zeros in strings";
}

// Both treat truncated messages, and those with bytes left over, alike.
TEST_P(EveryType, BothRefuseTruncationAndSeeWhatIsLeft) {
    const Type& type = type_named(GetParam());
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        auto bytes = reflect::random_bytes(type, seed, {.size_soft_max = 256});
        ASSERT_TRUE(bytes.has_value());
        for (std::size_t size = 0; size < bytes->size(); size += 4) {
            const auto cut = helio::ByteView(*bytes).first(size);
            ASSERT_EQ(peer().echo(GetParam(), cut), "refused") << to_hex(cut);
            ASSERT_EQ(our_echo(GetParam(), cut), "refused") << to_hex(cut);
        }
        bytes->insert(bytes->end(), 4, std::byte{0});
        ASSERT_EQ(peer().echo(GetParam(), *bytes), "left 4") << to_hex(*bytes);
        ASSERT_EQ(our_echo(GetParam(), *bytes), "left 4") << to_hex(*bytes);
    }
}

// Any word replaced by another: if libtirpc rejects it we do too, and if both accept it, both
// encode the same. libtirpc must re-encode unchanged whatever we accept.
TEST_P(EveryType, WhatWeAcceptLibtirpcAcceptsUnchanged) {
    const Type& type = type_named(GetParam());
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        auto bytes = reflect::random_bytes(type, seed, {.size_soft_max = 128});
        ASSERT_TRUE(bytes.has_value());
        for (std::size_t at = 0; at + 4 <= bytes->size(); at += 4) {
            Bytes changed = *bytes;
            const std::size_t byte = at + seed % 4;
            changed[byte] ^= static_cast<std::byte>(1u << (seed / 2 % 8));
            const std::string ours = our_echo(GetParam(), changed);
            ASSERT_EQ(ours, reflective_echo(type, changed)) << to_hex(changed);
            if (!ours.starts_with("ok ")) continue;
            if (has_zero_in_string(reflect::decode(changed, type))) continue;
            ASSERT_EQ(peer().echo(GetParam(), changed), ours) << to_hex(changed);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Constructs, EveryType, testing::ValuesIn(type_names()),
                         [](const auto& one) { return one.param; });

// Inputs that we reject and libtirpc does not. RFC 4506 is on our side in each.
struct Difference {
    const char* what;
    const char* type;
    const char* bytes;
    const char* libtirpc;
};

constexpr Difference kDifferences[] = {
    {"a bool of 2 (§4.4)", "flag", "00000002", "ok 00000001"},
    {"an enumerator that is not listed (§4.3)", "color", "00000003", "ok 00000003"},
    {"an optional's presence of 2 (§4.19)", "maybe_point", "000000020000000100000002",
     "ok 000000010000000100000002"},
    {"padding that is not zero (§3)", "blob", "0000000141424344", "ok 0000000141000000"},
    {"a char past a byte", "small_words", "00000100000000000000000000000000",
     "ok 00000000000000000000000000000000"},
};

TEST(Interop, WeAreStricter) {
    for (const Difference& one : kDifferences) {
        const Bytes bytes = from_hex(one.bytes);
        EXPECT_EQ(our_echo(one.type, bytes), "refused") << one.what;
        EXPECT_EQ(reflective_echo(type_named(one.type), bytes), "refused") << one.what;
        EXPECT_EQ(peer().echo(one.type, bytes), one.libtirpc) << one.what;
    }
}

// A string with a zero byte is a string to us; libtirpc loses everything after the zero.
TEST(Interop, ZeroBytesInStringsSurviveOnlyHere) {
    const Bytes bytes = from_hex("0000000341004200");
    EXPECT_EQ(our_echo("path_t", bytes), "ok 0000000341004200");
    EXPECT_EQ(peer().echo("path_t", bytes), "ok 0000000141000000");
}

}  // namespace
}  // namespace xdr_peers::rpcgen_test
