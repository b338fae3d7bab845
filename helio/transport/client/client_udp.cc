#include "helio/transport/client/client_udp_internal.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace helio::transport {

namespace {
// Pieces of one call: a datagram holds sixteen references of 4 KiB (xdr::kReferenceMin) and the
// bytes between them.
constexpr std::size_t kUdpGatherMax = 64;
}  // namespace

void ClientConnection::OverUdp::connect(const Endpoint& where) {
    socket_ = Fd{socket(where.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!socket_) return owner_.disconnect(errno);
    // If it is not permitted, the server decides.
    if (owner_.options_.reserved_port && where.family() != AF_UNIX)
        bind_reserved_port(socket_.get(), where.family());
    EventLoop& loop = owner_.loop_;
    interest_ = Interest::read;
    if (const int error = loop.add(socket_.get(), interest_, *this); error != 0)
        return owner_.disconnect(error);
    if (loop.network().connect(socket_.get(), where.address(), where.size()) != 0)
        return owner_.disconnect(errno);
    owner_.connected();
}

void ClientConnection::OverUdp::close() {
    if (socket_) owner_.loop_.remove(socket_.get(), *this);
    socket_.reset();
}

void ClientConnection::OverUdp::watch_for(Interest interest) {
    if (interest == interest_) return;
    interest_ = interest;
    owner_.loop_.change(socket_.get(), interest, *this);
}

void ClientConnection::OverUdp::on_ready(Readiness ready) {
    if (ready.writable()) flush();
    if (socket_ && (ready.readable() || ready.hung_up())) receive();
}

// ---- Sending ----

ssize_t ClientConnection::OverUdp::send(ClientCall& call) {
    std::array<iovec, kUdpGatherMax> gather;
    const auto segments = call.writer_->segments();
    const std::size_t count = std::min(segments.size(), gather.size());
    for (std::size_t i = 0; i < count; ++i)
        gather[i] = {const_cast<std::byte*>(segments[i].bytes().data()), segments[i].size()};
    msghdr message{};
    message.msg_iov = gather.data();
    message.msg_iovlen = count;
    return owner_.loop_.network().sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ClientConnection::OverUdp::flush() {
    while (auto* const call = static_cast<ClientCall*>(owner_.queue_.first())) {
        const ssize_t wrote = send(*call);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0 && errno == EAGAIN) return watch_for(Interest::read_write);
        if (wrote < 0 && errno == EMSGSIZE) {
            xdr::CallError error;
            error.error_number = EMSGSIZE;
            owner_.finish(*call, &error);
            continue;
        }
        if (wrote < 0 && errno == ECONNREFUSED) return refused(ECONNREFUSED);
        // Any other error is like a lost datagram.
        OutgoingQueue::remove(*call);
        call->state_ = ClientCall::State::sent;
        if (owner_.options_.watch) owner_.options_.watch(Direction::sent, call->writer_->joined());
    }
    watch_for(Interest::read);
}

// ---- Receiving ----

void ClientConnection::OverUdp::receive() {
    for (unsigned i = 0; i < kReceivesPerTurnMax && socket_; ++i) {
        const SharedReceiveBuffer::Space place = room_.place();
        if (!place.buffer) return owner_.disconnect(ENOMEM);
        std::byte* const to = place.buffer->bytes.get() + place.offset;
        const ssize_t got = owner_.loop_.network().recv(
            socket_.get(), to, place.buffer->capacity - place.offset, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got < 0) return refused(errno);
        const auto size = static_cast<std::size_t>(got);
        room_.use(size);
        owner_.retry_after_ = std::chrono::milliseconds(0);
        heard_ = true;
        owner_.take_message(place.buffer, {to, size});
    }
}

// Nothing listens there. Another address of the host may work, until one has answered.
void ClientConnection::OverUdp::refused(int error_number) {
    if (heard_) return owner_.fail_all(error_number);
    close();
    owner_.state_ = State::idle;
    owner_.was_connected_ = false;
    if (owner_.server_ + 1 == owner_.servers_.size()) return owner_.fail_all(error_number);
    ++owner_.server_;
    for (const std::uint32_t xid : owner_.calls_.numbers())
        if (ClientCall& one = *owner_.find(xid); one.state_ == ClientCall::State::sent)
            owner_.enqueue(one);
    owner_.connect();
}

}  // namespace helio::transport
