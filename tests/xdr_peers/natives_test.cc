// Values filled in C (rpcgen_natives.c) and encoded by libtirpc, with our expected decoding. The
// JSON is written by hand from the C, not recorded from our decoder.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "tests/xdr_peers/both.h"

namespace xdr_peers::natives_test {
namespace {

namespace reflect = helio::reflect;

struct Expected {
    const char* name;
    const char* json;
};

constexpr Expected kWords[] = {
    {"words_zero", R"({"i": 0, "ui": 0, "u": 0, "l": 0, "ul": 0, "h": 0, "uh": 0, "f": 0, "d": 0,
        "b": false, "c": "RED", "n": "ZERO"})"},
    {"words_largest", R"({"i": 2147483647, "ui": 4294967295, "u": 4294967295, "l": 2147483647,
        "ul": 4294967295, "h": 9223372036854775807, "uh": 18446744073709551615,
        "f": 3.40282347e38, "d": 1.7976931348623157e308, "b": true, "c": "BLUE", "n": "EIGHT"})"},
    {"words_smallest", R"({"i": -2147483648, "ui": 0, "u": 0, "l": -2147483648, "ul": 0,
        "h": -9223372036854775808, "uh": 0, "f": -1.5, "d": -0.0, "b": false, "c": "BELOW_ZERO",
        "n": "ZERO"})"},
    {"words_odd", R"({"i": -1, "ui": 1, "u": 2, "l": -2, "ul": 3, "h": -3,
        "uh": 72623859790382856, "f": 0.1, "d": 0.1, "b": true, "c": "ALIAS_OF_SMALL",
        "n": "SEVEN"})"},
    {"small_largest", R"({"c": 127, "uc": 255, "s": 32767, "us": 65535})"},
    {"small_smallest", R"({"c": -128, "uc": 0, "s": -32768, "us": 0})"},
    {"long_run_mixed", R"({"a": -1, "b": 2, "c": -3, "d": 65535, "e": true, "f": "GREEN",
        "g": [1, -2, 3, -4], "h": 5, "after": -6})"},
    {"color_negative", R"("BELOW_ZERO")"},
};

constexpr Expected kBytes[] = {
    {"fixed_counting", R"({"one": "ff", "three": "010203", "four": "04050607",
        "named": "000102030405060708090a0b0c0d0e0f"})"},
    {"variable_empty", R"({"any": "", "upto": "", "named": ""})"},
    {"variable_full", R"({"any": "800001", "upto": "800001feff", "named": "80"})"},
    {"strings_empty", R"({"any": "", "upto": "", "named": ""})"},
    {"strings_full", R"({"any": "quote \" backslash \\ tab \t", "upto": "12345",
        "named": "grüß dich"})"},
    {"digest_counting", R"("000102030405060708090a0b0c0d0e0f10111213")"},
    {"path_plain", R"("/srv/export")"},
    {"aliases_all", R"({"id": 7, "offset": -8, "p": "GREEN", "f": true, "l": "label",
        "sum": "aa00000000000000000000000000000000000000",
        "pack": {"i": 9, "ui": 0, "u": 0, "l": 0, "ul": 0, "h": 0, "uh": 0, "f": 0, "d": 0,
                 "b": false, "c": "RED", "n": "ONE"}})"},
};

constexpr Expected kArrays[] = {
    {"arrays_fixed_counting", R"({"ints": [1, 2, 3, -4], "hypers": [1, 18446744073709551615],
        "bools": [true, false, true], "colors": ["BLUE", "RED"], "doubles": [0.5, -2],
        "points": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": -5, "y": -6}],
        "names": ["a", "twelve bytes"],
        "digests": ["0100000000000000000000000000000000000000",
                    "0200000000000000000000000000000000000000"],
        "chars": [97, -1, 0], "shorts": [-1, 1]})"},
    {"arrays_empty", R"({"ints": [], "bounded": [], "hypers": [], "bools": [], "colors": [],
        "floats": [], "points": [], "names": [], "blobs": [], "digests": [], "chars": [],
        "uchars": [], "shorts": [], "ushorts": []})"},
    {"arrays_some", R"({"ints": [1, -2, 3], "bounded": [0, 1, 2, 4294967295],
        "hypers": [-9223372036854775808, 0, 9223372036854775807], "bools": [true, false],
        "colors": ["BLUE"], "floats": [1.5, -0.25], "points": [{"x": 1, "y": 2}, {"x": 3, "y": 4}],
        "names": ["", "one", "four"], "blobs": ["800001feff", ""],
        "digests": ["0900000000000000000000000000000000000000"], "chars": [122, -128],
        "uchars": [0, 255], "shorts": [-32768, 32767], "ushorts": [65535]})"},
    {"matrix_counting", R"([[1, 2, 3, 4], [5, 6, 7, 8]])"},
    {"drawing_two", R"([[{"x": 1, "y": 2}, {"x": 3, "y": 4}], []])"},
};

constexpr Expected kLinked[] = {
    {"optionals_none", R"({"number": null, "place": null, "shade": null, "name": null,
        "outline": null, "pack": null})"},
    {"optionals_all", R"({"number": 11, "place": {"x": 3, "y": 4}, "shade": "BLUE",
        "name": "some", "outline": [{"x": 1, "y": 2}, {"x": 3, "y": 4}],
        "pack": {"i": -1, "ui": 1, "u": 2, "l": -2, "ul": 3, "h": -3, "uh": 72623859790382856,
                 "f": 0.1, "d": 0.1, "b": true, "c": "ALIAS_OF_SMALL", "n": "SEVEN"}})"},
    {"maybe_nothing", "null"},
    {"maybe_something", R"({"x": 1, "y": 2})"},
    {"list_of_three", R"([{"value": 1, "text": "one"}, {"value": 2, "text": ""},
        {"value": 3, "text": "three"}])"},
    {"list_holder_empty", R"({"head": [], "eof": true})"},
    {"list_holder_three", R"({"head": [{"value": 1, "text": "one"}, {"value": 2, "text": ""},
        {"value": 3, "text": "three"}], "eof": false})"},
    // A struct that ends in an optional of itself is a list to us, even if it means a tree.
    {"tree_root", R"({"value": 1, "left": [],
        "right": [{"value": 3, "left": [{"value": 4, "left": []}]}]})"},
    {"forest_two", R"({"name": "wood", "children": [{"name": "oak", "children": []},
        {"name": "elm", "children": []}]})"},
    {"odd_first", R"({"value": 1, "next": {"value": 2, "next": {"value": 3, "next": null}}})"},
};

constexpr Expected kUnions[] = {
    {"by_enum_number", R"({"which": "RED", "number": -1})"},
    {"by_enum_text", R"({"which": "BLUE", "text": "shared arm"})"},
    {"by_enum_nothing", R"({"which": "BELOW_ZERO"})"},
    {"by_enum_default", R"({"which": "ALIAS_OF_SMALL", "rest": "800001feff"})"},
    {"closed_point", R"({"which": "RED", "place": {"x": 1, "y": 2}})"},
    {"by_int_negative", R"({"code": -1, "big": -9223372036854775808})"},
    {"by_int_places", R"({"code": 16, "places": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]})"},
    {"by_int_default", R"({"code": 1234567})"},
    {"by_int_four", R"({"code": 4, "four": 4.5})"},
    {"by_unsigned_last", R"({"code": 4294967295})"},
    {"by_unsigned_default", R"({"code": 2147483648, "numbers": [-1, 1]})"},
    {"by_bool_absent", "null"},
    {"by_bool_present", R"({"i": 1, "ui": 0, "u": 0, "l": 0, "ul": 0, "h": 0, "uh": 0, "f": 0,
        "d": 0, "b": false, "c": "RED", "n": "ONE"})"},
    {"by_bool_yes", R"({"yes": true, "reason": "because"})"},
    {"by_bool_no", R"({"yes": false, "code": -5})"},
    {"shape_fixed", R"({"shape": 3, "fixed": "010203040506"})"},
    {"shape_row", R"({"shape": 6, "row": [1, 2, 3]})"},
    {"shape_no_point", R"({"shape": 8, "place": null})"},
    {"shape_union", R"({"shape": 9, "inner": {"which": "RED", "number": 9}})"},
    {"shape_names", R"({"shape": 10, "names": ["", "one", "four"]})"},
    {"nested_some", R"({"at": {"x": -1, "y": 1}, "maybe": null,
        "arrays": {"ints": [], "bounded": [], "hypers": [], "bools": [], "colors": [],
                   "floats": [], "points": [], "names": [], "blobs": [], "digests": [],
                   "chars": [], "uchars": [], "shorts": [], "ushorts": []},
        "choices": [{"which": "BLUE", "text": "shared arm"}],
        "fixed_choices": [{"code": 0}, {"code": -1, "big": 5}],
        "chain": {"head": [{"value": 3, "text": "three"}], "eof": true}})"},
};

std::vector<Expected> all_expected() {
    std::vector<Expected> all;
    const auto add = [&](const auto& rows) {
        all.insert(all.end(), std::begin(rows), std::end(rows));
    };
    add(kWords);
    add(kBytes);
    add(kArrays);
    add(kLinked);
    add(kUnions);
    return all;
}

// The JSON of two values is the same text exactly when their bytes are, so the expectation is
// brought into our layout through bytes.
TEST(Natives, AreReadAsTheyWereWrittenInC) {
    const auto expected = all_expected();
    for (const Native& native : peer().natives()) {
        SCOPED_TRACE(native.name);
        const auto row = std::ranges::find_if(
            expected, [&](const Expected& one) { return one.name == native.name; });
        ASSERT_NE(row, expected.end()) << "rpcgen_natives.c has it, natives_test.cc does not";

        const auto& type = type_named(native.type);
        const Bytes bytes = peer().native(native.name);
        const auto wanted = reflect::encode(type, row->json);
        ASSERT_TRUE(wanted) << to_string(wanted.error());
        EXPECT_EQ(to_hex(bytes), to_hex(*wanted));

        const reflect::Tree tree = reflect::decode(bytes, type);
        ASSERT_TRUE(tree.ok());
        EXPECT_EQ(to_json(tree), to_json(reflect::decode(*wanted, type)));
        EXPECT_EQ(our_echo(native.type, bytes), "ok " + to_hex(bytes));
    }
}

TEST(Natives, AllExpectationsAreUsed) {
    const auto natives = peer().natives();
    for (const Expected& one : all_expected())
        EXPECT_TRUE(std::ranges::any_of(natives, [&](const Native& n) {
            return n.name == one.name;
        })) << one.name;
}

}  // namespace
}  // namespace xdr_peers::natives_test
