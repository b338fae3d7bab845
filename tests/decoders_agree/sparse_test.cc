// Values that a bitmap selects, as the generated codec and the reflective reader see them. Bytes
// are written by hand from RFC 8881 §5.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "helio/base/assert.h"
#include "helio/idl/parse.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/random.h"
#include "helio/xdr/wire.h"
#include "schema/nfs4.h"

namespace helio::test::sparse_test {
namespace {

using nfs4::fattr4_attributes;

std::vector<std::byte> words(std::initializer_list<std::uint32_t> all) {
    std::vector<std::byte> out(all.size() * 4);
    std::size_t at = 0;
    for (const std::uint32_t word : all) xdr::store_u32(out.data() + 4 * at++, word);
    return out;
}

const idl::Type& fattr4() {
    static const idl::Parsed parsed = idl::parse_file(HELIO_SOURCE_DIR "/schema/nfs4.x");
    HELIO_ASSERT(parsed.schema != nullptr);
    return *parsed.schema->type("fattr4");
}

// type, size, mode
constexpr std::array<std::uint32_t, 2> kMask{0x00000012, 0x00000002};
const auto kValues = words({1, 0, 4096, 0644});

TEST(Attributes, Decode) {
    xdr::Arena arena;
    xdr::Reader in{kValues, arena};
    fattr4_attributes v;
    ASSERT_TRUE(decode_fattr4_attributes(in, kMask, v)) << to_string(in.error());
    EXPECT_EQ(v.present, (fattr4_attributes::Bits{nfs4::FATTR4_TYPE, nfs4::FATTR4_SIZE,
                                                  fattr4_attributes::bit::mode}));
    EXPECT_EQ(v.type, nfs4::NF4REG);
    EXPECT_EQ(v.size, 4096u);
    EXPECT_EQ(v.mode, 0644u);
}

TEST(Attributes, Encode) {
    fattr4_attributes v;
    v.present = {nfs4::FATTR4_TYPE, nfs4::FATTR4_SIZE, nfs4::FATTR4_MODE};
    v.type = nfs4::NF4REG;
    v.size = 4096;
    v.mode = 0644;
    xdr::Arena arena;
    xdr::Writer out{arena};
    ASSERT_TRUE(encode_fattr4_attributes(out, v));
    EXPECT_EQ(out.joined(), words({16, 1, 0, 4096, 0644}));

    nfs4::fattr4 whole;
    whole.attrmask = v.present.words();
    ASSERT_TRUE(pack_fattr4_attributes(arena, v, whole.attr_vals));
    xdr::Writer message{arena};
    ASSERT_TRUE(encode_fattr4(message, whole));
    EXPECT_EQ(message.joined(), words({2, 0x12, 2, 16, 1, 0, 4096, 0644}));
}

TEST(Attributes, NoneAreFine) {
    xdr::Arena arena;
    fattr4_attributes v;
    xdr::Reader in{{}, arena};
    EXPECT_TRUE(decode_fattr4_attributes(in, {}, v));
    EXPECT_TRUE(v.present.empty());
    xdr::Writer out{arena};
    ASSERT_TRUE(encode_fattr4_attributes(out, v));
    EXPECT_EQ(out.joined(), words({0}));
    ByteView values = kValues;
    EXPECT_TRUE(pack_fattr4_attributes(arena, v, values));
    EXPECT_TRUE(values.empty());
}

// Long opaque values are referenced by the Writer, and copied into the arena's bytes.
TEST(Attributes, LongValuesComeBack) {
    const std::vector<std::byte> label(100'000, std::byte{0x5a});
    fattr4_attributes v;
    v.present = {nfs4::FATTR4_SIZE, nfs4::FATTR4_SEC_LABEL};
    v.size = 7;
    v.sec_label = {};
    v.sec_label.slai_data = label;
    xdr::Arena arena;
    ByteView values;
    ASSERT_TRUE(pack_fattr4_attributes(arena, v, values));
    xdr::Reader in{values, arena};
    fattr4_attributes again;
    ASSERT_TRUE(decode_fattr4_attributes(in, v.present.words(), again)) << to_string(in.error());
    EXPECT_TRUE(v == again);
    again.size = 8;
    EXPECT_FALSE(v == again);
}

TEST(Attributes, EveryTruncationIsRefused) {
    for (std::size_t n = 0; n < kValues.size(); ++n) {
        const std::vector<std::byte> cut(kValues.begin(),
                                         kValues.begin() + static_cast<std::ptrdiff_t>(n));
        xdr::Arena arena;
        xdr::Reader in{cut, arena};
        fattr4_attributes v;
        EXPECT_FALSE(decode_fattr4_attributes(in, kMask, v)) << n;
        EXPECT_EQ(in.error().fault, xdr::Fault::truncated);
        EXPECT_EQ(in.error().offset, n);
    }
}

// A server answers ATTRNOTSUPP to the one and BADXDR to the others.
TEST(Attributes, FaultsAreToldApart) {
    const auto fault = [](std::vector<std::uint32_t> mask, const std::vector<std::byte>& values) {
        xdr::Arena arena;
        xdr::Reader in{values, arena};
        fattr4_attributes v;
        EXPECT_FALSE(decode_fattr4_attributes(in, mask, v));
        return in.error();
    };
    const auto unknown = fault({0x12, 0x2, 0x40000000}, kValues);
    EXPECT_EQ(unknown.fault, xdr::Fault::unknown_bit);
    EXPECT_EQ(unknown.got, 94u);
    EXPECT_EQ(to_string(unknown), "a bit without a meaning at byte 0: bit 94");
    EXPECT_EQ(fault({0x2}, words({99})).fault, xdr::Fault::bad_enum);
    EXPECT_EQ(fault({0x2}, words({1, 1})).fault, xdr::Fault::trailing_bytes);
    EXPECT_EQ(fault({}, words({1})).fault, xdr::Fault::trailing_bytes);
}

TEST(Attributes, PrintWhatIsThere) {
    xdr::Arena arena;
    xdr::Reader in{kValues, arena};
    fattr4_attributes v;
    ASSERT_TRUE(decode_fattr4_attributes(in, kMask, v));
    xdr::Printer out;
    print_fattr4_attributes(out, v);
    EXPECT_NE(out.text().find("NF4REG"), std::string::npos);
    EXPECT_EQ(out.text().find("owner"), std::string::npos);
}

// One fattr4: the generated codec takes its values if and only if reflection names all of them;
// what it takes it writes again as it was.
void expect_agreement(ByteView bytes) {
    const auto tree = reflect::decode(bytes, fattr4());
    xdr::Arena arena;
    xdr::Reader in{bytes, arena, xdr::Mode::strict};
    nfs4::fattr4 whole;
    const bool decoded = decode_fattr4(in, whole) && in.finish();
    ASSERT_EQ(decoded, tree.ok());
    if (!decoded) return;
    const auto contents = std::find_if(
        tree.nodes.begin(), tree.nodes.end(),
        [](const reflect::Node& node) { return node.role == reflect::Role::contents; });
    ASSERT_NE(contents, tree.nodes.end());
    const bool understood = reflect::is_understood(
        tree, static_cast<reflect::NodeIndex>(contents - tree.nodes.begin()));
    xdr::Reader values{whole.attr_vals, arena, xdr::Mode::strict};
    fattr4_attributes v;
    const bool taken = decode_fattr4_attributes(values, whole.attrmask, v);
    ASSERT_EQ(taken, understood) << to_string(values.error());
    if (!taken) return;
    ByteView again;
    ASSERT_TRUE(pack_fattr4_attributes(arena, v, again));
    ASSERT_TRUE(
        std::equal(again.begin(), again.end(), whole.attr_vals.begin(), whole.attr_vals.end()));
    EXPECT_TRUE(v == v);
}

TEST(Attributes, BothReadersAgree) {
    std::size_t understood = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        auto bytes = reflect::random_bytes(fattr4(), seed).value();
        expect_agreement(bytes);
        if (HasFatalFailure()) return;
        for (std::size_t at = 0; at + 4 <= bytes.size() && at < 400; at += 4) {
            const auto kept = xdr::load_u32(bytes.data() + at);
            for (const std::uint32_t word : {0u, 1u, 2u, 0xffu, 0x7fffffffu, 0xffffffffu}) {
                xdr::store_u32(bytes.data() + at, word);
                expect_agreement(bytes);
                if (HasFatalFailure()) return;
            }
            xdr::store_u32(bytes.data() + at, kept);
        }
        const auto tree = reflect::decode(bytes, fattr4());
        for (reflect::NodeIndex i = 0; i < tree.nodes.size(); ++i)
            understood += tree.nodes[i].role == reflect::Role::contents && is_understood(tree, i);
    }
    EXPECT_GT(understood, 30u);
}

}  // namespace
}  // namespace helio::test::sparse_test
