#include "helio/idl/format/format.h"

#include <gtest/gtest.h>

#include <string>

#include "helio/idl/format/layout_internal.h"

namespace helio::idl::format_test {
namespace {

struct FormatCase {
    const char* what;
    const char* input;
    const char* expected;
};

std::string formatted(const std::string& input) {
    const auto result = format("t.x", input);
    EXPECT_EQ(result.report(), "") << input;
    return result.text.value_or("(refused)");
}

class FormatRow : public testing::TestWithParam<FormatCase> {};

TEST_P(FormatRow, Table) {
    const std::string once = formatted(GetParam().input);
    EXPECT_EQ(once, GetParam().expected);
    EXPECT_EQ(formatted(once), once) << "a second run changed something";
}

const FormatCase kDefinitions[] = {
    {"empty", "", ""},
    {"blank", "\n\n  \n", ""},
    {"const", "const  A=1 ;const B = - 2;", "const A = 1;\nconst B = -2;\n"},
    {"groups_of_one_line_definitions_stay",
     "const A = 1;\nconst B = 2;\n\n\n\nconst C = 3;\ntypedef int t;\n",
     "const A = 1;\nconst B = 2;\n\nconst C = 3;\ntypedef int t;\n"},
    {"struct", "struct s{int a;unsigned   hyper b;};",
     "struct s {\n    int a;\n    unsigned hyper b;\n};\n"},
    {"annotations", "struct s { int a;/* @template 1 */\nint b; /* Bytes. @template 2 */ };",
     "struct s {\n    int a; /* @template 1 */\n    int b; /* Bytes. @template 2 */\n};\n"},
    {"declarators",
     "struct s { int *a ; opaque b [ 8 ] ; opaque c < 4 > ; string d<>; s * e; int f[2]; };",
     "struct s {\n    int *a;\n    opaque b[8];\n    opaque c<4>;\n    string d<>;\n    s *e;\n"
     "    int f[2];\n};\n"},
    {"enum", "enum e { A=0, B = -1,C=0x10 };",
     "enum e {\n    A = 0,\n    B = -1,\n    C = 0x10\n};\n"},
    {"union", "union u switch(int d){case 0:case 1:int a;default:void;};",
     "union u switch (int d) {\ncase 0:\ncase 1:\n    int a;\ndefault:\n    void;\n};\n"},
    {"typedef_of_body", "typedef enum{A=1}e;", "typedef enum {\n    A = 1\n} e;\n"},
    {"nested_types",
     "struct s { union switch (bool b) { case TRUE: struct { int x; } in; case FALSE: void; } u; "
     "};",
     "struct s {\n    union switch (bool b) {\n    case TRUE:\n        struct {\n            int "
     "x;\n"
     "        } in;\n    case FALSE:\n        void;\n    } u;\n};\n"},
    {"program",
     "program P{version V1{void NULLP(void)=0;int\nADD(int,  int)=1;}=1;version V2{void "
     "N(void)=0;}=2;}=0x20000001;",
     "program P {\n    version V1 {\n        void NULLP(void) = 0;\n        int ADD(int, int) = "
     "1;\n"
     "    } = 1;\n\n    version V2 {\n        void N(void) = 0;\n    } = 2;\n} = 0x20000001;\n"},
    {"one_blank_line_between_definitions",
     "struct a { int x; };\nstruct b { int x; };\n\n\n\nconst A = 1;\nstruct c { int x; };",
     "struct a {\n    int x;\n};\n\nstruct b {\n    int x;\n};\n\nconst A = 1;\n\nstruct c {\n    "
     "int x;\n};\n"},
    {"blank_lines_in_bodies", "struct a {\n\n\n    int x;\n\n\n\n    int y;\n\n};",
     "struct a {\n    int x;\n\n    int y;\n};\n"},
    {"namespace_line", "namespace a :: b ;\nconst A = 1;", "namespace a::b;\nconst A = 1;\n"},
    {"namespace_block", "namespace a {\nstruct s { int x; };\nconst A = 1;\n}",
     "namespace a {\n\nstruct s {\n    int x;\n};\n\nconst A = 1;\n\n}\n"},
    {"double_semicolon", "struct a { int x; };;\nconst A = 1;",
     "struct a {\n    int x;\n};;\n\nconst A = 1;\n"},
    {"carriage_returns", "struct a {\r\n  int x; /* b\r\n * c */\r\n};\r\n",
     "struct a {\n    int x; /* b\n            * c */\n};\n"},
};

const FormatCase kComments[] = {
    {"behind", "const A = 1;   /* one */\nconst B = 2;\t// two\n",
     "const A = 1; /* one */\nconst B = 2; // two\n"},
    {"padding_before_the_end_of_one_behind", "const A = 1; /* one\t\t*/\n",
     "const A = 1; /* one */\n"},
    {"box_on_its_own_lines_stays", "/**********/\n/* words  */\n/**********/\nconst A = 1;\n",
     "/**********/\n/* words  */\n/**********/\nconst A = 1;\n"},
    {"before", "struct s {\n/* doc */\n  int a;\n      // more\n  int b;\n};",
     "struct s {\n    /* doc */\n    int a;\n    // more\n    int b;\n};\n"},
    {"beside", "struct s {\n  /* doc */   int a;\n};", "struct s {\n    /* doc */ int a;\n};\n"},
    {"behind_brace", "struct s {  /* doc */\n int a; };", "struct s { /* doc */\n    int a;\n};\n"},
    {"behind_brace_but_about_the_field", "struct s { /* doc */ int a; };",
     "struct s {\n    /* doc */ int a;\n};\n"},
    {"behind_label", "union u switch (int d) {\ndefault:   /* all */\nvoid; };",
     "union u switch (int d) {\ndefault: /* all */\n    void;\n};\n"},
    {"of_cases",
     "union u switch (int d) {\n  /* zero */\n  case 0:\n  /* a */\n  int a;\n  /* end */\n};",
     "union u switch (int d) {\n/* zero */\ncase 0:\n    /* a */\n    int a;\n/* end */\n};\n"},
    {"stars_are_aligned", "struct s {\n/* one\n* two\n      * three\n*/\nint a; };",
     "struct s {\n    /* one\n     * two\n     * three\n     */\n    int a;\n};\n"},
    {"others_move_along", "struct s {\n  /* one\n       two\n     three */\n  int a; };",
     "struct s {\n    /* one\n         two\n       three */\n    int a;\n};\n"},
    {"several_lines_behind", "struct s {\n  int a;  /* one\n           * two */\n};",
     "struct s {\n    int a; /* one\n            * two */\n};\n"},
    {"goes_on_in_its_column", "struct s {\n  int a;   // one\n           // two\n  int b;\n};",
     "struct s {\n    int a; // one\n           // two\n    int b;\n};\n"},
    {"last_enumerator", "enum e {\n A = 1 /* a */\n /* end */\n};",
     "enum e {\n    A = 1 /* a */\n    /* end */\n};\n"},
    {"inside_a_statement", "struct s { int/* a */b; };", "struct s {\n    int /* a */ b;\n};\n"},
    {"line_comment_inside_a_statement", "struct s {\nint // a\nb;\n};",
     "struct s {\n    int // a\n        b;\n};\n"},
    {"own_line_inside_a_statement",
     "program P { version V {\nint\n/* doc */\nF(void) = 0; } = 1; } = 9;",
     "program P {\n    version V {\n        int\n            /* doc */\n            F(void) = 0;\n"
     "    } = 1;\n} = 9;\n"},
    {"doc_stays_with_its_definition",
     "const A = 1;\n/* doc */\nstruct s { int x; };\n/* b */\nconst B = 2;",
     "const A = 1;\n\n/* doc */\nstruct s {\n    int x;\n};\n\n/* b */\nconst B = 2;\n"},
    {"only_a_comment", "  /* hello */", "/* hello */\n"},
    {"behind_number_of_program",
     "program P { version V { void F(void) = 0; } = 1; /* v */ } = 9; /* p */",
     "program P {\n    version V {\n        void F(void) = 0;\n    } = 1; /* v */\n} = 9; /* p "
     "*/\n"},
};

const FormatCase kForeignLines[] = {
    {"percent", "%#include <a.h>\n%\n%  keep   this\nconst A = 1;",
     "%#include <a.h>\n%\n%  keep   this\nconst A = 1;\n"},
    {"directives", "  #ifdef RPC_HDR\n%x\n#endif /* hdr */\n\n\n#define B 2\nconst A = 1;",
     "#ifdef RPC_HDR\n%x\n#endif /* hdr */\n\n#define B 2\nconst A = 1;\n"},
    {"inside_a_body", "struct s {\n  int a;\n#ifdef X\n int b;\n#endif\n};",
     "struct s {\n    int a;\n#ifdef X\n    int b;\n#endif\n};\n"},
    {"continued", "#define A \\\n   1\n%b \\\n  c\nconst C = 1;",
     "#define A \\\n   1\n%b \\\n  c\nconst C = 1;\n"},
    {"branch_not_taken", "#if 0\nstruct   x { int q; };\n#endif\nconst A = 1;",
     "#if 0\nstruct x {\n    int q;\n};\n#endif\nconst A = 1;\n"},
};

std::string format_case_name(const testing::TestParamInfo<FormatCase>& info) {
    return info.param.what;
}

INSTANTIATE_TEST_SUITE_P(Definitions, FormatRow, testing::ValuesIn(kDefinitions), format_case_name);
INSTANTIATE_TEST_SUITE_P(Comments, FormatRow, testing::ValuesIn(kComments), format_case_name);
INSTANTIATE_TEST_SUITE_P(ForeignLines, FormatRow, testing::ValuesIn(kForeignLines),
                         format_case_name);

TEST(FormatWrap, BreaksBeforeArgumentsAndIfNeedBeBeforeTheName) {
    const std::string type(40, 't');
    const std::string name(40, 'N');
    const auto program = [](const std::string& procedure) {
        return "program P {\n    version V {\n" + procedure + "    } = 1;\n} = 9;\n";
    };
    const auto types = "typedef int " + type + ";\n\n";
    const auto one_line = types + program("        " + type + " " + name + "(" + type + ") = 1;\n");
    EXPECT_EQ(formatted(one_line), types + program("        " + type + " " + name +
                                                   "(\n            " + type + ") = 1;\n"));

    const std::string long_name(60, 'N');
    const auto longer =
        types + program("        " + type + " " + long_name + "(" + type + ") = 1;\n");
    EXPECT_EQ(formatted(longer), types + program("        " + type + "\n            " + long_name +
                                                 "(\n                " + type + ") = 1;\n"));
}

TEST(Format, RefusesFilesWithErrors) {
    for (const char* broken :
         {"struct s {", "struct s { int };", "const A = ;", "\x01", "/* open"}) {
        const auto result = format("t.x", broken);
        EXPECT_FALSE(result.text.has_value()) << broken;
        EXPECT_NE(result.report().find("error"), std::string::npos) << broken;
    }
}

// A comment behind a very long line must not be indented by that length on each of its lines.
TEST(Format, IndentationOfCommentsHasALimit) {
    const std::string text = "const A = 1; /* " + std::string(5000, 'x') + " */ /* one\ntwo */\n";
    const auto once = formatted(text);
    EXPECT_LT(once.size(), text.size() + 2 * kCommentColumnMax);
    EXPECT_EQ(formatted(once), once);
}

TEST(Format, TakesLinearTime) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "/* c */ ";
    text += "\nconst A = 1;\n";
    EXPECT_EQ(formatted(text).size(), text.size() - 1);
}

TEST(Format, ShowsPathsWithoutControlCharacters) {
    EXPECT_EQ(shown_path("a\x1b[31m.x").find('\x1b'), std::string::npos);
}

TEST(FormatComment, ColumnsCountTabsAndCharacters) {
    EXPECT_EQ(advance_column(0, "\t"), 8u);
    EXPECT_EQ(advance_column(3, "a\tb"), 9u);
    EXPECT_EQ(advance_column(0, "\xC3\xA4"), 1u);  // one character in two bytes
}

}  // namespace
}  // namespace helio::idl::format_test
