#include "helio/load/template.h"

#include <set>

#include <gtest/gtest.h>

namespace helio::load::template_test {
namespace {

std::string expand(std::string_view text, std::uint64_t number = 0) {
    const auto made = Template::parse(text);
    if (!made) return "error: " + made.error();
    Random random{1};
    return made->expand(number, random);
}

TEST(Template, PlainTextStaysAsItIs) {
    for (const char* const text : {"", "null", R"({"a": {"b": {}}, "c": "}} \" \\"})", "[[{}]]"}) {
        EXPECT_EQ(expand(text), text);
        EXPECT_FALSE(Template::parse(text)->varies());
    }
}

TEST(Template, AStringThatIsOneNumberBecomesANumber) {
    EXPECT_EQ(expand(R"({"a": "{{counter}}", "b": "x"})", 7), R"({"a": 7, "b": "x"})");
    EXPECT_EQ(expand(R"(["{{counter 100}}","{{counter -3}}"])", 2), "[102,-1]");
    EXPECT_EQ(expand(R"({"a": {{counter}}})", 7), R"({"a": 7})");
    EXPECT_EQ(expand(R"("{{random 5 5}}")"), "5");
}

TEST(Template, WithinAStringItStaysText) {
    EXPECT_EQ(expand(R"("file{{counter}}")", 3), R"("file3")");
    EXPECT_EQ(expand(R"("{{counter}}.txt")", 3), R"("3.txt")");
    EXPECT_EQ(expand(R"("{{counter}}{{counter}}")", 3), R"("33")");
    // The inner quotes are part of the string.
    EXPECT_EQ(expand(R"("\"{{counter}}\"")", 3), R"("\"3\"")");
    EXPECT_EQ(expand(R"("\"{{counter}}")", 3), R"("\"3")");
}

TEST(Template, RandomHexIsTextOfThatManyBytes) {
    const std::string text = expand(R"("{{random_hex 8}}")");
    ASSERT_EQ(text.size(), 18u);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef", 1), 17u);
    EXPECT_EQ(expand(R"("{{random_hex 0}}")"), R"("")");
}

TEST(Template, RandomReachesBothEndsAndNothingElse) {
    const auto made = Template::parse("{{random -2 2}}");
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->varies());
    Random random{7};
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(made->expand(0, random));
    EXPECT_EQ(seen, (std::set<std::string>{"-2", "-1", "0", "1", "2"}));
}

TEST(Template, TheWidestRangeIsAllowed) {
    EXPECT_NE(expand("{{random -9223372036854775808 9223372036854775807}}"), "");
}

TEST(Template, TheSameSeedGivesTheSameText) {
    const auto made = Template::parse("{{random 0 1000000000}} {{random_hex 9}}");
    Random one{42}, two{42}, other{43};
    const std::string text = made->expand(0, one);
    EXPECT_EQ(text, made->expand(0, two));
    EXPECT_NE(text, made->expand(0, other));
}

TEST(Template, MistakesAreNamed) {
    for (const char* const text :
         {"{{counter", "{{}}", "{{count}}", "{{counter 1 2}}", "{{random 1}}", "{{random 2 1}}",
          "{{random a b}}", "{{random 1 2 3}}", "{{random_hex}}", "{{random_hex -1}}",
          "{{random_hex 1048577}}", "{{random 0 9223372036854775808}}"})
        EXPECT_EQ(expand(text).rfind("error: ", 0), 0u) << text;
    EXPECT_EQ(expand("{{random_hex 1048576}}").size(), 2 * kRandomHexMax);
}

}  // namespace
}  // namespace helio::load::template_test
