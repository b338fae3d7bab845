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
        // toml++ 3.3 has no case for letters beyond ASCII where TOML allows none.
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

TEST(Toml, StringsAndCommentsMayHoldAnyLetter) {
    const auto parsed = parse_toml("\xef\xbb\xbf# é\na = \"/srv/é\\\" \" # あ\nb = '/é'\n");
    ASSERT_TRUE(parsed) << parsed.error().reason;
    EXPECT_EQ(parsed->get("b")->value<std::string>(), "/é");
}

}  // namespace
}  // namespace helio::toml_test
