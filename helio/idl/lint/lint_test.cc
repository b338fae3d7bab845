#include "helio/idl/lint/lint.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "helio/idl/parse.h"

namespace helio::idl::lint_test {
namespace {

// "line:rule" of each finding, which is all a table needs.
std::string lint_text(const std::string& text, const LintOptions& options = {}) {
    const auto parsed = parse("t.x", text);
    EXPECT_TRUE(parsed.schema) << parsed.report();
    if (!parsed.schema) return {};
    std::string found;
    for (const auto& finding : lint(*parsed.schema, options).items) {
        EXPECT_EQ(finding.severity, Severity::warning);
        found += std::to_string(parsed.schema->sources.line_column(finding.where).line) + ":" +
                 finding.rule + " ";
    }
    if (!found.empty()) found.pop_back();
    return found;
}

struct LintCase {
    const char* what;
    const char* text;
    const char* expected;
};

class LintRow : public testing::TestWithParam<LintCase> {};

TEST_P(LintRow, Table) {
    EXPECT_EQ(lint_text(GetParam().text, {.enable = {"all"}, .disable = {"missing-doc"}}),
              GetParam().expected);
}

const LintCase kRows[] = {
    {"nothing", "const A = 1;\nstruct s { int x; };", ""},
    {"unbounded_string", "typedef string a<>;\nstruct s { string b<>; string c<9>; };",
     "1:unbounded-string 2:unbounded-string"},
    {"sparse_types_are_used",
     "/* @sparse */\nstruct a { int x; /* @bit 1 */\n};\nenum e { E };\n"
     "struct f {\nunsigned int m<8>; /* @bits e */\nopaque v<9>; /* @contents a m */\n};\n"
     "program P { version V { void N(void) = 0; void G(f) = 1; } = 1; } = 0x20000001;",
     ""},
    {"template", "struct s { int a; /* @template 1 */\n};", ""},
    {"misspelt_template", "struct s { int a; /* @templat 1 */\n};", "1:misspelt-annotation"},
    {"misspelt_bits", "struct s { unsigned int m<9>; /* @bitts e */\n};", "1:misspelt-annotation"},
    {"unbounded_opaque", "struct s { opaque b<>; opaque c<9>; opaque d[9]; };",
     "1:unbounded-opaque"},
    {"unbounded_array", "struct s { int b<>; int c<9>; int d[9]; };", "1:unbounded-array"},
    {"unbounded_only_where_it_is_written", "typedef string a<>;\nstruct s { a x; a y<3>; };",
     "1:unbounded-string"},
    {"unbounded_arm",
     "union u switch (bool b) {\ncase TRUE:\n    string s<>;\ncase FALSE:\n    void;\n};",
     "3:unbounded-string"},
    {"unbounded_list", "struct n { int x; n *next; };", "1:unbounded-list"},
    {"unbounded_recursion", "struct n { n *left; n *right; int x; };", "1:unbounded-recursion"},
    {"large_fixed", "struct s {\nopaque a[4096];\nopaque b[4097];\nint c[1025];\n};",
     "3:large-fixed 4:large-fixed"},
    {"magic_bound",
     "struct s {\nopaque a<64>;\nstring b<64>;\nint c<63>;\nint d<3>;\nint e<3>;\n};",
     "2:magic-bound"},
    {"named_bounds_are_fine", "const N = 64;\nstruct s { opaque a<N>; opaque b<N>; };", ""},
    {"open_union",
     "/* @open */\nenum e { A = 0 };\nunion u switch (e d) { case A: int x; };\n"
     "union v switch (e d) { case A: int x; default: void; };",
     "3:open-union"},
    {"duplicate_value", "enum e {\n    A = 0,\n    B = 1,\n    C = 0\n};", "4:duplicate-value"},
    {"nested_type", "struct s {\n    struct { int x; } in;\n};", "2:nested-type"},
    {"nonstandard_type", "struct s {\n    char a;\n    unsigned short b[2];\n    int c;\n};",
     "2:nonstandard-type 3:nonstandard-type"},
    {"cpp_keyword", "struct s {\n    int class;\n    int klass;\n};\nenum e { new = 1 };",
     "2:cpp-keyword 5:cpp-keyword"},
    {"reserved_name", "struct a__b { int _x; };\nstruct s {\n    int _X;\n};",
     "1:reserved-name 3:reserved-name"},
    {"case_clash", "struct foo { int x; };\nstruct Foo { int x; };\nenum e { FOO = 1 };",
     "2:case-clash"},
    {"odd_prefix", "enum e {\nNFS_A = 0,\nNFS_B = 1,\nNSF_C = 2,\nNFS_D = 3,\nNFSERR_X = 4\n};",
     "4:odd-prefix"},
    {"misspelt_annotation",
     "/* @opne */\nenum e { A = 0 };\n/* @since 1.0 and @idempotant */\nstruct s { int x; };",
     "2:misspelt-annotation 4:misspelt-annotation"},
    {"lint_off_of_no_rule", "/* @lint-off unbonded-string */\nstruct s { int x; };",
     "2:misspelt-annotation"},
    {"null_procedure", "program P {\nversion V { void F(void) = 1; } = 1;\n} = 0x20000000;",
     "2:null-procedure"},
    {"procedure_gap",
     "program P { version V {\nvoid N(void) = 0;\nvoid F(void) = 2;\n} = 1; } = 0x20000000;",
     "3:procedure-gap"},
    {"program_number",
     "program A { version V { void N(void) = 0; } = 1; } = 0;\n"
     "program B { version V { void N(void) = 0; } = 1; } = 0x1fffffff;\n"
     "program C { version V { void N(void) = 0; } = 1; } = 0x3fffffff;\n"
     "program D { version V { void N(void) = 0; } = 1; } = 0x40000000;\n"
     "program E { version V { void N(void) = 0; } = 1; } = 0xffffffff;",
     "1:program-number 4:program-number 5:program-number"},
    {"unused",
     "const A = 1;\nconst B = 2;\ntypedef opaque used<B>;\nstruct unused { used *u; };\n"
     "program P { version V { void N(void) = 0; used F(void) = 1; } = 1; } = 0x20000000;",
     "1:unused-constant 4:unused-type"},
    {"a_list_does_not_use_itself",
     "struct n {\n/* @lint-off all */ n *next; };\n"
     "program P { version V { void N(void) = 0; } = 1; } = 0x20000000;",
     "1:unbounded-list 1:unused-type"},
    {"off_for_a_definition",
     "/* @lint-off unbounded-string: RFC 1813 sets no limit */\ntypedef string a<>;", ""},
    {"off_for_a_member",
     "struct s {\n    string a<>; /* @lint-off unbounded-string */\n    string b<>;\n};",
     "3:unbounded-string"},
    {"off_for_several",
     "/* @lint-off unbounded-string, unbounded-opaque */\nstruct s { string a<>; opaque b<>; };",
     ""},
    {"off_for_the_file", "/* My file. @lint-off unbounded-string */\n\nstruct s { string a<>; };",
     ""},
    {"opening_comment_must_stand_apart",
     "/* @lint-off unbounded-string */\nstruct s { string a<>; };\nstruct t { string a<>; };",
     "3:unbounded-string"},
};

std::string lint_case_name(const testing::TestParamInfo<LintCase>& info) { return info.param.what; }

INSTANTIATE_TEST_SUITE_P(Rules, LintRow, testing::ValuesIn(kRows), lint_case_name);

TEST(LintOptions, EnableAndDisable) {
    const std::string text = "struct s { string a<>; char b; };";
    EXPECT_EQ(lint_text(text), "1:unbounded-string");
    EXPECT_EQ(lint_text(text, {.enable = {"nonstandard-type"}, .disable = {"unbounded-string"}}),
              "1:nonstandard-type");
    EXPECT_EQ(lint_text(text, {.enable = {"all"}, .disable = {"all"}}), "");
    EXPECT_EQ(lint_text("struct s { int x; };", {.enable = {"missing-doc"}, .disable = {}}),
              "1:missing-doc");
}

TEST(LintRules, EachIsKnownByItsNameAndDocumented) {
    std::ifstream in{HELIO_SOURCE_DIR "/docs/fmt-lint-breaking.md"};
    const std::string docs{std::istreambuf_iterator<char>{in}, {}};
    for (const auto& rule : lint_rules()) {
        EXPECT_EQ(lint_rule(rule.name), &rule);
        EXPECT_NE(docs.find("**" + std::string{rule.name}), std::string::npos) << rule.name;
        EXPECT_FALSE(rule.summary.empty()) << rule.name;
    }
    EXPECT_EQ(lint_rule("no-such-rule"), nullptr);
    EXPECT_EQ(lint_rule("all"), nullptr) << "a word of the command line, not a rule";
}

// Imported files are not linted.
TEST(Lint, LooksAtTheMainFileOnly) {
    const auto parsed = parse("t.x", "#include \"other.x\"\nstruct s { a x; };", [](auto, auto) {
        return std::optional<LoadedText>{{"other.x", "typedef string a<>;"}};
    });
    ASSERT_TRUE(parsed.schema) << parsed.report();
    EXPECT_TRUE(lint(*parsed.schema).items.empty());
}

TEST(Lint, RendersLikeTheCompiler) {
    const auto parsed = parse("t.x", "typedef string a<>;");
    ASSERT_TRUE(parsed.schema);
    const auto findings = lint(*parsed.schema);
    const auto text = render(findings, parsed.schema->sources);
    EXPECT_TRUE(text.starts_with("t.x:1:16: warning: 'a' has no limit")) << text;
    EXPECT_NE(text.find("[unbounded-string]"), std::string::npos) << text;
    std::string json;
    JsonWriter writer{json};
    put_json(writer, findings.items.front(), parsed.schema->sources);
    EXPECT_EQ(
        json,
        "{\"file\": \"t.x\", \"line\": 1, \"column\": 16, \"severity\": \"warning\", "
        "\"rule\": \"unbounded-string\", \"message\": \"'a' has no limit: a peer may send up to "
        "4294967295 bytes\", \"hint\": \"add the limit you accept, as in name<LIMIT>\"}");
}

}  // namespace
}  // namespace helio::idl::lint_test
