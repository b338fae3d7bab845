#include "helio/virt/relay/pair_internal.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "helio/transport/descriptors.h"

namespace helio::virt::relay {

using transport::Interest;

namespace {

// Enough for most calls; streams make it grow to one of their packets.
constexpr std::size_t kPairBufferSize = 16u << 10;
// Buffers larger than this are given back once the message that needed it has passed.
constexpr std::size_t kPairBufferKept = 1u << 20;
constexpr int kPairReceivesPerTurn = 16;
// A daemon whose queue of connections is full says EAGAIN over AF_UNIX.
constexpr std::chrono::milliseconds kPairConnectAgain{20};

}  // namespace

Pair::Pair(Relay& relay, Fd client, RelayClient who, bool client_takes_descriptors)
    : Timer(relay.loop_),
      relay_(relay),
      who_(std::move(who)),
      client_takes_descriptors_(client_takes_descriptors) {
    client_.socket = std::move(client);
}

Pair::~Pair() {
    drop(client_);
    drop(daemon_);
}

void Pair::on_message(bool from_client, ByteView frame) {
    relay_.observer_.on_message(who_, from_client, frame);
}

void Pair::on_call_end(const CallRecord& call) { relay_.observer_.on_call_end(who_, call); }

// ---- Finding a daemon ----

void Pair::start() {
    relay_.observer_.on_connect(who_);
    const int on = 1;
    setsockopt(client_.socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // not of AF_UNIX
    give_up_ = Clock::now() + relay_.options_.connect_timeout;
    connect();
}

void Pair::connect() {
    while (stage_ == Stage::connecting) {
        if (next_daemon_ >= relay_.options_.daemons.size()) return not_connected(0);
        const transport::Endpoint& where = relay_.options_.daemons[next_daemon_];
        drop(daemon_);
        daemon_.socket = Fd{socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        if (!daemon_.socket) {
            not_connected(errno);
            continue;
        }
        if (::connect(daemon_.socket.get(), where.address(), where.size()) == 0) return connected();
        if (errno == EINPROGRESS) {
            set(give_up_);
            return watch(daemon_, true);
        }
        if (errno == EAGAIN && Clock::now() < give_up_) {
            daemon_.socket.reset();
            return set(Clock::now() + kPairConnectAgain);
        }
        not_connected(errno);
    }
}

// The next one, or none is left: the client's first call will hear of it.
void Pair::not_connected(int error_number) {
    const auto& daemons = relay_.options_.daemons;
    drop(daemon_);
    if (next_daemon_ < daemons.size()) {
        last_failure_ = fmt::format("the relay cannot reach its daemon at {}: {}",
                                    to_text(daemons[next_daemon_]), std::strerror(error_number));
        give_up_ = Clock::now() + relay_.options_.connect_timeout;
        if (++next_daemon_ < daemons.size()) return;
    }
    cancel();
    stage_ = Stage::unreachable;
    make_session({.show_arguments = relay_.options_.show_arguments,
                  .watch_messages = relay_.options_.watch_messages});
    session_->daemon_is_unreachable(last_failure_.empty() ? "the relay has no daemon"
                                                          : last_failure_);
    daemon_.ended = true;
    set(Clock::now() + relay_.options_.connect_timeout);  // a client that says nothing
    pump();
}

void Pair::connected() {
    cancel();
    stage_ = Stage::relaying;
    const transport::Endpoint& where = relay_.options_.daemons[next_daemon_];
    who_.daemon = to_text(where);
    const int on = 1;
    setsockopt(daemon_.socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    RelaySessionOptions options;
    options.show_arguments = relay_.options_.show_arguments;
    options.watch_messages = relay_.options_.watch_messages;
    options.client_takes_descriptors = client_takes_descriptors_;
    options.daemon_takes_descriptors = where.family() == AF_UNIX;
    make_session(options);
    pump();
}

void Pair::make_session(const RelaySessionOptions& options) {
    RelayWatch& watcher = *this;
    session_ = std::make_unique<RelaySession>(relay_.policy_, watcher, options);
    client_.out = &session_->to_client();
    daemon_.out = &session_->to_daemon();
}

void Pair::on_time() {
    if (stage_ != Stage::connecting)
        return close(stage_ == Stage::unreachable ? last_failure_
                                                  : "what was left was not taken in time");
    if (daemon_.socket) not_connected(ETIMEDOUT);
    connect();
}

// ---- Moving bytes ----

void Pair::on_ready(Leg& leg, transport::Readiness ready) {
    if (stage_ == Stage::over) return;
    if (stage_ == Stage::connecting && !leg.is_client_) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(leg.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) {
            not_connected(error);
            return connect();
        }
        if (ready.writable()) connected();
        return;
    }
    // Who has hung up says so however little we want to hear; what came before that is no more than
    // its socket holds.
    if (ready.hung_up() || ready.readable()) receive(leg, ready.hung_up());
    if (stage_ == Stage::over) return;
    if (stage_ == Stage::connecting) {
        if (client_.ended) close("the client closed the connection");
        return;
    }
    pump();
}

void Pair::make_room(Leg& leg) {
    if (leg.begin == leg.end) leg.begin = leg.end = 0;
    const std::size_t kept = leg.end - leg.begin;
    const std::size_t needed = std::max({kPairBufferSize, leg.wanted, kept + kPairBufferSize / 4});
    if (leg.buffer.size() - leg.begin >= needed && leg.end < leg.buffer.size()) return;
    if (leg.begin > 0) {
        std::memmove(leg.buffer.data(), leg.buffer.data() + leg.begin, kept);
        leg.begin = 0;
        leg.end = kept;
    }
    if (leg.buffer.size() < needed) leg.buffer.resize(needed);
}

// `all`: to the end, whatever may wait for it.
void Pair::receive(Leg& leg, bool all) {
    for (int i = 0; all || (i < kPairReceivesPerTurn && !is_blocked(leg)); ++i) {
        make_room(leg);
        const std::size_t room = leg.buffer.size() - leg.end;
        const ssize_t got = transport::receive_with_descriptors(
            relay_.loop_.network(), leg.socket.get(), {leg.buffer.data() + leg.end, room},
            MSG_DONTWAIT, leg.descriptors);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN && !all) return;
        if (got <= 0) {
            leg.ended = true;
            if (all) drop(leg);
            return;
        }
        leg.end += static_cast<std::size_t>(got);
        if (leg.descriptors.size() > 2 * rpc::kVirnetFdsMax)
            return close(fmt::format("the {} sent descriptors that belong to no message",
                                     leg.is_client_ ? "client" : "daemon"));
        const bool full = static_cast<std::size_t>(got) == room;
        if (!all && !full) return;
        if (!all) {
            pump();
            if (stage_ == Stage::over || !leg.socket) return;
        }
    }
}

bool Pair::is_blocked(const Leg& leg) const {
    if (!session_) return true;
    if (session_->to_client().size() >= kRelayUnsentBytesMax) return true;
    if (!leg.is_client_) return false;
    return session_->is_waiting() || session_->to_daemon().size() >= kRelayUnsentBytesMax;
}

// Everything that can be done with what is here.
void Pair::pump() {
    if (pumping_ || stage_ == Stage::over) return;
    pumping_ = true;
    bool moved = true;
    while (moved) {  // what is sent makes room for more
        flush(daemon_);
        flush(client_);
        moved = feed(daemon_);
        moved = feed(client_) || moved;
    }
    pumping_ = false;
    settle();
}

bool Pair::feed(Leg& leg) {
    if (leg.begin == leg.end || is_blocked(leg)) return false;
    const ByteView bytes{leg.buffer.data() + leg.begin, leg.end - leg.begin};
    const RelaySession::Progress progress = leg.is_client_
                                                ? session_->from_client(bytes, leg.descriptors)
                                                : session_->from_daemon(bytes, leg.descriptors);
    leg.begin += progress.consumed;
    leg.wanted = progress.wanted;
    if (leg.begin == leg.end && leg.buffer.size() > kPairBufferKept) {
        leg.buffer = {};
        leg.begin = leg.end = 0;
    }
    return progress.consumed > 0;
}

// A side that takes nothing any more has ended.
void Pair::flush(Leg& leg) {
    if (leg.out->size() == 0) return;
    if (leg.socket && leg.out->send(leg.socket.get())) return;
    if (leg.socket && (errno == EAGAIN || errno == ENOBUFS)) return;
    leg.out->clear();
    leg.ended = true;
}

void Pair::settle() {
    const bool nothing_left = client_.out->size() == 0 && daemon_.out->size() == 0;
    if (session_->has_ended() && nothing_left)
        return close(!session_->problem().empty()   ? session_->problem()
                     : stage_ == Stage::unreachable ? last_failure_
                                                    : "it ended");
    if (client_.ended && stage_ == Stage::unreachable) return close(last_failure_);
    if (client_.ended && daemon_.out->size() == 0 && !session_->is_waiting())
        return close("the client closed the connection");
    if (daemon_.ended && stage_ == Stage::relaying && client_.out->size() == 0)
        return close("the daemon closed the connection");
    const bool ending =
        client_.ended || session_->has_ended() || (daemon_.ended && stage_ == Stage::relaying);
    if (ending && !is_set()) set(Clock::now() + relay_.options_.linger);
    watch(client_, !session_->has_ended() && !is_blocked(client_));
    watch(daemon_, !session_->has_ended() && !is_blocked(daemon_));
}

void Pair::watch(Leg& leg, bool reads) {
    if (!leg.socket) return;
    Interest interest = Interest::none;
    if (reads && !leg.ended) interest = interest | Interest::read;
    if (stage_ == Stage::connecting || (leg.out != nullptr && leg.out->size() > 0))
        interest = interest | Interest::write;
    if (leg.added && interest == leg.interest) return;
    leg.interest = interest;
    if (leg.added) return relay_.loop_.change(leg.socket.get(), interest, leg);
    leg.added = relay_.loop_.add(leg.socket.get(), interest, leg) == 0;
    if (leg.added) return;
    leg.ended = true;  // no memory in the kernel
    leg.socket.reset();
}

void Pair::drop(Leg& leg) {
    if (leg.added) relay_.loop_.remove(leg.socket.get(), leg);
    leg.added = false;
    leg.interest = Interest::none;
    leg.socket.reset();
}

void Pair::close(std::string_view why) {
    if (stage_ == Stage::over) return;
    const std::string reason{why};  // it may be ours
    stage_ = Stage::over;
    cancel();
    if (session_) session_->finish();
    drop(client_);
    drop(daemon_);
    relay_.observer_.on_disconnect(who_, reason);
    relay_.let_go(*this);
}

}  // namespace helio::virt::relay
