// Bitmaps with names, and values that a bitmap selects. Bytes are written by hand from RFC 8881.
#include "helio/reflect/bits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helio/reflect/decode.h"
#include "helio/reflect/field_plan.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/print/describe.h"
#include "testing/reflect/schema.h"

namespace helio::reflect::bits_test {
namespace {

const idl::Type& nfs4(std::string_view name) {
    static const idl::Parsed parsed = idl::parse_file(HELIO_SOURCE_DIR "/schema/nfs4.x");
    if (!parsed.schema || parsed.schema->type(name) == nullptr)
        throw std::runtime_error("nfs4.x: " + parsed.report());
    return *parsed.schema->type(name);
}

std::string dump(const Tree& tree) {
    std::string out;
    for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
        if (!is_leaf(tree.nodes[i].role)) continue;
        out += fmt::format("{}+{} {} {}: {}\n", tree.nodes[i].offset, tree.nodes[i].size,
                           name(tree.nodes[i].role), path(tree, i), text(tree, i));
    }
    return out;
}

std::string json_of(const Tree& tree) { return to_json(tree, {.indent = 0}); }

// RFC 8881 §5: type (bit 1), size (bit 4), mode (bit 33).
constexpr std::string_view kFile =
    "00000002 00000012 00000002"  // attrmask: two words
    "00000010"                    // attr_vals: 16 bytes
    "00000001"                    // type: NF4REG
    "0000000000001000"            // size: 4096
    "000001a4";                   // mode: 0644

TEST(Contents, AreNamedValues) {
    const auto bytes = hex(kFile);
    const Tree tree = decode(bytes, nfs4("fattr4"));
    ASSERT_TRUE(tree.ok()) << to_string(tree.error);
    EXPECT_EQ(dump(tree),
              "0+4 length attrmask: length: 2 elements\n"
              "4+4 value attrmask[0]: 18 (type, size)\n"
              "8+4 value attrmask[1]: 2 (mode)\n"
              "12+4 length attr_vals: length: 16 bytes\n"
              "16+4 value attr_vals.type: NF4REG (1)\n"
              "20+8 value attr_vals.size: 4096\n"
              "28+4 value attr_vals.mode: 420\n");
    EXPECT_EQ(json_of(tree), R"({"attrmask": ["type", "size", "mode"], )"
                             R"("attr_vals": {"type": "NF4REG", "size": 4096, "mode": 420}})");
    EXPECT_EQ(encode(nfs4("fattr4"), json_of(tree)).value(), bytes);
}

struct Odd {
    const char* what;
    const char* bytes;
    const char* leaves;  // behind the mask
    const char* values;  // in JSON
};

// Whatever the bytes hold: the message is valid, and comes back through JSON.
TEST(Contents, StayOpaqueWhereTheyAreNotUnderstood) {
    const Odd rows[] = {
        {"nothing", "00000000 00000000", "4+4 length attr_vals: length: 0 bytes\n", "{}"},
        {"nothing selected", "00000000 00000004 00000007",
         "4+4 length attr_vals: length: 4 bytes\n8+4 body attr_vals: 00000007\n", "\"00000007\""},
        {"nothing there", "00000001 00000002 00000000", "8+4 length attr_vals: length: 0 bytes\n",
         "\"\""},
        {"unknown bit", "00000003 00000002 00000000 40000000 00000008 00000001 00000007",
         "16+4 length attr_vals: length: 8 bytes\n20+4 value attr_vals.type: NF4REG (1)\n"
         "24+4 body attr_vals: 00000007\n",
         "\"0000000100000007\""},
        {"bad value", "00000001 00000012 0000000c 00000063 00000000 00000001",
         "8+4 length attr_vals: length: 12 bytes\n"
         "12+12 body attr_vals: 000000630000000000000001\n",
         "\"000000630000000000000001\""},
        {"value cut", "00000001 00000012 00000008 00000001 00000000",
         "8+4 length attr_vals: length: 8 bytes\n12+4 value attr_vals.type: NF4REG (1)\n"
         "16+4 body attr_vals: 00000000\n",
         "\"0000000100000000\""},
        {"bytes left", "00000001 00000002 00000005 00000001 ff000000",
         "8+4 length attr_vals: length: 5 bytes\n12+4 value attr_vals.type: NF4REG (1)\n"
         "16+1 body attr_vals: ff\n17+3 padding attr_vals: padding\n",
         "\"00000001ff\""},
        // owner's length claims more than attr_vals has; the bytes after it must not be read
        {"length past the end", "00000002 00000000 00000010 00000008 00000010 61626364",
         "12+4 length attr_vals: length: 8 bytes\n16+8 body attr_vals: 0000001061626364\n",
         "\"0000001061626364\""},
    };
    for (const Odd& row : rows) {
        SCOPED_TRACE(row.what);
        const auto bytes = hex(row.bytes);
        const Tree tree = decode(bytes, nfs4("fattr4"));
        ASSERT_TRUE(tree.ok()) << to_string(tree.error);
        const std::string all = dump(tree);
        EXPECT_EQ(all.substr(std::min(all.find(row.leaves), all.size())), row.leaves) << all;
        const std::string json = json_of(tree);
        EXPECT_TRUE(json.ends_with(fmt::format("\"attr_vals\": {}}}", row.values))) << json;
        EXPECT_EQ(encode(nfs4("fattr4"), json).value(), bytes) << json;
    }
}

// A cut message shows what is there, and its fault is where the bytes end.
TEST(Contents, AreShownAsFarAsTheyGo) {
    const auto bytes = hex(kFile);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        const Tree tree = decode(ByteView{bytes}.first(n), nfs4("fattr4"));
        EXPECT_EQ(tree.error.fault, xdr::Fault::truncated) << n;
        EXPECT_EQ(tree.error.offset, n);
        EXPECT_EQ(tree.consumed, n < 12 ? n / 4 * 4 : n < 16 ? 12 : n);
    }
    const Tree tree = decode(ByteView{bytes}.first(22), nfs4("fattr4"));
    EXPECT_TRUE(
        dump(tree).ends_with("16+4 value attr_vals.type: NF4REG (1)\n"
                             "20+2 body attr_vals: 0000\n"))
        << dump(tree);
}

TEST(Contents, MayNest) {
    // mask: inner (34); inner's mask: size (4)
    const auto bytes =
        hex("00000002 00000000 00000004 00000014"
            "00000001 00000010 00000008 0000000000000005");
    const Tree tree = decode(bytes, rich("creature"));
    ASSERT_TRUE(tree.ok());
    EXPECT_EQ(json_of(tree), R"({"mask": ["inner"], "values": {"inner": {"mask": ["size"], )"
                             R"("values": {"size": 5}}}})");
    EXPECT_EQ(encode(rich("creature"), json_of(tree)).value(), bytes);
}

// Deeper than a tree can be: the innermost stay bytes.
TEST(Contents, NestAsDeepAsATree) {
    std::vector<std::byte> bytes = hex("00000000 00000000");
    for (int i = 0; i < 1000; ++i) {
        std::vector<std::byte> outer = hex("00000002 00000000 00000004 00000000");
        xdr::store_u32(outer.data() + 12, static_cast<std::uint32_t>(bytes.size()));
        outer.insert(outer.end(), bytes.begin(), bytes.end());
        bytes = std::move(outer);
    }
    const Tree tree = decode(bytes, rich("creature"));
    ASSERT_TRUE(tree.ok()) << to_string(tree.error);
    EXPECT_EQ(tree.consumed, bytes.size());
    EXPECT_EQ(encode(rich("creature"), json_of(tree)).value(), bytes);
}

TEST(Contents, EncodeWithoutTheBitmap) {
    const auto bytes =
        encode(nfs4("fattr4"), R"({"attr_vals": {"mode": 420, "size": 4096, "type": "NF4REG"}})");
    EXPECT_EQ(bytes.value(), hex(kFile));
    EXPECT_EQ(encode(nfs4("fattr4"), R"({"attr_vals": {}})").value(), hex("00000000 00000000"));
    EXPECT_EQ(encode(nfs4("fattr4"), R"({"attrmask": [2], "attr_vals": "00000001"})").value(),
              hex("00000001 00000002 00000004 00000001"));
    EXPECT_EQ(encode(nfs4("fattr4"), R"({"attrmask": [2, 0], "attr_vals": {"type": 1}})").value(),
              hex("00000002 00000002 00000000 00000004 00000001"));
}

TEST(Contents, SayWhatIsInconsistent) {
    const auto problem = [](std::string_view json) {
        const auto bytes = encode(nfs4("fattr4"), json);
        return bytes ? "accepted" : to_string(bytes.error());
    };
    EXPECT_EQ(problem(R"({"attrmask": ["type"], "attr_vals": {"size": 1}})"),
              "$.attr_vals: 'type' is missing, although 'attrmask' selects it");
    EXPECT_EQ(problem(R"({"attrmask": ["type"], "attr_vals": {"type": 1, "size": 1}})"),
              "$.attr_vals: 'size' is there, although 'attrmask' does not select it");
    EXPECT_EQ(problem(R"({"attrmask": [0, 0, 1073741824], "attr_vals": {}})"),
              "$.attr_vals: 'attrmask' selects bit 94, which fattr4_attributes does not have");
    EXPECT_EQ(problem(R"({"attr_vals": {"typ": 1}})"),
              "$.attr_vals: \"typ\" has no place here; did you mean 'type'?");
    EXPECT_EQ(problem(R"({"attrmask": ["type", "typ"], "attr_vals": ""})"),
              "$.attrmask[1]: \"typ\" is not a bit of fattr4_attributes; did you mean 'type'?");
    EXPECT_EQ(problem(R"({"attrmask": ["type", "type"], "attr_vals": ""})"),
              "$.attrmask[1]: \"type\" is there twice");
    EXPECT_EQ(problem(R"({"attr_vals": "00000001"})"),
              "$: 'attrmask' of fattr4 is missing; it has attrmask, attr_vals");
}

TEST(Bits, HaveNamesInJson) {
    const idl::Type& type = rich("palette");
    const auto both = [&](std::string_view bytes, std::string_view json) {
        const auto input = hex(bytes);
        EXPECT_EQ(json_of(decode(input, type)), json);
        EXPECT_EQ(encode(type, json).value(), input);
    };
    both("00000003 00000000 00000000 00000000",
         R"({"one": ["RED", "GREEN"], "several": [], "many": [], "more": []})");
    both("80000000 00000002 00000001 00000000 00000001 00000002 00000010",
         R"({"one": 2147483648, "several": [["RED"], []], "many": ["GREEN"], "more": ["size"]})");
    // a last word of 0, and a bit without a name
    both("00000000 00000000 00000002 00000001 00000000 00000002",
         R"({"one": [], "several": [], "many": [1, 0], "more": 2})");
    EXPECT_FALSE(encode(type, R"({"one": ["PURPLE"], "several": [], "many": [], "more": []})"));
    // bit 33 in one word
    EXPECT_FALSE(encode(type, R"({"one": [], "several": [], "many": [], "more": ["label"]})"));
}

TEST(Bits, HaveNamesInText) {
    EXPECT_EQ(bit_names(nfs4("fattr4_attributes"), 32, 0x00000002), "mode");
    EXPECT_EQ(bit_names(nfs4("nfs_opnum4"), 0, 0x00000008), "OP_ACCESS");
    EXPECT_EQ(bit_names(nfs4("fattr4_attributes"), 64, 0x80000000), "bit 95");
    EXPECT_EQ(bit_names(nfs4("fattr4_attributes"), std::uint64_t{1} << 36, 1), "bit 68719476736");
    EXPECT_EQ(bit_name(nfs4("nfs_opnum4"), 10044), "");  // OP_ILLEGAL is no bit
    EXPECT_EQ(bit_number(nfs4("nfs_opnum4"), "OP_ILLEGAL"), -1);
    EXPECT_EQ(bit_number(nfs4("fattr4_attributes"), "mode"), 33);
}

TEST(Bits, TemplatesCanBeEncoded) {
    for (const char* const name :
         {"fattr4", "GETATTR4args", "SETATTR4args", "state_protect_ops4"}) {
        const auto json = template_json(nfs4(name), {.indent = 0});
        ASSERT_TRUE(json);
        EXPECT_TRUE(encode(nfs4(name), *json)) << *json;
    }
    EXPECT_EQ(template_json(nfs4("fattr4"), {.indent = 0}).value(), R"({"attr_vals": {}})");
    EXPECT_EQ(template_json(nfs4("GETATTR4args"), {.indent = 0}).value(),
              R"({"attr_request": ["supported_attrs"]})");
}

TEST(Bits, AreDescribed) {
    const std::string text = describe(nfs4("fattr4_attributes"));
    EXPECT_TRUE(text.starts_with("struct fattr4_attributes: values that a bitmap selects\n"))
        << text.substr(0, 200);
    EXPECT_NE(text.find("    bit 33  mode "), std::string::npos);
    EXPECT_NE(describe(nfs4("fattr4")).find("Holds values of fattr4_attributes."),
              std::string::npos);
}

TEST(FieldPlan, LeadsIntoContents) {
    const auto bytes = hex(kFile);
    const auto found = [&](std::string_view path) {
        return FieldPlan::to(nfs4("fattr4"), path).find(bytes);
    };
    EXPECT_EQ(found("attr_vals.type")->number, 1u);
    EXPECT_EQ(found("attr_vals.size")->number, 4096u);
    EXPECT_EQ(found("attr_vals.size")->offset, 20u);
    EXPECT_EQ(found("attr_vals.mode")->number, 420u);
    EXPECT_EQ(found("attr_vals")->number, 16u);  // bytes
    EXPECT_FALSE(found("attr_vals.fileid"));
    EXPECT_TRUE(FieldPlan::to(nfs4("fattr4"), "attr_vals.siz").empty());
    for (std::size_t n = 0; n < 28; ++n)
        EXPECT_FALSE(
            FieldPlan::to(nfs4("fattr4"), "attr_vals.size").find(ByteView{bytes}.first(n)));
    // attr_vals ends before the value does, although bytes follow
    auto cut = bytes;
    xdr::store_u32(cut.data() + 12, 8);
    EXPECT_FALSE(FieldPlan::to(nfs4("fattr4"), "attr_vals.size").find(cut));
    // SETATTR4args: stateid, then attributes
    const auto whole = hex(std::string{"00000001 000000000000000000000000"} + std::string{kFile});
    EXPECT_EQ(
        FieldPlan::to(nfs4("SETATTR4args"), "obj_attributes.attr_vals.size").find(whole)->number,
        4096u);
}

// RFC 8881 §18.16: WANT_ANY_DELEG is both of the bits of READ_DELEG and WRITE_DELEG, CANCEL is
// NO_DELEG with READ_DELEG's.
TEST(Flags, AreNamedMostBitsFirst) {
    struct Row {
        std::uint32_t word;
        const char* text;
    };
    const Row rows[] = {
        {0, "none"},
        {1, "OPEN4_SHARE_ACCESS_READ"},
        {3, "OPEN4_SHARE_ACCESS_BOTH"},
        {0x301, "OPEN4_SHARE_ACCESS_READ|OPEN4_SHARE_ACCESS_WANT_ANY_DELEG"},
        {0x502, "OPEN4_SHARE_ACCESS_WRITE|OPEN4_SHARE_ACCESS_WANT_CANCEL"},
        {0x80000001, "OPEN4_SHARE_ACCESS_READ|0x80000000"},
        {0x40000000, "0x40000000"},
    };
    const idl::FlagSet* const set = nfs4("OPEN4args").fields[1].flags;
    ASSERT_NE(set, nullptr);
    for (const Row& row : rows) {
        std::string out;
        append_flags(out, *set, row.word);
        EXPECT_EQ(out, row.text);
    }
}

TEST(Flags, GoThroughJson) {
    const auto& type = nfs4("ACCESS4args");
    struct Row {
        const char* bytes;
        const char* json;
    };
    const Row rows[] = {
        {"00000000", R"({"access": []})"},
        {"00000021", R"({"access": ["ACCESS4_READ", "ACCESS4_EXECUTE"]})"},
        {"80000001", R"({"access": 2147483649})"},  // a bit without a name
    };
    for (const Row& row : rows) {
        const auto bytes = hex(row.bytes);
        EXPECT_EQ(json_of(decode(bytes, type)), row.json);
        EXPECT_EQ(encode(type, row.json).value(), bytes);
    }
    EXPECT_EQ(encode(type, R"({"access": 33})").value(), hex("00000021"));
    EXPECT_EQ(encode(nfs4("OPEN_DOWNGRADE4args"),
                     R"({"open_stateid": {"seqid": 0, "other": "000000000000000000000000"},
                         "seqid": 0, "share_access": ["OPEN4_SHARE_ACCESS_BOTH"],
                         "share_deny": ["OPEN4_SHARE_DENY_NONE"]})")
                  .value(),
              hex("00000000 00000000 00000000 00000000 00000000 00000003 00000000"));
    EXPECT_EQ(to_string(encode(type, R"({"access": ["ACCESS4_REED"]})").error()),
              "$.access[0]: \"ACCESS4_REED\" is not a flag of ACCESS4_*; did you mean "
              "'ACCESS4_READ'?");
    EXPECT_EQ(to_string(encode(type, R"({"access": [1]})").error()),
              "$.access[0]: 1 came, but this takes the name of a flag, one of ACCESS4_*");
}

TEST(Flags, AreTextOfAWord) {
    const auto bytes = hex("00000021");
    EXPECT_EQ(dump(decode(bytes, nfs4("ACCESS4args"))),
              "0+4 value access: 33 (ACCESS4_READ|ACCESS4_EXECUTE)\n");
}

}  // namespace
}  // namespace helio::reflect::bits_test
