// Stream: its life cycle, from connecting to closing. stream_io.cc moves the bytes.
#include "helio/transport/stream/stream.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "helio/base/assert.h"

namespace helio::transport {

namespace {
// Retry interval for a listener whose queue is full.
constexpr std::chrono::milliseconds kConnectAgain{20};
}  // namespace

// The attempt to connect to one of several addresses.
class Stream::Connecting final : public Timer {
 public:
    Connecting(Stream& stream, std::span<const Endpoint> where, const ConnectOptions& given)
        : Timer(stream.loop_), addresses(where), options(given), stream_(stream) {
        restart();
    }
    bool is_over() const { return address == addresses.size(); }
    void next() {
        ++address;
        restart();
    }
    bool may_try_again() const { return Clock::now() < give_up_; }
    void try_again_soon() { set(Clock::now() + kConnectAgain); }
    void wait() {
        if (options.timeout.count() > 0) set(give_up_);
    }

    const std::span<const Endpoint> addresses;
    const ConnectOptions options;
    std::size_t address = 0;
    int error_number = ECONNREFUSED;  // of the last one

 private:
    void restart() {
        cancel();
        give_up_ = Clock::now() + options.timeout;
    }
    void on_time() override {
        const Busy busy{stream_};
        if (stream_.socket_) {
            stream_.drop_socket();
            error_number = ETIMEDOUT;
            next();
        }
        stream_.try_addresses();
    }

    Stream& stream_;
    Clock::time_point give_up_;  // for this address
};

Stream::Stream(EventLoop& loop, Owner& owner, const StreamOptions& options)
    : loop_(loop),
      owner_(owner),
      takes_descriptors_(options.takes_descriptors),
      reads_to_the_end_(options.reads_to_the_end),
      receives_per_turn_(options.receives_per_turn),
      in_({options.pool, options.shared_room, options.budget, options.buffer_size}),
      out_(*options.pool) {}

Stream::~Stream() {
    HELIO_ASSERT(busy_ == 0);
    close();
}

int Stream::open(Fd socket) {
    HELIO_ASSERT(is_idle());
    drop_received();
    const int error_number = loop_.add(socket.get(), Interest::read, *this);
    if (error_number != 0) return error_number;
    socket_ = std::move(socket);
    interest_ = Interest::read;
    become_open();
    return 0;
}

void Stream::become_open() {
    connecting_.reset();
    state_ = State::open;
    set_no_delay(socket_.get());
    update_interest();
    check_invariants();
}

// ---- Connecting ----

void Stream::connect(std::span<const Endpoint> addresses, const ConnectOptions& options) {
    HELIO_ASSERT(is_idle());
    const Busy busy{*this};
    drop_received();
    state_ = State::connecting;
    connecting_ = std::make_unique<Connecting>(*this, addresses, options);
    try_addresses();
}

// Tries addresses until one answers, or has to be waited for.
void Stream::try_addresses() {
    for (; !connecting_->is_over(); connecting_->next()) {
        const int error_number = start_connecting(connecting_->addresses[connecting_->address]);
        if (error_number == 0) {
            address_ = connecting_->address;
            become_open();
            return owner_.on_connected();
        }
        if (error_number == EINPROGRESS) return connecting_->wait();
        drop_socket();
        if (error_number == EAGAIN && connecting_->may_try_again())
            return connecting_->try_again_soon();
        connecting_->error_number = error_number;
    }
    lose(connecting_->error_number);
}

// 0: connected; EINPROGRESS: the loop will report it.
int Stream::start_connecting(const Endpoint& where) {
    socket_ = Fd{socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!socket_) return errno;
    // If it is not permitted, the server decides.
    if (connecting_->options.reserved_port && where.family() != AF_UNIX)
        bind_reserved_port(socket_.get(), where.family());
    int result = 0;
    if (loop_.network().connect(socket_.get(), where.address(), where.size()) != 0) result = errno;
    if (result != 0 && result != EINPROGRESS) return result;
    const Interest interest = result == 0 ? Interest::read : Interest::read_write;
    if (const int error_number = loop_.add(socket_.get(), interest, *this); error_number != 0) {
        socket_.reset();  // the loop does not watch it
        return error_number;
    }
    interest_ = interest;
    return result;
}

void Stream::finish_connecting(Readiness ready) {
    int error_number = 0;
    socklen_t size = sizeof error_number;
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error_number, &size);
    if (error_number != 0) {
        drop_socket();
        connecting_->error_number = error_number;
        connecting_->next();
        return try_addresses();
    }
    if (!ready.writable()) return;
    address_ = connecting_->address;
    become_open();
    owner_.on_connected();
}

// ---- The end ----

void Stream::drop_socket() {
    if (socket_) loop_.remove(socket_.get(), *this);
    socket_.reset();
    interest_ = Interest::none;
}

void Stream::drop_received() {
    in_.clear();
    descriptors_.clear();
}

// Everything except received bytes.
void Stream::end_life() {
    drop_socket();
    connecting_.reset();
    state_ = State::idle;
    ++life_;
    wanted_ = Interest::read;
    at_end_ = is_blocked_ = is_blocking_ = false;
    write_error_ = 0;
    out_.clear();
    layer_.reset();
}

void Stream::close() {
    end_life();
    drop_received();
}

void Stream::lose(int error_number) {
    const Busy busy{*this};
    end_life();
    owner_.on_lost(error_number);
    if (is_idle()) drop_received();
}

Fd Stream::release() {
    HELIO_ASSERT(is_open() && bytes().empty() && unsent() == 0);
    loop_.remove(socket_.get(), *this);
    Fd out = std::move(socket_);
    close();
    return out;
}

void Stream::shut_down_sending() { shutdown(socket_.get(), SHUT_WR); }

bool Stream::set_layer(std::unique_ptr<Layer> layer) {
    HELIO_ASSERT(is_open() && unsent() == 0);
    layer_ = std::move(layer);
    out_.set_layer(*layer_);
    const std::vector<std::byte> wire(bytes().begin(), bytes().end());
    in_.clear();
    std::vector<std::byte> plain;
    return layer_->decode(wire, plain) && in_.append(plain);
}

void Stream::change_interest() {
    interest_ = due_interest();
    loop_.change(socket_.get(), interest_, *this);
}

#ifdef HELIO_POISON
void Stream::check_invariants() {
    in_.check_invariants();
    out_.check_invariants();
    HELIO_ASSERT(is_idle() ? !socket_ : socket_ || state_ == State::connecting);
    HELIO_ASSERT((state_ == State::connecting) == (connecting_ != nullptr));
    HELIO_ASSERT(!is_idle() || (bytes().empty() && layer_ == nullptr));
    HELIO_ASSERT(!is_open() || busy_ > 0 || interest_ == due_interest());
    HELIO_ASSERT(!is_blocked_ || unsent() > 0);
}
#endif

}  // namespace helio::transport
