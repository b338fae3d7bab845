// Stream: receiving and sending.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>

#include "helio/base/assert.h"
#include "helio/transport/socket/descriptors.h"
#include "helio/transport/stream/stream.h"

namespace helio::transport {

namespace {
// Bytes of the wire that a layer decodes at once: a TLS record.
constexpr std::size_t kWireSize = 16u << 10;
}  // namespace

// Receives first, so that a peer that reads as fast as it can is still heard.
void Stream::on_ready(Readiness ready) {
    const Busy busy{*this};
    if (state_ == State::connecting) [[unlikely]]
        return finish_connecting(ready);
    const std::uint64_t life = life_;
    const bool reads = includes(wanted_, Interest::read) && !at_end_;
    if (reads && (ready.readable() || ready.hung_up())) [[likely]] {
        receive(ready.hung_up() ? Until::end : Until::not_wanted);
    } else if (ready.hung_up()) {
        // The loop would report it forever.
        if (at_end_ || !reads_to_the_end_) return lose(0);
        receive(Until::end);
    }
    if (!ready.writable() || life != life_) [[likely]]
        return;
    is_blocked_ = false;
    flush();
    if (life == life_) owner_.on_writable();
}

// ---- Receiving ----

void Stream::receive(Until until) {
    const std::uint64_t life = life_;
    for (unsigned i = 0; i < receives_per_turn_; ++i) {
        if (receive_some(MSG_DONTWAIT) != Received::more || life != life_) return;
        if (at_end_ || (until == Until::not_wanted && !includes(wanted_, Interest::read))) return;
    }
}

Stream::Received Stream::receive_some(int flags) {
    Arrival came;
    const ssize_t got = layer_ ? receive_through_layer(came) : receive_plain(flags, came);
    if (got > 0) [[likely]] {
        if (came.size > 0) owner_.on_received(came.size);
        HELIO_ASSERT(!in_.is_shared());  // the owner has called keep()
        return came.is_full ? Received::more : Received::all;
    }
    if (got == 0) {
        at_end_ = true;
        const std::uint64_t life = life_;
        if (!owner_.on_end() && life == life_) lose(0);
        return Received::all;
    }
    if (errno == EINTR) return Received::more;
    if (errno == EAGAIN) return Received::nothing;
    lose(errno);
    return Received::all;
}

inline ssize_t Stream::receive_plain(int flags, Arrival& came) {
    const std::span<std::byte> room = in_.room();
    if (room.empty()) [[unlikely]] {
        errno = ENOMEM;
        return -1;
    }
    Network& network = loop_.network();
    // Descriptors wait for the message they belong to.
    const ssize_t got =
        takes_descriptors_
            ? receive_with_descriptors(network, socket_.get(), room, flags, descriptors_)
            : network.recv(socket_.get(), room.data(), room.size(), flags);
    if (got <= 0) {
        const int error_number = errno;
        in_.received_nothing();
        errno = error_number;
        return got;
    }
    came.size = static_cast<std::size_t>(got);
    came.is_full = came.size == room.size();
    in_.received(came.size);
    return got;
}

ssize_t Stream::receive_through_layer(Arrival& came) {
    std::array<std::byte, kWireSize> wire;
    const ssize_t got = loop_.network().recv(socket_.get(), wire.data(), wire.size(), MSG_DONTWAIT);
    if (got <= 0) return got;
    const auto size = static_cast<std::size_t>(got);
    std::vector<std::byte> plain;
    if (!layer_->decode(ByteView{wire}.first(size), plain)) {
        errno = EBADMSG;
        return -1;
    }
    if (!in_.append(plain)) {
        errno = ENOMEM;
        return -1;
    }
    came = {plain.size(), size == wire.size()};
    return got;
}

// From now on, receives block unless they pass MSG_DONTWAIT.
bool Stream::make_blocking(std::chrono::microseconds limit) {
    const int flags = fcntl(socket_.get(), F_GETFL);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
    const timeval time{seconds.count(), (limit - seconds).count()};
    is_blocking_ = flags >= 0 && fcntl(socket_.get(), F_SETFL, flags & ~O_NONBLOCK) == 0 &&
                   setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0;
    return is_blocking_;
}

Stream::Received Stream::receive_now() {
    const Busy busy{*this};
    return receive_some(MSG_DONTWAIT);
}

Stream::Received Stream::receive_and_wait() {
    HELIO_ASSERT(is_blocking_ && !layer_);
    const Busy busy{*this};
    return receive_some(0);
}

// ---- Sending ----

void Stream::write(ByteView bytes) {
    if (!out_.write(bytes)) write_error_ = ENOMEM;
}

void Stream::write(Fd descriptor) {
    if (!out_.write(std::move(descriptor))) write_error_ = ENOMEM;
}

bool Stream::flush() {
    if (!is_open() || is_blocked_ || write_error_ != 0) [[unlikely]] {
        if (is_open() && write_error_ != 0) lose(write_error_);
        return false;
    }
    while (!out_.empty()) {
        if (out_.send(loop_.network(), socket_.get()) >= 0 || errno == EINTR) [[likely]]
            continue;
        const Busy busy{*this};
        is_blocked_ = errno == EAGAIN || errno == ENOBUFS;
        if (!is_blocked_) lose(errno);
        return false;
    }
    return true;
}

}  // namespace helio::transport
