#include "helio/backend/posix/file_status_internal.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace helio::backend::file_status_test {
namespace {

// A timestamp is settled when it is older than the granularity.
TEST(FileStatus, KnowsSettledTimestamps) {
    constexpr std::uint32_t kMs = 1'000'000;
    struct Row {
        const char* what;
        vfs::Time changed, now;
        bool settled;
    };
    const Row rows[] = {
        {"now", {100, 5}, {100, 5}, false},
        {"a tick of 100 Hz ago", {100, 5}, {100, 5 + 10 * kMs}, false},
        {"at the limit", {100, 5}, {100, 5 + 20 * kMs}, false},
        {"past it", {100, 5}, {100, 6 + 20 * kMs}, true},
        {"in the second before", {99, 990 * kMs}, {100, 5 * kMs}, false},
        {"and longer ago", {99, 990 * kMs}, {100, 15 * kMs}, true},
        {"long ago", {5, 5}, {100, 0}, true},
        {"before 1970", {-5, 5}, {100, 0}, true},
        {"in the future", {101, 0}, {100, 0}, false},
        {"a moment in the future", {100, 6}, {100, 5}, false},
        // Without fractions the granularity is up to two seconds.
        {"whole, a second ago", {100, 0}, {101, 500 * kMs}, false},
        {"whole, two seconds ago", {100, 0}, {102, 20 * kMs}, false},
        {"whole, past that", {100, 0}, {102, 21 * kMs}, true},
        {"whole, long ago", {100, 0}, {104, 0}, true},
    };
    for (const Row& row : rows)
        EXPECT_EQ(is_settled(row.changed, row.now), row.settled) << row.what;
}

TEST(FileStatus, StatxAgreesWithStat) {
    std::string name = (std::filesystem::temp_directory_path() / "helio-status-XXXXXX").string();
    const std::filesystem::path top = mkdtemp(name.data());
    ASSERT_EQ(symlink("nowhere", (top / "link").c_str()), 0);
    const int directory = open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (const char* const what : {"", "link"}) {
        struct stat expected;
        ASSERT_EQ(fstatat(directory, what, &expected, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH), 0);
        StatusWithBirth found;
        ASSERT_TRUE(stat_with_birth(directory, what, found));
        const vfs::Attributes left = to_attributes(found.stat, 7);
        const vfs::Attributes right = to_attributes(expected, 7);
        EXPECT_EQ(found.stat.st_dev, expected.st_dev);
        EXPECT_EQ(left.type, right.type);
        EXPECT_EQ(left.mode, right.mode);
        EXPECT_EQ(left.links, right.links);
        EXPECT_EQ(left.uid, right.uid);
        EXPECT_EQ(left.gid, right.gid);
        EXPECT_EQ(left.size, right.size);
        EXPECT_EQ(left.used, right.used);
        EXPECT_EQ(left.block_size, right.block_size);
        EXPECT_EQ(left.fsid, 7u);
        EXPECT_EQ(left.fileid, right.fileid);
        EXPECT_EQ(left.accessed, right.accessed);
        EXPECT_EQ(left.modified, right.modified);
        EXPECT_EQ(left.changed, right.changed);
    }
    StatusWithBirth none;
    EXPECT_FALSE(stat_with_birth(directory, "absent", none));
    close(directory);
    std::filesystem::remove_all(top);
}

TEST(FileStatus, ConvertsDevices) {
    struct stat status {};
    status.st_mode = S_IFCHR | 0620;
    status.st_rdev = makedev(4, 300);
    const vfs::Attributes found = to_attributes(status, 0);
    EXPECT_EQ(found.type, vfs::FileType::character_device);
    EXPECT_EQ(found.mode, 0620u);
    EXPECT_EQ(found.device_major, 4u);
    EXPECT_EQ(found.device_minor, 300u);
}

}  // namespace
}  // namespace helio::backend::file_status_test
