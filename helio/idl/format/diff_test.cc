#include "helio/idl/format/diff.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace helio::idl::diff_test {
namespace {

TEST(UnifiedDiff, SameTextsHaveNone) { EXPECT_EQ(unified_diff("t.x", "a\nb\n", "a\nb\n"), ""); }

TEST(UnifiedDiff, ShowsThreeLinesOfContext) {
    EXPECT_EQ(unified_diff("t.x", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
              "--- a/t.x\n+++ b/t.x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, SaysWhereALineEndIsMissing) {
    EXPECT_EQ(unified_diff("t.x", "a", "a\n"),
              "--- a/t.x\n+++ b/t.x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(UnifiedDiff, FromAndToNothing) {
    EXPECT_EQ(unified_diff("t.x", "", "a\n"), "--- a/t.x\n+++ b/t.x\n@@ -0,0 +1,1 @@\n+a\n");
    EXPECT_EQ(unified_diff("t.x", "a\n", ""), "--- a/t.x\n+++ b/t.x\n@@ -1,1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, FarChangesGetSectionsOfTheirOwn) {
    std::string before = "a\n";
    std::string after = "A\n";
    for (int i = 0; i < 20; ++i) {
        before += std::to_string(i) + "\n";
        after += std::to_string(i) + "\n";
    }
    before += "z\n";
    after += "Z\n";
    const auto diff = unified_diff("t.x", before, after);
    EXPECT_NE(diff.find("@@ -1,4 +1,4 @@"), std::string::npos) << diff;
    EXPECT_NE(diff.find("@@ -19,4 +19,4 @@"), std::string::npos) << diff;
}

// Does what `patch` does, for texts whose lines end in \n.
std::string applied(const std::string& before, const std::string& diff) {
    std::vector<std::string> lines;
    std::istringstream source{before};
    for (std::string line; std::getline(source, line);) lines.push_back(line);
    std::string after;
    std::size_t at = 0;
    std::istringstream patch{diff};
    std::string line;
    std::getline(patch, line);
    std::getline(patch, line);
    while (std::getline(patch, line)) {
        if (line.starts_with("@@ -")) {
            std::size_t start = std::stoul(line.substr(4));
            const auto count = std::stoul(line.substr(line.find(',') + 1));
            if (count != 0) --start;
            while (at < start) after += lines[at++] + "\n";
        } else if (line[0] == '+') {
            after += line.substr(1) + "\n";
        } else {
            EXPECT_EQ(lines[at], line.substr(1));
            if (line[0] == ' ') after += lines[at] + "\n";
            ++at;
        }
    }
    while (at < lines.size()) after += lines[at++] + "\n";
    return after;
}

TEST(UnifiedDiff, AppliedGivesTheOtherText) {
    std::mt19937 random{1};
    for (int round = 0; round < 300; ++round) {
        std::string before;
        std::string after;
        for (int i = 0; i < 60; ++i) {
            const std::string line = std::string(1, static_cast<char>('a' + random() % 5)) + "\n";
            const auto dice = random() % 10;
            if (dice != 0) before += line;
            if (dice != 1) after += dice == 2 ? "new\n" : line;
        }
        EXPECT_EQ(applied(before, unified_diff("t.x", before, after)), after);
    }
}

TEST(UnifiedDiff, GivesUpSearchingForHugeDifferences) {
    std::string before;
    std::string after;
    for (std::size_t i = 0; i < 2 * kDiffEditsMax; ++i) {
        before += "a" + std::to_string(i) + "\n";
        after += "b" + std::to_string(i) + "\n";
    }
    EXPECT_EQ(applied(before, unified_diff("t.x", before, after)), after);
}

}  // namespace
}  // namespace helio::idl::diff_test
