#include "helio/transport/server/stream_connection_internal.h"

namespace helio::transport {

namespace {
// The lowest rate at which a record may arrive, in addition to its fixed time: a modem's speed.
constexpr std::size_t kRecordBytesPerSecondMin = 8u << 10;
// When memory is short, a connection may have this many bytes of replies before the peer has to
// read some.
constexpr std::size_t kTightBatchBytes = 64u << 10;
}  // namespace

StreamConnection::StreamConnection(ServerThread& thread, std::uint64_t id, const rpc::Peer& peer,
                                   const rpc::SessionFactory* session_factory)
    : thread_(thread),
      id_(id),
      has_session_factory_(session_factory != nullptr),
      session_(session_factory != nullptr
                   ? session_factory->make_session(thread.worker(), *this, peer)
                   : std::make_unique<rpc::StreamSession>(
                         thread.worker(), static_cast<rpc::Session::Owner&>(*this),
                         thread.worker().server().make_envelope(), peer)),
      stream_(thread.loop(), *this, thread.stream_options(session_->takes_descriptors())),
      active_(EventLoop::Clock::now()) {
    if (thread_.shared().memory.is_tight()) stream_.use_reserve(!thread_.holds_much(peer.client));
}

// It may not have been closed before: it was overdue, or the server stops. The back channel may
// outlive it.
StreamConnection::~StreamConnection() {
    if (!std::exchange(closed_, true)) leave();
}

// ---- Receiving ----

void StreamConnection::on_received(std::size_t size) {
    record_bytes_ += size;
    if (!stream_.descriptors().empty() &&
        !session_->take_descriptors(std::exchange(stream_.descriptors(), {}))) [[unlikely]]
        return close();
    if (!stream_.is_worth_a_look()) {
        active_ = thread_.loop().now();
        return;
    }
    process();
    active_ = thread_.worker().now();  // the session has read the clock
}

// The peer may have sent everything and still wait for replies.
bool StreamConnection::on_end() {
    active_ = thread_.loop().now();
    ending_ = true;
    advance();
    return true;
}

// Runs the calls that have arrived and sends their replies; the rest stays.
void StreamConnection::process() {
    rpc::StreamSession::Progress progress;
    std::size_t calls = 0;
    const bool is_tight = thread_.shared().memory.is_tight();
    session_->set_batch_bytes_max(is_tight ? kTightBatchBytes : rpc::kBatchBytesMax);
    if (is_tight) [[unlikely]] {
        thread_.relieve_soon();
        stream_.use_reserve(!thread_.holds_much(peer().client));
    }
    do {
        const rpc::BufferRef buffer = stream_.buffer();  // a call may end the stream
        progress = session_->receive(buffer, stream_.bytes());
        if (closed_) return;
        stream_.consume(progress.consumed);
        calls += progress.calls;
        has_called_ |= progress.calls > 0;
        if (progress.broken) {
            ending_ = true;
            stream_.consume(stream_.bytes().size());
            if (send() || !stream_.keep(0)) close();
            return;
        }
        if (!send()) break;  // blocked, or closed
    } while (progress.full && !progress.yields && session_->may_run_more());
    if (closed_) return;
    full_ = progress.full && !stream_.bytes().empty();
    if (progress.yields) output_ready();  // continues at the end of the turn
    if (!stream_.keep(progress.wanted, session_->bytes_held())) return close();
    const bool record_open = !stream_.bytes().empty() || !session_->at_boundary();
    if (record_open && (!record_open_ || calls > 0)) {
        record_opened_ = record_began_ = thread_.worker().now();
        record_bytes_ = 0;
    }
    record_open_ = record_open;
    if (ending_) return advance();
    update_interest();
}

// Something ended: calls that had to wait may run now, or nothing is left to do.
void StreamConnection::advance() {
    if (closed_ || is_sending()) return;
    if ((full_ && session_->may_run_more()) || session_->has_runnable_calls()) {
        full_ = false;
        return process();
    }
    if (ending_ && session_->calls_in_flight() == 0 && !session_->has_output()) return close();
    update_interest();
}

// ---- Sending ----

void StreamConnection::output_ready() { thread_.loop().defer(*this); }

void StreamConnection::on_turn_end() {
    active_ = EventLoop::Clock::now();  // a long call does not count as idle time
    if (send()) advance();
}

// True if everything has been sent.
bool StreamConnection::send() {
    while (!closed_) {
        if (!replies_.is_queued() && session_->has_output()) {
            if (!replies_.take(session_->take_output())) break;
            stream_.send(replies_);
        } else if (!is_sending()) {
            was_blocked_ = false;
            return true;
        }
        if (stream_.flush()) continue;
        if (!std::exchange(was_blocked_, true)) blocked_since_ = thread_.loop().now();
        update_interest();
        return false;
    }
    close();
    return false;
}

void StreamConnection::on_writable() {
    active_ = thread_.loop().now();  // slow, but it reads something
    if (!was_blocked_) return make_output();
    if (send()) advance();
}

// Sends some of the session's own output, then lets others run. The next part waits for its turn,
// so that input from a peer that reads fast is still handled.
void StreamConnection::make_output() {
    if (is_sending() || !session_->has_more_output()) return;
    session_->make_output();
    if (send()) update_interest();
}

void StreamConnection::update_interest() {
    if (closed_) return;
    if (stream_.is_over_budget()) [[unlikely]]
        thread_.relieve_soon();
    const bool reads = !ending_ && !full_ && !is_sending() && !stream_.is_over_budget();
    const bool writes = session_->has_more_output();
    stream_.set_interest((reads ? Interest::read : Interest::none) |
                         (writes ? Interest::write : Interest::none));
}

// ---- Memory ----

EventLoop::Clock::duration StreamConnection::slow_for(EventLoop::Clock::time_point now) const {
    if (is_sending() && was_blocked_) return now - blocked_since_;
    if (record_open_) return now - record_opened_;
    return EventLoop::Clock::duration::zero();
}

// Others may hold less now. Its record could not arrive while nothing was read.
void StreamConnection::retry() {
    active_ = record_began_ = thread_.loop().now();
    record_bytes_ = 0;
    process();
}

void StreamConnection::send_cached(const rpc::CachedReply& reply) {
    session_->send_cached(reply, session_->peer());
    output_ready();
}

// ---- The end ----

bool StreamConnection::overdue(EventLoop::Clock::time_point now) const {
    const ServerLimits& limits = thread_.shared().limits;
    if (is_sending()) return now - active_ > limits.send_timeout;
    if (session_->calls_in_flight() > 0) return false;
    if (record_open_) {
        if (stream_.is_over_budget()) return false;  // it is we who do not read
        const auto allowance =
            std::chrono::milliseconds(record_bytes_ * 1000 / kRecordBytesPerSecondMin);
        return now - active_ > limits.record_timeout ||  // nothing has arrived at all
               now - record_began_ > limits.record_timeout + allowance;
    }
    return !session_->may_be_idle() && now - active_ > limits.idle_timeout;
}

// A peer that has never made a call may be in the middle of its first record: drip-feeding records
// must not keep others out.
bool StreamConnection::is_idle() const {
    if (is_sending() || session_->calls_in_flight() > 0 || session_->has_output()) return false;
    return !has_called_ || (!record_open_ && !session_->may_be_idle());
}

void StreamConnection::drain() {
    ending_ = true;
    advance();
}

std::shared_ptr<rpc::DuplicateCache::Waiter> StreamConnection::make_waiter(const rpc::Peer&) {
    return thread_.make_waiter(id_);
}

std::shared_ptr<rpc::SessionHandle> StreamConnection::make_handle() {
    return thread_.make_handle(id_);
}

std::shared_ptr<rpc::BackChannel> StreamConnection::back_channel() {
    if (closed_ || has_session_factory_) return nullptr;
    if (!back_channel_)
        back_channel_ = std::make_shared<StreamBackChannel>(
            thread_.loop(), static_cast<StreamBackChannel::Carrier&>(*this), make_handle());
    return back_channel_;
}

bool StreamConnection::take_reply(const rpc::BufferRef& buffer, ByteView message) {
    return back_channel_ && back_channel_->take_reply(buffer, message);
}

void StreamConnection::end() {
    ending_ = true;
    output_ready();  // closes it if there is nothing to send
}

void StreamConnection::on_lost(int) { close(); }

void StreamConnection::close() {
    if (std::exchange(closed_, true)) return;
    leave();
    thread_.remove_connection(*this);  // later: it may still be in use on the stack
}

void StreamConnection::leave() {
    stream_.close();
    replies_.drop();
    if (back_channel_) back_channel_->disconnect();
}

}  // namespace helio::transport
