#include "helio/virt/server/stream.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "helio/base/assert.h"
#include "helio/virt/wire/session.h"
#include "helio/xdr/wire.h"

namespace helio::virt::server {

using frame::VirnetHeader;
using frame::VirnetStatus;
using frame::VirnetType;

namespace {

constexpr std::size_t kHoleSize = 12;  // virNetStreamHole: a hyper and flags

VirtError stream_error(std::string_view what) {
    return virt_error(VIR_ERR_RPC, VIR_FROM_STREAMS, what);
}

// Length of a hole; nothing if the packet is invalid.
std::optional<std::uint64_t> open_hole(ByteView payload) {
    if (payload.size() < kHoleSize) return std::nullopt;
    const std::uint64_t length = xdr::load_u64(payload.data());
    const std::uint32_t flags = xdr::load_u32(payload.data() + 8);
    if (length > INT64_MAX || flags != 0) return std::nullopt;
    return length;
}

}  // namespace

StreamEnd::Failure StreamEnd::take(ByteView) {
    return stream_error("stream had unexpected termination");
}

StreamEnd::Failure StreamEnd::take_hole(std::uint64_t) { return take({}); }

StreamEnd::Piece StreamEnd::next(std::size_t) { return {}; }

void StreamHandle::wake() const {
    const auto owner = owner_.lock();
    if (!owner) return;
    Streams& streams = **owner;
    const auto found = streams.open_.find(serial_);
    if (found == streams.open_.end()) return;
    found->second.asks = true;
    if (streams.session_ != nullptr) streams.session_->wake();
}

// Later: the caller may be the StreamEnd itself.
void StreamHandle::fail(const VirtError& why) const {
    const auto owner = owner_.lock();
    if (!owner) return;
    Streams& streams = **owner;
    const auto found = streams.open_.find(serial_);
    if (found == streams.open_.end()) return;
    found->second.failure = why;
    if (streams.session_ != nullptr) streams.session_->wake();
}

bool StreamHandle::is_open() const {
    const auto owner = owner_.lock();
    return owner && (*owner)->open_.count(serial_) > 0;
}

Streams::Streams() : self_(std::make_shared<Streams*>(this)) {}

Streams::~Streams() { abort_all(); }

std::optional<StreamHandle> Streams::open(const VirnetHeader& call,
                                          std::unique_ptr<StreamEnd> end) {
    HELIO_ASSERT(end != nullptr);
    if (open_.size() >= kStreamsOpenMax || open_.count(call.serial) > 0) return std::nullopt;
    Stream stream;
    stream.header = call;
    stream.end = std::move(end);
    open_.emplace(call.serial, std::move(stream));
    return StreamHandle{self_, call.serial};
}

void Streams::call_completed(std::uint32_t serial, CallResult result) {
    const auto found = open_.find(serial);
    if (found == open_.end() || found->second.started) return;
    found->second.started = result == CallResult::ok;
    if (found->second.started) {
        if (session_ != nullptr) session_->wake();
        return;
    }
    auto never_was = open_.extract(found);
    never_was.mapped().end->abort();
}

// ---- From the client ----

// Packets for an ended stream were in flight when it ended: ignore them.
void Streams::receive(const VirnetHeader& header, ByteView payload) {
    const auto found = open_.find(header.serial);
    if (found == open_.end()) return;
    const Stream& stream = found->second;
    if (!stream.started || stream.header.program != header.program ||
        stream.header.procedure != header.procedure)
        return;
    switch (header.status) {
        case VirnetStatus::more:
            return take(found, header, payload);
        case VirnetStatus::ok:
            return finish(found);
        case VirnetStatus::error:
            return abort(found);
    }
    close_with_error(found, stream_error(fmt::format("stream aborted with unexpected status {}",
                                                     static_cast<std::uint32_t>(header.status))));
}

// The client aborts; it expects the same OK as after a normal end.
void Streams::abort(Open::iterator at) {
    const auto closed = open_.extract(at);
    closed.mapped().end->abort();
    send(closed.mapped(), VirnetType::stream, VirnetStatus::ok, {});
}

void Streams::take(Open::iterator at, const VirnetHeader& header, ByteView payload) {
    StreamEnd& end = *at->second.end;
    StreamEnd::Failure failure;
    if (header.type == VirnetType::stream) {
        failure = end.take(payload);
    } else if (const auto hole = open_hole(payload)) {
        failure = end.take_hole(*hole);
    } else {
        failure = stream_error("Unable to decode message payload");
    }
    if (failure) close_with_error(at, *failure);
}

void Streams::finish(Open::iterator at) {
    const auto closed = open_.extract(at);
    const StreamEnd::Failure failure = closed.mapped().end->finish();
    if (!failure) return send(closed.mapped(), VirnetType::stream, VirnetStatus::ok, {});
    VirnetHeader header = closed.mapped().header;
    header.type = VirnetType::stream;
    if (session_ != nullptr) session_->send_error(header, *failure);
}

// ---- To the client ----

bool Streams::has_output() const {
    for (const auto& [serial, stream] : open_)
        if (has_output(stream)) return true;
    return false;
}

// One packet of each in turn, starting after the last one served.
void Streams::make_output() {
    std::size_t budget = kStreamOutputMax;
    while (budget > 0) {
        auto at = open_.upper_bound(last_served_);
        std::size_t looked_at = 0;
        for (; looked_at < open_.size(); ++looked_at, ++at) {
            if (at == open_.end()) at = open_.begin();
            if (has_output(at->second)) break;
        }
        if (looked_at == open_.size()) return;
        last_served_ = at->first;
        make_one(at, budget);
    }
}

void Streams::make_one(Open::iterator at, std::size_t& budget) {
    Stream& stream = at->second;
    if (stream.failure) {
        const VirtError why = *stream.failure;
        return close_with_error(at, why);
    }
    const StreamEnd::Piece piece = stream.end->next(frame::kStreamPacketMax);
    using Kind = StreamEnd::Piece::Kind;
    switch (piece.kind) {
        case Kind::nothing:
            stream.asks = false;
            return;
        case Kind::bytes:
            HELIO_ASSERT(!piece.bytes.empty() && piece.bytes.size() <= frame::kStreamPacketMax);
            send(stream, VirnetType::stream, VirnetStatus::more, piece.bytes);
            break;
        case Kind::hole: {
            std::array<std::byte, kHoleSize> hole{};
            xdr::store_u64(hole.data(), piece.length);
            send(stream, VirnetType::stream_hole, VirnetStatus::more, hole);
            break;
        }
        case Kind::end:
            stream.at_end = true;
            send(stream, VirnetType::stream, VirnetStatus::more, {});
            break;
        case Kind::error:
            return close_with_error(at, piece.error);
    }
    budget -= std::min(budget, frame::kVirnetLengthMin + piece.bytes.size());
}

void Streams::close_with_error(Open::iterator at, const VirtError& why) {
    const auto closed = open_.extract(at);
    VirnetHeader header = closed.mapped().header;
    header.type = VirnetType::stream;
    if (session_ != nullptr) session_->send_error(header, why);
    closed.mapped().end->abort();
}

void Streams::send(const Stream& stream, VirnetType type, VirnetStatus status, ByteView payload) {
    VirnetHeader header = stream.header;
    header.type = type;
    header.status = status;
    if (session_ != nullptr) session_->send(header, payload);
}

void Streams::abort_all() {
    for (auto& [serial, stream] : std::exchange(open_, {})) stream.end->abort();
}

}  // namespace helio::virt::server
