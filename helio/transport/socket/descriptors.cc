#include "helio/transport/socket/descriptors.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace helio::transport {

namespace {
// The kernel's SCM_MAX_FD, the limit for one message.
constexpr std::size_t kDescriptorsReceivedMax = 253;
}  // namespace

ssize_t send_descriptor(Network& network, int socket, int descriptor) {
    std::byte zero{0};
    iovec piece{&zero, 1};
    alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof descriptor)] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    return network.sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t receive_with_descriptors(Network& network, int socket, std::span<std::byte> room, int flags,
                                 std::vector<Fd>& descriptors) {
    iovec piece{room.data(), room.size()};
    alignas(cmsghdr) std::byte control[CMSG_SPACE(kDescriptorsReceivedMax * sizeof(int))];
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = network.recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
         head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            descriptors.emplace_back(fd);
        }
    }
    if ((message.msg_flags & MSG_CTRUNC) == 0) return got;
    errno = EPROTO;
    return -1;
}

std::vector<Fd> take_first(std::vector<Fd>& descriptors, std::size_t count) {
    const auto begin = descriptors.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
    std::vector<Fd> out(std::make_move_iterator(begin), std::make_move_iterator(end));
    descriptors.erase(begin, end);
    return out;
}

}  // namespace helio::transport
