#include "helio/virt/client/connection.h"

#include <cerrno>
#include <system_error>

#include "helio/base/assert.h"
#include "helio/virt/client/call_internal.h"
#include "helio/virt/client/stream.h"

namespace helio::virt {

using transport::Interest;

namespace {

frame::VirnetHeader keepalive_header(std::uint32_t procedure) {
    frame::VirnetHeader out;
    out.program = frame::kKeepaliveProgram;
    out.procedure = procedure;
    out.type = frame::VirnetType::message;
    return out;
}

}  // namespace

ClientConnection::ClientConnection(transport::EventLoop& loop,
                                   std::vector<transport::Endpoint> servers,
                                   ClientConnectionOptions options)
    : loop_(loop),
      servers_(std::move(servers)),
      options_(std::move(options)),
      calls_(loop, 1),
      socket_(loop, *this, {.pool = &buffers_, .takes_descriptors = true}) {
    HELIO_ASSERT(options_.calls_max > 0);
}

ClientConnection::ClientConnection(transport::EventLoop& loop, Fd connected_socket,
                                   ClientConnectionOptions options)
    : ClientConnection(loop, std::vector<transport::Endpoint>{}, std::move(options)) {
    if (const int error = socket_.open(std::move(connected_socket)); error != 0)
        throw std::system_error(error, std::generic_category(), "cannot watch the connection");
    on_connected();
}

ClientConnection::~ClientConnection() { HELIO_ASSERT(calls_.all_are_free() && streams_.empty()); }

// ---- Calls ----

xdr::AsyncCall::Owner ClientConnection::begin(const xdr::VersionInfo& version,
                                              const xdr::ProcedureInfo& procedure) {
    return begin(version.program, version.version, procedure.number);
}

xdr::AsyncCall::Owner ClientConnection::begin(std::uint32_t program, std::uint32_t version,
                                              std::uint32_t procedure,
                                              std::vector<Fd> descriptors) {
    auto& call = calls_.take<ClientCall>(*this);
    call.start(calls_.next_number());
    ++counters_.calls;

    frame::VirnetHeader header;
    header.program = program;
    header.version = version;
    header.procedure = procedure;
    header.type = descriptors.empty() ? frame::VirnetType::call : frame::VirnetType::call_with_fds;
    header.serial = call.number_;
    call.open(header, std::move(descriptors));
    return xdr::AsyncCall::Owner{&call};
}

std::vector<Fd> ClientConnection::take_descriptors(xdr::AsyncCall& call) {
    return std::move(static_cast<ClientCall&>(call).descriptors_);
}

void ClientConnection::set_done(xdr::AsyncCall& call, Done done, void* self) {
    static_cast<transport::PendingCall&>(call).set_done(done, self);
}

ClientCall* ClientConnection::find(std::uint32_t serial) const {
    return static_cast<ClientCall*>(calls_.find(serial));
}

void ClientConnection::take_out(ClientCall& call) {
    if (!calls_.remove(call) || call.state_ != ClientCall::State::sent) return;
    --sent_;
    if (!waiting_.empty()) loop_.defer(*this);
    // It is still sent, but from a copy.
    if (call.is_queued() && !socket_.copy_rest(call)) lose(ENOMEM);
}

// The call has its reply, or will never have one.
void ClientConnection::finish(ClientCall& call, const xdr::CallError* error) {
    take_out(call);
    call.end(error);
    call.notify();
}

void ClientConnection::recycle(ClientCall& call) {
    if (!call.descriptors_.empty()) call.descriptors_.clear();
    if (!call.sent_descriptors_.empty())
        call.sent_descriptors_.clear();  // those that were not sent
    calls_.give_back(call);
}

Failure ClientConnection::failure(const xdr::CallError& error) const {
    Failure out;
    out.call = error;
    if (error.outcome != xdr::Outcome::refused) return out;
    const auto* const reason = std::get_if<xdr::CallError::ProtocolError>(&error.reason);
    if (reason == nullptr) return out;
    for (const ReceivedError& one : errors_) {
        if (one.serial != reason->serial) continue;
        out.error = one.error;
        return out;
    }
    out.error.code = static_cast<int>(reason->code);
    out.error.message = "the text of the daemon's error was dropped";
    return out;
}

// ---- The connection ----

void ClientConnection::on_turn_end() {
    queue_waiting();
    if (backlog() == 0) return;
    if (state_ == State::idle) {
        state_ = State::connecting;
        socket_.connect(servers_);
    }
    if (state_ == State::connected) flush();
}

void ClientConnection::send_now(xdr::AsyncCall& call) {
    at_once_ = true;
    call.send();
    at_once_ = false;
    on_turn_end();
}

void ClientConnection::on_connected() {
    state_ = State::connected;
    heard_ = transport::EventLoop::Clock::now();
    loop_.defer(*this);
}

// The connection is not read while a stream holds as much as it is allowed to.
void ClientConnection::pause_reading(bool pause) {
    streams_full_ = pause ? streams_full_ + 1 : streams_full_ - 1;
    reading_ = streams_full_ == 0;
    socket_.set_interest(reading_ ? Interest::read : Interest::none);
}

void ClientConnection::set_layer(std::unique_ptr<transport::Layer> layer) {
    HELIO_ASSERT(backlog() == 0 && calls_.under_way() == 0);
    if (!socket_.set_layer(std::move(layer))) return lose(EBADMSG);
    if (!socket_.bytes().empty()) cut_messages();
}

void ClientConnection::close() {
    if (state_ != State::lost) lose(0, xdr::Outcome::cancelled);
}

// There is no connection, or it is lost.
void ClientConnection::lose(int error_number, xdr::Outcome outcome) {
    if (state_ == State::lost) return;
    socket_.close();
    state_ = State::lost;
    lost_error_ = error_number;
    waiting_.clear();
    keepalive_.cancel();

    xdr::CallError error;
    error.outcome = outcome;
    error.error_number = error_number;
    for (const std::uint32_t serial : calls_.numbers())
        if (ClientCall* const one = find(serial)) finish(*one, &error);
    // A stream only wakes its waiter, so this list does not change here.
    for (ClientStream* const one : streams_) one->fail_with(Failure{error, {}});
    if (lost_) lost_(error_number);
}

// ---- Keepalive ----

void ClientConnection::start_keepalive() {
    if (state_ == State::lost || options_.keepalive_interval.count() <= 0) return;
    keepalive_.set(transport::EventLoop::Clock::now() + options_.keepalive_interval);
}

void ClientConnection::check_keepalive() {
    const auto now = transport::EventLoop::Clock::now();
    const auto due = heard_ + options_.keepalive_interval;
    // While we do not read, silence means nothing.
    if (due > now || !reading_)
        return keepalive_.set(reading_ ? due : now + options_.keepalive_interval);
    if (unanswered_ >= options_.keepalive_count) return lose(ETIMEDOUT);
    ++unanswered_;
    ++counters_.pings;
    post(keepalive_header(frame::kKeepalivePing), {});
    keepalive_.set(now + options_.keepalive_interval);
}

void ClientConnection::take_keepalive(const frame::VirnetHeader& header) {
    if (header.procedure != frame::kKeepalivePing) return;  // any message counts as an answer
    ++counters_.pongs;
    post(keepalive_header(frame::kKeepalivePong), {});
}

// ---- Streams ----

void ClientConnection::add(ClientStream& stream) { streams_.push_back(&stream); }

void ClientConnection::fail_stream(std::uint32_t serial, Failure failure) {
    for (ClientStream* const one : streams_)
        if (one->serial_ == serial) return one->fail_with(std::move(failure));
}

void ClientConnection::remove(ClientStream& stream) { std::erase(streams_, &stream); }

void ClientConnection::abort_stream(std::uint32_t program, std::uint32_t version,
                                    std::uint32_t procedure, std::uint32_t serial) {
    if (state_ != State::connected) return;
    frame::VirnetHeader header;
    header.program = program;
    header.version = version;
    header.procedure = procedure;
    header.type = frame::VirnetType::stream;
    header.serial = serial;
    header.status = frame::VirnetStatus::error;
    post(header, {});
}

}  // namespace helio::virt
