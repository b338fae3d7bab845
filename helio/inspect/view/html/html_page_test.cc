#include "helio/inspect/view/html/html_page.h"

#include <gtest/gtest.h>

namespace helio::inspect {
namespace {

bool has(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

TEST(HtmlPage, TextIsEscapedAndColoursAreClasses) {
    HtmlPage page{"<b>"};
    page.begin_section("a <i>heading");
    page.end_section();
    page.add_lines("one <u> \x1b[31mbad\x1b[0m\n\x1b[1mbold\x1b[0m\n");
    const std::string html = page.finish();
    EXPECT_TRUE(has(html, "<title>&lt;b&gt;</title>"));
    EXPECT_TRUE(has(html, "<summary>a &lt;i&gt;heading</summary>"));
    EXPECT_TRUE(has(html, "one &lt;u&gt; <span class=\"bad\">bad</span>"));
    EXPECT_TRUE(has(html, "<span class=\"bold\">bold</span>"));
    EXPECT_FALSE(has(html, "\x1b"));
}

TEST(HtmlPage, SectionsAreListedAndTheFirstAreOpen) {
    HtmlPage page{"many"};
    for (int i = 0; i < 20; ++i) {
        page.begin_section("section");
        page.end_section();
    }
    const std::string html = page.finish();
    EXPECT_TRUE(has(html, "Contents: 20 messages"));
    EXPECT_TRUE(has(html, "<a href=\"#m20\">section</a>"));
    EXPECT_TRUE(has(html, "id=\"m1\" open>"));
    EXPECT_TRUE(has(html, "id=\"m20\">"));
}

// An escape sequence that is cut off ends the line.
TEST(HtmlPage, EveryPrefixOfALineIsClosed) {
    const std::string line = "a \x1b[31mbad\x1b[0m end";
    for (std::size_t i = 0; i <= line.size(); ++i) {
        HtmlPage page{"cut"};
        page.add_lines(line.substr(0, i));
        EXPECT_TRUE(page.finish().ends_with("</body></html>\n"));
    }
}

}  // namespace
}  // namespace helio::inspect
