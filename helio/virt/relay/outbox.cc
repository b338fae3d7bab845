#include "helio/virt/relay/outbox.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "helio/rpc/virnet_envelope.h"

namespace helio::virt::relay {

namespace {
// Sent bytes that may stay in front of those that wait, and memory that is kept when none do.
constexpr std::size_t kOutboxKeptMax = 1u << 20;
}  // namespace

void Outbox::append(Fd descriptor) {
    descriptors_.push_back({begin_ + bytes_.size(), std::move(descriptor)});
    bytes_.push_back(std::byte{0});
}

bool Outbox::send(int socket) {
    while (size() > 0) {
        if (send_some(socket) || errno == EINTR) continue;
        forget_sent();
        return false;
    }
    forget_sent();
    return true;
}

void Outbox::forget_sent() {
    if (size() > 0 && sent_ < kOutboxKeptMax) return;
    begin_ += sent_;
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
    if (bytes_.empty() && bytes_.capacity() > kOutboxKeptMax) bytes_.shrink_to_fit();
}

// Up to the next descriptor, or that descriptor with its byte.
bool Outbox::send_some(int socket) {
    iovec piece{bytes_.data() + sent_, size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::byte control[CMSG_SPACE(sizeof(int))] = {};
    if (!descriptors_.empty()) {
        const auto before = static_cast<std::size_t>(descriptors_.front().at - begin_) - sent_;
        piece.iov_len = before > 0 ? before : 1;
        if (before == 0) {
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            cmsghdr* const head = CMSG_FIRSTHDR(&message);
            head->cmsg_level = SOL_SOCKET;
            head->cmsg_type = SCM_RIGHTS;
            head->cmsg_len = CMSG_LEN(sizeof(int));
            const int fd = descriptors_.front().descriptor.get();
            std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
        }
    }
    const ssize_t wrote = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote < 0) return false;
    sent_ += static_cast<std::size_t>(wrote);
    if (message.msg_control != nullptr) descriptors_.pop_front();
    return true;
}

void Outbox::clear() {
    begin_ += bytes_.size();
    bytes_.clear();
    sent_ = 0;
    descriptors_.clear();
}

std::vector<std::byte> Outbox::take(std::vector<Fd>& descriptors) {
    for (Travelling& one : descriptors_) descriptors.push_back(std::move(one.descriptor));
    std::vector<std::byte> out(bytes_.begin() + static_cast<std::ptrdiff_t>(sent_), bytes_.end());
    clear();
    return out;
}

ssize_t receive_with_descriptors(int socket, std::byte* to, std::size_t room,
                                 std::deque<Fd>& descriptors) {
    alignas(cmsghdr) std::byte control[CMSG_SPACE(rpc::kVirnetFdsMax * sizeof(int))];
    iovec piece{to, room};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 || message.msg_controllen == 0) return got;
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
         head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            descriptors.emplace_back(fd);
        }
    }
    return got;
}

}  // namespace helio::virt::relay
