#include "helio/base/system/descriptor_limit.h"

#include <gtest/gtest.h>

namespace helio::descriptor_limit_test {
namespace {

TEST(DescriptorLimit, FilesAndConnectionsShareIt) {
    const struct {
        std::size_t limit, files, connections;
    } rows[] = {
        {0, 0, 0},
        {16, 6, 6},
        {1'024, 480, 480},
        {65'536, 32'736, 32'736},
        {1'048'576, 300'000, 748'512},
    };
    for (const auto& row : rows) {
        const DescriptorShares shares = share_descriptors(row.limit);
        EXPECT_EQ(shares.files, row.files) << row.limit;
        EXPECT_EQ(shares.connections, row.connections) << row.limit;
        EXPECT_LE(shares.files + shares.connections, row.limit);
    }
}

TEST(DescriptorLimit, FileSystemsHaveEqualParts) {
    const FileDescriptors one;
    const std::size_t all = one.count_max();
    EXPECT_GT(all, 0u);
    {
        const FileDescriptors other;
        EXPECT_EQ(one.count_max(), all / 2);
        EXPECT_EQ(other.count_max(), all / 2);
    }
    EXPECT_EQ(one.count_max(), all);
}

}  // namespace
}  // namespace helio::descriptor_limit_test
