#include "helio/base/text/nearest.h"

#include <gtest/gtest.h>

#include <string>

namespace helio::nearest_test {
namespace {

TEST(EditDistance, CountsSlips) {
    struct Row {
        const char *from, *to;
        std::size_t limit, distance;
    };
    constexpr Row kRows[] = {
        {"", "", 3, 0},
        {"squash", "squash", 3, 0},
        {"squish", "squash", 3, 1},     // replaced
        {"cuont", "count", 3, 1},       // swapped
        {"thread", "threads", 3, 1},    // missing
        {"threaads", "threads", 3, 1},  // twice
        {"kitten", "sitting", 9, 3},
        {"kitten", "sitting", 2, 3},  // above the limit
        {"", "abc", 2, 3},
        {"abc", "xyz", 5, 3},
    };
    for (const Row& row : kRows) {
        EXPECT_EQ(edit_distance(row.from, row.to, row.limit), row.distance) << row.from << row.to;
        EXPECT_EQ(edit_distance(row.to, row.from, row.limit), row.distance) << row.to << row.from;
    }
    const std::string longest(256, 'a'), longer(257, 'a');
    EXPECT_EQ(edit_distance(longest, longest, 1), 0u);
    EXPECT_EQ(edit_distance(longer, longer, 1), 2u);
}

TEST(Nearest, OffersWhatIsNear) {
    struct Row {
        const char *wanted, *found;
    };
    constexpr Row kRows[] = {
        {"REED", "READ"}, {"READ", "READ"}, {"WRTIE", "WRITE"},  {"READDIRS", "READDIR"},
        {"GETATTR", ""},  {"", ""},         {"LOKUP", "LOOKUP"}, {"R", ""},
    };
    for (const Row& row : kRows) {
        Nearest nearest{row.wanted};
        for (const char* one : {"READ", "WRITE", "LOOKUP", "READDIR"}) nearest.offer(one);
        EXPECT_EQ(nearest.found(), row.found) << row.wanted;
    }
}

}  // namespace
}  // namespace helio::nearest_test
