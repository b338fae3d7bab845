#include "helio/base/system/machine_memory.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace helio::machine_memory_test {
namespace {

TEST(MachineMemory, IsSomeAndNotMoreThanThereIs) {
    EXPECT_GT(machine_memory(), std::size_t{16} << 20);
    EXPECT_LT(machine_memory(), SIZE_MAX);
}

TEST(MachineMemory, TheLowestLimitOfTheGroupsAboveCounts) {
    char name[] = "/tmp/helio-cgroup-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    const std::filesystem::path top = name;
    std::filesystem::create_directories(top / "a/b/c");
    const auto write = [&](const char* group, const char* text) {
        std::ofstream{top / group / "memory.max"} << text;
    };
    write("a", "1000\n");
    write("a/b", "2000\n");
    write("a/b/c", "max\n");
    const struct {
        const char* groups;
        std::size_t bytes;
    } rows[] = {
        {"0::/a/b/c\n", 1'000},
        {"0::/a\n", 1'000},
        {"0::/\n", SIZE_MAX},
        {"0::/elsewhere\n", SIZE_MAX},
        {"12:memory:/x\n0::/a/b\n", 1'000},
        {"12:memory:/x\n", SIZE_MAX},
        {"", SIZE_MAX},
    };
    for (const auto& row : rows)
        EXPECT_EQ(cgroup_memory(name, row.groups), row.bytes) << row.groups;
    write("a", "3000\n");
    EXPECT_EQ(cgroup_memory(name, "0::/a/b/c\n"), 2'000u);
    std::filesystem::remove_all(top);
}

}  // namespace
}  // namespace helio::machine_memory_test
