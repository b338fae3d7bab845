#include "helio/vfs/access_lists.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace helio::vfs::access_lists_test {
namespace {

constexpr AclTag kOwner = AclTag::owner, kUser = AclTag::user, kOwning = AclTag::owning_group,
                 kGroup = AclTag::group, kMask = AclTag::mask, kOther = AclTag::other;

const Acl kLong{{kOwner, 0, 7}, {kUser, 5, 6},  {kUser, 9, 4}, {kOwning, 0, 5},
                {kGroup, 7, 6}, {kGroup, 8, 1}, {kMask, 0, 6}, {kOther, 0, 1}};

TEST(Acl, IsValidOrNot) {
    struct Row {
        const char* what;
        Acl list;
        bool valid;
    };
    const AclEntry owner{kOwner, 0, 7}, owning{kOwning, 0, 5}, other{kOther, 0, 0},
        user{kUser, 1, 7}, group{kGroup, 1, 7}, mask{kMask, 0, 7};
    for (Row row : {
             Row{"empty", {}, false},
             Row{"minimal", {owner, owning, other}, true},
             Row{"no owner", {owning, other}, false},
             Row{"no owning group", {owner, other}, false},
             Row{"no others", {owner, owning}, false},
             Row{"two owners", {owner, owner, owning, other}, false},
             Row{"two others", {owner, owning, other, other}, false},
             Row{"a mask for nobody", {owner, owning, mask, other}, true},
             Row{"two masks", {owner, owning, mask, mask, other}, false},
             Row{"a user without a mask", {owner, user, owning, other}, false},
             Row{"a group without a mask", {owner, group, owning, other}, false},
             Row{"a user", {owner, user, owning, mask, other}, true},
             Row{"the same user twice", {owner, user, {kUser, 1, 0}, owning, mask, other}, false},
             Row{"user and group 1", {owner, user, owning, group, mask, other}, true},
             Row{"the same group twice", {owner, owning, group, group, mask, other}, false},
             Row{"rights there are none of", {{kOwner, 0, 8}, owning, other}, false},
             Row{"no such tag", {owner, owning, other, {static_cast<AclTag>(6), 0, 0}}, false},
         })
        EXPECT_EQ(make_valid(row.list), row.valid) << row.what;
}

TEST(Acl, IsSorted) {
    Acl shuffled = kLong;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
    shuffled.back().id += shuffled.back().tag == kOther || shuffled.back().tag == kMask ? 99 : 0;
    ASSERT_TRUE(make_valid(shuffled));
    EXPECT_EQ(shuffled, kLong);
}

TEST(Acl, HasALimit) {
    Acl list = kLong;
    for (std::uint32_t id = 100; list.size() < kAclEntriesMax; ++id) list.push_back({kUser, id, 0});
    EXPECT_TRUE(make_valid(list));
    list.push_back({kUser, 1, 0});
    EXPECT_FALSE(make_valid(list));
}

TEST(Acl, AndTheModeSayTheSame) {
    EXPECT_EQ(acl_from_mode(0754), (Acl{{kOwner, 0, 7}, {kOwning, 0, 5}, {kOther, 0, 4}}));
    for (std::uint32_t mode = 0; mode < 01000; ++mode) {
        Acl list = acl_from_mode(mode);
        EXPECT_TRUE(is_minimal(list));
        EXPECT_TRUE(make_valid(list));
        EXPECT_EQ(mode_of(list), mode);
    }
    EXPECT_EQ(mode_of(kLong), 0761u) << "the mask stands for the group";
    Acl changed = kLong;
    apply_mode(changed, 0402);
    EXPECT_EQ(mode_of(changed), 0402u);
    Acl expected = kLong;
    expected[0].rights = 4;
    expected[6].rights = 0;
    expected[7].rights = 2;
    EXPECT_EQ(changed, expected) << "the owning group keeps its entry; the mask limits it";
}

TEST(Acl, IsInheritedAsFarAsTheModeGoes) {
    EXPECT_EQ(mode_of(inherit(kLong, 0777)), 0761u);
    const Acl less = inherit(kLong, 0640);
    EXPECT_EQ(mode_of(less), 0640u);
    EXPECT_EQ(less[1], kLong[1]) << "named entries are kept; the mask limits them";
    EXPECT_EQ(inherit(acl_from_mode(0750), 0666), acl_from_mode(0640));
}

TEST(Acl, GrantsInTheOrderOfPosix) {
    const std::uint32_t seven[] = {7}, eight[] = {8}, both[] = {7, 8}, owning[] = {3}, none[] = {4};
    struct Row {
        const char* what;
        std::uint32_t uid;
        std::span<const std::uint32_t> groups;
        std::uint8_t granted;  // each right on its own
    };
    // kLong: owner 7, user 5 rw-, user 9 r--, owning group r-x, group 7 rw-, group 8 --x, mask rw-.
    for (const Row& row : {
             Row{"owner, unmasked", 1, none, 7},
             Row{"owner, whatever the groups", 1, both, 7},
             Row{"user 5", 5, none, 6},
             Row{"user 9 gets no more by a group", 9, seven, 4},
             Row{"owning group, masked", 2, owning, 4},
             Row{"group 7", 2, seven, 6},
             Row{"group 8, masked to nothing", 2, eight, 0},
             Row{"either of two groups", 2, both, 6},
             Row{"others", 2, none, 1},
         }) {
        const Caller caller{.uid = row.uid, .gid = 99, .groups = row.groups};
        for (const std::uint8_t right : {kAclRead, kAclWrite, kAclExecute})
            EXPECT_EQ(grants(kLong, caller, 1, 3, right), (row.granted & right) != 0)
                << row.what << " " << int{right};
    }
    // No single entry grants both.
    const Acl apart{{kOwner, 0, 0}, {kOwning, 0, 4}, {kGroup, 7, 2}, {kMask, 0, 7}, {kOther, 0, 7}};
    const std::uint32_t groups[] = {3, 7};
    const Caller caller{.uid = 2, .gid = 99, .groups = groups};
    EXPECT_TRUE(grants(apart, caller, 1, 3, kAclRead));
    EXPECT_TRUE(grants(apart, caller, 1, 3, kAclWrite));
    EXPECT_FALSE(grants(apart, caller, 1, 3, kAclRead | kAclWrite));
    EXPECT_FALSE(grants(apart, caller, 1, 3, kAclExecute))
        << "members of a group do not count as others";
}

}  // namespace
}  // namespace helio::vfs::access_lists_test
