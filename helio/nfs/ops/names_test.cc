#include "helio/nfs/ops/names.h"

#include <gtest/gtest.h>

namespace helio::nfs::ops::names_test {
namespace {

using vfs::Status;
using namespace std::string_view_literals;

TEST(Names, AreOneComponent) {
    for (const auto what : {NameFor::lookup, NameFor::make, NameFor::remove,
                            NameFor::remove_directory, NameFor::rename}) {
        EXPECT_EQ(check_name("a", what), Status::ok);
        EXPECT_EQ(check_name("...", what), Status::ok);
        EXPECT_EQ(check_name("\xff\xfe\x01 \n", what), Status::ok) << "names are bytes";
        EXPECT_EQ(check_name(std::string(255, 'x'), what), Status::ok);
        EXPECT_EQ(check_name(std::string(256, 'x'), what), Status::name_too_long);
        EXPECT_EQ(check_name(std::string(1 << 20, '/'), what), Status::name_too_long);
        EXPECT_EQ(check_name("", what), Status::access_denied);
        EXPECT_EQ(check_name("a/b", what), Status::access_denied);
        EXPECT_EQ(check_name("/", what), Status::access_denied);
        EXPECT_EQ(check_name("a\0b"sv, what), Status::access_denied);
        EXPECT_EQ(check_name("\0"sv, what), Status::access_denied);
    }
}

TEST(Names, DotsAreTakenAndStay) {
    EXPECT_EQ(check_name(".", NameFor::lookup), Status::ok);
    EXPECT_EQ(check_name("..", NameFor::lookup), Status::ok);
    EXPECT_EQ(check_name(".", NameFor::make), Status::exists);
    EXPECT_EQ(check_name("..", NameFor::make), Status::exists);
    EXPECT_EQ(check_name(".", NameFor::remove), Status::is_a_directory);
    EXPECT_EQ(check_name("..", NameFor::remove), Status::is_a_directory);
    EXPECT_EQ(check_name(".", NameFor::remove_directory), Status::invalid);
    EXPECT_EQ(check_name("..", NameFor::remove_directory), Status::exists);
    EXPECT_EQ(check_name(".", NameFor::rename), Status::invalid);
    EXPECT_EQ(check_name("..", NameFor::rename), Status::invalid);
}

TEST(Names, LinkTexts) {
    EXPECT_EQ(check_link_text("../x"), Status::ok);
    EXPECT_EQ(check_link_text(std::string(kLinkTextBytesMax, 'x')), Status::ok);
    EXPECT_EQ(check_link_text(std::string(kLinkTextBytesMax + 1, 'x')), Status::name_too_long);
    EXPECT_EQ(check_link_text(""), Status::invalid);
    EXPECT_EQ(check_link_text("a\0b"sv), Status::invalid);
}

TEST(Names, Changes) {
    vfs::Changes changes;
    changes.mode = 0100644;
    EXPECT_EQ(check_changes(changes), Status::ok);
    EXPECT_EQ(changes.mode, 0644u) << "the type is no permission";

    changes.size = INT64_MAX;
    EXPECT_EQ(check_changes(changes), Status::ok);
    changes.size = std::uint64_t{INT64_MAX} + 1;
    EXPECT_EQ(check_changes(changes), Status::too_big);

    vfs::Changes times;
    times.modified = {vfs::NewTime::How::set, {1, 999'999'999}};
    EXPECT_EQ(check_changes(times), Status::ok);
    times.modified.time.nanoseconds = 1'000'000'000;
    EXPECT_EQ(check_changes(times), Status::invalid);
    times.modified.how = vfs::NewTime::How::now;
    EXPECT_EQ(check_changes(times), Status::ok) << "the number is not looked at";

    vfs::Changes owner;
    owner.uid = UINT32_MAX;
    EXPECT_EQ(check_changes(owner), Status::invalid);
    owner.uid.reset();
    owner.gid = UINT32_MAX;
    EXPECT_EQ(check_changes(owner), Status::invalid);
}

}  // namespace
}  // namespace helio::nfs::ops::names_test
