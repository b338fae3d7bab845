#include "helio/serve/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "helio/serve/log.h"

namespace helio::serve {
namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::optional<long long> number(std::string_view text) {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

Notify::Notify() {
    const std::string_view where = variable("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (where.empty() || where.size() >= sizeof address.sun_path) return;
    if (where[0] != '/' && where[0] != '@') return;  // vsock:, which is for virtual machines
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, where.data(), where.size());
    if (where[0] == '@') address.sun_path[0] = '\0';  // the abstract namespace
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + where.size());
    transport::Fd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!socket || connect(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return;
    socket_ = std::move(socket);
    const auto interval = number(variable("WATCHDOG_USEC"));
    const auto pid = number(variable("WATCHDOG_PID"));
    if (interval && *interval > 0 && (!pid || *pid == getpid()))
        watchdog_ = std::chrono::microseconds(*interval);
}

void Notify::say(std::string_view words) {
    if (socket_) send(socket_.get(), words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Notify::ready(std::string_view status) {
    say(fmt::format("READY=1\nSTATUS={}", without_controls(status)));
}

void Notify::reloading() {
    // Type=notify-reload wants the time, so that it can tell this READY=1 from an earlier one.
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    say(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                    std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

void Notify::stopping() { say("STOPPING=1"); }
void Notify::alive() { say("WATCHDOG=1"); }

}  // namespace helio::serve
