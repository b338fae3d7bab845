#include "helio/virt/client/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "helio/base/assert.h"
#include "helio/virt/client/call_internal.h"
#include "helio/virt/client/stream.h"

namespace helio::virt {

namespace {

// More than the streams' unsent bytes and a packet, so that an upload does not allocate.
constexpr std::size_t kSentKeptMax = 4 * kStreamUnsentBytesMax;
constexpr std::size_t kCallTableSizeMin = 16;
// Deadlines that are nearer to each other than this are met together.
constexpr std::chrono::milliseconds kCallDeadlineStep{1};

rpc::VirnetHeader keepalive_header(std::uint32_t procedure) {
    rpc::VirnetHeader out;
    out.program = rpc::kKeepaliveProgram;
    out.procedure = procedure;
    out.type = rpc::VirnetType::message;
    return out;
}

}  // namespace

ClientConnection::ClientConnection(transport::EventLoop& loop,
                                   std::vector<transport::Endpoint> servers,
                                   ClientConnectionOptions options)
    : loop_(loop),
      servers_(std::move(servers)),
      options_(std::move(options)),
      out_(kSentKeptMax),
      table_(kCallTableSizeMin) {
    HELIO_ASSERT(options_.calls_max > 0);
}

ClientConnection::ClientConnection(transport::EventLoop& loop, Fd connected_socket,
                                   ClientConnectionOptions options)
    : ClientConnection(loop, std::vector<transport::Endpoint>{}, std::move(options)) {
    socket_ = std::move(connected_socket);
    watched_ = EPOLLIN;
    loop_.add(socket_.get(), watched_, *this);
    connected();
}

ClientConnection::~ClientConnection() {
    HELIO_ASSERT(free_.size() == calls_.size() && streams_.empty());
    if (socket_) loop_.remove(socket_.get(), *this);
}

// ---- Calls ----

xdr::AsyncCall::Owner ClientConnection::begin(const xdr::VersionInfo& version,
                                              const xdr::ProcedureInfo& procedure) {
    return begin(version.program, version.version, procedure.number);
}

xdr::AsyncCall::Owner ClientConnection::begin(std::uint32_t program, std::uint32_t version,
                                              std::uint32_t procedure,
                                              std::vector<Fd> descriptors) {
    if (free_.empty()) {
        calls_.push_back(std::make_unique<ClientCall>(*this));
        free_.push_back(calls_.back().get());
    }
    ClientCall& call = *free_.back();
    free_.pop_back();
    if (in_table_ * 2 >= table_.size()) grow_table();
    while (table_[next_serial_ & (table_.size() - 1)] != nullptr) ++next_serial_;
    call.start(next_serial_++);
    ++counters_.calls;

    rpc::VirnetHeader header;
    header.program = program;
    header.version = version;
    header.procedure = procedure;
    header.type = descriptors.empty() ? rpc::VirnetType::call : rpc::VirnetType::call_with_fds;
    header.serial = call.serial_;
    call.open(header, std::move(descriptors));
    return xdr::AsyncCall::Owner{&call};
}

std::vector<Fd> ClientConnection::take_descriptors(xdr::AsyncCall& call) {
    return std::move(static_cast<ClientCall&>(call).descriptors_);
}

void ClientConnection::set_done(xdr::AsyncCall& call, Done done, void* self) {
    auto& mine = static_cast<ClientCall&>(call);
    mine.done_ = done;
    mine.done_self_ = self;
}

ClientCall* ClientConnection::find(std::uint32_t serial) const {
    ClientCall* const one = table_[serial & (table_.size() - 1)];
    return one != nullptr && one->serial_ == serial ? one : nullptr;
}

// No two calls under way share a place: serials are counted, and a place that is taken makes the
// table grow.
void ClientConnection::add_to_table(ClientCall& call) {
    while (table_[call.serial_ & (table_.size() - 1)] != nullptr) grow_table();
    table_[call.serial_ & (table_.size() - 1)] = &call;
    ++in_table_;
}

void ClientConnection::grow_table() {
    std::vector<ClientCall*> larger(table_.size() * 2);
    for (ClientCall* const one : table_)
        if (one != nullptr) larger[one->serial_ & (larger.size() - 1)] = one;
    table_ = std::move(larger);
}

// Of all calls under way, the oldest first. Whoever is told of an end may let go of others, so each
// is looked up again.
std::vector<std::uint32_t> ClientConnection::serials() const {
    std::vector<std::uint32_t> out;
    for (const ClientCall* const one : table_)
        if (one != nullptr) out.push_back(one->serial_);
    std::sort(out.begin(), out.end(), [this](std::uint32_t a, std::uint32_t b) {
        return next_serial_ - a > next_serial_ - b;  // also past 2^32
    });
    return out;
}

void ClientConnection::take_out(ClientCall& call) {
    ClientCall*& place = table_[call.serial_ & (table_.size() - 1)];
    if (place != &call) return;
    place = nullptr;
    --in_table_;
    if (call.state_ != ClientCall::State::sent) return;
    --sent_;
    if (!waiting_.empty()) loop_.defer(*this);
}

// The call has its reply, or never will.
void ClientConnection::finish(ClientCall& call, const xdr::CallError* error) {
    take_out(call);
    if (error != nullptr) call.error_ = *error;
    call.state_ = ClientCall::State::finished;
    if (call.done_ != nullptr) return call.done_(call.done_self_, call);
    if (call.waiter_) {
        call.resuming_ = true;
        loop_.resume_soon(call.waiter_);
    }
}

void ClientConnection::recycle(ClientCall& call) {
    call.state_ = ClientCall::State::free;
    call.reader_.reset();
    call.reply_ = {};
    call.descriptors_.clear();
    free_.push_back(&call);
}

void ClientConnection::watch_deadline(transport::EventLoop::Clock::time_point due) {
    if (deadlines_.is_set() && next_deadline_ <= due) return;
    next_deadline_ = due;
    deadlines_.set(due);
}

// Calls that are answered leave the timer as it was, so often nothing is due.
void ClientConnection::check_deadlines() {
    const auto now = transport::EventLoop::Clock::now();
    xdr::CallError error;
    error.outcome = xdr::Outcome::timed_out;
    for (const std::uint32_t serial : serials()) {
        ClientCall* const one = find(serial);
        if (one == nullptr || one->deadline_ > now) continue;
        if (one->opens_stream_) {
            if (one->state_ == ClientCall::State::sent) orphans_.push_back(serial);
            fail_stream(serial, Failure{error, {}});
        }
        finish(*one, &error);
    }
    auto next = transport::EventLoop::Clock::time_point::max();
    for (const ClientCall* const one : table_)
        if (one != nullptr) next = std::min(next, one->deadline_);
    if (in_table_ > 0) watch_deadline(std::max(next, now + kCallDeadlineStep));
}

Failure ClientConnection::failure(const xdr::CallError& error) const {
    Failure out;
    out.call = error;
    if (error.outcome != xdr::Outcome::refused) return out;
    for (const Said& one : said_) {
        if (one.serial != error.high) continue;
        out.error = one.error;
        return out;
    }
    out.error.code = static_cast<int>(error.low);
    out.error.message = "the daemon's words are forgotten";
    return out;
}

// ---- The connection ----

void ClientConnection::on_turn_end() {
    // Decoded while nobody wanted it: the socket will not tell of that again.
    if (reading_ && decoded_taken_ < decoded_.size()) receive(false);
    queue_waiting();
    if (backlog() == 0) return;
    if (state_ == State::idle) connect();
    if (state_ == State::connected) flush();
}

void ClientConnection::send_now(xdr::AsyncCall& call) {
    at_once_ = true;
    call.send();
    at_once_ = false;
    on_turn_end();
}

void ClientConnection::connect() {
    if (server_ >= servers_.size()) return lose(ECONNREFUSED);
    const transport::Endpoint& where = servers_[server_];
    socket_ = Fd{socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!socket_) return lose(errno);
    state_ = State::connecting;
    watched_ = EPOLLIN | EPOLLOUT;
    try {
        loop_.add(socket_.get(), watched_, *this);
    } catch (const std::system_error& error) {
        socket_.reset();
        return lose(error.code().value());
    }
    if (::connect(socket_.get(), where.address(), where.size()) == 0) return connected();
    if (errno != EINPROGRESS) lose(errno);
}

void ClientConnection::connected() {
    state_ = State::connected;
    heard_ = transport::EventLoop::Clock::now();
    const int on = 1;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // fails on AF_UNIX
    watch_for(EPOLLIN);
    loop_.defer(*this);
}

void ClientConnection::watch_for(std::uint32_t events) {
    if (!reading_) events &= ~static_cast<std::uint32_t>(EPOLLIN);
    if (events == watched_) return;
    watched_ = events;
    loop_.change(socket_.get(), events, *this);
}

// While a stream holds what it may, its connection is not read.
void ClientConnection::pause_reading(bool pause) {
    streams_full_ = pause ? streams_full_ + 1 : streams_full_ - 1;
    reading_ = streams_full_ == 0;
    if (reading_ && layer_) loop_.defer(*this);
    if (state_ == State::connected) watch_for(backlog() > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void ClientConnection::set_layer(std::unique_ptr<Layer> layer) {
    HELIO_ASSERT(backlog() == 0 && in_table_ == 0);
    layer_ = std::move(layer);
}

void ClientConnection::close() {
    if (state_ != State::lost) lose(0, xdr::Outcome::cancelled);
}

// There is no connection, or none any more.
void ClientConnection::lose(int error_number, xdr::Outcome outcome) {
    if (state_ == State::lost) return;
    const bool another = state_ == State::connecting && server_ + 1 < servers_.size();
    if (socket_) loop_.remove(socket_.get(), *this);
    socket_.reset();
    if (another && outcome == xdr::Outcome::unreachable) {
        ++server_;
        return connect();
    }
    state_ = State::lost;
    lost_error_ = error_number;
    receiving_ = {};
    receive_begin_ = receive_end_ = wanted_ = 0;
    received_descriptors_.clear();
    out_.clear();
    plain_.clear();
    decoded_.clear();
    decoded_taken_ = 0;
    waiting_.clear();
    keepalive_.cancel();

    xdr::CallError error;
    error.outcome = outcome;
    error.error_number = error_number;
    for (const std::uint32_t serial : serials())
        if (ClientCall* const one = find(serial)) finish(*one, &error);
    // A stream only wakes whoever waits for it: nobody comes or goes here.
    for (ClientStream* const one : streams_) one->fail_with(Failure{error, {}});
    if (lost_) lost_(error_number);
}

void ClientConnection::on_events(std::uint32_t events) {
    if (state_ == State::connecting) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) return lose(error);
        if (events & EPOLLOUT) connected();
        return;
    }
    if (events & EPOLLOUT) flush();
    if (state_ != State::connected) return;
    // The end is told however little we want to hear; what came before it is no more than the
    // socket's own buffer.
    const bool over = (events & (EPOLLHUP | EPOLLERR)) != 0;
    if (over || (reading_ && (events & EPOLLIN))) receive(over);
}

// ---- Keepalive ----

void ClientConnection::start_keepalive() {
    if (state_ == State::lost || options_.keepalive_interval.count() <= 0) return;
    keepalive_.set(transport::EventLoop::Clock::now() + options_.keepalive_interval);
}

void ClientConnection::check_keepalive() {
    const auto now = transport::EventLoop::Clock::now();
    const auto due = heard_ + options_.keepalive_interval;
    // Whoever does not read hears nothing.
    if (due > now || !reading_)
        return keepalive_.set(reading_ ? due : now + options_.keepalive_interval);
    if (unanswered_ >= options_.keepalive_count) return lose(ETIMEDOUT);
    ++unanswered_;
    ++counters_.pings;
    post(keepalive_header(rpc::kKeepalivePing), {});
    keepalive_.set(now + options_.keepalive_interval);
}

void ClientConnection::take_keepalive(const rpc::VirnetHeader& header) {
    if (header.procedure != rpc::kKeepalivePing) return;  // any message is an answer
    ++counters_.pongs;
    post(keepalive_header(rpc::kKeepalivePong), {});
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
    rpc::VirnetHeader header;
    header.program = program;
    header.version = version;
    header.procedure = procedure;
    header.type = rpc::VirnetType::stream;
    header.serial = serial;
    header.status = rpc::VirnetStatus::error;
    post(header, {});
}

}  // namespace helio::virt
