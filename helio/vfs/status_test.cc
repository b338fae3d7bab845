#include "helio/vfs/status.h"

#include <cerrno>
#include <set>

#include <gtest/gtest.h>

#include "helio/vfs/types.h"

namespace helio::vfs::status_test {
namespace {

TEST(Status, HasAWordOfItsOwnForEach) {
    std::set<std::string_view> words;
    for (unsigned value = 0; value <= static_cast<unsigned>(Status::would_block); ++value) {
        const std::string_view word = name_of(static_cast<Status>(value));
        EXPECT_NE(word, "?") << value;
        EXPECT_TRUE(words.insert(word).second) << word;
    }
    EXPECT_EQ(name_of(static_cast<Status>(255)), "?");
}

TEST(Status, SaysWhatTheSystemSaid) {
    struct {
        int error;
        Status status;
    } const cases[] = {
        {0, Status::ok},
        {EPERM, Status::not_permitted},
        {ENOENT, Status::not_found},
        {EACCES, Status::access_denied},
        {EEXIST, Status::exists},
        {EXDEV, Status::cross_device},
        {ENOTDIR, Status::not_a_directory},
        {EISDIR, Status::is_a_directory},
        {EINVAL, Status::invalid},
        {EFBIG, Status::too_big},
        {ENOSPC, Status::no_space},
        {EROFS, Status::read_only},
        {EMLINK, Status::too_many_links},
        {ENAMETOOLONG, Status::name_too_long},
        {ENOTEMPTY, Status::not_empty},
        {EDQUOT, Status::over_quota},
        {ESTALE, Status::stale},
        {EOPNOTSUPP, Status::not_supported},
        {ENOLCK, Status::no_locks},
        {ENODATA, Status::no_attribute},
        {E2BIG, Status::attribute_too_big},
        {EAGAIN, Status::would_block},
        {ETXTBSY, Status::busy},
        {ELOOP, Status::invalid},
        {EIO, Status::io_error},
        {EPROTO, Status::io_error},
    };
    for (const auto& the : cases) EXPECT_EQ(status_of(the.error), the.status) << the.error;
}

TEST(FileId, IsCopiedAndCompared) {
    const FileId one = FileId::copy_of(as_bytes("one"));
    EXPECT_EQ(one.size, 3);
    EXPECT_EQ(as_text(one.view()), "one");
    EXPECT_EQ(one, FileId::copy_of(as_bytes("one")));
    EXPECT_NE(one, FileId::copy_of(as_bytes("two")));
    EXPECT_NE(one, FileId::copy_of(as_bytes(std::string_view("one\0", 4))));
    EXPECT_EQ(FileId::copy_of({}), FileId{});
    const std::string_view longer = "longer than any id may ever be";
    EXPECT_EQ(as_text(FileId::copy_of(as_bytes(longer)).view()), longer.substr(0, kFileIdMax));
}

TEST(ChangeFromTime, GrowsWithTheTime) {
    const Time times[] = {{0, 0}, {0, 1}, {0, 999'999'999}, {1, 0}, {1'700'000'000, 5}};
    for (std::size_t i = 1; i < std::size(times); ++i)
        EXPECT_LT(change_from(times[i - 1]), change_from(times[i])) << i;
}

}  // namespace
}  // namespace helio::vfs::status_test
