// Connection: calls to bytes, and bytes to replies.
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "helio/base/assert.h"
#include "helio/transport/client_call_internal.h"
#include "helio/transport/client_rdma_internal.h"

namespace helio::transport {

namespace {

constexpr std::size_t kClientReceiveBufferSize = 256u << 10;
constexpr std::size_t kClientReceiveRoomMin = 64u << 10;  // a whole datagram
constexpr std::size_t kClientGatherMax = 256;

}  // namespace

// ---- Sending ----

void Connection::flush() {
    if (rdma_)
        rdma_->flush();
    else if (is_stream())
        flush_stream();
    else
        flush_datagrams();
}

namespace {

// Pieces of messages on their way to one sendmsg. Small ones are copied together: the kernel takes
// longer over a piece than a copy of it does.
class Gather final {
 public:
    bool full() const { return count_ == kClientGatherMax; }
    void add(ByteView bytes) {
        std::byte* at = const_cast<std::byte*>(bytes.data());
        if (bytes.size() <= kCopiedMax && bytes.size() <= copies_.size() - copied_) {
            at = copies_.data() + copied_;
            std::memcpy(at, bytes.data(), bytes.size());
            copied_ += bytes.size();
            if (count_ > 0 && end_ == at) {
                pieces_[count_ - 1].iov_len += bytes.size();
                end_ += bytes.size();
                return;
            }
        }
        pieces_[count_++] = {at, bytes.size()};
        end_ = at + bytes.size();
    }
    msghdr message() {
        msghdr out{};
        out.msg_iov = pieces_.data();
        out.msg_iovlen = count_;
        return out;
    }

 private:
    static constexpr std::size_t kCopiedMax = 512;
    std::array<iovec, kClientGatherMax> pieces_;
    std::size_t count_ = 0;
    const std::byte* end_ = nullptr;  // of the last piece
    std::array<std::byte, 16u << 10> copies_;
    std::size_t copied_ = 0;
};

}  // namespace

void Connection::flush_stream() {
    while (queue_ != nullptr) {
        Gather gather;
        std::size_t skip = sent_;
        for (ClientCall* one = queue_; one != nullptr && !gather.full(); one = one->next_) {
            for (const xdr::Segment& segment : one->writer_->segments()) {
                if (skip >= segment.size()) {
                    skip -= segment.size();
                    continue;
                }
                if (gather.full()) break;
                gather.add(segment.bytes().subspan(skip));
                skip = 0;
            }
        }
        const msghdr message = gather.message();
        const ssize_t wrote = sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (wrote < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN || errno == ENOBUFS) return watch_for(Interest::read_write);
            return lost(errno);
        }
        sent(static_cast<std::size_t>(wrote));
    }
    watch_for(Interest::read);
}

void Connection::sent(std::size_t bytes) {
    sent_ += bytes;
    while (queue_ != nullptr) {
        ClientCall& call = *queue_;
        const std::size_t size = call.size_;
        if (sent_ < size) return;
        const std::size_t rest = sent_ - size;
        pop_queue();
        sent_ = rest;
        if (options_.watch)
            options_.watch(true,
                           ByteView{call.writer_->joined()}.subspan(frame::RecordMark::kMarkSize));
        if (call.released_)
            recycle(call);
        else
            call.state_ = ClientCall::State::sent;
    }
}

void Connection::flush_datagrams() {
    while (queue_ != nullptr) {
        ClientCall& call = *queue_;
        std::array<iovec, kClientGatherMax> gather;
        const auto segments = call.writer_->segments();
        const std::size_t count = std::min(segments.size(), kClientGatherMax);
        for (std::size_t i = 0; i < count; ++i)
            gather[i] = {const_cast<std::byte*>(segments[i].bytes().data()), segments[i].size()};
        msghdr message{};
        message.msg_iov = gather.data();
        message.msg_iovlen = count;
        const ssize_t wrote = sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0 && errno == EAGAIN) return watch_for(Interest::read_write);
        if (wrote < 0 && errno == EMSGSIZE) {
            xdr::CallError error;
            error.error_number = EMSGSIZE;
            finish(call, &error);
            continue;
        }
        if (wrote < 0 && errno == ECONNREFUSED) return refused(ECONNREFUSED);
        if (options_.watch) options_.watch(true, call.writer_->joined());
        pop_queue();
        call.state_ = ClientCall::State::sent;
    }
    watch_for(Interest::read);
}

// ---- Receiving ----

// Room for what comes next: a record's rest, or a whole datagram. Buffers that replies still lie in
// are left to them.
bool Connection::make_room() {
    const std::size_t kept = receive_end_ - receive_begin_;
    if (receiving_ && receiving_->refs == 1 && kept == 0) receive_begin_ = receive_end_ = 0;
    const std::size_t needed = is_stream() ? std::max(wanted_, kept + 1) : kClientReceiveRoomMin;
    const std::size_t least = std::max(needed, is_stream() ? 0 : kClientReceiveRoomMin);
    if (receiving_ && receiving_->capacity - receive_begin_ >= least &&
        receiving_->capacity - receive_end_ >= std::min(kClientReceiveRoomMin, needed))
        return true;
    rpc::BufferRef fresh = buffers_.take(std::max(kClientReceiveBufferSize, needed));
    if (!fresh) return false;
    if (kept > 0) std::memcpy(fresh->bytes.get(), receiving_->bytes.get() + receive_begin_, kept);
    receiving_ = std::move(fresh);
    receive_begin_ = 0;
    receive_end_ = kept;
    return true;
}

void Connection::receive() {
    // Fairness to others on the loop ends a flood; the loop brings us back.
    constexpr int kReceivesPerTurn = 16;
    for (int i = 0; i < kReceivesPerTurn && socket_; ++i) {
        if (!make_room()) return lost(ENOMEM);
        const std::size_t room = receiving_->capacity - receive_end_;
        const ssize_t got =
            recv(socket_.get(), receiving_->bytes.get() + receive_end_, room, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got < 0) return is_stream() ? lost(errno) : refused(errno);
        const auto size = static_cast<std::size_t>(got);
        retry_after_ = std::chrono::milliseconds(0);
        heard_ = true;
        if (!is_stream()) {
            const rpc::BufferRef buffer = receiving_;
            const ByteView datagram{buffer->bytes.get() + receive_end_, size};
            receive_end_ += size;
            receive_begin_ = receive_end_;
            take_message(buffer, datagram);
            continue;
        }
        if (size == 0) return lost(0);
        receive_end_ += size;
        if (!cut_messages()) return lost(EBADMSG);
        if (size < room) return;
    }
}

// False when the peer does not speak records.
bool Connection::cut_messages() {
    const rpc::BufferRef buffer = receiving_;
    while (receiving_ == buffer) {  // a lost connection has another, or none
        const frame::Cut cut =
            framer_.cut({buffer->bytes.get() + receive_begin_, receive_end_ - receive_begin_});
        if (cut.kind == frame::CutKind::broken) return false;
        receive_begin_ += cut.consumed;
        if (cut.kind == frame::CutKind::more) {
            wanted_ = cut.wanted;
            return true;
        }
        if (!cut.joined) {
            take_message(buffer, cut.message);
            continue;
        }
        const rpc::BufferRef copy = buffers_.take(cut.message.size());
        if (!copy) return false;
        std::memcpy(copy->bytes.get(), cut.message.data(), cut.message.size());
        take_message(copy, {copy->bytes.get(), cut.message.size()});
    }
    return true;
}

void Connection::take_message(const rpc::BufferRef& buffer, ByteView message) {
    if (options_.watch) options_.watch(false, message);
    const auto opened = rpc::open_reply(message, reply_arena_);
    ClientCall* const call = opened ? find(opened->xid) : nullptr;
    // A reply to nobody, or over a stream to a call of which not all has been sent, is not ours.
    if (call == nullptr || (is_stream() && call->state_ != ClientCall::State::sent)) {
        ++counters_.ignored;
        return;
    }
    if (opened->error) {
        const xdr::CallError error = *opened->error;
        reply_arena_.reset();
        return finish(*call, &error);
    }
    call->reply_ = buffer;
    call->reader_.emplace(opened->results, call->arena_);
    finish(*call, nullptr);
}

}  // namespace helio::transport
