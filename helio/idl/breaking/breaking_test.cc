#include "helio/idl/breaking/breaking.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "helio/idl/parse.h"

namespace helio::idl::breaking_test {
namespace {

std::unique_ptr<const Schema> schema_of(const std::string& name, const std::string& text) {
    auto parsed = parse(name, text);
    EXPECT_TRUE(parsed.schema) << parsed.report();
    return std::move(parsed.schema);
}

// One line for each change: impact, direction if any, subject, message.
std::string changes(const std::string& before, const std::string& after) {
    const auto old_schema = schema_of("old.x", before);
    const auto new_schema = schema_of("new.x", after);
    if (!old_schema || !new_schema) return "(broken)";
    std::string text;
    for (const auto& change : compare(*old_schema, *new_schema)) {
        text += std::string{word(change.impact)} + ": ";
        if (change.direction != Direction::none && change.direction != Direction::both) {
            text += "(" + std::string{word(change.direction)} + ") ";
        }
        text += change.subject + ": " + change.message + "\n";
    }
    return text;
}

struct BreakingCase {
    const char* what;
    const char* before;
    const char* after;
    const char* expected;
};

class BreakingRow : public testing::TestWithParam<BreakingCase> {};

TEST_P(BreakingRow, Table) {
    const auto& row = GetParam();
    EXPECT_EQ(changes(row.before, row.after), row.expected);
    EXPECT_EQ(changes(row.before, row.before), "");
    EXPECT_EQ(changes(row.after, row.after), "");
}

const BreakingCase kFields[] = {
    {"type_changed", "struct READ3args { unsigned int count; };",
     "struct READ3args { unsigned hyper count; };",
     "wire-breaking: struct READ3args, field count: type changed from unsigned int to unsigned "
     "hyper\n"},
    {"same_size_other_meaning", "struct s { int a; };", "struct s { float a; };",
     "wire-breaking: struct s, field a: type changed from int to float\n"},
    {"added", "struct s { int a; };", "struct s { int a; int b; };",
     "wire-breaking: struct s, field b: added\n"},
    {"removed", "struct s { int a; int b; };", "struct s { int b; };",
     "wire-breaking: struct s, field a: removed\n"},
    {"renamed", "struct s { int a; hyper b; int c; };", "struct s { int a; hyper x; int c; };",
     "source-breaking: struct s, field b: renamed to x\n"},
    {"replaced", "struct s { int a; hyper b; };", "struct s { int a; int x; };",
     "wire-breaking: struct s, field x: added\nwire-breaking: struct s, field b: removed\n"},
    {"moved", "struct s { int a; int b; int c; };", "struct s { int c; int a; int b; };",
     "wire-breaking: struct s, field c: moved from place 3 to place 1\n"},
    {"bulk", "struct s { opaque a<9>; };", "struct s { opaque a<9>; /* @bulk */ };",
     "compatible: struct s, field a: @bulk added\n"},
    {"lint_off_is_nobodys_business", "struct s { opaque a<9>; };",
     "struct s { opaque a<9>; /* @lint-off all */ };", ""},
    {"template", "struct s { int a; int b; /* @template 1 */\n};",
     "struct s { int a; /* @template 1 */\nint b; /* @template 2 */\n};", ""},
    {"renamed_with_nested_type", "struct s { struct { int x; } a; };",
     "struct s { struct { int x; } b; };", "source-breaking: struct s, field a: renamed to b\n"},
};

const BreakingCase kBounds[] = {
    {"raised", "struct s { opaque a<64>; };", "struct s { opaque a<128>; };",
     "wire-breaking: (new-to-old) struct s, field a: limit raised from 64 to 128 bytes\n"},
    {"lowered", "typedef string t<64>;", "typedef string t<32>;",
     "wire-breaking: (old-to-new) typedef t: limit lowered from 64 to 32 bytes\n"},
    {"taken_away", "struct s { int a<8>; };", "struct s { int a<>; };",
     "wire-breaking: (new-to-old) struct s, field a: limit raised from 8 to unlimited elements\n"},
    {"fixed", "struct s { int a[8]; };", "struct s { int a[9]; };",
     "wire-breaking: struct s, field a: length changed from 8 to 9 elements\n"},
    {"by_constant", "const N = 8;\nstruct s { opaque a<N>; };",
     "const N = 9;\nstruct s { opaque a<N>; };",
     "source-breaking: const N: changed from 8 to 9\n"
     "wire-breaking: (new-to-old) struct s, field a: limit raised from 8 to 9 bytes\n"},
    {"of_changed_elements", "struct e { int v; };\nstruct s { e a<8>; };",
     "struct e { hyper v; };\nstruct s { e a<9>; };",
     "wire-breaking: struct e, field v: type changed from int to hyper\n"
     "wire-breaking: (new-to-old) struct s, field a: limit raised from 8 to 9 elements\n"},
    {"name_for_number", "struct s { opaque a<8>; };", "const N = 8;\nstruct s { opaque a<N>; };",
     "compatible: const N: added\n"},
};

const BreakingCase kConstants[] = {
    {"flag_changed", "const A = 1;", "const A = -1;",
     "wire-breaking: const A: changed from 1 to -1\n"},
    {"removed", "const A = 1;\nconst B = 2;", "const B = 2;",
     "source-breaking: const A: removed\n"},
    {"text", "const A = \"a\";\nconst B = \"b\";", "const A = \"z\";",
     "source-breaking: const A: text changed\nsource-breaking: const B: removed\n"},
    {"spelt_differently", "const A = 16;", "const A = 0x10;", ""},
};

const BreakingCase kEnums[] = {
    {"added", "enum e { A = 0 };", "enum e { A = 0, B = 1 };",
     "wire-breaking: (new-to-old) enum e, value B: added\n"},
    {"added_to_open", "/* @open */\nenum e { A = 0 };", "/* @open */\nenum e { A = 0, B = 1 };",
     "compatible: enum e, value B: added\n"},
    {"removed", "enum e { A = 0, B = 1 };", "enum e { A = 0 };",
     "wire-breaking: (old-to-new) enum e, value B: removed\n"},
    {"removed_from_open", "/* @open */\nenum e { A = 0, B = 1 };", "/* @open */\nenum e { A = 0 };",
     "source-breaking: enum e, value B: removed\n"},
    {"renumbered", "enum e { A = 0, B = 1 };", "enum e { A = 0, B = 2 };",
     "wire-breaking: enum e, value B: renumbered from 1 to 2\n"},
    {"renamed", "enum e { A = 0, B = 1 };", "enum e { A = 0, C = 1 };",
     "source-breaking: enum e, value B: 1 is now called C\n"},
    {"second_name", "enum e { A = 0 };", "enum e { A = 0, B = 0 };",
     "compatible: enum e, value B: added\n"},
    {"opened", "enum e { A = 0 };", "/* @open */\nenum e { A = 0 };",
     "compatible: enum e: @open added\n"},
    {"closed", "/* @open */\nenum e { A = 0 };", "enum e { A = 0 };",
     "wire-breaking: (old-to-new) enum e: @open removed\n"},
};

#define UNION(arms) "enum e { A = 0, B = 1, C = 2 };\nunion u switch (e d) { " arms " };"

const BreakingCase kUnions[] = {
    {"arm_changed", UNION("case A: int x; default: void;"),
     UNION("case A: hyper x; default: void;"),
     "wire-breaking: union u, case A: type changed from int to hyper\n"},
    {"arm_added", UNION("case A: int x; case C: void;"),
     UNION("case A: int x; case B: int y; case C: void;"),
     "wire-breaking: (new-to-old) union u, case B: added\n"},
    {"arm_removed", UNION("case A: int x; case B: void;"), UNION("case A: int x;"),
     "wire-breaking: (old-to-new) union u, case B: removed\n"},
    {"arm_renamed", UNION("case A: int x; default: void;"), UNION("case A: int y; default: void;"),
     "source-breaking: union u, case A: x renamed to y\n"},
    {"cases_regrouped", UNION("case A: case B: int x; default: void;"),
     UNION("case B: case A: int x; default: void;"), ""},
    {"case_of_default_spelt_out", UNION("case A: int x; default: void;"),
     UNION("case A: int x; case B: void; default: void;"), ""},
    {"default_gets_bytes", UNION("case A: int x; default: void;"),
     UNION("case A: int x; case B: int y; default: void;"),
     "wire-breaking: union u, case B: type changed from void to int\n"},
    {"default_removed", UNION("case A: int x; default: void;"),
     UNION("case A: int x; case B: void;"),
     "wire-breaking: (old-to-new) union u, default: removed\n"},
    {"default_not_needed", UNION("case A: int x; case B: case C: void; default: void;"),
     UNION("case A: int x; case B: case C: void;"), "compatible: union u, default: removed\n"},
    {"discriminant_renamed", "union u switch (bool a) { case TRUE: int x; case FALSE: void; };",
     "union u switch (bool b) { case TRUE: int x; case FALSE: void; };",
     "source-breaking: union u, discriminant b: renamed from a\n"},
};

const BreakingCase kTypes[] = {
    {"typedef_written_out", "typedef int a;\nstruct s { a x; };",
     "typedef int a;\nstruct s { int x; };", ""},
    {"typedef_changed", "typedef int a;\nstruct s { a x; };",
     "typedef hyper a;\nstruct s { a x; };",
     "wire-breaking: typedef a: type changed from int to hyper\n"},
    {"renamed", "struct a { int x; };\nstruct s { a f; };",
     "struct b { int x; };\nstruct s { b f; };", "source-breaking: struct a: renamed to b\n"},
    {"replaced_by_the_same_bytes", "struct a { int x; };\nstruct s { a f; };",
     "struct a { int x; };\nstruct b { int y; };\nstruct s { b f; };",
     "compatible: struct b: added\nsource-breaking: struct s, field f: type changed from a to b\n"},
    {"added_and_removed", "struct a { int x; };", "struct b { hyper y; };",
     "compatible: struct b: added\nsource-breaking: struct a: removed\n"},
    {"kind_changed_same_bytes", "struct a { opaque d<8>; };", "typedef opaque a<8>;",
     "source-breaking: typedef a: changed from struct to typedef\n"},
    {"optional_three_ways", "struct s { int *a; int b<1>; int *c; };",
     "union m switch (bool p) { case TRUE: int v; case FALSE: void; };\nstruct s { int a<1>; m b; "
     "m c; };",
     "compatible: union m: added\n"
     "source-breaking: struct s, field a: type changed from int * to int<1>\n"
     "source-breaking: struct s, field b: type changed from int<1> to m\n"
     "source-breaking: struct s, field c: type changed from int * to m\n"},
    {"string_for_opaque", "struct s { string a<8>; };", "struct s { opaque a<8>; };",
     "source-breaking: struct s, field a: type changed from string<8> to opaque<8>\n"},
    {"recursive_same", "struct n { int v; n *next; };\nstruct s { n *a; };",
     "struct m { int v; m *next; };\nstruct s { m *a; };",
     "source-breaking: struct n: renamed to m\n"},
    {"recursive_changed", "struct n { int v; n *next; };", "struct n { hyper v; n *next; };",
     "wire-breaking: struct n, field v: type changed from int to hyper\n"},
    {"mutually_recursive", "struct a { b *x; };\nstruct b { a *y; int z; };",
     "struct a { b *x; };\nstruct b { a *y; hyper z; };",
     "wire-breaking: struct b, field z: type changed from int to hyper\n"},
    {"namespace", "namespace a;\nconst A = 1;", "namespace b;\nconst A = 1;",
     "source-breaking: namespace: changed\n"},
};

#define PROGRAM(procedures) "program P { version V { void N(void) = 0; " procedures " } = 1; } = 9;"

const BreakingCase kPrograms[] = {
    {"procedure_added", PROGRAM(""), PROGRAM("int F(int) = 1;"),
     "compatible: V, procedure F: added\n"},
    {"procedure_removed", PROGRAM("int F(int) = 1;"), PROGRAM(""),
     "wire-breaking: (old-to-new) V, procedure F: removed\n"},
    {"procedure_renumbered", PROGRAM("int F(int) = 1;"), PROGRAM("int F(int) = 2;"),
     "wire-breaking: V, procedure F: renumbered from 1 to 2\n"},
    {"procedure_renamed", PROGRAM("int F(int) = 1;"), PROGRAM("int G(int) = 1;"),
     "source-breaking: V, procedure G: renamed from F\n"},
    {"procedures_swapped", PROGRAM("int F(int) = 1; int G(int) = 2;"),
     PROGRAM("int G(int) = 1; int F(int) = 2;"),
     "wire-breaking: V, procedure G: renumbered from 2 to 1\n"
     "wire-breaking: V, procedure F: renumbered from 1 to 2\n"},
    {"result_changed", PROGRAM("int F(int) = 1;"), PROGRAM("bool F(int) = 1;"),
     "wire-breaking: V, procedure F, result: type changed from int to bool\n"},
    {"argument_changed", PROGRAM("int F(int) = 1;"), PROGRAM("int F(hyper) = 1;"),
     "wire-breaking: V, procedure F, arguments: type changed from int to hyper\n"},
    {"arguments_became_a_struct", PROGRAM("int F(int, hyper) = 1;"),
     "struct s { int a; hyper b; };\n" PROGRAM("int F(s) = 1;"),
     "compatible: struct s: added\n"
     "source-breaking: V, procedure F, arguments: changed from (int, hyper) to (s)\n"},
    {"argument_added", PROGRAM("int F(void) = 1;"), PROGRAM("int F(int) = 1;"),
     "wire-breaking: V, procedure F, arguments: changed from (void) to (int)\n"},
    {"idempotent", PROGRAM("int F(int) = 1;"), PROGRAM("int F(int) = 1; /* @idempotent */"),
     "compatible: V, procedure F: @idempotent added\n"},
    {"version_added", "program P { version V { void N(void) = 0; } = 1; } = 9;",
     "program P { version V { void N(void) = 0; } = 1; version W { void N(void) = 0; } = 2; } = 9;",
     "compatible: program P, version W: added\n"},
    {"version_removed",
     "program P { version V { void N(void) = 0; } = 1; version W { void N(void) = 0; } = 2; } = 9;",
     "program P { version V { void N(void) = 0; } = 1; } = 9;",
     "wire-breaking: (old-to-new) program P, version W: removed\n"},
    {"version_renumbered", "program P { version V { void N(void) = 0; } = 1; } = 9;",
     "program P { version V { void N(void) = 0; } = 2; } = 9;",
     "wire-breaking: program P, version V: renumbered from 1 to 2\n"},
    {"program_renumbered", "program P { version V { void N(void) = 0; } = 1; } = 9;",
     "program P { version V { void N(void) = 0; } = 1; } = 10;",
     "wire-breaking: program P: renumbered from 9 to 10\n"},
    {"program_renamed", "program P { version V { void N(void) = 0; } = 1; } = 9;",
     "program Q { version V { void N(void) = 0; } = 1; } = 9;",
     "source-breaking: program Q: renamed from P\n"},
    {"program_removed", "program P { version V { void N(void) = 0; } = 1; } = 9;\nconst A = 1;",
     "const A = 1;", "wire-breaking: (old-to-new) program P: removed\n"},
};

std::string breaking_case_name(const testing::TestParamInfo<BreakingCase>& info) {
    return info.param.what;
}

#define SPARSE(fields) "/* @sparse */ struct a { " fields " };\n"
#define ATTRIBUTES(type) "struct f { unsigned int m<>; opaque v<>; /* @contents " type " m */\n};\n"

const BreakingCase kSparse[] = {
    {"field_added", SPARSE("int x; /* @bit 1 */"),
     SPARSE("int x; /* @bit 1 */\nhyper y; /* @bit 2 */"),
     "compatible: struct a, field y: added\n"},
    {"field_removed", SPARSE("int x; /* @bit 1 */\nhyper y; /* @bit 2 */"),
     SPARSE("int x; /* @bit 1 */"), "wire-breaking: (old-to-new) struct a, field y: removed\n"},
    {"field_renamed", SPARSE("int x; /* @bit 1 */"), SPARSE("int y; /* @bit 1 */"),
     "source-breaking: struct a, field x: renamed to y\n"},
    {"bit_reused", SPARSE("int x; /* @bit 1 */"), SPARSE("hyper y; /* @bit 1 */"),
     "compatible: struct a, field y: added\n"
     "wire-breaking: (old-to-new) struct a, field x: removed\n"},
    {"bit_changed", SPARSE("int x; /* @bit 1 */"), SPARSE("int x; /* @bit 2 */"),
     "wire-breaking: struct a, field x: moved from bit 1 to bit 2\n"},
    {"type_changed", SPARSE("int x; /* @bit 1 */"), SPARSE("hyper x; /* @bit 1 */"),
     "wire-breaking: struct a, field x: type changed from int to hyper\n"},
    {"bit_by_name", SPARSE("int x; /* @bit 1 */"),
     "const ONE = 1;\n" SPARSE("int x; /* @bit ONE */"), "compatible: const ONE: added\n"},
    {"contents_changed",
     SPARSE("int x; /* @bit 1 */") "/* @sparse */ struct b { int x; /* @bit 1 */\n};\n" ATTRIBUTES(
         "a"),
     SPARSE("int x; /* @bit 1 */") "/* @sparse */ struct b { int x; /* @bit 1 */\n};\n" ATTRIBUTES(
         "b"),
     "wire-breaking: struct f, field v: contents changed from a to b\n"},
    {"contents_added", SPARSE("int x; /* @bit 1 */") "struct f { unsigned int m<>; opaque v<>; };",
     SPARSE("int x; /* @bit 1 */") ATTRIBUTES("a"),
     "compatible: struct f, field v: @contents added\n"},
    {"sparse_removed", SPARSE("int x; /* @bit 1 */"), "struct a { int x; };",
     "source-breaking: struct a: @sparse removed\n"},
};

INSTANTIATE_TEST_SUITE_P(Sparse, BreakingRow, testing::ValuesIn(kSparse), breaking_case_name);
INSTANTIATE_TEST_SUITE_P(Fields, BreakingRow, testing::ValuesIn(kFields), breaking_case_name);
INSTANTIATE_TEST_SUITE_P(Bounds, BreakingRow, testing::ValuesIn(kBounds), breaking_case_name);
INSTANTIATE_TEST_SUITE_P(Constants, BreakingRow, testing::ValuesIn(kConstants), breaking_case_name);
INSTANTIATE_TEST_SUITE_P(Enums, BreakingRow, testing::ValuesIn(kEnums), breaking_case_name);
INSTANTIATE_TEST_SUITE_P(Unions, BreakingRow, testing::ValuesIn(kUnions), breaking_case_name);
INSTANTIATE_TEST_SUITE_P(Types, BreakingRow, testing::ValuesIn(kTypes), breaking_case_name);
INSTANTIATE_TEST_SUITE_P(Programs, BreakingRow, testing::ValuesIn(kPrograms), breaking_case_name);

TEST(Breaking, RendersBothPlacesAndTheReason) {
    const auto before = schema_of("old.x", "struct s { opaque a<64>; };");
    const auto after = schema_of("new.x", "\nstruct s { opaque a<32>; };");
    const auto found = compare(*before, *after);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(render(found[0], *before, *after),
              "new.x:2:19: wire-breaking: struct s, field a: limit lowered from 64 to 32 bytes "
              "(was old.x:1:19)\n"
              "    new peers reject more than 32 bytes; old peers may send them\n");
    std::string json;
    JsonWriter writer{json};
    put_json(writer, found[0], *before, *after);
    EXPECT_EQ(json,
              "{\"impact\": \"wire-breaking\", \"direction\": \"old-to-new\", "
              "\"rule\": \"bound-lowered\", \"subject\": \"struct s, field a\", "
              "\"message\": \"limit lowered from 64 to 32 bytes\", "
              "\"reason\": \"new peers reject more than 32 bytes; old peers may send them\", "
              "\"before\": {\"file\": \"old.x\", \"line\": 1, \"column\": 19}, "
              "\"after\": {\"file\": \"new.x\", \"line\": 2, \"column\": 19}}");
}

// Each struct holds the next one twice: following every path would take 2^60 steps.
TEST(SameWire, SharedTypesAreComparedOnce) {
    const auto tower = [](char prefix) {
        std::string text;
        for (int i = 0; i < 60; ++i) {
            const auto name = prefix + std::to_string(i);
            const auto next = i == 59 ? std::string{"int"} : prefix + std::to_string(i + 1);
            text += "struct " + name + " { " + next + " x; " + next + " y; };\n";
        }
        return text;
    };
    const auto schema = schema_of("t.x", tower('a') + tower('b'));
    EXPECT_TRUE(same_wire(*schema->type("a0"), *schema->type("b0")));
    EXPECT_FALSE(same_wire(*schema->type("a0"), *schema->type("b1")));
}

TEST(Spell, ReadsLikeTheSchema) {
    const auto schema = schema_of("t.x",
                                  "struct s { int a; unsigned hyper b; opaque c[4]; opaque d<>; "
                                  "string e<9>; s *f; int g[2]; s h<3>; };");
    std::string text;
    for (const auto& field : schema->type("s")->fields) text += spell(*field.type) + "; ";
    EXPECT_EQ(text, "int; unsigned hyper; opaque[4]; opaque<>; string<9>; s *; int[2]; s<3>; ");
}

}  // namespace
}  // namespace helio::idl::breaking_test
