#include "helio/idl/diagnostics.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "helio/idl/parse.h"

namespace helio::idl::diagnostics_test {
namespace {

std::string rendered(std::string name, std::string text, std::uint32_t offset, std::uint32_t length,
                     std::string message = "m") {
    SourceSet sources;
    sources.add(std::move(name), std::move(text));
    return render(Diagnostic{Severity::error, {0, offset, length}, std::move(message), {}, {}},
                  sources);
}

TEST(Render, ShowsPlaceMessageHintRuleLineAndMark) {
    SourceSet sources;
    sources.add("nfs3.x", "struct a {\n    opaque data<NFS3_FHSIZ>;\n};\n");
    const Diagnostic diagnostic{
        Severity::warning, {0, 27, 10}, "array bound", "did you mean?", "rule"};
    EXPECT_EQ(render(diagnostic, sources),
              "nfs3.x:2:17: warning: array bound; did you mean? [rule]\n"
              "        opaque data<NFS3_FHSIZ>;\n"
              "                    ^~~~~~~~~~\n");
}

struct DiagnosticCase {
    std::string_view what;
    std::string_view text;
    std::uint32_t offset;
    std::uint32_t length;
    std::string_view expected;  // the two lines under the message
};

TEST(Render, MarksWhatIsMeant) {
    const DiagnosticCase rows[] = {
        {"tabs stay tabs", "\tint\tx;", 5, 1, "    \tint\tx;\n    \t   \t^\n"},
        {"length 0 is one mark", "abc", 3, 0, "    abc\n       ^\n"},
        {"two columns for a two-byte letter would be wrong", "\xC3\xA9 x", 3, 1,
         "    \xC3\xA9 x\n      ^\n"},
        {"escaped bytes are as wide as their escape", "\x1b[31m x", 6, 1,
         "    \\x1b[31m x\n             ^\n"},
        {"marked bytes too", "a\xFFz", 0, 3, "    a\\xffz\n    ^~~~~~\n"},
        {"marks do not leave the line", "ab\ncd", 1, 4, "    ab\n     ^\n"},
        {"CR LF", "ab\r\ncd", 0, 2, "    ab\n    ^~\n"},
        {"the last line", "ab\ncd", 3, 2, "    cd\n    ^~\n"},
        {"right-to-left override", "\xE2\x80\xAE x", 4, 1, "    \\u202e x\n           ^\n"},
        {"overlong, surrogate, C1 control", "\xC0\x80\xED\xA0\x80\xC2\x9B", 0, 1,
         "    \\xc0\\x80\\xed\\xa0\\x80\\u009b\n    ^~~~\n"},
    };
    for (const DiagnosticCase& row : rows) {
        const std::string all = rendered("t.x", std::string(row.text), row.offset, row.length);
        EXPECT_EQ(all.substr(all.find('\n') + 1), row.expected) << row.what;
    }
}

TEST(Render, EscapesNamesAndMessages) {
    const std::string all = rendered("\x1b[2J.x", "a", 0, 1, "it says '\x07\n'");
    EXPECT_EQ(all, "\\x1b[2J.x:1:1: error: it says '\\x07\\n'\n    a\n    ^\n");
}

TEST(Render, ShowsAWindowOfALongLine) {
    const std::string line = std::string(5000, 'a') + "HERE" + std::string(5000, 'b');
    const std::string all = rendered("t.x", line, 5000, 4);
    EXPECT_LT(all.size(), 500u);
    EXPECT_NE(all.find("..." + std::string(60, 'a') + "HEREb"), std::string::npos);
    EXPECT_NE(all.find("b...\n       " + std::string(60, ' ') + "^~~~\n"), std::string::npos);
}

TEST(Render, TheWindowDoesNotCutALetter) {
    std::string line;
    for (int i = 0; i < 500; ++i) line += "\xE2\x82\xAC";  // €
    for (const std::uint32_t offset : {300u, 600u, 900u}) {
        EXPECT_EQ(rendered("t.x", line, offset, 3).find("\\x"), std::string::npos) << offset;
    }
}

TEST(Render, PlacesOutsideTheFilesAreLeftOut) {
    const Diagnostic diagnostic{Severity::error, {7, 0, 0}, "m", {}, {}};
    EXPECT_EQ(render(diagnostic, SourceSet{}), "error: m\n");
    EXPECT_EQ(rendered("empty.x", "", 0, 0), "empty.x:1:1: error: m\n");
}

TEST(Diagnostics, KeepsAHundredErrorsAndSaysThereAreMore) {
    Diagnostics diagnostics;
    for (std::size_t i = 0; i < kErrorsMax; ++i) diagnostics.error({}, "e");
    EXPECT_FALSE(diagnostics.full());
    for (int i = 0; i < 1000; ++i) diagnostics.error({}, "e");
    for (int i = 0; i < 1000; ++i) diagnostics.warning({}, "w");
    EXPECT_TRUE(diagnostics.full());
    EXPECT_EQ(diagnostics.error_count, kErrorsMax + 1000);
    EXPECT_EQ(diagnostics.items.size(), kErrorsMax + 1 + kErrorsMax);
    EXPECT_EQ(diagnostics.items[kErrorsMax].message, "too many errors; the rest are not shown");
}

TEST(SourceSet, FindsLinesAndColumns) {
    SourceSet sources;
    sources.add("t.x", "ab\n\ncd");
    const auto place = [&](std::uint32_t offset) {
        const auto at = sources.line_column({0, offset, 0});
        return std::to_string(at.line) + ":" + std::to_string(at.column);
    };
    EXPECT_EQ(place(0), "1:1");
    EXPECT_EQ(place(2), "1:3");
    EXPECT_EQ(place(3), "2:1");
    EXPECT_EQ(place(4), "3:1");
    EXPECT_EQ(place(6), "3:3");
    EXPECT_EQ(sources.line_text({0, 3, 0}), "");
    EXPECT_EQ(sources.line_text({0, 5, 0}), "cd");
    EXPECT_EQ(sources.text({0, 99, 3}), "");
}

}  // namespace
}  // namespace helio::idl::diagnostics_test
