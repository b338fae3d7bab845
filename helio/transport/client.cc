#include "helio/transport/client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>

#include "helio/base/assert.h"
#include "helio/transport/client_call_internal.h"
#include "helio/transport/client_rdma_internal.h"

namespace helio::transport {

namespace {

// A start that no other client is likely to have: servers remember calls by it.
std::uint32_t random_xid() {
    std::random_device device;
    return device();
}

}  // namespace

Connection::Connection(EventLoop& loop, std::vector<Endpoint> servers, ClientOptions options)
    : loop_(loop),
      servers_(std::move(servers)),
      options_(std::move(options)),
      has_record_marks_(!options_.udp && !options_.fabric),
      framer_(options_.records),
      calls_(loop, random_xid()) {
    HELIO_ASSERT(!servers_.empty());
    if (!options_.fabric) return;
    options_.udp = false;
    rdma_ = std::make_unique<OverRdma>(*this);
}

Connection::Connection(EventLoop& loop, Fd connected_socket, ClientOptions options)
    : Connection(loop, std::vector<Endpoint>(1), std::move(options)) {
    HELIO_ASSERT(!rdma_);
    options_.reconnect = false;
    socket_ = std::move(connected_socket);
    interest_ = Interest::read;
    if (const int error = loop_.add(socket_.get(), interest_, *this); error != 0)
        throw std::system_error(error, std::generic_category(), "cannot watch a connection");
    connected();
}

Connection::~Connection() {
    drop_released();
    HELIO_ASSERT(calls_.all_are_free());
    if (socket_) loop_.remove(socket_.get(), *this);
}

void Connection::set_credential(rpc::ClientCredential credential) {
    options_.credential = std::move(credential);
}

xdr::AsyncCall::Owner Connection::begin(const xdr::VersionInfo& version,
                                        const xdr::ProcedureInfo& procedure) {
    auto out = begin(version.program, version.version, procedure.number, procedure.idempotent);
    if (rdma_) [[unlikely]]
        static_cast<ClientCall&>(*out).results_room_ = {procedure.bulk_results,
                                                        procedure.results_max};
    return out;
}

xdr::AsyncCall::Owner Connection::begin(std::uint32_t program, std::uint32_t version,
                                        std::uint32_t procedure, bool idempotent) {
    auto& call = calls_.take<ClientCall>(*this);
    call.start(calls_.next_number(), idempotent);
    rpc::put_call(*call.writer_, call.number_, program, version, procedure, options_.credential);
    ++counters_.calls;
    return xdr::AsyncCall::Owner{&call};
}

void Connection::set_done(xdr::AsyncCall& call, Done done, void* self) {
    static_cast<PendingCall&>(call).set_done(done, self);
}

// ---- The calls under way ----

ClientCall* Connection::find(std::uint32_t xid) const {
    return static_cast<ClientCall*>(calls_.find(xid));
}

void Connection::take_out(ClientCall& call) {
    calls_.remove(call);
    if (rdma_) [[unlikely]]
        rdma_->let_go(call);
}

void Connection::recycle(ClientCall& call) {
    if (rdma_) [[unlikely]]
        call.drop_bulk();
    calls_.give_back(call);
}

// The call has its reply, or never will.
void Connection::finish(ClientCall& call, const xdr::CallError* error) {
    take_out(call);
    const bool half_sent = call.state_ == ClientCall::State::queued && queue_ == &call && sent_ > 0;
    if (call.state_ == ClientCall::State::queued && !half_sent) unqueue(call);
    if (half_sent) {
        // The stream must not end in the middle of a record; a new one is cheaper than the wait.
        pop_queue();
        call.end(error);
        lost(0);
    } else {
        call.end(error);
    }
    call.tell();
}

void Connection::enqueue(ClientCall& call) {
    call.state_ = ClientCall::State::queued;
    call.next_ = nullptr;
    *queue_end_ = &call;
    queue_end_ = &call.next_;
    loop_.defer(*this);
}

void Connection::unqueue(ClientCall& call) {
    for (ClientCall** link = &queue_; *link != nullptr; link = &(*link)->next_) {
        if (*link != &call) continue;
        *link = call.next_;
        if (queue_end_ == &call.next_) queue_end_ = link;
        return;
    }
}

void Connection::pop_queue() {
    queue_ = queue_->next_;
    if (queue_ == nullptr) queue_end_ = &queue_;
    sent_ = 0;
}

// ---- The connection ----

void Connection::on_turn_end() {
    if (queue_ == nullptr) return;
    if (state_ == State::idle) connect();
    if (state_ == State::connected) flush();
}

void Connection::connect() {
    const Endpoint& where = servers_[server_];
    if (rdma_) {
        state_ = State::connecting;
        return rdma_->connect(where);
    }
    const int type = is_stream() ? SOCK_STREAM : SOCK_DGRAM;
    socket_ = Fd{socket(where.family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!socket_) return lost(errno);
    // Where it is not permitted the server has the last word.
    if (options_.reserved_port && where.family() != AF_UNIX)
        bind_reserved_port(socket_.get(), where.family());
    state_ = State::connecting;
    interest_ = is_stream() ? Interest::read_write : Interest::read;
    if (const int error = loop_.add(socket_.get(), interest_, *this); error != 0)
        return lost(error);
    if (::connect(socket_.get(), where.address(), where.size()) == 0) return connected();
    if (errno != EINPROGRESS) lost(errno);
}

void Connection::connected() {
    state_ = State::connected;
    if (was_connected_) ++counters_.reconnected;
    was_connected_ = true;
    loop_.defer(*this);
    if (rdma_) return;
    if (is_stream()) {
        const int on = 1;
        setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // fails on AF_UNIX
    }
    watch_for(Interest::read);
}

void Connection::Retry::on_time() {
    owner_.state_ = State::idle;
    owner_.on_turn_end();
}

// There is no connection, or none any more.
void Connection::lost(int error_number) {
    if (socket_) loop_.remove(socket_.get(), *this);
    socket_.reset();
    if (rdma_) rdma_->close();
    framer_ = frame::RecordMark{options_.records};
    receiving_ = {};
    receive_begin_ = receive_end_ = wanted_ = 0;
    const ClientCall* const half_sent = sent_ > 0 ? queue_ : nullptr;
    sent_ = 0;
    state_ = State::idle;
    drop_released();

    if (!was_connected_ && server_ + 1 < servers_.size()) {
        ++server_;
        return connect();
    }
    if (!was_connected_ || !options_.reconnect) return fail_all(error_number);

    // What the server may have run must not run again unless that does no harm.
    for (const std::uint32_t xid : calls_.numbers()) {
        ClientCall* const one = find(xid);
        if (one == nullptr) continue;
        const bool left = one->state_ == ClientCall::State::sent || one == half_sent;
        if (left && !one->idempotent_) {
            xdr::CallError error;
            error.outcome = xdr::Outcome::unreachable;
            error.error_number = error_number;
            finish(*one, &error);
        } else if (one->state_ == ClientCall::State::sent) {
            ++counters_.retransmitted;
            enqueue(*one);
        }
    }
    if (queue_ == nullptr) return;
    state_ = State::waiting;
    retry_.set(EventLoop::Clock::now() + retry_after_);
    retry_after_ = std::clamp(retry_after_ * 2, kReconnectFirst, kReconnectMax);
}

// A datagram found nobody. Another address of the host may be the right one, until one has
// answered.
void Connection::refused(int error_number) {
    if (heard_) return fail_all(error_number);
    loop_.remove(socket_.get(), *this);
    socket_.reset();
    state_ = State::idle;
    was_connected_ = false;
    if (server_ + 1 == servers_.size()) return fail_all(error_number);
    ++server_;
    for (const std::uint32_t xid : calls_.numbers())
        if (ClientCall& one = *find(xid); one.state_ == ClientCall::State::sent) enqueue(one);
    connect();
}

void Connection::fail_all(int error_number) {
    if (!socket_) server_ = 0;
    xdr::CallError error;
    error.outcome = xdr::Outcome::unreachable;
    error.error_number = error_number;
    for (const std::uint32_t xid : calls_.numbers())
        if (ClientCall* const one = find(xid)) finish(*one, &error);
}

// Calls that were let go when half of them was sent have nowhere to go any more.
void Connection::drop_released() {
    for (ClientCall* one = queue_; one != nullptr;) {
        ClientCall& call = *one;
        one = call.next_;
        if (!call.released_) continue;
        unqueue(call);
        recycle(call);
    }
}

void Connection::watch_for(Interest interest) {
    if (interest == interest_) return;
    interest_ = interest;
    loop_.change(socket_.get(), interest, *this);
}

void Connection::on_ready(Readiness ready) {
    if (state_ == State::connecting) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) return lost(error);
        if (ready.writable) connected();
        return;
    }
    if (ready.writable) flush();
    if (socket_ && (ready.readable || ready.hung_up)) receive();
}

}  // namespace helio::transport
