#include "helio/base/text/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace helio::json_writer_test {
namespace {

TEST(JsonString, Escapes) {
    struct Row {
        std::string_view text;
        const char* json;
    };
    constexpr Row kRows[] = {
        {"", R"("")"},
        {"plain", R"("plain")"},
        {"a\"b\\c/d", R"("a\"b\\c/d")"},
        {"line\nand\ttab\r", R"("line\nand\u0009tab\u000d")"},
        {{"\0\x1b\x7f", 3}, R"("\u0000\u001b\u007f")"},
        {"\xc2\x9b", R"("\u009b")"},
        {"\xe2\x80\xae", R"("\u202e")"},
        {"grün 😀", "\"grün 😀\""},
        {"\xff"
         "a\xc3",
         R"("\ufffda\ufffd")"},
        {"\xed\xa0\x80", R"("\ufffd\ufffd\ufffd")"},
    };
    for (const Row& row : kRows) EXPECT_EQ(json_string(row.text), row.json);
}

std::string written(const JsonLayout& layout) {
    std::string out;
    JsonWriter json{out, layout};
    json.open('{');
    json.member("name", "a \"b\"");
    json.member("yes", true);
    json.member("small", std::int16_t{-7});
    json.member("large", std::uint64_t{18446744073709551615u});
    json.member("share", 0.5, 3);
    json.member("never", std::numeric_limits<double>::infinity(), 1);
    json.key("list");
    json.open('[');
    for (const int one : {1, 2}) json.item(one);
    json.element();
    json.open('{');
    json.close('}');
    json.close(']');
    json.key("empty");
    json.open('[');
    json.close(']');
    json.text_key("a\nb");
    json.null();
    json.close('}');
    return out;
}

TEST(JsonWriter, Layouts) {
    EXPECT_EQ(written({}),
              R"({"name": "a \"b\"", "yes": true, "small": -7, "large": 18446744073709551615, )"
              R"("share": 0.500, "never": null, "list": [1, 2, {}], "empty": [], "a\nb": null})");
    EXPECT_EQ(written({.indent = 0, .spaces = false}),
              R"({"name":"a \"b\"","yes":true,"small":-7,"large":18446744073709551615,)"
              R"("share":0.500,"never":null,"list":[1,2,{}],"empty":[],"a\nb":null})");
    EXPECT_EQ(written({.indent = 2, .spaces = true}), R"({
  "name": "a \"b\"",
  "yes": true,
  "small": -7,
  "large": 18446744073709551615,
  "share": 0.500,
  "never": null,
  "list": [
    1,
    2,
    {}
  ],
  "empty": [],
  "a\nb": null
})");
}

TEST(JsonWriter, LinesWhereTheyAreWanted) {
    std::string out;
    JsonWriter json{out};
    json.open('{');
    json.member("status", "ok");
    json.key("checks");
    json.open('[');
    for (const char* one : {"a", "b"}) {
        json.new_line();
        json.element();
        json.open('{');
        json.member("check", one);
        json.member("ok", true);
        json.close('}');
    }
    json.new_line();
    json.close(']');
    json.close('}');
    EXPECT_EQ(out, R"({"status": "ok", "checks": [
    {"check": "a", "ok": true},
    {"check": "b", "ok": true}
  ]})");
}

}  // namespace
}  // namespace helio::json_writer_test
