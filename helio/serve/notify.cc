#include "helio/serve/notify.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
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
    // Otherwise it is vsock:, which is for virtual machines.
    if (where.starts_with('/') || where.starts_with('@'))
        socket_ = transport::datagram_socket_to(where);
    if (!socket_) return;
    const auto interval = number(variable("WATCHDOG_USEC"));
    const auto pid = number(variable("WATCHDOG_PID"));
    if (interval && *interval > 0 && (!pid || *pid == getpid()))
        watchdog_ = std::chrono::microseconds(*interval);
}

void Notify::say(std::string_view words) {
    // Do not wait for systemd: a message that cannot be sent at once is dropped.
    if (socket_) (void)!write(socket_.get(), words.data(), words.size());
}

void Notify::ready(std::string_view status) {
    say(fmt::format("READY=1\nSTATUS={}", printable(status)));
}

void Notify::reloading() {
    // Type=notify-reload needs the time to distinguish this READY=1 from an earlier one.
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    say(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                    std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

void Notify::stopping() { say("STOPPING=1"); }
void Notify::alive() { say("WATCHDOG=1"); }

}  // namespace helio::serve
