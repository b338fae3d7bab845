#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "helio/transport/descriptors.h"
#include "helio/transport/stream_connection_internal.h"

namespace helio::transport {

namespace {
// Gather entries per sendmsg; a batch of READs has two or three per reply.
constexpr std::size_t kStreamGatherMax = 64;
// The least room for an unfinished record; small records come whole nearly always.
constexpr std::size_t kPartialBytesMin = 1024;
// A record's buffer may be this many times what has arrived of it: a header that promises megabytes
// costs kilobytes.
constexpr std::size_t kPartialGrowth = 8;
// Never slower than this, on top of the time a record has anyway: a modem's speed.
constexpr std::size_t kRecordBytesPerSecondMin = 8u << 10;
}  // namespace

StreamConnection::StreamConnection(ServerThread& thread, std::uint64_t id, Fd socket,
                                   const rpc::Peer& peer, const rpc::Dialect* dialect)
    : thread_(thread),
      id_(id),
      socket_(std::move(socket)),
      session_(dialect != nullptr ? dialect->make_session(thread.worker(), *this, peer)
                                  : std::make_unique<rpc::StreamSession>(
                                        thread.worker(), static_cast<rpc::Session::Owner&>(*this),
                                        thread.envelope(), peer)),
      active_(EventLoop::Clock::now()) {
    if (peer.transport == rpc::Transport::tcp) {
        const int on = 1;
        setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (const int error = thread_.loop().add(socket_.get(), interest_, *this); error != 0)
        throw std::system_error(error, std::generic_category(), "cannot watch a connection");
}

StreamConnection::~StreamConnection() {
    hold_receive_bytes(0);
    thread_.loop().remove(socket_.get(), *this);
}

void StreamConnection::on_ready(Readiness ready) {
    const bool was_sending = static_cast<bool>(sending_);
    if (ready.writable) {
        if (!send()) return;
        advance();
        if (closed_) return;
    }
    if ((ready.readable || ready.hung_up) && includes(interest_, Interest::read)) receive();
    // The peer has gone altogether, and no reply can reach it; the loop would not stop saying so.
    else if (ready.hung_up)
        return close();
    else
        watch();
    // Last, and not before its socket has been looked at again: a peer which takes all that it can
    // get is heard all the same.
    if (ready.writable && !was_sending && !closed_) make_output();
}

// What the session sends of its own accord: some of it, then everybody else has a turn.
void StreamConnection::make_output() {
    if (sending_ || !session_->has_more_output()) return;
    session_->make_output();
    if (send()) watch();
}

void StreamConnection::receive() {
    ServerThread::Room room;
    if (partial_)
        room = {partial_, partial_end_};
    else
        room = thread_.receive_room();
    if (!room.buffer) return close();
    const std::size_t capacity = room.buffer->capacity - room.offset;
    const ssize_t got = receive_some(room.buffer->bytes.get() + room.offset, capacity);
    if (got < 0) {
        if (errno == EAGAIN || errno == EINTR) return;
        return close();
    }
    active_ = thread_.loop().now();
    if (got == 0) {
        // It may have said all it wants and still wait for replies.
        ending_ = true;
        return advance();
    }
    const auto size = static_cast<std::size_t>(got);
    record_bytes_ += size;
    if (partial_) {
        partial_end_ += size;
        if (partial_end_ - partial_begin_ < wanted_ && partial_end_ < partial_->capacity)
            return;  // the record is still coming
        return process(std::move(partial_), partial_begin_, partial_end_);
    }
    thread_.received(size);
    process(std::move(room.buffer), room.offset, room.offset + size);
}

ssize_t StreamConnection::receive_some(std::byte* at, std::size_t size) {
    if (!session_->takes_descriptors()) [[likely]]
        return recv(socket_.get(), at, size, 0);
    std::vector<Fd> descriptors;
    const ssize_t got = receive_with_descriptors(thread_.loop().network(), socket_.get(),
                                                 {at, size}, 0, descriptors);
    if (got < 0 || descriptors.empty() || session_->take_descriptors(std::move(descriptors)))
        return got;
    errno = EPROTO;
    return -1;
}

// Runs the calls in these bytes and sends their replies; keeps what is left.
void StreamConnection::process(rpc::BufferRef buffer, std::size_t begin, std::size_t end) {
    partial_ = {};
    rpc::StreamSession::Progress progress;
    std::size_t calls = 0;
    do {
        const std::byte* const bytes = buffer ? buffer->bytes.get() + begin : nullptr;
        progress = session_->receive(buffer, {bytes, end - begin});
        begin += progress.consumed;
        calls += progress.calls;
        if (progress.broken) {
            ending_ = true;
            hold_receive_bytes(0);
            if (send()) close();
            return;
        }
        if (!send()) break;  // blocked, or closed
    } while (progress.full && session_->may_run_more());
    if (closed_) return;
    full_ = progress.full && begin < end;
    if (!keep_rest(std::move(buffer), begin, end, progress.wanted)) return close();
    const bool record_open = partial_ || !session_->at_boundary();
    if (record_open && (!record_open_ || calls > 0)) {
        record_began_ = active_;
        record_bytes_ = 0;
    }
    record_open_ = record_open;
    if (ending_) return advance();
    watch();
}

// Moves an unfinished record out of the way of other connections.
bool StreamConnection::keep_rest(rpc::BufferRef buffer, std::size_t begin, std::size_t end,
                                 std::size_t wanted) {
    const std::size_t size = end - begin;
    const std::size_t joining = session_->bytes_held();  // fragments that came before
    const ServerShared& shared = thread_.shared();
    const std::size_t others = shared.receive_bytes.load(std::memory_order_relaxed) - held_;
    wanted_ = wanted;
    partial_begin_ = partial_end_ = 0;
    if (size == 0) {
        no_permit_ = joining > 0 && others + joining > shared.limits.receive_bytes_max;
        hold_receive_bytes(joining);
        return true;
    }
    std::size_t capacity =
        std::max(kPartialBytesMin, std::min(std::max(wanted, size), size * kPartialGrowth));
    no_permit_ = others + joining + capacity > shared.limits.receive_bytes_max;
    if (no_permit_) capacity = size;  // what is here must stay somewhere; more has to wait
    rpc::BufferRef own = thread_.worker().buffers().take(capacity);
    if (!own) return false;
    std::memcpy(own->bytes.get(), buffer->bytes.get() + begin, size);
    hold_receive_bytes(joining + own->capacity);
    partial_ = std::move(own);
    partial_end_ = size;
    return true;
}

void StreamConnection::hold_receive_bytes(std::size_t bytes) {
    auto& in_use = thread_.shared().receive_bytes;
    in_use.fetch_add(bytes - held_, std::memory_order_relaxed);
    held_ = bytes;
}

// After something ended: calls that had to wait may run now, and perhaps that was all.
void StreamConnection::advance() {
    if (closed_ || sending_) return;
    if ((full_ && session_->may_run_more()) || session_->can_go_on()) {
        full_ = false;
        return process(std::move(partial_), partial_begin_, partial_end_);
    }
    if (ending_ && session_->calls_in_flight() == 0 && !session_->has_output()) return close();
    watch();
}

void StreamConnection::output_ready() { thread_.loop().defer(*this); }

void StreamConnection::on_turn_end() {
    active_ = EventLoop::Clock::now();  // a call that ran for long does not make its peer idle
    if (send()) advance();
}

// As much as the socket takes of the first segments: those in memory together, one of a file alone.
ssize_t StreamConnection::send_some() {
    if (segments_.front().data.is_file()) [[unlikely]]
        return send_file();
    std::array<iovec, kStreamGatherMax> gather;
    std::size_t count = 0;
    int more = 0;
    std::size_t room = bytes_until_descriptor();
    if (room == 0) return send_next_descriptor();
    for (; count < std::min(segments_.size(), kStreamGatherMax) && room > 0; ++count) {
        if (segments_[count].data.is_file()) [[unlikely]] {
            more = MSG_MORE;  // the head of a reply travels with its data
            break;
        }
        ByteView bytes = segments_[count].bytes().subspan(count == 0 ? sent_ : 0);
        bytes = bytes.first(std::min(bytes.size(), room));
        room -= bytes.size();
        gather[count] = {const_cast<std::byte*>(bytes.data()), bytes.size()};
    }
    msghdr message{};
    message.msg_iov = gather.data();
    message.msg_iovlen = count;
    return sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT | more);
}

// Bytes that may go together; those that a descriptor travels with go alone.
std::size_t StreamConnection::bytes_until_descriptor() const {
    if (descriptors_sent_ == sending_->descriptors.size()) [[likely]]
        return SIZE_MAX;
    return sending_->descriptors[descriptors_sent_].offset - batch_sent_;
}

ssize_t StreamConnection::send_next_descriptor() {
    const ssize_t sent = send_descriptor(thread_.loop().network(), socket_.get(),
                                         sending_->descriptors[descriptors_sent_].fd.get());
    if (sent > 0) ++descriptors_sent_;
    return sent;
}

ssize_t StreamConnection::send_file() {
    const std::size_t size = segments_.front().size() - sent_;
    const FilePiece& file = segments_.front().data.file();
    auto offset = static_cast<off_t>(file.offset + sent_);
    const ssize_t sent = sendfile(socket_.get(), file.descriptor, &offset, size);
    // An error of the disk closes the connection: the client asks again, and is told.
    if (sent != 0) return sent;
    // The file has become shorter since its size was promised; the bytes are owed all the same.
    // Zeros are what a reader finds who comes while a file grows again.
    static constexpr std::array<std::byte, 16384> kZeros{};
    return ::send(socket_.get(), kZeros.data(), std::min(size, kZeros.size()),
                  MSG_NOSIGNAL | MSG_DONTWAIT);
}

// True when everything is out.
bool StreamConnection::send() {
    while (!closed_) {
        if (!sending_) {
            if (!session_->has_output()) return true;
            sending_ = session_->take_output();
            segments_ = sending_->writer->segments();
            sent_ = batch_sent_ = descriptors_sent_ = 0;
        }
        const ssize_t wrote = send_some();
        if (wrote < 0) {
            if (errno == EINTR) continue;
            if (errno != EAGAIN && errno != ENOBUFS) return close(), false;
            watch();
            return false;
        }
        auto left = static_cast<std::size_t>(wrote);
        batch_sent_ += left;
        while (left > 0) {
            const std::size_t rest = segments_.front().size() - sent_;
            if (left < rest) {
                sent_ += left;
                break;
            }
            left -= rest;
            sent_ = 0;
            segments_ = segments_.subspan(1);
        }
        if (segments_.empty())
            sending_ = {};
        else
            active_ = EventLoop::Clock::now();  // slow, but it takes something
    }
    return false;
}

void StreamConnection::watch() {
    if (closed_) return;
    Interest wanted = Interest::none;
    if (sending_ || session_->has_more_output()) wanted = wanted | Interest::write;
    if (!ending_ && !full_ && !sending_ && !no_permit_) wanted = wanted | Interest::read;
    if (wanted == interest_) return;
    interest_ = wanted;
    thread_.loop().change(socket_.get(), wanted, *this);
}

bool StreamConnection::overdue(EventLoop::Clock::time_point now) const {
    const ServerLimits& limits = thread_.shared().limits;
    if (sending_) return now - active_ > limits.send_timeout;
    if (session_->calls_in_flight() > 0) return false;
    if (record_open_) {
        const auto allowance =
            std::chrono::milliseconds(record_bytes_ * 1000 / kRecordBytesPerSecondMin);
        return now - active_ > limits.record_timeout ||  // it has stopped altogether
               now - record_began_ > limits.record_timeout + allowance;
    }
    return !session_->may_be_idle() && now - active_ > limits.idle_timeout;
}

bool StreamConnection::drained() {
    return !sending_ && !session_->has_output() && session_->calls_in_flight() == 0;
}

void StreamConnection::drain() {
    ending_ = true;
    advance();
}

void StreamConnection::send_kept(const rpc::KeptReply& reply) {
    session_->send_kept(reply, session_->peer());
    output_ready();
}

void StreamConnection::retry() { process(std::move(partial_), partial_begin_, partial_end_); }

std::shared_ptr<rpc::DuplicateCache::Waiter> StreamConnection::make_waiter(const rpc::Peer&) {
    return thread_.make_waiter(id_);
}

std::shared_ptr<rpc::SessionLine> StreamConnection::make_line() { return thread_.make_line(id_); }

void StreamConnection::end() {
    ending_ = true;
    output_ready();  // which closes it, if there is nothing to send
}

void StreamConnection::close() {
    if (std::exchange(closed_, true)) return;
    thread_.remove_connection(*this);  // not at once: somebody may still be in here
}

}  // namespace helio::transport
