#include "helio/transport/socket/listener.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace helio::transport {

namespace {
// Connections accepted per turn, so that existing ones get their turn.
constexpr int kAcceptsPerTurn = 64;
// Retry interval when there is no descriptor to accept with.
constexpr std::chrono::milliseconds kAcceptPause{100};

Fd open_spare() { return Fd{open("/dev/null", O_RDONLY | O_CLOEXEC)}; }

std::unique_lock<std::mutex> lock_of(std::mutex* mutex) {
    return mutex != nullptr ? std::unique_lock{*mutex} : std::unique_lock<std::mutex>{};
}
}  // namespace

Listener::Listener(EventLoop& loop, Owner& owner, Fd socket, const Options& options)
    : Timer(loop),
      loop_(loop),
      owner_(owner),
      options_(options),
      socket_(std::move(socket)),
      spare_(open_spare()) {
    if (const int error = watch(); error != 0)
        throw std::system_error(error, std::generic_category(), "cannot watch a listening socket");
}

Listener::~Listener() { pause(); }

int Listener::watch() {
    const int error = loop_.add(socket_.get(), Interest::read, *this, options_.sharing);
    is_watched_ = error == 0;
    return error;
}

void Listener::unwatch() {
    if (std::exchange(is_watched_, false)) loop_.remove(socket_.get(), *this);
}

void Listener::pause() {
    is_paused_ = true;
    cancel();
    unwatch();
}

void Listener::resume() {
    if (!std::exchange(is_paused_, false)) return;
    on_time();
}

void Listener::on_time() {
    if (!spare_) spare_ = open_spare();
    if (watch() != 0) set(Clock::now() + kAcceptPause);
}

void Listener::on_ready(Readiness) {
    for (int i = 0; i < kAcceptsPerTurn && is_watched_; ++i) {
        sockaddr_storage address{};
        socklen_t size = sizeof address;
        auto lock = lock_of(options_.mutex);
        Fd socket{loop_.network().accept4(socket_.get(), reinterpret_cast<sockaddr*>(&address),
                                          &size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (socket) {
            if (lock) lock.unlock();
            owner_.on_accepted(std::move(socket),
                               {reinterpret_cast<const sockaddr*>(&address), size});
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED) continue;
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) refuse_one();
        return;
    }
}

// Otherwise the connection would stay in the queue, and the loop would report it again and again.
// The mutex is held.
void Listener::refuse_one() {
    owner_.on_refused();
    spare_.reset();
    const bool took = static_cast<bool>(
        Fd{loop_.network().accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)});
    const bool helped =
        took || errno == EAGAIN;  // otherwise the cause is not a lack of descriptors
    spare_ = open_spare();
    if ((spare_ && helped) || is_paused_) return;
    unwatch();
    set(Clock::now() + kAcceptPause);
}

}  // namespace helio::transport
