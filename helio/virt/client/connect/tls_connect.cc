// From addresses to a stream whose ends have verified each other's certificates.
#include <cerrno>

#include <fmt/format.h>

#include "helio/transport/stream/stream.h"
#include "helio/virt/client/connect/tls.h"
#include "helio/virt/client/signal.h"

namespace helio::virt {

namespace {

using Deadline = transport::EventLoop::Clock::time_point;

Failure not_reached(int error_number, std::string why = {}) {
    Failure out;
    out.call.outcome =
        error_number == ETIMEDOUT ? xdr::Outcome::timed_out : xdr::Outcome::unreachable;
    out.call.error_number = error_number;
    out.error.message = std::move(why);
    return out;
}

// Receive buffer during the handshake: one TLS record.
constexpr std::size_t kHandshakeBufferSize = 16u << 10;

// A stream that one coroutine waits for.
class TlsSocket final : transport::Stream::Owner {
 public:
    TlsSocket(transport::EventLoop& loop, Deadline deadline)
        : changed_(loop),
          deadline_(deadline),
          stream_(loop, *this,
                  {.pool = &pool_, .buffer_size = kHandshakeBufferSize, .receives_per_turn = 1}) {}

    // Tries all of them: 0, ETIMEDOUT, or the last error.
    Task<int> connect(std::vector<transport::Endpoint> servers) {
        stream_.connect(servers);
        while (!stream_.is_open() && !lost_) {
            const bool in_time = co_await changed_.wait(deadline_);
            if (!in_time) co_return ETIMEDOUT;
        }
        co_return error_number_;
    }
    Task<int> send(std::vector<std::byte> bytes) {
        if (lost_) co_return EPIPE;
        stream_.write(bytes);
        stream_.flush();
        while (stream_.unsent() > 0) {
            const bool in_time = co_await changed_.wait(deadline_);
            if (!in_time) co_return ETIMEDOUT;
        }
        co_return error_number_;
    }
    // No bytes: the daemon has closed the connection.
    Task<int> receive(std::vector<std::byte>& bytes) {
        bytes.clear();
        while (came_.empty() && !ended_ && !lost_) {
            const bool in_time = co_await changed_.wait(deadline_);
            if (!in_time) co_return ETIMEDOUT;
        }
        bytes.swap(came_);
        co_return bytes.empty() ? error_number_ : 0;
    }
    // Call while nothing is being sent.
    Fd take() { return stream_.is_open() ? stream_.release() : Fd{}; }

 private:
    void on_connected() override { changed_.notify(); }
    void on_received(std::size_t size) override {
        const ByteView bytes = stream_.bytes();
        came_.insert(came_.end(), bytes.begin(), bytes.end());
        stream_.consume(size);
        changed_.notify();
    }
    bool on_end() override {
        ended_ = true;
        changed_.notify();
        return true;
    }
    void on_writable() override { changed_.notify(); }
    void on_lost(int error_number) override {
        lost_ = true;
        error_number_ = error_number;
        changed_.notify();
    }

    rpc::BufferPool pool_;
    Signal changed_;
    Deadline deadline_;
    std::vector<std::byte> came_;
    bool ended_ = false;
    bool lost_ = false;
    int error_number_ = 0;
    transport::Stream stream_;
};

Task<Result<void, Failure>> shake_hands(TlsSocket& socket, Tls& tls) {
    std::vector<std::byte> came;
    for (;;) {
        std::vector<std::byte> out;
        const auto done = tls.shake_hands(came, out);
        const int unsent = co_await socket.send(std::move(out));
        // Our alert goes to the daemon too, but we do not wait for that.
        if (!done) co_return fail(not_reached(EPROTO, done.error()));
        if (unsent != 0) co_return fail(not_reached(unsent));
        if (*done) co_return Result<void, Failure>{};
        const int wrong = co_await socket.receive(came);
        if (wrong == ETIMEDOUT)
            co_return fail(not_reached(ETIMEDOUT, "no answer in the TLS handshake"));
        if (wrong != 0) co_return fail(not_reached(wrong));
        if (came.empty())
            co_return fail(not_reached(ECONNRESET, "the daemon ended the TLS handshake"));
    }
}

// After the handshake the daemon checks our certificate; then it sends 1, or closes.
Task<Result<void, Failure>> wait_for_word(TlsSocket& socket, Tls& tls, std::string certificate) {
    constexpr std::byte kTaken{1};
    const std::string refused =
        certificate.empty()
            ? std::string("the daemon requires a client certificate, and there is none")
            : fmt::format("the daemon refused our certificate, {}", certificate);
    std::vector<std::byte> came;  // already holds bytes that came with the end of the handshake
    std::vector<std::byte> plain;
    for (;;) {
        if (!tls.decode(came, plain)) co_return fail(not_reached(EPROTO, tls.why()));
        if (plain.size() > 1 || (plain.size() == 1 && plain[0] != kTaken))
            co_return fail(not_reached(EPROTO, "the server uses TLS, but is not a libvirt daemon"));
        if (plain.size() == 1) co_return Result<void, Failure>{};
        const int wrong = co_await socket.receive(came);
        if (wrong == ETIMEDOUT)
            co_return fail(not_reached(ETIMEDOUT, "the daemon did not confirm our certificate"));
        if (came.empty()) co_return fail(not_reached(EACCES, refused));
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
    if (const int wrong = co_await socket.connect(std::move(servers)); wrong != 0)
        co_return fail(not_reached(wrong));
    if (auto shaken = co_await shake_hands(socket, *tls); !shaken) co_return fail(shaken.error());
    if (auto taken = co_await wait_for_word(socket, *tls, options.files.certificate); !taken)
        co_return fail(taken.error());
    co_return TlsStream{socket.take(), std::move(tls)};
}

}  // namespace helio::virt
