#include "helio/transport/client/client.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "helio/base/assert.h"
#include "helio/transport/client/client_call_internal.h"
#include "helio/transport/client/client_callbacks_internal.h"
#include "helio/transport/client/client_rdma_internal.h"
#include "helio/transport/client/client_udp_internal.h"

namespace helio::transport {

ClientConnection::ClientConnection(EventLoop& loop, std::vector<Endpoint> servers,
                                   ClientOptions options)
    : loop_(loop),
      servers_(std::move(servers)),
      options_(std::move(options)),
      has_record_marks_(!options_.udp && !options_.fabric),
      framer_(options_.records),
      calls_(loop, random_xid()),
      stream_(loop, *this, {.pool = &buffers_}) {
    HELIO_ASSERT(!servers_.empty());
    if (options_.callbacks != nullptr && has_record_marks_)
        callbacks_ = std::make_unique<Callbacks>(*this, *options_.callbacks);
    if (options_.fabric)
        rdma_ = std::make_unique<OverRdma>(*this);
    else if (options_.udp)
        udp_ = std::make_unique<OverUdp>(*this);
}

ClientConnection::ClientConnection(EventLoop& loop, Fd connected_socket, ClientOptions options)
    : ClientConnection(loop, std::vector<Endpoint>(1), std::move(options)) {
    HELIO_ASSERT(!rdma_ && !udp_);
    options_.reconnect = false;
    if (const int error = stream_.open(std::move(connected_socket)); error != 0)
        throw std::system_error(error, std::generic_category(), "cannot watch a connection");
    connected();
}

ClientConnection::~ClientConnection() { HELIO_ASSERT(calls_.all_are_free()); }

void ClientConnection::set_credential(rpc::ClientCredential credential) {
    options_.credential = std::move(credential);
}

xdr::AsyncCall::Owner ClientConnection::begin(const xdr::VersionInfo& version,
                                              const xdr::ProcedureInfo& procedure) {
    auto out = begin(version.program, version.version, procedure.number, procedure.idempotent);
    if (rdma_) [[unlikely]]
        static_cast<ClientCall&>(*out).results_room_ = {procedure.bulk_results,
                                                        procedure.results_max};
    return out;
}

xdr::AsyncCall::Owner ClientConnection::begin(std::uint32_t program, std::uint32_t version,
                                              std::uint32_t procedure, bool idempotent) {
    auto& call = calls_.take<ClientCall>(*this);
    call.start(calls_.next_number(), idempotent);
    rpc::put_call(*call.writer_, call.number_, program, version, procedure, options_.credential);
    ++counters_.calls;
    return xdr::AsyncCall::Owner{&call};
}

void ClientConnection::set_done(xdr::AsyncCall& call, Done done, void* self) {
    static_cast<PendingCall&>(call).set_done(done, self);
}

// ---- Calls in flight ----

ClientCall* ClientConnection::find(std::uint32_t xid) const {
    return static_cast<ClientCall*>(calls_.find(xid));
}

void ClientConnection::take_out(ClientCall& call) {
    calls_.remove(call);
    if (rdma_) [[unlikely]]
        rdma_->let_go(call);
}

void ClientConnection::recycle(ClientCall& call) {
    if (rdma_) [[unlikely]]
        call.drop_bulk();
    calls_.give_back(call);
}

// The call has its reply, or will never have one.
void ClientConnection::finish(ClientCall& call, const xdr::CallError* error) {
    take_out(call);
    const bool half_sent = call.is_queued() && call.has_begun();
    if (call.is_queued() && !half_sent) unqueue(call);
    call.end(error);
    // The stream must not end in the middle of a record; reconnecting is cheaper than waiting.
    if (half_sent) disconnect(0);
    call.notify();
}

// ---- The queue ----

void ClientConnection::enqueue(ClientCall& call) {
    call.state_ = ClientCall::State::queued;
    if (has_record_marks_) [[likely]]
        stream_.send(call);
    else
        queue_.push_back(call);
    loop_.defer(*this);
}

// The call has not been partly sent.
void ClientConnection::unqueue(ClientCall& call) {
    if (!has_record_marks_) return OutgoingQueue::remove(call);
    const bool taken_back = stream_.take_back(call);
    HELIO_ASSERT(taken_back);
}

// The call is abandoned, and the bytes it refers to become invalid. A partly sent record must be
// completed.
void ClientConnection::let_go(ClientCall& call) {
    if (!call.is_queued()) return;
    if (!call.has_begun()) return unqueue(call);
    if (!stream_.copy_rest(call)) disconnect(ENOMEM);
}

void ClientConnection::sent(ClientCall& call) {
    call.state_ = ClientCall::State::sent;
    if (options_.watch)
        options_.watch(Direction::sent,
                       ByteView{call.writer_->joined()}.subspan(frame::RecordMark::kMarkSize));
}

// ---- The connection ----

void ClientConnection::on_turn_end() {
    if (callbacks_) callbacks_->queue_replies();
    if (!has_queued()) return;
    if (state_ == State::idle) connect();
    if (state_ == State::connected) flush();
}

void ClientConnection::flush() {
    if (has_record_marks_) [[likely]]
        stream_.flush();
    else if (udp_)
        udp_->flush();
    else
        rdma_->flush();
}

// Until one of the servers has answered, any of them may be used; after that only that one.
void ClientConnection::connect() {
    state_ = State::connecting;
    if (rdma_) return rdma_->connect(servers_[server_]);
    if (udp_) return udp_->connect(servers_[server_]);
    const std::span<const Endpoint> from = std::span{servers_}.subspan(server_);
    stream_.connect(was_connected_ ? from.first(1) : from,
                    {.reserved_port = options_.reserved_port});
}

void ClientConnection::on_connected() {
    server_ += stream_.address();
    connected();
}

void ClientConnection::connected() {
    state_ = State::connected;
    if (was_connected_) ++counters_.reconnected;
    was_connected_ = true;
    loop_.defer(*this);
}

void ClientConnection::Retry::on_time() {
    owner_.state_ = State::idle;
    owner_.on_turn_end();
}

void ClientConnection::on_lost(int error_number) { lost(error_number); }

void ClientConnection::disconnect(int error_number) {
    stream_.close();
    lost(error_number);
}

// There is no connection, or it is lost. The stream has released its calls.
void ClientConnection::lost(int error_number) {
    if (rdma_) rdma_->close();
    if (udp_) udp_->close();
    if (callbacks_) callbacks_->disconnect();
    framer_ = frame::RecordMark{options_.records};
    state_ = State::idle;
    const bool tries_next = !has_record_marks_;  // a stream has tried all of them
    if (!was_connected_ && tries_next && server_ + 1 < servers_.size()) {
        ++server_;
        return connect();
    }
    if (!was_connected_ || !options_.reconnect) return fail_all(error_number);

    // Calls that the server may have run are repeated only if they are idempotent.
    for (const std::uint32_t xid : calls_.numbers()) {
        ClientCall* const one = find(xid);
        if (one == nullptr || one->is_queued()) continue;
        const bool was_sent = one->state_ == ClientCall::State::sent;
        if (!one->idempotent_ && (was_sent || one->has_begun())) {
            xdr::CallError error;
            error.outcome = xdr::Outcome::unreachable;
            error.error_number = error_number;
            finish(*one, &error);
        } else {
            if (was_sent) ++counters_.retransmitted;
            if (has_record_marks_) (void)one->prepare();  // this succeeded before
            enqueue(*one);
        }
    }
    if (!has_queued()) return;
    state_ = State::waiting;
    retry_.set(EventLoop::Clock::now() + retry_after_);
    retry_after_ = std::clamp(retry_after_ * 2, kReconnectFirst, kReconnectMax);
}

void ClientConnection::fail_all(int error_number) {
    if (state_ == State::idle) server_ = 0;
    xdr::CallError error;
    error.outcome = xdr::Outcome::unreachable;
    error.error_number = error_number;
    for (const std::uint32_t xid : calls_.numbers())
        if (ClientCall* const one = find(xid)) finish(*one, &error);
}

// ---- Receiving ----

void ClientConnection::on_received(std::size_t) {
    retry_after_ = std::chrono::milliseconds(0);
    const std::uint64_t life = stream_.life();
    const rpc::BufferRef buffer = stream_.buffer();
    for (ByteView rest = stream_.bytes(); stream_.life() == life;) {
        const frame::Cut cut = framer_.cut(rest);
        if (cut.kind == frame::CutKind::broken) return disconnect(EBADMSG);
        stream_.consume(cut.consumed);
        rest = rest.subspan(cut.consumed);
        if (cut.kind == frame::CutKind::more) {
            if (!stream_.keep(cut.wanted)) disconnect(ENOMEM);
            return;
        }
        if (!cut.joined) [[likely]] {
            take_message(buffer, cut.message);
            continue;
        }
        const rpc::BufferRef copy = buffers_.take(cut.message.size());
        if (!copy) return disconnect(ENOMEM);
        std::memcpy(copy->bytes.get(), cut.message.data(), cut.message.size());
        take_message(copy, {copy->bytes.get(), cut.message.size()});
    }
}

void ClientConnection::take_message(const rpc::BufferRef& buffer, ByteView message) {
    if (options_.watch) options_.watch(Direction::received, message);
    if (callbacks_ && rpc::is_call(message)) [[unlikely]] {
        if (!callbacks_->serve(buffer, message)) disconnect(ENOBUFS);
        return;
    }
    const auto opened = rpc::open_reply(message, reply_arena_);
    ClientCall* const call = opened ? find(opened->xid) : nullptr;
    // Not ours: a reply without a call, or over a stream to a call not completely sent.
    if (call == nullptr || (is_stream() && call->state_ != ClientCall::State::sent)) {
        ++counters_.ignored;
        return;
    }
    if (opened->error) {
        const xdr::CallError error = *opened->error;
        reply_arena_.reset();
        return finish(*call, &error);
    }
    call->take_results(buffer, opened->results);
    finish(*call, nullptr);
}

}  // namespace helio::transport
