// From addresses to a stream whose both ends have shown their certificates.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include <fmt/format.h>

#include "helio/virt/client/signal.h"
#include "helio/virt/client/tls.h"

namespace helio::virt {

namespace {

using transport::Interest;
using Deadline = transport::EventLoop::Clock::time_point;

Failure not_reached(int error_number, std::string why = {}) {
    Failure out;
    out.call.outcome =
        error_number == ETIMEDOUT ? xdr::Outcome::timed_out : xdr::Outcome::unreachable;
    out.call.error_number = error_number;
    out.error.message = std::move(why);
    return out;
}

// A socket that one coroutine waits for. Without a name of its own the loop would keep it: remove()
// is due before it goes elsewhere.
class TlsSocket final : transport::EventLoop::Handler {
 public:
    TlsSocket(transport::EventLoop& loop, Deadline deadline)
        : loop_(loop), ready_(loop), deadline_(deadline) {}
    ~TlsSocket() override { drop(); }

    // 0, EINPROGRESS, or what is wrong.
    int start(const transport::Endpoint& where) {
        drop();
        socket_ = Fd{socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        if (!socket_) return errno;
        if (connect(socket_.get(), where.address(), where.size()) != 0 && errno != EINPROGRESS)
            return errno;
        const int on = 1;
        setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const int error_number = loop_.add(socket_.get(), Interest::none, *this);
        added_ = error_number == 0;
        return error_number;
    }
    // False when the time is over.
    Task<bool> wait_for(Interest interest) {
        loop_.change(socket_.get(), interest, *this);
        const bool in_time = co_await ready_.wait(deadline_);
        loop_.change(socket_.get(), Interest::none, *this);
        co_return in_time;
    }
    int fd() const { return socket_.get(); }
    Fd take() {
        if (added_) loop_.remove(socket_.get(), *this);
        added_ = false;
        return std::move(socket_);
    }

 private:
    void on_ready(transport::Readiness) override { ready_.notify(); }
    void drop() { const Fd gone = take(); }

    transport::EventLoop& loop_;
    Signal ready_;
    Deadline deadline_;
    Fd socket_;
    bool added_ = false;
};

// 0, or what came of the last of them.
Task<int> reach_one(TlsSocket& socket, std::vector<transport::Endpoint> servers) {
    int wrong = ECONNREFUSED;
    for (const transport::Endpoint& where : servers) {
        wrong = socket.start(where);
        if (wrong != 0) continue;
        if (!co_await socket.wait_for(Interest::write)) co_return ETIMEDOUT;
        socklen_t size = sizeof wrong;
        getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &wrong, &size);
        if (wrong == 0) break;
    }
    co_return wrong;
}

Task<int> send_all(TlsSocket& socket, std::vector<std::byte> bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t size = send(socket.fd(), bytes.data() + sent, bytes.size() - sent,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size >= 0)
            sent += static_cast<std::size_t>(size);
        else if (errno == EAGAIN && !co_await socket.wait_for(Interest::write))
            co_return ETIMEDOUT;
        else if (errno != EAGAIN && errno != EINTR)
            co_return errno;
    }
    co_return 0;
}

struct Came {
    std::vector<std::byte> bytes;  // none when the daemon closed
    int error_number = 0;
};
Task<Came> receive_some(TlsSocket& socket) {
    Came out;
    out.bytes.resize(16'384);
    for (;;) {
        const ssize_t got = recv(socket.fd(), out.bytes.data(), out.bytes.size(), MSG_DONTWAIT);
        const int wrong = got < 0 ? errno : 0;
        if (wrong == EINTR) continue;
        if (wrong == EAGAIN && co_await socket.wait_for(Interest::read)) continue;
        out.bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
        out.error_number = wrong == EAGAIN ? ETIMEDOUT : wrong;
        co_return out;
    }
}

Task<Result<void, Failure>> shake_hands(TlsSocket& socket, Tls& tls) {
    Came came;
    for (;;) {
        std::vector<std::byte> out;
        const auto done = tls.shake_hands(came.bytes, out);
        const int unsent = co_await send_all(socket, std::move(out));
        // What is wrong with the daemon is told to it too, but nobody waits for that.
        if (!done) co_return fail(not_reached(EPROTO, done.error()));
        if (unsent != 0) co_return fail(not_reached(unsent));
        if (*done) co_return Result<void, Failure>{};
        came = co_await receive_some(socket);
        if (came.error_number == ETIMEDOUT)
            co_return fail(not_reached(ETIMEDOUT, "no answer in the handshake of TLS"));
        if (came.error_number != 0) co_return fail(not_reached(came.error_number));
        if (came.bytes.empty())
            co_return fail(not_reached(ECONNRESET, "the daemon ended the handshake of TLS"));
    }
}

// The daemon looks at our certificate when the handshake is over; then it says 1, or closes.
Task<Result<void, Failure>> wait_for_word(TlsSocket& socket, Tls& tls, std::string certificate) {
    constexpr std::byte kTaken{1};
    const std::string refused =
        certificate.empty() ? std::string("the daemon wants a certificate, and we have none")
                            : fmt::format("the daemon refused our certificate, {}", certificate);
    Came came;  // what came with the end of the handshake is in there already
    std::vector<std::byte> plain;
    for (;;) {
        if (!tls.decode(came.bytes, plain)) co_return fail(not_reached(EPROTO, tls.why()));
        if (plain.size() > 1 || (plain.size() == 1 && plain[0] != kTaken))
            co_return fail(not_reached(
                EPROTO, "what answers there speaks TLS, but is none of libvirt's daemons"));
        if (plain.size() == 1) co_return Result<void, Failure>{};
        came = co_await receive_some(socket);
        if (came.error_number == ETIMEDOUT)
            co_return fail(not_reached(ETIMEDOUT, "no word about our certificate"));
        if (came.bytes.empty()) co_return fail(not_reached(EACCES, refused));
    }
}

}  // namespace

Task<Result<TlsStream, Failure>> connect_tls(transport::EventLoop& loop,
                                             std::vector<transport::Endpoint> servers,
                                             Tls::Options options,
                                             std::chrono::milliseconds timeout) {
    auto made = Tls::make(options);
    if (!made) co_return fail(not_reached(EPROTO, made.error()));
    std::unique_ptr<Tls> tls = std::move(*made);
    TlsSocket socket{loop, transport::EventLoop::Clock::now() + timeout};
    if (const int wrong = co_await reach_one(socket, std::move(servers)); wrong != 0)
        co_return fail(not_reached(wrong));
    if (auto shaken = co_await shake_hands(socket, *tls); !shaken) co_return fail(shaken.error());
    if (auto taken = co_await wait_for_word(socket, *tls, options.files.certificate); !taken)
        co_return fail(taken.error());
    co_return TlsStream{socket.take(), std::move(tls)};
}

}  // namespace helio::virt
