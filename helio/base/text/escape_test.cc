#include "helio/base/text/escape.h"

#include <gtest/gtest.h>

#include "helio/base/text/utf8.h"

namespace helio::escape_test {
namespace {

TEST(Escape, ForTerminals) {
    struct Row {
        std::string_view text;
        const char* printable;
        const char* escaped;
    };
    constexpr Row kRows[] = {
        {"", "", ""},
        {"plain text", "plain text", "plain text"},
        {"a \"b\" \\ 'c'", "a \"b\" \\ 'c'", "a \\\"b\\\" \\\\ 'c'"},
        {"two\nlines\tand a tab", "two\\nlines\\tand a tab", "two\\nlines\\tand a tab"},
        {"\x1b[31mred\x1b[0m\r\a", "\\x1b[31mred\\x1b[0m\\x0d\\x07",
         "\\x1b[31mred\\x1b[0m\\x0d\\x07"},
        {{"a\0b\x7f", 4}, "a\\x00b\\x7f", "a\\x00b\\x7f"},
        // CSI as C1 control and as a byte that is not UTF-8: both move cursors, and differ here.
        {"\xc2\x9b"
         "31m",
         "\\u009b31m", "\\u009b31m"},
        {"\x9b"
         "31m",
         "\\x9b31m", "\\x9b31m"},
        {"grün €, 😀", "grün €, 😀", "grün €, 😀"},
        {"user\xe2\x80\xae"
         "txt.exe",
         "user\\u202etxt.exe", "user\\u202etxt.exe"},
        {"zero\xe2\x80\x8bwidth\xef\xbb\xbf", "zero\\u200bwidth\\ufeff", "zero\\u200bwidth\\ufeff"},
        {"\xff\xc3", "\\xff\\xc3", "\\xff\\xc3"},
        {"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82"},
    };
    for (const Row& row : kRows) {
        EXPECT_EQ(printable(row.text), row.printable);
        EXPECT_EQ(escaped(row.text), row.escaped);
    }
}

// Every pair of bytes, and every pair after a lead byte of three.
TEST(Escape, NothingHiddenIsLeft) {
    const auto is_safe = [](std::string_view text) {
        while (!text.empty()) {
            const Character c = first_character(text);
            if (c.size == 0 || is_hidden(c.code)) return false;
            text.remove_prefix(c.size);
        }
        return true;
    };
    for (const std::string_view before : {"", "\xe2", "\xef"}) {
        for (unsigned pair = 0; pair < 0x10000; ++pair) {
            std::string text{before};
            text += static_cast<char>(pair >> 8);
            text += static_cast<char>(pair & 0xff);
            ASSERT_TRUE(is_safe(printable(text))) << pair;
            ASSERT_TRUE(is_safe(escaped(text))) << pair;
        }
    }
}

TEST(Escape, ForHtml) {
    EXPECT_EQ(html_escaped("<a href=\"x\">Tom & 'Jerry'</a>"),
              "&lt;a href=&quot;x&quot;&gt;Tom &amp; &apos;Jerry&apos;&lt;/a&gt;");
    EXPECT_EQ(html_escaped("grün\n\t\x1b[1m"), "grün\n\t[1m");
    std::string out = "<p>";
    append_html(out, "a<b");
    EXPECT_EQ(out, "<p>a&lt;b");
}

}  // namespace
}  // namespace helio::escape_test
