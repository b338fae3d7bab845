#include "helio/reflect/decode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helio/reflect/random.h"
#include "helio/xdr/wire.h"
#include "testing/reflect/schema.h"

namespace helio::reflect::decode_test {
namespace {

using xdr::DecodeError;
using xdr::Fault;

// One line per leaf: offset, size, role, path, meaning.
std::string dump(const Tree& tree) {
    std::string out;
    for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
        const Node& node = tree.nodes[i];
        if (!is_leaf(node.role)) continue;
        out += fmt::format("{}+{} {} {} {}\n", node.offset, node.size, name(node.role),
                           path(tree, i), text(tree, i));
    }
    return out;
}

// The tree's invariant: consistent links, and each byte read in exactly one leaf.
void check_shape(const Tree& tree) {
    std::uint32_t tiled = 0;
    for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
        const Node& node = tree.nodes[i];
        ASSERT_GT(node.next, i);
        ASSERT_LE(node.next, tree.nodes.size());
        if (is_leaf(node.role)) {
            ASSERT_EQ(node.offset, tiled) << "node " << i;
            ASSERT_EQ(node.next, i + 1);
            tiled += node.size;
        }
        if (i == 0) continue;
        ASSERT_LT(node.parent, i);
        const Node& parent = tree.nodes[node.parent];
        ASSERT_EQ(node.depth, parent.depth + 1);
        ASSERT_LE(node.next, parent.next);
        ASSERT_GE(node.offset, parent.offset);
        ASSERT_LE(node.offset + node.size, parent.offset + parent.size);
    }
    ASSERT_EQ(tiled, tree.consumed);
    std::uint32_t words_end = 0;
    for (WordIterator words{tree}; words.more(); words.advance()) {
        ASSERT_EQ(words.word().offset, words_end);
        words_end += words.word().size;
    }
    ASSERT_EQ(words_end, tree.consumed);
}

// RFC 1813 §3.3.6, written out by hand from the struct.
const auto kReadArgs =
    hex("00000005  0102030405 000000"  // file: length, five bytes, padding
        "0000000000010000"             // offset: 65536
        "00001000");                   // count: 4096

TEST(Decode, NamesEveryByteOfReadArgs) {
    const Tree tree = decode(kReadArgs, rich("read_args"));
    ASSERT_TRUE(tree.ok()) << to_string(tree.error);
    check_shape(tree);
    EXPECT_EQ(dump(tree),
              "0+4 length file length: 5 bytes\n"
              "4+5 body file 0102030405\n"
              "9+3 padding file padding\n"
              "12+8 value offset 65536\n"
              "20+4 value count 4096\n");
    EXPECT_EQ(tree.nodes[0].size, 24u);
    EXPECT_EQ(tree.nodes[0].type, &rich("read_args"));
    EXPECT_EQ(bytes_of(tree, tree.first_child(0)).size(), 5u);
}

TEST(Decode, WordsNameTheirOwners) {
    const Tree tree = decode(kReadArgs, rich("read_args"));
    std::string out;
    for (WordIterator words{tree}; words.more(); words.advance()) {
        const Word& word = words.word();
        out += fmt::format("{} {}{}\n", word.offset, name(tree.nodes[word.leaf].role),
                           word.padding == kNoNode ? "" : "+padding");
    }
    EXPECT_EQ(out, "0 length\n4 body\n8 body+padding\n12 value\n16 value\n20 value\n");
}

TEST(Decode, ListElementsAreSiblings) {
    const auto bytes =
        hex("0000000000000001"                     // check
            "00000001"                             // an entry
            "000000000000000a  00000001 61000000"  // fileid 10, "a"
            "00000001"                             // one more
            "000000000000000b  00000002 62630000"  // fileid 11, "bc"
            "00000000"                             // no more
            "00000001");                           // eof
    const Tree tree = decode(bytes, rich("directory"));
    ASSERT_TRUE(tree.ok()) << to_string(tree.error);
    check_shape(tree);
    EXPECT_EQ(dump(tree),
              "0+8 body check 0000000000000001\n"
              "8+4 presence entries one more\n"
              "12+8 value entries[0].fileid 10\n"
              "20+4 length entries[0].filename length: 1 byte\n"
              "24+1 body entries[0].filename \"a\"\n"
              "25+3 padding entries[0].filename padding\n"
              "28+4 presence entries one more\n"
              "32+8 value entries[1].fileid 11\n"
              "40+4 length entries[1].filename length: 2 bytes\n"
              "44+2 body entries[1].filename \"bc\"\n"
              "46+2 padding entries[1].filename padding\n"
              "48+4 presence entries end of list\n"
              "52+4 value eof true\n");
}

TEST(Decode, UnionsAndPointers) {
    const auto pointers =
        hex("00000000"                             // one: absent
            "00000001 00000001 ffffffff"           // two: present, present, -1
            "00000001 00000000"                    // three: present, follows no
            "00000002 00000000 00000001 00000007"  // many: absent, 7
            "00000000");                           // args: absent
    const Tree tree = decode(pointers, rich("pointers"));
    ASSERT_TRUE(tree.ok()) << to_string(tree.error);
    check_shape(tree);
    EXPECT_EQ(dump(tree),
              "0+4 presence one absent\n"
              "4+4 presence two present\n"
              "8+4 presence two present\n"
              "12+4 value two -1\n"
              "16+4 presence three present\n"
              "20+4 discriminant three.follows false\n"
              "24+4 length many length: 2 elements\n"
              "28+4 presence many[0] absent\n"
              "32+4 presence many[1] present\n"
              "36+4 value many[1] 7\n"
              "40+4 presence args absent\n");
}

struct Refusal {
    const char* type;
    const char* bytes;
    DecodeError error;
};

TEST(Decode, Refuses) {
    const Refusal refusals[] = {
        {"color", "00000003", {0, Fault::bad_enum, 3, 0}},
        {"sparse", "80000001", {0, Fault::bad_enum, 0x80000001, 0}},
        {"reversed", "00000002", {0, Fault::bad_bool, 2, 0}},
        {"int_pointer", "00000002 00000000", {0, Fault::bad_bool, 2, 1}},
        {"entry_list", "ffffffff", {0, Fault::bad_bool, 0xffffffff, 1}},
        {"by_number", "00000001", {0, Fault::bad_discriminant, 1, 0}},
        {"by_sparse", "00000001", {0, Fault::bad_enum, 1, 0}},
        {"read_result", "00000063 00000003", {4, Fault::bad_enum, 3, 0}},
        {"handle", "00000041", {0, Fault::too_long, 65, 64}},
        {"handle", "00000001 01000001", {5, Fault::bad_padding, 0, 0}},
        {"verifier", "0000000000000000 00", {8, Fault::trailing_bytes, 1, 0}},
        {"handle", "00000040 00", {5, Fault::truncated, 64, 1}},
        {"quartet", "00000000 00000000", {8, Fault::truncated, 16, 8}},
    };
    for (const auto& [type, bytes, error] : refusals) {
        const auto input = hex(bytes);
        const Tree tree = decode(input, rich(type));
        EXPECT_EQ(tree.error, error) << type << ' ' << bytes << ": " << to_string(tree.error);
        check_shape(tree);
    }
}

TEST(Decode, NarrowIntegersKeepTheirRange) {
    const auto schema = schema_of(
        "typedef char c; typedef unsigned char uc; typedef short s; typedef unsigned short us;");
    const Refusal cases[] = {
        {"c", "ffffff80", {}},  {"c", "00000080", {0, Fault::out_of_range, 0x80, 0}},
        {"uc", "000000ff", {}}, {"uc", "ffffffff", {0, Fault::out_of_range, 0xffffffff, 0}},
        {"s", "ffff8000", {}},  {"s", "00008000", {0, Fault::out_of_range, 0x8000, 0}},
        {"us", "0000ffff", {}}, {"us", "00010000", {0, Fault::out_of_range, 0x10000, 0}},
    };
    for (const auto& [type, bytes, error] : cases) {
        const auto input = hex(bytes);
        EXPECT_EQ(decode(input, *schema->type(type)).error, error) << type << ' ' << bytes;
    }
}

TEST(Decode, LenientLetsPaddingAndTheRestPass) {
    const auto bytes = hex("00000001 01ffffff deadbeef");
    const Tree tree = decode(bytes, rich("handle"), {.strict = false});
    EXPECT_TRUE(tree.ok());
    EXPECT_EQ(tree.consumed, 8u);
    EXPECT_EQ(decode(bytes, rich("handle")).error.fault, Fault::bad_padding);
}

TEST(Decode, OpenEnumerationsTakeAnyValue) {
    const auto bytes = hex("80000001");
    EXPECT_TRUE(decode(bytes, rich("status")).ok());
}

TEST(Decode, VoidIsOneEmptyNode) {
    const auto schema = schema_of("struct s { int i; };");
    const Tree tree = decode({}, schema->builtin(idl::Kind::void_));
    EXPECT_TRUE(tree.ok());
    EXPECT_EQ(tree.nodes.size(), 1u);
    check_shape(tree);
}

// Hostile counts (bad-inputs 4.1), for each kind of variable length.
TEST(Decode, HostileCountsAllocateNothing) {
    const std::uint32_t counts[] = {0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xffffffff};
    const char* const types[] = {
        "typedef opaque t<>;",
        "typedef string t<>;",
        "typedef hyper t<>;",
        "typedef opaque t<100>;",
        "typedef string t<100>;",
        "typedef hyper t<100>;",
        "struct s { hyper a; string b<>; }; typedef s t<>;",
        "typedef string n<9>; typedef n t<>;",
    };
    for (const char* const text : types) {
        const auto schema = schema_of(text);
        const idl::Type& type = resolve(*schema->type("t"));
        for (const std::uint32_t count : counts) {
            std::vector<std::byte> bytes(4 + 16);
            xdr::store_u32(bytes.data(), count);
            const Tree tree = decode(bytes, type);
            if (type.bound == idl::kUnbounded) {
                EXPECT_EQ(tree.error.fault, Fault::truncated) << text << count;
                EXPECT_EQ(tree.error.offset, bytes.size());
            } else {
                EXPECT_EQ(tree.error, (DecodeError{0, Fault::too_long, count, type.bound})) << text;
            }
            EXPECT_LT(tree.nodes.capacity(), 64u);
        }
    }
}

TEST(Decode, CountsAtTheirBound) {
    for (const std::uint32_t count : {0u, 1u, 63u, 64u, 65u}) {
        std::vector<std::byte> bytes(4 + padded(count));
        xdr::store_u32(bytes.data(), count);
        EXPECT_EQ(decode(bytes, rich("handle")).ok(), count <= 64) << count;
    }
}

TEST(Decode, NodeBudget) {
    std::vector<std::byte> bytes(4 + 400);
    xdr::store_u32(bytes.data(), 100);
    const auto schema = schema_of("typedef int t<>;");
    EXPECT_TRUE(decode(bytes, *schema->type("t")).ok());
    const Tree tree = decode(bytes, *schema->type("t"), {.nodes_max = 50});
    EXPECT_EQ(tree.error.fault, Fault::out_of_memory);
    EXPECT_EQ(tree.nodes.size(), 50u);
    check_shape(tree);
}

TEST(Decode, AMillionListEntries) {
    constexpr std::uint32_t kEntries = 1'000'000;
    const auto entry = hex("00000001 0000000000000001 00000001 61000000");
    std::vector<std::byte> bytes;
    bytes.reserve(entry.size() * kEntries + 4);
    for (std::uint32_t i = 0; i < kEntries; ++i)
        bytes.insert(bytes.end(), entry.begin(), entry.end());
    bytes.resize(bytes.size() + 4);
    const Tree tree = decode(bytes, rich("entry_list"));
    ASSERT_TRUE(tree.ok()) << to_string(tree.error);
    EXPECT_EQ(element_count(tree, 0), kEntries);
    EXPECT_EQ(path(tree, static_cast<NodeIndex>(tree.nodes.size() - 3)), "[999999].filename");
}

// Nesting other than lists: one level per word, rejected at the limit and not by the stack.
TEST(Decode, DeepTreesAreRefusedAtTheLimit) {
    const auto nested = [](std::uint32_t levels) {  // tree { label 0, children<1> { … } }
        std::vector<std::byte> bytes(8 * std::size_t{levels});
        for (std::uint32_t i = 0; i + 1 < levels; ++i) xdr::store_u32(bytes.data() + 8 * i + 4, 1);
        return bytes;
    };
    EXPECT_TRUE(decode(nested(xdr::kDepthMax), rich("tree")).ok());
    const auto bytes = nested(xdr::kDepthMax + 1);
    const Tree tree = decode(bytes, rich("tree"));
    EXPECT_EQ(tree.error, (DecodeError{8 * xdr::kDepthMax, Fault::too_deep, xdr::kDepthMax + 1,
                                       xdr::kDepthMax}));
    EXPECT_EQ(decode(nested(1'000'000), rich("tree")).error.fault, Fault::too_deep);
    EXPECT_EQ(decode(nested(40), rich("tree"), {.depth_max = 39}).error.fault, Fault::too_deep);
}

// A list is one level, even an empty one; lists inside lists count.
TEST(Decode, ListsInListsAreRefusedAtTheLimit) {
    const auto nested = [](std::uint32_t lists) {
        std::vector<std::byte> bytes;
        for (std::uint32_t i = 1; i < lists; ++i) {
            const auto down = hex("00000001 00000007");  // a node and its label; then its children
            bytes.insert(bytes.end(), down.begin(), down.end());
        }
        bytes.resize(bytes.size() + 4 * std::size_t{lists});  // each list ends
        return bytes;
    };
    const auto schema =
        schema_of("struct node { int label; node *children; node *next; }; typedef node *forest;");
    EXPECT_TRUE(decode(nested(xdr::kDepthMax), *schema->type("forest")).ok());
    const auto bytes = nested(xdr::kDepthMax + 1);
    EXPECT_EQ(
        decode(bytes, *schema->type("forest")).error,
        (DecodeError{8 * xdr::kDepthMax, Fault::too_deep, xdr::kDepthMax + 1, xdr::kDepthMax}));
}

TEST(Decode, ATreeIsUsedAgainWithoutNewMemory) {
    Tree tree;
    auto bytes = hex("00000010 00000001 00000002 7fffffff 00000000");
    const auto schema = schema_of("struct s { int a; hyper b<>; }; typedef s t<>;");
    decode_into(tree, bytes, *schema->type("t"));
    const auto capacity = tree.nodes.capacity();
    for (int i = 0; i < 100'000; ++i) {
        decode_into(tree, bytes, *schema->type("t"));
        ASSERT_EQ(tree.error.fault, Fault::truncated);
    }
    EXPECT_EQ(tree.nodes.capacity(), capacity);
}

// Property, over random values of every type of the schema: valid bytes are accepted and tiled, and
// each of their prefixes is rejected where it ends.
TEST(Decode, AcceptsRandomValuesAndNoPrefixOfThem) {
    for (const idl::Type* const type : rich().types) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto bytes = random_bytes(*type, seed, {.size_soft_max = 120});
            ASSERT_TRUE(bytes);
            const Tree tree = decode(*bytes, *type);
            ASSERT_TRUE(tree.ok()) << type->name << ' ' << seed << ' ' << to_string(tree.error);
            ASSERT_EQ(tree.consumed, bytes->size());
            check_shape(tree);
            for (std::size_t n = 0; n < bytes->size(); ++n) {
                const Tree cut = decode(ByteView{*bytes}.first(n), *type);
                ASSERT_EQ(cut.error.fault, Fault::truncated)
                    << type->name << ' ' << seed << ' ' << n;
                ASSERT_EQ(cut.error.offset, n);
                check_shape(cut);
            }
        }
    }
}

TEST(Text, IsSafeForTerminals) {
    const auto bytes = hex("00000009 1b5b324a c3a9e280ae 000000");
    const Tree tree = decode(bytes, rich("name"));
    ASSERT_TRUE(tree.ok());
    EXPECT_EQ(text(tree, 2), "\"\\x1b[2Jé\\u202e\"");
}

}  // namespace
}  // namespace helio::reflect::decode_test
