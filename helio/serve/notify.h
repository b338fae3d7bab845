// Notify: what systemd wants to hear from a service of Type=notify (sd_notify(3)): one datagram per
// word to the socket that $NOTIFY_SOCKET names. Without one nothing is said.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "helio/transport/socket/socket.h"

namespace helio::serve {

class Notify final {
 public:
    // Connects before the process gives up what it takes to do so.
    Notify();

    explicit operator bool() const { return static_cast<bool>(socket_); }
    void ready(std::string_view status);
    void reloading();
    void stopping();
    void alive();  // WATCHDOG=1
    // How often systemd wants to hear alive(), if it does (sd_watchdog_enabled(3)).
    std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
    void say(std::string_view words);

    transport::Fd socket_;
    std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace helio::serve
