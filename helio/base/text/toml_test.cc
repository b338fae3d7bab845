#include "helio/base/text/toml.h"

#include <gtest/gtest.h>

namespace helio::toml_test {
namespace {

TEST(Toml, SaysWhereItIsWrong) {
    struct Row {
        const char* text;
        std::uint32_t line, column;
    };
    constexpr Row kRows[] = {
        {"a = 1\nb = = 2\n", 2, 5},
        {"a = 1\na = 2\n", 2, 5},
        {"a = \"x\ny\"\n", 1, 7},
        // toml++ 3.3 does not handle letters beyond ASCII where TOML allows none.
        {"threads é = 3", 1, 9},
        {"a = 1\nb = \"\\é\"", 2, 7},
    };
    for (const Row& row : kRows) {
        const auto parsed = parse_toml(row.text);
        ASSERT_FALSE(parsed) << row.text;
        EXPECT_EQ(parsed.error().line, row.line) << row.text << ": " << parsed.error().reason;
        EXPECT_EQ(parsed.error().column, row.column) << row.text << ": " << parsed.error().reason;
    }
    EXPECT_FALSE(parse_toml("[\x01\n"));
    EXPECT_FALSE(parse_toml("[=\n"));
}

TEST(Toml, SaysWhatIsProbablyMissing) {
    struct Row {
        const char* text;
        const char* reason;
    };
    constexpr Row kRows[] = {
        {"a = 1\npath = \"/srv\nb = 2\n",
         "a string has no closing quote; the line reads: path = \"/srv"},
        {"path = /srv  # here\n",
         "the value of 'path' is text and needs quotes: path = \"/srv\"; the line reads: path = "
         "/srv  # here"},
        {"listen = 10.0.0.1:2049\n",
         "the value of 'listen' is text and needs quotes: listen = \"10.0.0.1:2049\"; the line "
         "reads: listen = 10.0.0.1:2049"},
        {"ro = True\n", "'ro' is true or false, in small letters; the line reads: ro = True"},
        {"path =\n", "'path' has no value behind its '='; the line reads: path ="},
        {"path\n", "'path' has no '=' and no value; the line reads: path"},
        {"a = 1\na = 2\n", "this is there twice; the line reads: a = 2"},
        {"[[export]\n",
         "a header in brackets has as many of them at its end as at its beginning: [[export]]; the "
         "line reads: [[export]"},
    };
    for (const Row& row : kRows) {
        const auto parsed = parse_toml(row.text);
        ASSERT_FALSE(parsed) << row.text;
        EXPECT_EQ(parsed.error().reason, row.reason) << row.text;
    }
    // Mistakes that we do not recognise are described in the library's words.
    EXPECT_TRUE(parse_toml("a = 1 2\n").error().reason.starts_with("this is not TOML ("));
}

TEST(Toml, StringsAndCommentsMayHoldAnyLetter) {
    const auto parsed = parse_toml("\xef\xbb\xbf# é\na = \"/srv/é\\\" \" # あ\nb = '/é'\n");
    ASSERT_TRUE(parsed) << parsed.error().reason;
    EXPECT_EQ(parsed->get("b")->value<std::string>(), "/é");
}

}  // namespace
}  // namespace helio::toml_test
