#include "helio/reflect/random.h"

#include <set>

#include <gtest/gtest.h>

#include "helio/reflect/decode.h"
#include "testing/reflect/schema.h"

namespace helio::reflect::random_test {
namespace {

TEST(Random, SameSeedSameBytes) {
    EXPECT_EQ(random_bytes(rich("everything"), 7), random_bytes(rich("everything"), 7));
    EXPECT_NE(random_bytes(rich("everything"), 7), random_bytes(rich("everything"), 8));
}

TEST(Random, ReachesTheEdges) {
    std::set<std::size_t> handle_sizes;
    std::set<std::uint32_t> list_sizes;
    std::set<std::uint64_t> states;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto handle = random_bytes(rich("handle"), seed);
        const Tree tree = decode(*handle, rich("handle"));
        handle_sizes.insert(bytes_of(tree, 0).size());
        const auto list = random_bytes(rich("entry_list"), seed);
        list_sizes.insert(element_count(decode(*list, rich("entry_list")), 0));
        const auto result = random_bytes(rich("read_result"), seed);
        states.insert(as_u64(decode(*result, rich("read_result")), 1));
    }
    EXPECT_TRUE(handle_sizes.contains(0) && handle_sizes.contains(64));
    EXPECT_TRUE(list_sizes.contains(0) && *list_sizes.rbegin() > 10);
    EXPECT_TRUE(states.contains(0) && states.contains(2) && states.contains(70) &&
                states.size() > 10);
}

TEST(Random, SizeIsBounded) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto bytes = random_bytes(rich("everything"), seed, {.size_soft_max = 1000});
        EXPECT_LT(bytes->size(), 20'000u);  // each level may use the remaining budget
    }
    const auto schema = schema_of("typedef hyper t[4000000000];");
    EXPECT_FALSE(random_bytes(*schema->type("t"), 0));
}

}  // namespace
}  // namespace helio::reflect::random_test
