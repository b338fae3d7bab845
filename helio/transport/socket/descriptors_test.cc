#include "helio/transport/socket/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include <gtest/gtest.h>

namespace helio::transport::descriptors_test {
namespace {

ino_t file_of(const Fd& one) {
    struct stat out {};
    fstat(one.get(), &out);
    return out.st_ino;
}

class DescriptorsTest : public ::testing::Test {
 protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        here_ = Fd{ends[0]};
        there_ = Fd{ends[1]};
        ASSERT_EQ(pipe(ends), 0);  // one that programs we start would have
        read_end_ = Fd{ends[0]};
        write_end_ = Fd{ends[1]};
    }
    ssize_t receive() {
        return receive_with_descriptors(Network::kernel(), there_.get(), bytes_, MSG_DONTWAIT,
                                        came_);
    }

    Fd here_, there_, read_end_, write_end_;
    std::array<std::byte, 100> bytes_{};
    std::vector<Fd> came_;
};

TEST_F(DescriptorsTest, ComeWithTheirByteInOrder) {
    bytes_[0] = std::byte{1};
    ASSERT_EQ(send_descriptor(Network::kernel(), here_.get(), read_end_.get()), 1);
    ASSERT_EQ(send_descriptor(Network::kernel(), here_.get(), here_.get()), 1);
    EXPECT_EQ(receive(), 1);
    EXPECT_EQ(bytes_[0], std::byte{0});
    EXPECT_EQ(receive(), 1);
    ASSERT_EQ(came_.size(), 2u);
    EXPECT_EQ(fcntl(came_[0].get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    const std::vector<Fd> first = take_first(came_, 1);
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(file_of(first[0]), file_of(read_end_));
    ASSERT_EQ(came_.size(), 1u);
    EXPECT_EQ(file_of(came_[0]), file_of(here_));
}

TEST_F(DescriptorsTest, NothingIsThereYet) {
    EXPECT_EQ(receive(), -1);
    EXPECT_EQ(errno, EAGAIN);
    here_.reset();
    EXPECT_EQ(receive(), 0);
}

// The kernel closes descriptors for which the process has no room.
TEST_F(DescriptorsTest, OneThatDoesNotFitIsAnError) {
    ASSERT_EQ(send_descriptor(Network::kernel(), here_.get(), read_end_.get()), 1);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit none = before;
    none.rlim_cur = static_cast<rlim_t>(write_end_.get());
    // UBSan checks objects through a pipe, which needs a descriptor too: use nothing of this object
    // while there is none.
    const int socket = there_.get();
    const std::span<std::byte> room = bytes_;
    std::vector<Fd>& came = came_;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const ssize_t got =
        receive_with_descriptors(Network::kernel(), socket, room, MSG_DONTWAIT, came);
    const int error_number = errno;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(got, -1);
    EXPECT_EQ(error_number, EPROTO);
    EXPECT_TRUE(came_.empty());
}

}  // namespace
}  // namespace helio::transport::descriptors_test
