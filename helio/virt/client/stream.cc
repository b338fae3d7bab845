#include "helio/virt/client/stream.h"

#include <algorithm>

#include "helio/base/assert.h"
#include "helio/virt/client/call_internal.h"

namespace helio::virt {

namespace {

Signal::Clock::time_point end_of(const ClientStream::Timeout& timeout) {
    return timeout ? Signal::Clock::now() + *timeout : Signal::kForever;
}

Failure failed_as(xdr::Outcome outcome) {
    Failure out;
    out.call.outcome = outcome;
    return out;
}

}  // namespace

ClientStream::~ClientStream() {
    abort();
    if (state_ != State::unused) connection_.remove(*this);
}

xdr::AsyncCall::Owner ClientStream::begin(const xdr::VersionInfo& version,
                                          const xdr::ProcedureInfo& procedure) {
    return begin(version.program, version.version, procedure.number);
}

xdr::AsyncCall::Owner ClientStream::begin(std::uint32_t program, std::uint32_t version,
                                          std::uint32_t procedure) {
    HELIO_ASSERT(state_ == State::unused);
    auto out = connection_.begin(program, version, procedure);
    auto& call = static_cast<ClientCall&>(*out);
    call.opens_stream_ = true;
    program_ = program;
    version_ = version;
    procedure_ = procedure;
    serial_ = call.number_;
    state_ = State::open;
    connection_.add(*this);
    if (connection_.is_lost()) fail_with(failed_as(xdr::Outcome::unreachable));
    return out;
}

// ---- What comes ----

void ClientStream::take(const rpc::BufferRef& buffer, const frame::VirnetHeader& header,
                        ByteView payload) {
    if (header.status == frame::VirnetStatus::error) {
        Failure failure = failed_as(xdr::Outcome::refused);
        if (auto said = open_error(payload))
            failure.error = std::move(*said);
        else
            failure.error = virt_error(VIR_ERR_OPERATION_ABORTED, VIR_FROM_STREAMS,
                                       "the daemon ended the stream");
        return fail_with(std::move(failure));
    }
    if (header.status == frame::VirnetStatus::ok && header.type == frame::VirnetType::stream) {
        // The daemon confirms the end; also if it was the first to finish.
        if (state_ == State::open || state_ == State::finishing) state_ = State::finished;
        ended_ = true;
        readable_.notify();
        writable_.notify();
        return;
    }
    if (state_ != State::open || ended_) return;
    StreamPiece piece;
    if (header.type == frame::VirnetType::stream_hole) {
        if (payload.size() < 12) return fail_with(failed_as(xdr::Outcome::garbage_reply));
        piece.kind = StreamPiece::Kind::hole;
        piece.hole = xdr::load_u64(payload.data());
    } else if (payload.empty()) {
        ended_ = true;
        return readable_.notify();
    } else {
        piece.kind = StreamPiece::Kind::data;
        piece.data = payload;
    }
    add_piece(piece, buffer);
}

void ClientStream::add_piece(StreamPiece piece, rpc::BufferRef buffer) {
    pieces_.push_back({piece, std::move(buffer)});
    count_unread(piece.data.size() + sizeof(Queued), 0);
    readable_.notify();
}

void ClientStream::count_unread(std::size_t more, std::size_t less) {
    unread_ += more;
    unread_ -= less;
    const bool full = full_ ? unread_ > kStreamUnreadBytesMax / 2 : unread_ > kStreamUnreadBytesMax;
    if (full == full_) return;
    full_ = full;
    connection_.pause_reading(full);
}

void ClientStream::drop_pieces() {
    pieces_.clear();
    reading_ = {};
    count_unread(0, unread_);
}

void ClientStream::fail_with(Failure failure) {
    if (state_ == State::finished || state_ == State::failed) return;
    state_ = State::failed;
    failure_ = std::move(failure);
    readable_.notify();
    writable_.notify();
}

// Data received before a failure is still delivered.
Task<Result<StreamPiece, Failure>> ClientStream::read(Timeout timeout) {
    const auto deadline = end_of(timeout);
    reading_ = {};
    while (pieces_.empty()) {
        if (state_ == State::failed) co_return fail(failure_);
        if (ended_ || state_ != State::open) co_return StreamPiece{};
        const bool in_time = co_await readable_.wait(deadline);
        if (!in_time) co_return fail(failed_as(xdr::Outcome::timed_out));
    }
    Queued& first = pieces_.front();
    const StreamPiece piece = first.piece;
    reading_ = std::move(first.buffer);
    pieces_.pop_front();
    count_unread(0, piece.data.size() + sizeof(Queued));
    co_return piece;
}

// ---- What goes ----

void ClientStream::send(frame::VirnetType type, frame::VirnetStatus status, ByteView payload) {
    frame::VirnetHeader header;
    header.program = program_;
    header.version = version_;
    header.procedure = procedure_;
    header.type = type;
    header.serial = serial_;
    header.status = status;
    connection_.post(header, payload);
}

Task<Result<void, Failure>> ClientStream::room(Timeout timeout) {
    const auto deadline = end_of(timeout);
    for (;;) {
        if (state_ == State::failed) co_return fail(failure_);
        if (state_ != State::open) co_return fail(failed_as(xdr::Outcome::cancelled));
        if (connection_.backlog() < kStreamUnsentBytesMax) co_return Result<void, Failure>{};
        const bool in_time = co_await writable_.wait(deadline);
        if (!in_time) co_return fail(failed_as(xdr::Outcome::timed_out));
    }
}

Task<Result<void, Failure>> ClientStream::write(ByteView bytes, Timeout timeout) {
    while (!bytes.empty()) {
        auto ready = co_await room(timeout);
        if (!ready) co_return ready;
        const ByteView packet = bytes.first(std::min(bytes.size(), frame::kStreamPacketMax));
        send(frame::VirnetType::stream, frame::VirnetStatus::more, packet);
        bytes = bytes.subspan(packet.size());
    }
    co_return Result<void, Failure>{};
}

Task<Result<void, Failure>> ClientStream::write_hole(std::uint64_t length, Timeout timeout) {
    auto ready = co_await room(timeout);
    if (!ready) co_return ready;
    std::byte hole[12] = {};
    xdr::store_u64(hole, length);
    send(frame::VirnetType::stream_hole, frame::VirnetStatus::more, hole);
    co_return Result<void, Failure>{};
}

Task<Result<void, Failure>> ClientStream::finish() {
    if (state_ == State::open) {
        state_ = State::finishing;
        drop_pieces();
        send(frame::VirnetType::stream, frame::VirnetStatus::ok, {});
    }
    const auto deadline = Signal::Clock::now() + connection_.call_timeout();
    while (state_ == State::finishing) {
        const bool in_time = co_await readable_.wait(deadline);
        if (!in_time) co_return fail(failed_as(xdr::Outcome::timed_out));
    }
    if (state_ == State::failed) co_return fail(failure_);
    if (state_ != State::finished) co_return fail(failed_as(xdr::Outcome::cancelled));
    co_return Result<void, Failure>{};
}

void ClientStream::abort() {
    drop_pieces();
    if (state_ != State::open && state_ != State::finishing) return;
    // Before the opening call is answered there is no stream; its reply will be handled.
    const ClientCall* const opening = connection_.find(serial_);
    if (opening == nullptr) connection_.abort_stream(program_, version_, procedure_, serial_);
    fail_with(failed_as(xdr::Outcome::cancelled));
}

}  // namespace helio::virt
