// ClientConnection: sends calls, and receives replies, events and stream packets.
#include <algorithm>
#include <cerrno>
#include <iterator>

#include "helio/base/assert.h"
#include "helio/frame/length_word.h"
#include "helio/transport/socket/descriptors.h"
#include "helio/virt/client/call_internal.h"
#include "helio/virt/client/stream.h"

namespace helio::virt {

namespace {

constexpr std::size_t kWordSize = frame::LengthWord::kWordSize;

}  // namespace

// ---- Sending ----

void ClientConnection::post(const frame::VirnetHeader& header, ByteView payload) {
    if (state_ == State::lost) return;
    std::byte head[kWordSize + frame::VirnetHeader::kSize];
    frame::LengthWord::store(head, frame::VirnetHeader::kSize + payload.size());
    frame::write_virnet_header(head + kWordSize, header);
    socket_.write(head);
    socket_.write(payload);
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
    if (options_.watch) options_.watch(true, call.message());
    socket_.send(call);
}

void ClientConnection::flush() {
    socket_.flush();
    if (!streams_.empty()) wake_writers();
}

void ClientConnection::wake_writers() {
    if (backlog() >= kStreamUnsentBytesMax) return;
    for (ClientStream* const one : streams_) one->writable_.notify();
}

// ---- Receiving ----

void ClientConnection::on_received(std::size_t) {
    heard_ = loop_.now();
    unanswered_ = 0;
    if (socket_.descriptors().size() > frame::kVirnetFdsMax)
        return lose(EBADMSG);  // more than any message can have
    cut_messages();
}

void ClientConnection::wait_for(xdr::AsyncCall& call) {
    while (!call.finished())
        if (!receive_alone()) loop_.turn(std::chrono::milliseconds(-1));
}

// False: leave it to the loop, because nothing has arrived or the loop has other work.
bool ClientConnection::receive_alone() {
    using Received = transport::Stream::Received;
    if (state_ != State::connected || !reading_ || socket_.has_layer() || backlog() > 0 ||
        !loop_.waits_for_one_only(kVirtAloneMax) || !socket_.set_blocking(kVirtAloneMax))
        return false;
    const bool looks = options_.busy_polls && busy_poll_.pays();
    if (looks && socket_.receive_now() != Received::nothing) return true;
    auto begin = transport::EventLoop::Clock::now();
    const auto passed = [&begin] { return transport::EventLoop::Clock::now() - begin; };
    while (looks && passed() < busy_poll_.reach()) {
        if (socket_.receive_now() == Received::nothing) continue;
        busy_poll_.came(passed());
        return true;
    }
    if (looks) {
        busy_poll_.found_nothing();
        begin = transport::EventLoop::Clock::now();
    }
    if (socket_.receive_and_wait() == Received::nothing) return false;
    busy_poll_.slept(passed());
    return true;
}

// Handles all complete messages; the connection is lost if the peer breaks the protocol.
void ClientConnection::cut_messages() {
    const std::uint64_t life = socket_.life();
    const rpc::BufferRef buffer = socket_.buffer();
    ByteView bytes = socket_.bytes();
    std::size_t wanted = kWordSize;
    while (!bytes.empty()) {
        const frame::Cut cut = frame::LengthWord::cut(bytes);
        if (cut.kind == frame::CutKind::broken) return lose(EBADMSG);
        wanted = cut.wanted;
        if (cut.kind == frame::CutKind::more) break;
        const frame::VirnetHeader header = frame::read_virnet_header(cut.message.data());
        const auto descriptors = frame::virnet_descriptors(header, cut.message);
        if (!descriptors) return lose(EBADMSG);
        wanted = cut.consumed + *descriptors;
        if (bytes.size() < wanted) break;
        socket_.consume(wanted);
        bytes = bytes.subspan(wanted);
        wanted = kWordSize;
        if (!take_message(buffer, header, cut.message, *descriptors)) return lose(EBADMSG);
        if (socket_.life() != life) return;
    }
    if (!socket_.keep(wanted)) lose(ENOMEM);
}

bool ClientConnection::take_message(const rpc::BufferRef& buffer, const frame::VirnetHeader& header,
                                    ByteView message, std::size_t descriptors) {
    if (options_.watch) options_.watch(false, message);
    const ByteView payload = message.subspan(frame::VirnetHeader::kSize);
    if (descriptors > socket_.descriptors().size()) return false;
    std::vector<Fd> came;
    if (descriptors > 0) came = transport::take_first(socket_.descriptors(), descriptors);
    switch (header.type) {
        case frame::VirnetType::reply:
            take_reply(buffer, header, payload, {});
            return true;
        case frame::VirnetType::reply_with_fds:
            take_reply(buffer, header, payload.subspan(4), std::move(came));
            return true;
        case frame::VirnetType::message:
            if (header.program == frame::kKeepaliveProgram) {
                take_keepalive(header);
            } else {
                ++counters_.events;
                if (event_) event_({header.program, header.version, header.procedure, payload});
            }
            return true;
        case frame::VirnetType::stream:
        case frame::VirnetType::stream_hole:
            take_stream(buffer, header, payload);
            return true;
        case frame::VirnetType::call:
        case frame::VirnetType::call_with_fds:
            break;  // daemons do not call
    }
    return false;
}

void ClientConnection::take_reply(const rpc::BufferRef& buffer, const frame::VirnetHeader& header,
                                  ByteView payload, std::vector<Fd> descriptors) {
    ClientCall* const call = find(header.serial);
    if (call == nullptr || call->state_ != ClientCall::State::sent) {
        ++counters_.ignored;
        // A cancelled call opened a stream after all.
        if (std::erase(orphans_, header.serial) > 0 && header.status == frame::VirnetStatus::ok)
            abort_stream(header.program, header.version, header.procedure, header.serial);
        return;
    }
    if (header.status == frame::VirnetStatus::ok) {
        call->reply_ = buffer;
        if (!descriptors.empty()) call->descriptors_ = std::move(descriptors);
        call->reader_.emplace(payload, call->arena_);
        return finish(*call, nullptr);
    }
    xdr::CallError error;
    auto answer = open_error(payload);
    if (!answer) {
        error.outcome = xdr::Outcome::garbage_reply;
        return finish(*call, &error);
    }
    error.outcome = xdr::Outcome::refused;
    error.reason =
        xdr::CallError::ProtocolError{static_cast<std::uint32_t>(answer->code), header.serial};
    if (call->opens_stream_) fail_stream(header.serial, Failure{error, *answer});
    remember(header.serial, std::move(*answer));
    finish(*call, &error);
}

void ClientConnection::remember(std::uint32_t serial, VirtError error) {
    if (errors_.size() < kVirtFailuresKeptMax) errors_.emplace_back();
    errors_[next_error_] = {serial, std::move(error)};
    next_error_ = (next_error_ + 1) % kVirtFailuresKeptMax;
}

void ClientConnection::take_stream(const rpc::BufferRef& buffer, const frame::VirnetHeader& header,
                                   ByteView payload) {
    for (ClientStream* const one : streams_)
        if (one->serial_ == header.serial) return one->take(buffer, header, payload);
    ++counters_.ignored;
}

}  // namespace helio::virt
