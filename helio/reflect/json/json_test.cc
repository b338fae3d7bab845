#include "helio/reflect/json/json.h"

#include <gtest/gtest.h>

#include "helio/reflect/arguments.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/random.h"
#include "testing/reflect/schema.h"

namespace helio::reflect::json_test {
namespace {

constexpr JsonOptions kOneLine{.indent = 0};

std::string json_of(std::string_view bytes, const idl::Type& type,
                    const JsonOptions& options = kOneLine) {
    const auto input = hex(bytes);
    const Tree tree = decode(input, type);
    return tree.ok() ? to_json(tree, options) : to_string(tree.error);
}

std::string problem(const idl::Type& type, std::string_view json) {
    const auto bytes = encode(type, json);
    return bytes ? "accepted" : to_string(bytes.error());
}

struct Pair {
    const char* type;
    const char* bytes;
    const char* json;
};

// In both directions.
TEST(Json, Mapping) {
    const Pair pairs[] = {
        {"read_args", "00000005 0102030405000000 ffffffffffffffff 00001000",
         R"({"file": "0102030405", "offset": 18446744073709551615, "count": 4096})"},
        {"color", "00000001", R"("GREEN")"},
        {"color", "00000000", R"("RED")"},
        {"status", "00000063", "99"},
        {"status", "ffffffff", "-1"},
        {"verifier", "0102030405060708", R"("0102030405060708")"},
        {"name", "00000002 c3a90000", R"("é")"},
        {"name", "00000003 61000a00", R"("a\u0000\n")"},
        {"name", "00000001 ff000000", R"({"hex": "ff"})"},
        {"quartet", "00000001 ffffffff 7fffffff 80000000", "[1, -1, 2147483647, -2147483648]"},
        {"int_pointer", "00000000", "null"},
        {"int_pointer", "00000001 00000005", "5"},
        {"int_pointer_pointer", "00000000", "null"},
        {"int_pointer_pointer", "00000001 00000000", R"({"value": null})"},
        {"int_pointer_pointer", "00000001 00000001 00000005", R"({"value": 5})"},
        {"read_result", "00000002", R"({"state": "NOT_FOUND"})"},
        {"read_result", "00000063 00000002", R"({"state": 99, "reason": "BLUE"})"},
        {"maybe_handle", "00000000", "null"},
        {"maybe_handle", "00000001 00000000", R"("")"},
        {"maybe_maybe", "00000000", "null"},
        {"maybe_maybe", "00000001 00000000", R"({"value": null})"},
        {"maybe_maybe", "00000001 00000001 00000000", R"({"value": ""})"},
        {"reversed", "00000000 00000005", R"({"failed": false, "good": 5})"},
        {"reversed", "00000001", R"({"failed": true})"},
        {"by_number", "ffffffff 00000005", R"({"n": 4294967295, "number": 5})"},
        {"entry_list", "00000000", "[]"},
        {"entry_list", "00000001 0000000000000001 00000000 00000000",
         R"([{"fileid": 1, "filename": ""}])"},
        {"entry", "0000000000000001 00000000 00000000",
         R"({"fileid": 1, "filename": "", "next": []})"},
        {"bare", "00000001 00000000", R"({"next": [{}]})"},
        {"sibling", "00000001 00000001 00000002 00000000 00000000 00000000",
         R"({"label": 1, "children": [{"label": 2, "children": []}], "next": []})"},
    };
    for (const auto& [type, bytes, json] : pairs) {
        EXPECT_EQ(json_of(bytes, rich(type)), json);
        const auto made = encode(rich(type), json);
        ASSERT_TRUE(made) << type << ' ' << to_string(made.error());
        EXPECT_EQ(*made, hex(bytes)) << type << ' ' << json;
    }
}

TEST(Json, FixedArraysOfCharAreTextIfTheyHoldText) {
    const auto schema = schema_of(
        "typedef char model[4]; typedef char vast[4097]; typedef unsigned char octets[2];");
    const Pair pairs[] = {
        {"model", "00000041 00000062 00000000 00000000", R"("Ab")"},
        {"model", "00000041 00000062 00000063 00000064", R"("Abcd")"},
        {"model", "00000000 00000000 00000000 00000000", R"("")"},
        {"model", "00000041 00000000 00000062 00000000", "[65, 0, 98, 0]"},  // text behind a NUL
        {"model", "00000041 ffffffff 00000000 00000000", "[65, -1, 0, 0]"},
        {"model", "0000000a 00000000 00000000 00000000", "[10, 0, 0, 0]"},
        {"octets", "00000041 00000042", "[65, 66]"},
    };
    for (const auto& [type, bytes, json] : pairs) {
        EXPECT_EQ(json_of(bytes, *schema->type(type)), json);
        const auto made = encode(*schema->type(type), json);
        ASSERT_TRUE(made) << json << ' ' << to_string(made.error());
        EXPECT_EQ(*made, hex(bytes)) << json;
    }
    const idl::Type& model = *schema->type("model");
    EXPECT_EQ(*encode(model, "[65, 98, 0, 0]"), *encode(model, R"("Ab")"));
    EXPECT_EQ(problem(model, R"("Abcde")"), "$: 5 bytes, it takes 4 at most");
    EXPECT_NE(problem(model, "7").find("a string or an array"), std::string::npos);
    // No memory because a schema says so.
    EXPECT_NE(problem(*schema->type("vast"), R"("")").find("an array"), std::string::npos);
    // A value that is cut off is an array of what is there.
    const auto input = hex("00000041 00000062");
    std::string cut;
    append_json(cut, decode(input, model), kOneLine);
    EXPECT_EQ(cut, "[65, 98]");
}

TEST(Json, FloatsKeepEveryBit) {
    const auto schema = schema_of("typedef float f; typedef double d;");
    const Pair pairs[] = {
        {"f", "3dcccccd", "0.1"},
        {"f", "80000000", "-0.0"},
        {"f", "3f800000", "1.0"},
        {"f", "7f7fffff", "3.4028235e+38"},
        {"f", "00000001", "1e-45"},
        {"f", "7f800000", R"("inf")"},
        {"f", "ff800000", R"("-inf")"},
        {"f", "7fc00000", R"("nan")"},
        {"f", "ffc00000", R"({"bits": "0xffc00000"})"},
        {"f", "7f800001", R"({"bits": "0x7f800001"})"},
        {"d", "3fb999999999999a", "0.1"},
        {"d", "0000000000000001", "5e-324"},
        {"d", "7fefffffffffffff", "1.7976931348623157e+308"},
        {"d", "7ff8000000000000", R"("nan")"},
        {"d", "7ff8000000000001", R"({"bits": "0x7ff8000000000001"})"},
    };
    for (const auto& [type, bytes, json] : pairs) {
        EXPECT_EQ(json_of(bytes, *schema->type(type)), json);
        const auto made = encode(*schema->type(type), json);
        ASSERT_TRUE(made) << to_string(made.error());
        EXPECT_EQ(*made, hex(bytes)) << json;
    }
}

// Forms that are read but never written.
TEST(Json, AlsoAccepts) {
    const Pair pairs[] = {
        {"cookie", "00000000000000ff", R"("255")"},
        {"cookie", "00000000000000ff", R"("0xff")"},
        {"cookie", "00000000000000ff", " 255 \n"},
        {"color", "00000001", "1"},
        {"color", "00000000", R"("CRIMSON")"},
        {"handle", "00000002 abcd0000", R"("0xABCD")"},
        {"handle", "00000002 abcd0000", R"({"hex": "abcd"})"},
        {"handle", "00000002 abcd0000", R"({"base64": "q80="})"},
        {"handle", "00000002 abcd0000", R"({"base64": "q80"})"},
        {"handle", "00000002 68690000", R"({"text": "hi"})"},
        {"name", "00000002 68690000", R"({"base64": "aGk="})"},
        {"name", "00000002 68690000", R"({"text": "hi"})"},
        {"read_args", "00000000 0000000000000000 00000001", R"({"count":1,"offset":0,"file":""})"},
        {"read_result", "00000063 00000002", R"({"reason": "BLUE", "state": 99})"},
    };
    for (const auto& [type, bytes, json] : pairs) {
        const auto made = encode(rich(type), json);
        ASSERT_TRUE(made) << type << ' ' << json << ' ' << to_string(made.error());
        EXPECT_EQ(*made, hex(bytes)) << type << ' ' << json;
    }
}

TEST(Json, ErrorsNameThePlaceWhatCameAndWhatIsAllowed) {
    const auto long_handle =
        R"({"file": ")" + std::string(144, '0') + R"(", "offset": 0, "count": 0})";
    EXPECT_EQ(problem(rich("read_args"), long_handle), "$.file: 72 bytes, the limit is 64");
    struct Case {
        const char* type;
        const char* json;
        const char* message;
    };
    const Case cases[] = {
        {"read_args", R"({"file": "", "offset": 0})",
         "$: 'count' of read_args is missing; it has file, offset, count"},
        {"read_args", R"({"handle": "", "offset": 0})",
         "$: 'file' of read_args is missing, and \"handle\" is not one of its fields; it has "
         "file, offset, count"},
        {"read_args", R"({"file": "", "offset": 0, "count": 1, "count": 1})",
         "$: \"count\" is there twice"},
        {"read_args", R"({"file": "", "offset": 0, "count": 1, "cuont": 1})",
         "$: \"cuont\" has no place here; did you mean 'count'?"},
        {"read_args", R"({"file": "0", "offset": 0, "count": 1})",
         "$.file: \"0\" came, but this takes hexadecimal digits, two for each byte"},
        {"read_args", R"({"file": "", "offset": -1, "count": 1})",
         "$.offset: -1 came, but this takes a whole number from 0 to 2^64-1"},
        {"read_args", R"({"file": "", "offset": 18446744073709551616, "count": 1})",
         "$.offset: 18446744073709551616 came, but this takes a whole number from 0 to 2^64-1"},
        {"read_args", R"({"file": "", "offset": 1.5, "count": 1})",
         "$.offset: 1.5 came, but this takes a whole number from 0 to 2^64-1"},
        {"read_args", "[]",
         "$: an array came, but this takes an object with the fields of read_args: file, "
         "offset, count"},
        {"color", R"("GREAN")", "$: \"GREAN\" is not in enum color; did you mean 'GREEN'?"},
        {"color", "3", "$: 3 came, but this takes the name or number of a value of enum color"},
        {"quartet", "[1, 2, 3]", "$: 3 elements, it takes exactly 4"},
        {"quartet", "[1, 2, 3, 2147483648]",
         "$[3]: 2147483648 came, but this takes a whole number from -2147483648 to 2147483647"},
        {"verifier", R"("00")", "$: 1 bytes, it takes exactly 8"},
        {"entry_list", R"([{"fileid": 1, "filename": ""}, {"fileid": 1, "filename": 7}])",
         "$[1].filename: 7 came, but this takes a string, {\"hex\": …} or {\"base64\": …}"},
        {"entry_list", "null", "$: null came, but this takes an array, the elements of the list"},
        {"by_number", R"({"n": 3})", "$: n 3 selects no arm of union by_number"},
        {"read_result", R"({"done": {}})", "$: 'state' of read_result is missing"},
        {"read_result", R"({"state": "NOT_FOUND", "done": 1})",
         "$: \"done\" has no place here; state \"NOT_FOUND\" goes with nothing else"},
        {"int_pointer_pointer", "5", "$: 5 came, but this takes null or {\"value\": …}"},
        {"cookie", "{", "line 1, column 2: the JSON ends too early (incomplete JSON)"},
        {"cookie", "1 2", "line 1, column 3: no JSON at '2' (extra data)"},
        {"cookie", "\n  x", "line 2, column 3: no JSON at 'x' (syntax error)"},
        {"name", "\"\xff\"", "line 1, column 2: no JSON at '\\xff\\\"' (syntax error)"},
        {"name", R"("\ud800")", "line 1, column 8: no JSON at '\\\"' (syntax error)"},
    };
    for (const auto& [type, json, message] : cases)
        EXPECT_EQ(problem(rich(type), json), message) << json;
}

TEST(Json, Base64OnRequest) {
    EXPECT_EQ(json_of("00000002 abcd0000", rich("handle"), {.base64 = true, .indent = 0}),
              R"({"base64": "q80="})");
    EXPECT_EQ(json_of("00000001 ff000000", rich("name"), {.base64 = true, .indent = 0}),
              R"({"base64": "/w=="})");
}

TEST(Json, Indented) {
    EXPECT_EQ(json_of("00000000 00000000 00000000 00000000 00000000", rich("pointers"), {}),
              "{\n  \"one\": null,\n  \"two\": null,\n  \"three\": null,\n  \"many\": [],\n  "
              "\"args\": null\n}");
}

TEST(Json, NothingInItActsOnATerminal) {
    const std::string json = json_of("0000000a 1b5b324a 7fc29be2 80ae0000", rich("name"));
    EXPECT_EQ(json, R"("\u001b[2J\u007f\u009b\u202e")");
}

TEST(Json, SeveralArgumentsAreOneStruct) {
    const auto& procedures = rich().programs.front().versions.front().procedures;
    const Arguments three{procedures[2]};
    EXPECT_EQ(json_of("00000001 0000000000000002 00000001 61000000", three.type()),
              R"({"arg1": 1, "arg2": 2, "arg3": "a"})");
    EXPECT_EQ(&Arguments{procedures[1]}.type(), procedures[1].arguments.front());
    EXPECT_EQ(json_of("", Arguments{procedures[0]}.type()), "null");
}

TEST(Json, DepthIsBounded) {
    std::string json;
    for (int i = 0; i < 100'000; ++i) json += R"({"label": 0, "children": [)";
    EXPECT_NE(problem(rich("tree"), json).find("nested too deep"), std::string::npos);
    const auto nested = [](std::uint32_t levels) {
        std::string out;
        for (std::uint32_t i = 0; i < levels; ++i) out += R"({"label": 0, "children": [)";
        for (std::uint32_t i = 0; i < levels; ++i) out += "]}";
        return out;
    };
    EXPECT_EQ(problem(rich("tree"), nested(xdr::kDepthMax)), "accepted");
    EXPECT_NE(problem(rich("tree"), nested(xdr::kDepthMax + 1)).find("nested too deep"),
              std::string::npos);
}

TEST(Json, AHugeFixedArrayCostsNothing) {
    const auto schema = schema_of("typedef hyper t[4000000000]; typedef opaque o[4000000000];");
    EXPECT_EQ(problem(*schema->type("t"), "[1]"), "$: 1 elements, it takes exactly 4000000000");
    EXPECT_EQ(problem(*schema->type("o"), "\"\""), "$: 0 bytes, it takes exactly 4000000000");
    EXPECT_FALSE(template_json(*schema->type("t")));
    EXPECT_FALSE(template_json(*schema->type("o")));
}

// The defining property of the mapping.
TEST(Json, BytesToJsonToBytesIsIdentity) {
    for (const idl::Type* const type : rich().types) {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const auto bytes = random_bytes(*type, seed, {.size_soft_max = 600});
            const Tree tree = decode(*bytes, *type);
            ASSERT_TRUE(tree.ok()) << type->name << ' ' << seed << ' ' << to_string(tree.error);
            const JsonOptions options{.base64 = seed % 2 == 1,
                                      .indent = static_cast<int>(seed % 3)};
            const std::string json = to_json(tree, options);
            const auto again = encode(*type, json);
            ASSERT_TRUE(again) << type->name << ' ' << to_string(again.error()) << '\n' << json;
            ASSERT_EQ(*again, *bytes) << type->name << ' ' << seed << '\n' << json;
        }
    }
}

// A cut message yields everything before the cut, and is still valid JSON.
TEST(Json, APrefixGivesWhatWasReached) {
    for (const idl::Type* const type : rich().types) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            const auto bytes = random_bytes(*type, seed, {.size_soft_max = 80});
            for (std::size_t size = 0; size < bytes->size(); ++size) {
                const Tree tree = decode(ByteView{*bytes}.first(size), *type);
                if (tree.nodes.empty()) continue;
                std::string json = "before ";
                append_json(json, tree, {.indent = 0, .spaces = false});
                ASSERT_TRUE(json.starts_with("before "));
                const auto again = encode(*type, json.substr(7));
                ASSERT_TRUE(again || again.error().place.starts_with("$")) << json;
            }
        }
    }
    std::string json;
    const auto cut = hex("00000005 0102030405000000 00000000");
    append_json(json, decode(cut, rich("read_args")), kOneLine);
    EXPECT_EQ(json, R"({"file": "0102030405"})");
}

TEST(Json, TightOnRequest) {
    EXPECT_EQ(json_of("00000001 ff000000", rich("name"), {.indent = 0, .spaces = false}),
              R"({"hex":"ff"})");
    EXPECT_EQ(json_of("00000001 00000002 00000003 00000004", rich("quartet"),
                      {.indent = 0, .spaces = false}),
              "[1,2,3,4]");
}

TEST(Json, EveryTemplateEncodes) {
    for (const idl::Type* const type : rich().types) {
        const auto json = template_json(*type);
        ASSERT_TRUE(json) << type->name;
        EXPECT_EQ(problem(*type, *json), "accepted") << type->name << '\n' << *json;
    }
    const auto directory = template_json(rich("directory"), kOneLine);
    EXPECT_EQ(
        *directory,
        R"({"check": "0000000000000000", "entries": [{"fileid": 0, "filename": ""}], "eof": false})");
}

TEST(Json, TemplatesHaveTheValuesThatTheSchemaSuggests) {
    const auto schema = schema_of(R"(
        enum color { RED = 1, GREEN = 2 };
        typedef unsigned int count;
        union choice switch (int which) {
        case 0:
            count size; /* @template 4096 */
        };
        struct request {
            int version; /* @template 3 */
            hyper least; /* @template -9223372036854775808 */
            unsigned hyper most; /* @template 18446744073709551615 */
            bool wait; /* @template TRUE */
            color wanted; /* @template GREEN */
            choice chosen;
        };)");
    const idl::Type& type = *schema->type("request");
    const std::string json = template_json(type, kOneLine).value();
    EXPECT_EQ(json,
              R"({"version": 3, "least": -9223372036854775808, "most": 18446744073709551615, )"
              R"("wait": true, "wanted": "GREEN", "chosen": {"which": 0, "size": 4096}})");
    EXPECT_EQ(problem(type, json), "accepted");
}

}  // namespace
}  // namespace helio::reflect::json_test
