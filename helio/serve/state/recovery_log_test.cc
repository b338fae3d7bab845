#include "helio/serve/state/recovery_log.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace helio::serve::recovery_log_test {
namespace {

std::vector<std::string> sorted(std::vector<std::string> owners) {
    std::sort(owners.begin(), owners.end());
    return owners;
}

TEST(RecoveryLog, TheLastLineOfAnOwnerCounts) {
    EXPECT_EQ(owners_in(""), std::vector<std::string>{});
    EXPECT_EQ(owners_in("+61\n"), std::vector<std::string>{"a"});
    EXPECT_EQ(owners_in("+61\n-61\n"), std::vector<std::string>{});
    EXPECT_EQ(owners_in("+61\n-61\n+61\n"), std::vector<std::string>{"a"});
    EXPECT_EQ(sorted(owners_in("+61\n+62\n-63\n")), (std::vector<std::string>{"a", "b"}));
}

// A crash may cut the last line; nothing else is lost by it.
TEST(RecoveryLog, EveryCutLeavesTheLinesBeforeIt) {
    const std::string text = "+6161\n+6262\n-6161\n";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const auto owners = sorted(owners_in(text.substr(0, size)));
        if (size < 6)
            EXPECT_TRUE(owners.empty()) << size;
        else if (size < 12)
            EXPECT_EQ(owners, std::vector<std::string>{"aa"}) << size;
        else if (size < 18)
            EXPECT_EQ(owners, (std::vector<std::string>{"aa", "bb"})) << size;
        else
            EXPECT_EQ(owners, std::vector<std::string>{"bb"}) << size;
    }
}

TEST(RecoveryLog, LinesThatAreNotUnderstoodAreSkipped) {
    EXPECT_EQ(owners_in("\n+\n+6\n+zz\n?61\n+61\n"), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace helio::serve::recovery_log_test
