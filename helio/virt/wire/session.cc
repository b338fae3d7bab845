#include "helio/virt/wire/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "helio/xdr/wire.h"

namespace helio::virt {

namespace {

// Sent with each descriptor.
constexpr std::byte kZeroByte{0};

constexpr VirnetHeader keepalive(std::uint32_t procedure) {
    return {frame::kKeepaliveProgram, 1, procedure, VirnetType::message, 0, VirnetStatus::ok};
}

}  // namespace

VirnetSession::VirnetSession(rpc::Worker& worker, Owner& owner, const rpc::Peer& peer,
                             std::shared_ptr<VirnetHandler> handler, VirnetLimits limits)
    : VirnetSession(worker, owner, peer, std::move(handler), limits,
                    std::make_shared<VirnetEnvelope>()) {}

VirnetSession::VirnetSession(rpc::Worker& worker, Owner& owner, const rpc::Peer& peer,
                             std::shared_ptr<VirnetHandler> handler, VirnetLimits limits,
                             std::shared_ptr<VirnetEnvelope> envelope)
    : ByteSession(worker, owner, envelope, frame::LengthWord::kWordSize,
                  frame::kVirnetLengthMax - frame::LengthWord::kWordSize, peer),
      envelope_(*envelope),
      handler_(std::move(handler)),
      limits_(limits),
      heard_(rpc::Worker::Clock::now()) {
    set_policy(*this);
    set_calls_in_flight_max(limits_.calls_in_flight);
    handler_->on_begin(*this);
}

VirnetSession::~VirnetSession() { handler_->on_end(); }

// ---- Receiving ----

rpc::ByteSession::Progress VirnetSession::receive(const rpc::BufferRef& buffer, ByteView bytes) {
    Progress progress;
    receiving_ = true;
    worker_.look_at_the_clock();
    while (!ending_) {
        serve_queued();
        if (ending_) break;
        const Step step = take(buffer, bytes.subspan(progress.consumed), progress);
        if (step == Step::next) continue;
        progress.full = step == Step::full;
        progress.broken = step == Step::broken;
        break;
    }
    if (progress.calls > 0) {
        heard_ = rpc::Worker::Clock::now();
        pings_unanswered_ = 0;
    }
    if (ending_) progress.consumed = bytes.size();  // the rest is ignored
    receiving_ = false;
    let_go_of_memory();
    return progress;
}

// One message, with the descriptors after it.
VirnetSession::Step VirnetSession::take(const rpc::BufferRef& buffer, ByteView rest,
                                        Progress& progress) {
    if (!has_output_room()) {
        if (!rest.empty() || !queue_.empty()) return Step::full;
        return Step::more;
    }
    const frame::Cut cut = frame::LengthWord::cut(rest);
    if (cut.kind == frame::CutKind::broken) return broken(to_text(cut));
    progress.wanted = cut.wanted;
    if (cut.kind == frame::CutKind::more) return Step::more;
    const auto descriptors =
        frame::virnet_descriptors(frame::read_virnet_header(cut.message.data()), cut.message);
    if (!descriptors || (*descriptors > 0 && !takes_descriptors()))
        return broken("a message with too many file descriptors");
    const std::size_t whole = cut.consumed + *descriptors;
    if (rest.size() < whole) {
        progress.wanted = whole;
        return Step::more;
    }
    if (received_.size() < *descriptors) return broken("a message without its file descriptors");
    if (!take_message(buffer, cut.message, *descriptors)) return Step::full;
    progress.consumed += whole;
    ++progress.calls;
    return Step::next;
}

// False if it has to wait.
bool VirnetSession::take_message(const rpc::BufferRef& buffer, ByteView message,
                                 std::size_t descriptors) {
    const VirnetHeader header = frame::read_virnet_header(message.data());
    switch (header.type) {
        case VirnetType::call:
        case VirnetType::call_with_fds:
            return take_call(buffer, message, descriptors);
        case VirnetType::stream:
        case VirnetType::stream_hole:
            handler_->on_stream(header, message.subspan(VirnetHeader::kSize));
            break;
        case VirnetType::message:
            if (header.program == frame::kKeepaliveProgram) take_keepalive(header);
            break;
        default:  // libvirtd ignores server-only messages and unknown types
            break;
    }
    take_received(descriptors);
    return true;
}

bool VirnetSession::take_call(const rpc::BufferRef& buffer, ByteView message,
                              std::size_t descriptors) {
    if (queue_.empty() && has_turn() &&
        handler_->begin_call(frame::read_virnet_header(message.data()))) [[likely]] {
        serve(message, buffer, take_received(descriptors));
        return true;
    }
    if (queue_.size() >= limits_.calls_queued ||
        (!queue_.empty() && queued_bytes_ + message.size() > limits_.bytes_queued)) {
        // It does not wait for its own calls, so the transport must not retry when one ends.
        if (has_turn()) set_calls_in_flight_max(0);
        return false;
    }
    // A copy: a waiting call must not hold the thread's buffer.
    rpc::BufferRef own = worker_.buffers().take(message.size());
    if (!own) return false;
    std::memcpy(own->bytes.get(), message.data(), message.size());
    queued_bytes_ += message.size();
    queue_.push_back({std::move(own), message.size(), take_received(descriptors)});
    return true;
}

std::vector<Fd> VirnetSession::take_received(std::size_t count) {
    std::vector<Fd> taken;
    for (; count > 0; --count) {
        taken.push_back(std::move(received_.front()));
        received_.pop_front();
    }
    return taken;
}

bool VirnetSession::has_runnable_calls() const {
    if (!has_turn()) return false;
    for (const QueuedCall& one : queue_)
        if (handler_->may_begin(one.header())) return true;
    return false;
}

// In order, except those that have no free worker: others may overtake them.
void VirnetSession::serve_queued() {
    set_calls_in_flight_max(limits_.calls_in_flight);
    std::size_t at = 0;
    while (at < queue_.size() && has_turn() && has_output_room() && !ending_) {
        if (!handler_->begin_call(queue_[at].header())) {
            ++at;
            continue;
        }
        QueuedCall call = std::move(queue_[at]);
        queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(at));
        queued_bytes_ -= call.size;
        serve({call.buffer->bytes.get(), call.size}, call.buffer, std::move(call.descriptors));
    }
}

void VirnetSession::serve(ByteView message, const rpc::BufferRef& buffer,
                          std::vector<Fd> descriptors) {
    std::unique_ptr<VirtCall> extra = std::move(spare_call_);
    if (!extra) extra = std::make_unique<VirtCall>();
    extra->connection = handler_;
    extra->descriptors = std::move(descriptors);
    envelope_.set_next_call(std::move(extra));
    worker_.serve(*this, message, buffer, peer());
}

void VirnetSession::take_keepalive(const VirnetHeader& header) {
    if (header.procedure == frame::kKeepalivePing)
        send(keepalive(frame::kKeepalivePong), ByteView{});
}

bool VirnetSession::takes_descriptors() const {
    return peer().transport == rpc::Transport::local ||
           peer().transport == rpc::Transport::in_process;
}

// Limits the descriptors of a peer that sends them without announcing them.
bool VirnetSession::take_descriptors(std::vector<Fd> descriptors) {
    if (received_.size() + descriptors.size() > 2 * frame::kVirnetFdsMax) {
        broken("file descriptors without a message");
        return false;
    }
    std::move(descriptors.begin(), descriptors.end(), std::back_inserter(received_));
    return true;
}

VirnetSession::Step VirnetSession::broken(std::string_view what) {
    if (worker_.logs())
        worker_.log(fmt::format("rpc: {} {} {}; closed the connection",
                                rpc::name_of(peer().transport), to_text(peer()), what));
    return Step::broken;
}

// ---- Calls, on their way through the server core ----

bool VirnetSession::admit(rpc::Call& call) {
    std::optional<VirtError> error;
    const VirnetStatus status = frame::read_virnet_header(call.message.data()).status;
    if (status != VirnetStatus::ok)
        error = virt_error(
            VIR_ERR_RPC, VIR_FROM_RPC,
            fmt::format("Unexpected message status {}", static_cast<std::uint32_t>(status)));
    else
        error = handler_->admit(call);
    if (!error) return true;
    virt_call_of(call).error = std::move(error);
    return false;
}

void VirnetSession::on_completed(rpc::Call& call, Answer answer) {
    VirtCall& extra = virt_call_of(call);
    const bool good = answer == Answer::results && !extra.has_error();
    if (good) {
        rpc::Batch& batch = outgoing();
        for (Fd& one : extra.reply_descriptors) {
            if (!batch.writer->append(ByteView{&kZeroByte, 1})) return end();
            batch.descriptors.push_back({batch.bytes, std::move(one)});
            ++batch.bytes;
        }
    }
    append_pending();
    handler_->on_complete(call, good ? CallResult::ok : CallResult::failed);
    extra.clear();
    call.extra.release();  // `extra` refers to it
    spare_call_.reset(&extra);
}

void VirnetSession::close_frame(std::byte* head, std::size_t message_size, const rpc::Peer&) {
    frame::LengthWord::store(head, message_size);
}

// ---- Sending messages other than replies ----

void VirnetSession::send(const VirnetHeader& header, ByteView payload) {
    if (!has_room_for(payload.size())) return;
    std::vector<std::byte> frame = frame::make_virnet_message(header, payload);
    if (is_writing()) {
        pending_bytes_ += frame.size();
        pending_.push_back(std::move(frame));
        return;
    }
    append(frame);
    if (!receiving_) owner_.output_ready();
}

// Encoded separately: a Writer references long strings, which belong to the caller.
bool VirnetSession::send(const VirnetHeader& header,
                         const std::function<bool(xdr::Writer&)>& encode) {
    if (deaf_) return false;  // the peer does not read
    xdr::Arena arena;
    xdr::Writer out{arena};
    if (!encode(out)) return false;
    const std::vector<std::byte> payload = out.joined();
    if (payload.size() > frame::kVirnetLengthMax - frame::kVirnetLengthMin) return false;
    send(header, payload);
    return true;
}

void VirnetSession::send_error(VirnetHeader header, const VirtError& error) {
    header.status = VirnetStatus::error;
    send(header, [&](xdr::Writer& out) { return put_error(out, error); });
}

bool VirnetSession::has_room_for(std::size_t bytes) {
    if (deaf_) return false;
    if (bytes_to_send() + bytes <= limits_.output_bytes) return true;
    deaf_ = true;
    broken(fmt::format("{} bytes that it does not take", bytes_to_send()));
    end();
    return false;
}

void VirnetSession::append(ByteView frame) {
    rpc::Batch& batch = outgoing();
    if (!batch.writer->append(frame)) return end();
    batch.bytes += frame.size();
}

void VirnetSession::append_pending() {
    for (const std::vector<std::byte>& one : std::exchange(pending_, {})) append(one);
    pending_bytes_ = 0;
}

void VirnetSession::make_output() {
    if (!has_output_room()) return;
    receiving_ = true;  // the caller sends
    handler_->make_output();
    receiving_ = false;
}

void VirnetSession::wake() {
    if (!receiving_) owner_.output_ready();
}

void VirnetSession::end() {
    if (ending_) return;
    stop_reading();
    owner_.end();
}

void VirnetSession::hang_up() {
    stop_reading();
    deaf_ = true;
    owner_.hang_up();
}

void VirnetSession::stop_reading() {
    ending_ = true;
    queue_.clear();
    queued_bytes_ = 0;
}

// ---- Time ----

void VirnetSession::keep_alive(std::chrono::milliseconds interval, unsigned count) {
    ping_interval_ = interval;
    pings_max_ = count;
    pings_unanswered_ = 0;
    pinged_ = rpc::Worker::Clock::now();
}

bool VirnetSession::on_tick(rpc::Worker::Clock::time_point now) {
    if (ping_interval_.count() == 0 || ending_) return true;
    if (now - std::max(heard_, pinged_) < ping_interval_) return true;
    if (pings_unanswered_ >= pings_max_) {
        broken(fmt::format("no answer to {} pings", pings_unanswered_));
        return false;
    }
    ++pings_unanswered_;
    pinged_ = now;
    send(keepalive(frame::kKeepalivePing), ByteView{});
    return true;
}

}  // namespace helio::virt
