#include "helio/transport/outbox.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "helio/transport/descriptors.h"

namespace helio::transport {

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
    if (size() > 0 && sent_ < kept_max_) return;
    begin_ += sent_;
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
    if (bytes_.empty() && bytes_.capacity() > kept_max_) bytes_.shrink_to_fit();
}

// Up to the next descriptor, or that descriptor with its byte.
bool Outbox::send_some(int socket) {
    std::size_t size = this->size();
    if (!descriptors_.empty())
        size = static_cast<std::size_t>(descriptors_.front().at - begin_) - sent_;
    const ssize_t wrote =
        size > 0
            ? ::send(socket, bytes_.data() + sent_, size, MSG_NOSIGNAL | MSG_DONTWAIT)
            : send_descriptor(Network::kernel(), socket, descriptors_.front().descriptor.get());
    if (wrote < 0) return false;
    sent_ += static_cast<std::size_t>(wrote);
    if (size == 0) descriptors_.pop_front();
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

}  // namespace helio::transport
