// Notify: sd_notify(3) for a service of Type=notify: one datagram per message to $NOTIFY_SOCKET.
// Does nothing without that variable.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "helio/transport/socket/socket.h"

namespace helio::serve {

class Notify final {
 public:
    // Connects before the process drops its privileges.
    Notify();

    explicit operator bool() const { return static_cast<bool>(socket_); }
    void ready(std::string_view status);
    void reloading();
    void stopping();
    void alive();  // WATCHDOG=1
    // How often systemd expects alive(), if at all (sd_watchdog_enabled(3)).
    std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
    void say(std::string_view words);

    transport::Fd socket_;
    std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace helio::serve
