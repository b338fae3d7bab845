// Lines, indentation, and comments that cannot become code.
#include "helio/gen/text_internal.h"

#include <gtest/gtest.h>

namespace helio::gen::text_test {
namespace {

TEST(Text, IndentsLinesAndKeepsOneBlank) {
    Text out;
    out.blank();  // not at the beginning
    out.line("struct {} {{", "point");
    {
        const Indented inside{out};
        out.put("int x;");
        out.blank();
        out.blank();
        out.put("int y;");
    }
    out.put("};");
    EXPECT_EQ(out.take(), "struct point {\n    int x;\n\n    int y;\n};\n");
}

std::string comment_of(std::string_view doc) {
    Text out;
    out.comment(doc);
    return out.take();
}

TEST(Text, CommentsAreWrappedBetweenWords) {
    EXPECT_EQ(comment_of("one\n\ntwo"), "// one\n//\n// two\n");
    const std::string words(60, 'a');
    EXPECT_EQ(comment_of(words + " " + words), "// " + words + "\n// " + words + "\n");
    EXPECT_EQ(comment_of(std::string(200, 'b')),
              "// " + std::string(97, 'b') + "\n// " + std::string(97, 'b') + "\n// bbbbbb\n");
}

TEST(Text, CommentsNeitherSpliceLinesNorHideControls) {
    EXPECT_EQ(comment_of("ends in a backslash \\\\ "), "// ends in a backslash\n");
    EXPECT_EQ(comment_of("bell\a and escape\x1b[2J"), "// bell  and escape [2J\n");
}

}  // namespace
}  // namespace helio::gen::text_test
