#include "helio/backend/posix/parts/acl_bytes_internal.h"

#include <gtest/gtest.h>

namespace helio::backend::acl_bytes_test {
namespace {

using vfs::Acl;
using vfs::AclTag;

constexpr unsigned char kBytes[] = {
    0x02, 0x00, 0x00, 0x00,                          // version
    0x01, 0x00, 0x06, 0x00, 0xff, 0xff, 0xff, 0xff,  // the owner, rw-
    0x02, 0x00, 0x07, 0x00, 0xe9, 0x03, 0x00, 0x00,  // user 1001, rwx
    0x04, 0x00, 0x04, 0x00, 0xff, 0xff, 0xff, 0xff,  // the owning group, r--
    0x08, 0x00, 0x01, 0x00, 0xfe, 0xff, 0x00, 0x00,  // group 65534, --x
    0x10, 0x00, 0x05, 0x00, 0xff, 0xff, 0xff, 0xff,  // the mask, r-x
    0x20, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,  // others, ---
};
const Acl kList{{AclTag::owner, 0, 6},     {AclTag::user, 1001, 7}, {AclTag::owning_group, 0, 4},
                {AclTag::group, 65534, 1}, {AclTag::mask, 0, 5},    {AclTag::other, 0, 0}};

ByteView bytes() { return std::as_bytes(std::span{kBytes}); }

TEST(AclBytes, AreThoseOfLinux) {
    EXPECT_EQ(from_acl_bytes(bytes()), kList);
    const auto written = to_acl_bytes(kList);
    EXPECT_TRUE(std::equal(written.begin(), written.end(), bytes().begin(), bytes().end()));
}

TEST(AclBytes, CutAnywhereAreNoList) {
    for (std::size_t size = 0; size < bytes().size(); ++size)
        EXPECT_FALSE(from_acl_bytes(bytes().first(size))) << size;
}

TEST(AclBytes, WithAWrongWordAreNoList) {
    // A wrong version, an unknown tag, unknown rights, a second owner.
    for (const auto& [at, value] : {std::pair{0u, 1u}, {4u, 3u}, {6u, 8u}, {12u, 1u}}) {
        std::vector<std::byte> wrong(bytes().begin(), bytes().end());
        wrong[at] = static_cast<std::byte>(value);
        EXPECT_FALSE(from_acl_bytes(wrong)) << at;
    }
}

}  // namespace
}  // namespace helio::backend::acl_bytes_test
