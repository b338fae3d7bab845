#include "helio/virt/relay/relay.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "helio/virt/relay/pair_internal.h"

namespace helio::virt::relay {

namespace {

constexpr int kDoorBacklog = 1024;
constexpr int kDoorAcceptsPerTurn = 64;
// Without descriptors to accept with, look again after this.
constexpr std::chrono::milliseconds kDoorPause{100};

std::string client_name(int socket, const transport::Endpoint& remote) {
    if (remote.family() != AF_UNIX) return to_text(remote);
    ucred who{};
    socklen_t size = sizeof who;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return "nobody";
    return fmt::format("uid {} pid {}", who.uid, who.pid);
}

[[noreturn]] void cannot_listen(const transport::Endpoint& where) {
    throw std::runtime_error(
        fmt::format("cannot listen on {}: {}", to_text(where), std::strerror(errno)));
}

// A socket that nobody listens on is left over from a relay that died.
void remove_left_over(const transport::Endpoint& where, const char* path) {
    struct stat status {};
    if (lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode)) return;
    const Fd probe{socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (connect(probe.get(), where.address(), where.size()) != 0 && errno == ECONNREFUSED)
        unlink(path);
}

}  // namespace

// A socket that clients come in by.
class Relay::Door final : transport::EventLoop::Handler, transport::Timer {
 public:
    Door(Relay& relay, Fd socket, std::string path)
        : Timer(relay.loop_), relay_(relay), socket_(std::move(socket)), path_(std::move(path)) {
        using transport::Interest;
        if (const int error = relay_.loop_.add(socket_.get(), Interest::read, *this); error != 0)
            throw std::system_error(error, std::generic_category(), "cannot watch a socket");
    }
    ~Door() override {
        relay_.loop_.remove(socket_.get(), *this);
        if (!path_.empty()) unlink(path_.c_str());
    }

 private:
    void on_ready(transport::Readiness) override {
        for (int i = 0; i < kDoorAcceptsPerTurn; ++i) {
            sockaddr_storage address{};
            socklen_t size = sizeof address;
            Fd client{accept4(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size,
                              SOCK_NONBLOCK | SOCK_CLOEXEC)};
            if (!client) {
                if (errno == EINTR || errno == ECONNABORTED) continue;
                if (errno != EAGAIN) pause();
                return;
            }
            const transport::Endpoint remote{reinterpret_cast<const sockaddr*>(&address), size};
            std::string name = client_name(client.get(), remote);
            relay_.adopt(std::move(client), std::move(name), remote.family() == AF_UNIX);
        }
    }
    // The connection stays in the queue, and the loop would report it for ever.
    void pause() {
        relay_.loop_.change(socket_.get(), transport::Interest::none, *this);
        set(Clock::now() + kDoorPause);
    }
    void on_time() override {
        relay_.loop_.change(socket_.get(), transport::Interest::read, *this);
    }

    Relay& relay_;
    Fd socket_;
    std::string path_;  // to remove in the end
};

Relay::Relay(transport::EventLoop& loop, const Policy& policy, RelayObserver& observer,
             RelayOptions options)
    : loop_(loop), policy_(policy), observer_(observer), options_(std::move(options)) {}

Relay::~Relay() {
    doors_.clear();
    while (!pairs_.empty()) pairs_.begin()->second->close("the relay ended");
}

transport::Endpoint Relay::listen(const transport::Endpoint& where, mode_t rights) {
    Fd fd{socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!fd) cannot_listen(where);
    std::string path;
    if (where.family() == AF_UNIX) {
        path = reinterpret_cast<const sockaddr_un*>(where.address())->sun_path;
        remove_left_over(where, path.c_str());
        const mode_t before = umask(0777 & ~rights);
        const int bound = bind(fd.get(), where.address(), where.size());
        umask(before);
        if (bound != 0) cannot_listen(where);
    } else {
        const int on = 1;
        setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd.get(), where.address(), where.size()) != 0) cannot_listen(where);
    }
    if (::listen(fd.get(), kDoorBacklog) != 0) cannot_listen(where);
    const transport::Endpoint local = transport::local_endpoint(fd.get());
    doors_.push_back(std::make_unique<Door>(*this, std::move(fd), std::move(path)));
    return local;
}

void Relay::adopt(Fd client, std::string name, bool takes_descriptors) {
    RelayClient who;
    who.number = ++accepted_;
    who.name = std::move(name);
    if (pairs_.size() >= options_.clients_max)
        return observer_.on_disconnect(who, "turned away: there are as many clients as may be");
    auto pair = std::make_unique<Pair>(*this, std::move(client), std::move(who), takes_descriptors);
    Pair& started = *pair;
    pairs_.emplace(&started, std::move(pair));
    started.start();
}

void Relay::let_go(Pair& pair) {
    const auto found = pairs_.find(&pair);
    if (found == pairs_.end()) return;
    gone_.push_back(std::move(found->second));
    pairs_.erase(found);
    loop_.defer(*this);
}

void Relay::on_turn_end() { gone_.clear(); }

}  // namespace helio::virt::relay
