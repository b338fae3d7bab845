// ClientConnection: calls to bytes, and bytes to replies, events and pieces of streams.
#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "helio/base/assert.h"
#include "helio/frame/length_word.h"
#include "helio/transport/descriptors.h"
#include "helio/virt/client/call_internal.h"
#include "helio/virt/client/stream.h"

namespace helio::virt {

namespace {

constexpr std::size_t kReceiveBufferSize = 256u << 10;
constexpr std::size_t kReceiveRoomMin = 16u << 10;
constexpr std::size_t kWordSize = frame::LengthWord::kWordSize;

// How many descriptors stand behind this message.
std::size_t descriptors_behind(ByteView message) {
    const rpc::VirnetHeader header = rpc::read_virnet_header(message.data());
    if (header.type != rpc::VirnetType::reply_with_fds) return 0;
    const ByteView payload = message.subspan(rpc::VirnetHeader::kSize);
    return payload.size() < 4 ? 0 : xdr::load_u32(payload.data());
}

}  // namespace

// ---- Sending ----

void ClientConnection::post(const rpc::VirnetHeader& header, ByteView payload) {
    if (state_ == State::lost) return;
    std::byte head[kWordSize + rpc::VirnetHeader::kSize];
    frame::LengthWord::store(head, rpc::VirnetHeader::kSize + payload.size());
    rpc::write_virnet_header(head + kWordSize, header);
    put_out(ByteView{head});
    put_out(payload);
    if (options_.watch) {
        std::vector<std::byte> message(head + kWordSize, std::end(head));
        message.insert(message.end(), payload.begin(), payload.end());
        options_.watch(true, message);
    }
    loop_.defer(*this);
}

void ClientConnection::queue(ClientCall& call) {
    if (!at_once_) loop_.defer(*this);
    if (sent_ < options_.calls_max && waiting_.empty()) return put_out(call);
    call.state_ = ClientCall::State::queued;
    waiting_.push_back(call.number_);
}

void ClientConnection::queue_waiting() {
    while (!waiting_.empty() && sent_ < options_.calls_max) {
        ClientCall* const call = find(waiting_.front());
        waiting_.pop_front();
        if (call != nullptr) put_out(*call);
    }
}

void ClientConnection::put_out(ClientCall& call) {
    call.state_ = ClientCall::State::sent;
    ++sent_;
    for (const xdr::Segment& segment : call.writer_->segments()) put_out(segment.bytes());
    if (options_.watch) options_.watch(true, ByteView{call.writer_->joined()}.subspan(kWordSize));
    for (Fd& one : call.descriptors_) out_.append(std::move(one));
    call.descriptors_.clear();
}

void ClientConnection::put_out(ByteView bytes) {
    if (layer_)
        plain_.insert(plain_.end(), bytes.begin(), bytes.end());
    else
        out_.append(bytes);
}

bool ClientConnection::encode_plain() {
    if (plain_.empty()) return true;
    std::vector<std::byte> encoded;
    if (!layer_->encode(plain_, encoded)) return false;
    plain_.clear();
    out_.append(encoded);
    return true;
}

void ClientConnection::flush() {
    if (!encode_plain()) return lose(EBADMSG);
    const bool all = out_.send(socket_.get());
    if (!all && errno != EAGAIN && errno != ENOBUFS) return lose(errno);
    watch_for(all ? transport::Interest::read : transport::Interest::read_write);
    if (backlog() < kStreamUnsentBytesMax)
        for (ClientStream* const one : streams_) one->writable_.notify();
}

// ---- Receiving ----

// Room for what comes next. Buffers that replies still lie in are left to them.
bool ClientConnection::make_room() {
    const std::size_t kept = receive_end_ - receive_begin_;
    if (receiving_ && receiving_->refs == 1 && kept == 0) receive_begin_ = receive_end_ = 0;
    const std::size_t needed = std::max(wanted_, kept + 1);
    if (receiving_ && receiving_->capacity - receive_begin_ >= needed &&
        receiving_->capacity - receive_end_ >= std::min(kReceiveRoomMin, needed))
        return true;
    rpc::BufferRef fresh = buffers_.take(std::max(kReceiveBufferSize, needed));
    if (!fresh) return false;
    if (kept > 0) std::memcpy(fresh->bytes.get(), receiving_->bytes.get() + receive_begin_, kept);
    receiving_ = std::move(fresh);
    receive_begin_ = 0;
    receive_end_ = kept;
    return true;
}

// What was decoded and found no room comes first. Half a block of the layer's is nothing yet.
ssize_t ClientConnection::receive_through_layer(std::byte* to, std::size_t room) {
    if (decoded_taken_ == decoded_.size()) {
        decoded_.clear();
        decoded_taken_ = 0;
        std::byte wire[kReceiveRoomMin];
        const ssize_t got = recv(socket_.get(), wire, sizeof wire, MSG_DONTWAIT);
        if (got <= 0) return got;
        if (!layer_->decode({wire, static_cast<std::size_t>(got)}, decoded_)) {
            errno = EBADMSG;
            return -1;
        }
        if (decoded_.empty()) {
            errno = EINTR;  // there may be more
            return -1;
        }
    }
    const std::size_t size = std::min(room, decoded_.size() - decoded_taken_);
    std::memcpy(to, decoded_.data() + decoded_taken_, size);
    decoded_taken_ += size;
    return static_cast<ssize_t>(size);
}

void ClientConnection::receive(bool even_when_paused) {
    // Fairness to others on the loop ends a flood; the loop brings us back.
    constexpr int kReceivesPerTurn = 16;
    const auto has_decoded = [this] { return decoded_taken_ < decoded_.size(); };
    for (int i = 0;
         (i < kReceivesPerTurn || has_decoded()) && socket_ && (reading_ || even_when_paused); ++i)
        if (receive_some(false) != Received::more) return;
}

ClientConnection::Received ClientConnection::receive_some(bool wait) {
    const auto lost = [this](int error_number) {
        lose(error_number);
        return Received::all;
    };
    if (!make_room()) return lost(ENOMEM);
    const std::size_t room = receiving_->capacity - receive_end_;
    std::byte* const to = receiving_->bytes.get() + receive_end_;
    // Descriptors that come along wait for the message they belong to.
    const ssize_t got = layer_ ? receive_through_layer(to, room)
                               : transport::receive_with_descriptors(
                                     loop_.network(), socket_.get(), {to, room},
                                     wait ? 0 : MSG_DONTWAIT, received_descriptors_);
    if (got < 0 && errno == EINTR) return Received::more;
    if (got < 0 && errno == EAGAIN) return Received::nothing;
    if (got < 0) return lost(errno);
    if (got == 0) return lost(0);
    if (received_descriptors_.size() > rpc::kVirnetFdsMax)
        return lost(EBADMSG);  // more than any message can be waiting for
    receive_end_ += static_cast<std::size_t>(got);
    heard_ = loop_.now();
    unanswered_ = 0;
    if (!cut_messages()) return lost(EBADMSG);
    return static_cast<std::size_t>(got) < room && !layer_ ? Received::all : Received::more;
}

void ClientConnection::wait_for(xdr::AsyncCall& call) {
    while (!call.finished())
        if (!receive_alone()) loop_.turn(std::chrono::milliseconds(-1));
}

// From now on a receive that may wait does, and every other says that it may not.
bool ClientConnection::may_wait_alone() {
    if (blocks_) return true;
    const int flags = fcntl(socket_.get(), F_GETFL);
    const timeval limit{0, std::chrono::microseconds(kVirtAloneMax).count()};
    blocks_ = flags >= 0 && fcntl(socket_.get(), F_SETFL, flags & ~O_NONBLOCK) == 0 &&
              setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0;
    return blocks_;
}

// False when that is for the loop: nothing came, or there is more to see to than the socket.
bool ClientConnection::receive_alone() {
    if (state_ != State::connected || !reading_ || layer_ || backlog() > 0 ||
        !loop_.waits_for_one_only(kVirtAloneMax) || !may_wait_alone())
        return false;
    const bool looks = options_.looks_out && look_out_.pays();
    if (looks && receive_some(false) != Received::nothing) return true;
    auto begin = transport::EventLoop::Clock::now();
    const auto passed = [&begin] { return transport::EventLoop::Clock::now() - begin; };
    while (looks && passed() < look_out_.reach()) {
        if (receive_some(false) == Received::nothing) continue;
        look_out_.came(passed());
        return true;
    }
    if (looks) {
        look_out_.looked_in_vain();
        begin = transport::EventLoop::Clock::now();
    }
    if (receive_some(true) == Received::nothing) return false;
    look_out_.slept(passed());
    return true;
}

// False when the peer speaks something else.
bool ClientConnection::cut_messages() {
    const rpc::BufferRef buffer = receiving_;
    while (receiving_ == buffer) {  // a lost connection has none
        const ByteView bytes{buffer->bytes.get() + receive_begin_, receive_end_ - receive_begin_};
        const frame::Cut cut = frame::LengthWord::cut(bytes);
        if (cut.kind == frame::CutKind::broken) return false;
        if (cut.kind == frame::CutKind::more) {
            wanted_ = cut.wanted;
            return true;
        }
        // Descriptors stand behind the message, a byte each.
        const std::size_t descriptors = descriptors_behind(cut.message);
        if (descriptors > rpc::kVirnetFdsMax) return false;
        if (bytes.size() < cut.consumed + descriptors) {
            wanted_ = cut.consumed + descriptors;
            return true;
        }
        receive_begin_ += cut.consumed + descriptors;
        if (!take_message(buffer, cut.message, descriptors)) return false;
    }
    return true;
}

bool ClientConnection::take_message(const rpc::BufferRef& buffer, ByteView message,
                                    std::size_t descriptors) {
    if (options_.watch) options_.watch(false, message);
    const rpc::VirnetHeader header = rpc::read_virnet_header(message.data());
    const ByteView payload = message.subspan(rpc::VirnetHeader::kSize);
    if (descriptors > received_descriptors_.size()) return false;
    std::vector<Fd> came = transport::take_first(received_descriptors_, descriptors);
    switch (header.type) {
        case rpc::VirnetType::reply:
            take_reply(buffer, header, payload, {});
            return true;
        case rpc::VirnetType::reply_with_fds:
            if (payload.size() < 4) return false;
            take_reply(buffer, header, payload.subspan(4), std::move(came));
            return true;
        case rpc::VirnetType::message:
            if (header.program == rpc::kKeepaliveProgram) {
                take_keepalive(header);
            } else {
                ++counters_.events;
                if (event_) event_({header.program, header.version, header.procedure, payload});
            }
            return true;
        case rpc::VirnetType::stream:
        case rpc::VirnetType::stream_hole:
            take_stream(buffer, header, payload);
            return true;
        case rpc::VirnetType::call:
        case rpc::VirnetType::call_with_fds:
            break;  // a daemon does not call
    }
    return false;
}

void ClientConnection::take_reply(const rpc::BufferRef& buffer, const rpc::VirnetHeader& header,
                                  ByteView payload, std::vector<Fd> descriptors) {
    ClientCall* const call = find(header.serial);
    if (call == nullptr || call->state_ != ClientCall::State::sent) {
        ++counters_.ignored;
        // It was let go when it might have opened a stream, and it has.
        if (std::erase(orphans_, header.serial) > 0 && header.status == rpc::VirnetStatus::ok)
            abort_stream(header.program, header.version, header.procedure, header.serial);
        return;
    }
    if (header.status == rpc::VirnetStatus::ok) {
        call->reply_ = buffer;
        call->descriptors_ = std::move(descriptors);
        call->reader_.emplace(payload, call->arena_);
        return finish(*call, nullptr);
    }
    xdr::CallError error;
    auto said = rpc::open_error(payload);
    if (!said) {
        error.outcome = xdr::Outcome::garbage_reply;
        return finish(*call, &error);
    }
    error.outcome = xdr::Outcome::refused;
    error.low = static_cast<std::uint32_t>(said->code);
    error.high = header.serial;
    if (call->opens_stream_) fail_stream(header.serial, Failure{error, *said});
    remember(header.serial, std::move(*said));
    finish(*call, &error);
}

void ClientConnection::remember(std::uint32_t serial, rpc::VirtError error) {
    if (said_.size() < kVirtFailuresKeptMax) said_.emplace_back();
    said_[next_said_] = {serial, std::move(error)};
    next_said_ = (next_said_ + 1) % kVirtFailuresKeptMax;
}

void ClientConnection::take_stream(const rpc::BufferRef& buffer, const rpc::VirnetHeader& header,
                                   ByteView payload) {
    for (ClientStream* const one : streams_)
        if (one->serial_ == header.serial) return one->take(buffer, header, payload);
    ++counters_.ignored;
}

}  // namespace helio::virt
