#include "helio/virt/relay/pair_internal.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace helio::virt::relay {

using transport::Interest;

namespace {

// Memory for the beginning of an incomplete message: most messages fit completely.
constexpr std::size_t kLegBufferSize = 4u << 10;

transport::StreamOptions stream_options(rpc::BufferPool& pool,
                                        transport::SharedReceiveBuffer& room) {
    transport::StreamOptions out;
    out.pool = &pool;
    out.shared_room = &room;
    out.buffer_size = kLegBufferSize;
    out.takes_descriptors = true;
    return out;
}

}  // namespace

// ---- One connection ----

Pair::Leg::Leg(Pair& pair, RelaySide side)
    : stream(pair.relay_.loop_, *this, stream_options(pair.relay_.pool_, pair.relay_.room_)),
      pair_(pair),
      side_(side) {}

void Pair::Leg::end() {
    if (std::exchange(has_ended_, true)) return;
    rest_buffer_ = stream.buffer();
    rest_ = stream.bytes();
    rest_descriptors_ = std::move(stream.descriptors());
    stream.consume(rest_.size());
}

void Pair::Leg::use(const RelaySession::Progress& progress) {
    wanted_ = progress.wanted;
    if (!has_ended_) return stream.consume(progress.consumed);
    rest_ = rest_.subspan(progress.consumed);
    if (rest_.empty()) rest_buffer_ = {};
}

void Pair::Leg::on_received(std::size_t) {
    if (descriptors().size() > 2 * frame::kVirnetFdsMax)
        return pair_.close(fmt::format("the {} sent file descriptors without a message", name()));
    pair_.pump();
}

// It may still read what is queued for it.
bool Pair::Leg::on_end() {
    end();
    pair_.pump();
    return true;
}

void Pair::Leg::on_lost(int error_number) {
    if (!is_client() && pair_.stage_ == Stage::connecting)
        return pair_.on_daemon_unreachable(error_number);
    end();
    pair_.pump();
}

// ---- Finding a daemon ----

Pair::Pair(Relay& relay, RelayClient who, bool client_takes_descriptors)
    : Timer(relay.loop_),
      relay_(relay),
      who_(std::move(who)),
      client_takes_descriptors_(client_takes_descriptors) {}

void Pair::start(Fd client) {
    relay_.observer_.on_connect(who_);
    if (const int error_number = client_.stream.open(std::move(client)); error_number != 0)
        return close(
            fmt::format("the relay cannot watch its socket: {}", std::strerror(error_number)));
    client_.stream.set_interest(Interest::none);  // until there is a session
    daemon_.stream.connect(relay_.options_.daemons, {.timeout = relay_.options_.connect_timeout});
}

// The client's first call gets this error.
void Pair::on_daemon_unreachable(int error_number) {
    const auto& daemons = relay_.options_.daemons;
    failure_ = daemons.empty() ? "the relay has no daemon"
                               : fmt::format("the relay cannot reach its daemon at {}: {}",
                                             to_text(daemons.back()), std::strerror(error_number));
    stage_ = Stage::unreachable;
    make_session({.show_arguments = relay_.options_.show_arguments,
                  .watch_messages = relay_.options_.watch_messages});
    session_->daemon_is_unreachable(failure_);
    set(Clock::now() + relay_.options_.connect_timeout);  // limits the time for a silent client
    pump();
}

void Pair::on_daemon_connected() {
    stage_ = Stage::relaying;
    const transport::Endpoint& where = relay_.options_.daemons[daemon_.stream.address()];
    who_.daemon = to_text(where);
    RelaySessionOptions options;
    options.show_arguments = relay_.options_.show_arguments;
    options.watch_messages = relay_.options_.watch_messages;
    options.client_takes_descriptors = client_takes_descriptors_;
    options.daemon_takes_descriptors = where.is_unix();
    make_session(options);
    pump();
}

void Pair::make_session(const RelaySessionOptions& options) {
    RelayWatch& watcher = *this;
    RelayOutput& output = *this;
    session_ = std::make_unique<RelaySession>(relay_.policy_, watcher, output, options);
}

void Pair::on_time() {
    close(stage_ == Stage::unreachable ? failure_ : "the remaining data was not read in time");
}

// ---- What the session says ----

void Pair::on_message(RelaySide from, ByteView frame) {
    relay_.observer_.on_message(who_, from, frame);
}

void Pair::on_call_end(const CallRecord& call) {
    if (call.end == CallRecord::End::good && call.procedure != nullptr && call.procedure->opens)
        relay_.set_opened(*this);
    relay_.observer_.on_call_end(who_, call);
}

void Pair::send(RelaySide to, ByteView frame, std::vector<Fd> descriptors) {
    transport::Stream& stream = to == RelaySide::client ? client_.stream : daemon_.stream;
    if (stream.is_idle()) return;  // it is gone
    stream.write(frame);
    for (Fd& one : descriptors) stream.write(std::move(one));
}

// ---- Moving bytes ----

bool Pair::is_blocked(const Leg& leg) const {
    if (!session_) return true;
    if (client_.stream.unsent() >= kRelayUnsentBytesMax) return true;
    if (!leg.is_client()) return false;
    return session_->is_waiting() || daemon_.stream.unsent() >= kRelayUnsentBytesMax;
}

// Does everything that is possible with the bytes received.
void Pair::pump() {
    if (is_pumping_ || stage_ == Stage::over) return;
    is_pumping_ = true;
    bool moved = true;
    while (moved) {  // sending makes room for more
        daemon_.stream.flush();
        client_.stream.flush();
        moved = feed(daemon_);
        moved = feed(client_) || moved;
    }
    is_pumping_ = false;
    settle();
}

bool Pair::feed(Leg& leg) {
    if (leg.bytes().empty() || is_blocked(leg)) return false;
    const RelaySession::Progress progress =
        leg.is_client() ? session_->from_client(leg.bytes(), leg.descriptors())
                        : session_->from_daemon(leg.bytes(), leg.descriptors());
    leg.use(progress);
    return progress.consumed > 0;
}

void Pair::settle() {
    if (!client_.keep() || !daemon_.keep()) return close("out of memory for received data");
    if (stage_ == Stage::connecting) {
        if (client_.has_ended()) close("the client closed the connection");
        return;
    }
    const bool to_client = client_.stream.unsent() > 0, to_daemon = daemon_.stream.unsent() > 0;
    if (session_->has_ended() && !to_client && !to_daemon)
        return close(!session_->problem().empty()   ? session_->problem()
                     : stage_ == Stage::unreachable ? failure_
                                                    : "the connection ended");
    if (client_.has_ended() && stage_ == Stage::unreachable) return close(failure_);
    if (client_.has_ended() && !to_daemon && !session_->is_waiting())
        return close("the client closed the connection");
    const bool daemon_ended = daemon_.has_ended() && stage_ == Stage::relaying;
    if (daemon_ended && !to_client) return close("the daemon closed the connection");
    const bool is_ending = client_.has_ended() || session_->has_ended() || daemon_ended;
    if (is_ending && !is_set()) set(Clock::now() + relay_.options_.linger);
    watch(client_);
    watch(daemon_);
}

void Pair::watch(Leg& leg) {
    const bool reads = !session_->has_ended() && !is_blocked(leg);
    leg.stream.set_interest(reads ? Interest::read : Interest::none);
}

void Pair::close(std::string_view why) {
    if (stage_ == Stage::over) return;
    const std::string reason{why};  // `why` may view our own string
    stage_ = Stage::over;
    cancel();
    if (session_) session_->finish();
    client_.stream.close();
    daemon_.stream.close();
    relay_.observer_.on_disconnect(who_, reason);
    relay_.let_go(*this);
}

}  // namespace helio::virt::relay
