#include "helio/nfs/wire/status.h"

#include <gtest/gtest.h>

#include <set>

namespace helio::nfs::status_test {
namespace {

using vfs::Status;

// Nothing but ok may look like success, in any protocol.
TEST(WireStatus, OnlyOkIsOk) {
    for (int i = 0; i <= static_cast<int>(Status::would_block); ++i) {
        const auto status = static_cast<Status>(i);
        const bool ok = status == Status::ok;
        EXPECT_EQ(to_nfs3(status) == nfs3::NFS3_OK, ok) << name_of(status);
        EXPECT_EQ(to_nfs2(status) == nfs2::NFS_OK, ok) << name_of(status);
        EXPECT_EQ(to_mount3(status) == mount::MNT3_OK, ok) << name_of(status);
        EXPECT_EQ(to_mount1(status) == 0, ok) << name_of(status);
        // Numbers that the RFCs have.
        EXPECT_FALSE(to_string(to_nfs3(status)).empty()) << name_of(status);
        EXPECT_FALSE(to_string(to_nfs2(status)).empty()) << name_of(status);
        EXPECT_FALSE(to_string(to_mount3(status)).empty()) << name_of(status);
    }
}

// Version 3 has an error for each outcome of its procedures, except those that wait.
TEST(WireStatus, Version3TellsThemApart) {
    const std::set<Status> of_other_protocols{Status::locked, Status::no_locks,
                                              Status::no_attribute, Status::attribute_too_big,
                                              Status::past_end};
    std::set<int> seen;
    for (int i = 0; i < static_cast<int>(Status::would_block); ++i) {
        if (of_other_protocols.contains(static_cast<Status>(i))) continue;
        EXPECT_TRUE(seen.insert(to_nfs3(static_cast<Status>(i))).second) << i;
    }
}

}  // namespace
}  // namespace helio::nfs::status_test
