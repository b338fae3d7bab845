// helio virt console: a domain's serial console on this terminal.
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/base/text/escape.h"
#include "helio/virt/client/objects.h"
#include "helio/virt/client/signal.h"
#include "helio/virt/client/stream.h"
#include "helio/virt/client/transfer.h"
#include "schema/remote_service.h"

namespace helio::cli {
namespace {

struct ConsoleFlags {
    std::string domain;
    std::string device;
    bool force = false;
    bool safe = false;
};

constexpr char kConsoleEscape = 0x1d;  // Ctrl-]
// Input not sent yet; a terminal is slower than any stream, a file is not.
constexpr std::size_t kTypedBytesMax = 64u << 10;

// Puts the terminal in raw mode while it exists.
class RawTerminal final {
 public:
    RawTerminal() {
        if (isatty(STDIN_FILENO) == 0 || tcgetattr(STDIN_FILENO, &before_) != 0) return;
        termios raw = before_;
        cfmakeraw(&raw);
        changed_ = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    }
    ~RawTerminal() {
        if (changed_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;
    bool is_terminal() const { return changed_; }

 private:
    termios before_{};
    bool changed_ = false;
};

// Input, for the coroutine that sends it.
class Keyboard final : transport::EventLoop::Handler {
 public:
    Keyboard(transport::EventLoop& loop, bool is_terminal)
        : loop_(loop), is_terminal_(is_terminal), typed_(loop) {
        resume();
    }
    ~Keyboard() override { pause(); }

    // The input ended, or Ctrl-] was typed: both end a console, as in virsh.
    bool ended() const { return ended_; }
    Task<std::vector<std::byte>> next() {
        while (bytes_.empty() && !ended_) co_await typed_.wait();
        std::vector<std::byte> out;
        out.swap(bytes_);
        if (!ended_) resume();
        co_return out;
    }

 private:
    // A regular file is always ready, and epoll does not accept it.
    void resume() {
        if (watched_ || ended_) return;
        watched_ = loop_.add(STDIN_FILENO, transport::Interest::read, *this) == 0;
        if (!watched_) read_some();
    }
    void pause() {
        if (watched_) loop_.remove(STDIN_FILENO, *this);
        watched_ = false;
    }
    void on_ready(transport::Readiness) override { read_some(); }
    void read_some() {
        char piece[4096];
        const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (got <= 0) ended_ = true;
        for (ssize_t i = 0; i < got; ++i) {
            if (is_terminal_ && piece[i] == kConsoleEscape) {
                ended_ = true;
                break;
            }
            bytes_.push_back(static_cast<std::byte>(piece[i]));
        }
        if (ended_ || bytes_.size() >= kTypedBytesMax) pause();
        typed_.notify();
    }

    transport::EventLoop& loop_;
    bool is_terminal_;
    bool watched_ = false;
    bool ended_ = false;
    std::vector<std::byte> bytes_;
    virt::Signal typed_;
};

Task<void> send_typed(Keyboard& keyboard, virt::ClientStream& stream) {
    for (;;) {
        const std::vector<std::byte> bytes = co_await keyboard.next();
        if (!bytes.empty()) {
            const auto sent = co_await stream.write(bytes);
            if (!sent) co_return;  // the reader reports why
        }
        if (bytes.empty() && keyboard.ended()) break;
    }
    stream.abort();
}

Task<VirtDone> console(virt::ClientConnection& connection, ConsoleFlags flags) {
    const auto domain = co_await virt::find_domain(connection, flags.domain);
    if (!domain) co_return fail(domain.error());
    virt::ClientStream stream{connection};
    remote::remote_domain_open_console_args args;
    args.dom = domain->wire();
    const std::string_view device = flags.device;
    if (!device.empty()) args.dev_name = &device;
    args.flags = (flags.force ? 1u : 0u) | (flags.safe ? 2u : 0u);  // VIR_DOMAIN_CONSOLE_…
    remote::REMOTE_PROTOCOL_VERSION::AsyncClient remote{stream};
    const auto opened = co_await remote.DOMAIN_OPEN_CONSOLE(args);
    if (!opened) co_return fail(connection.failure(opened.error()));

    const RawTerminal terminal;
    if (terminal.is_terminal())
        fmt::print(stderr, "helio: connected to {}; press Ctrl-] to disconnect\r\n",
                   escaped(domain->name));
    Keyboard keyboard{connection.loop(), terminal.is_terminal()};
    Task<void> typing = send_typed(keyboard, stream);
    typing.start([](void*) {}, nullptr);
    for (;;) {
        const auto piece = co_await stream.read();
        if (!piece && keyboard.ended()) break;
        if (!piece) co_return fail(piece.error());
        if (piece->kind == virt::StreamPiece::Kind::end) break;
        ByteView rest = piece->data;
        while (!rest.empty()) {
            const ssize_t wrote = ::write(STDOUT_FILENO, rest.data(), rest.size());
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote < 0) co_return fail(virt::local_failure("standard output", errno));
            rest = rest.subspan(static_cast<std::size_t>(wrote));
        }
    }
    co_return kDone;
}

}  // namespace

void add_virt_console(Command& virt, VirtFlagsRef common, int& exit_code) {
    auto flags = std::make_shared<ConsoleFlags>();
    auto* const verb = virt.add_subcommand(
        "console", "Connect to a domain's console; Ctrl-] or end of input disconnects");
    verb->add_option("DOMAIN", flags->domain, "name, UUID or ID of the domain")->required();
    verb->add_option("--device", flags->device, "alias of the device: serial0");
    verb->add_flag("--force", flags->force, "disconnect other users of the console");
    verb->add_flag("--safe", flags->safe, "only if the driver guarantees exclusive access");
    verb->callback([flags, common, &exit_code] {
        exit_code = with_virt(*common, [&](virt::Client& client) {
            return client.run(console(client.connection(), *flags));
        });
    });
}

}  // namespace helio::cli
