#include "helio/base/payload.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "helio/base/fd.h"

namespace helio::payload_test {
namespace {

Fd file_of(std::string_view text) {
    Fd file{memfd_create("payload", MFD_CLOEXEC)};
    EXPECT_EQ(write(file.get(), text.data(), text.size()), std::ssize(text));
    return file;
}

std::string copied(const Payload& payload, std::size_t offset, std::size_t size) {
    std::vector<std::byte> out(size);
    EXPECT_TRUE(payload.copy_to(out.data(), offset, size));
    return std::string{as_text(out)};
}

TEST(Payload, BytesAreSeenAsTheyAre) {
    const Payload payload = as_bytes("0123456789");
    EXPECT_FALSE(payload.is_file());
    EXPECT_EQ(as_text(payload), "0123456789");
    EXPECT_EQ(copied(payload, 3, 4), "3456");
    EXPECT_EQ(payload, Payload{as_bytes("0123456789")});
    EXPECT_NE(payload, Payload{as_bytes("0123456780")});
    EXPECT_TRUE(Payload{}.empty());
}

TEST(Payload, APieceOfAFileIsReadWhenSomebodyAsks) {
    const Fd file = file_of("..0123456789..");
    const FilePiece piece{file.get(), 2};
    const Payload payload{piece, 10};
    EXPECT_TRUE(payload.is_file());
    EXPECT_EQ(payload.size(), 10u);
    EXPECT_EQ(copied(payload, 0, 10), "0123456789");
    EXPECT_EQ(copied(payload, 7, 3), "789");
    EXPECT_EQ(copied(payload, 10, 0), "");
    EXPECT_NE(payload, Payload{as_bytes("0123456789")});
    const FilePiece other{file.get(), 3};
    EXPECT_EQ(payload, payload);
    EXPECT_NE(payload, (Payload{other, 10}));
}

TEST(Payload, AFileThatShrankIsFilledUpWithZeros) {
    const Fd file = file_of("0123456789");
    const FilePiece piece{file.get(), 0};
    const Payload payload{piece, 10};
    ASSERT_EQ(ftruncate(file.get(), 4), 0);
    EXPECT_EQ(copied(payload, 0, 10), (std::string{"0123\0\0\0\0\0\0", 10}));
    EXPECT_EQ(copied(payload, 6, 2), (std::string{"\0\0", 2}));
}

TEST(Payload, AFileThatCannotBeReadIsAnError) {
    const FilePiece piece{-1, 0};
    std::byte out[4];
    EXPECT_FALSE((Payload{piece, 4}.copy_to(out)));
    EXPECT_EQ(errno, EBADF);
}

TEST(PayloadDeathTest, NobodyLooksIntoAFileByMistake) {
    const FilePiece piece{0, 0};
    const Payload payload{piece, 4};
    EXPECT_DEATH(static_cast<void>(payload.bytes()), "is_file");
}

}  // namespace
}  // namespace helio::payload_test
