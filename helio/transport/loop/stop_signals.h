// StopSignals: makes SIGINT and SIGTERM stop an event loop. The signals are blocked and stay
// blocked. Create it before any threads, so that they block the signals too.
#pragma once

#include "helio/base/fd.h"
#include "helio/transport/loop/event_loop.h"

namespace helio::transport {

class StopSignals final : Poller::Handler {
 public:
    // Throws std::system_error when the system cannot report signals.
    explicit StopSignals(EventLoop& loop);
    ~StopSignals() override;

 private:
    void on_ready(Readiness ready) override;

    EventLoop& loop_;
    Fd signals_;
};

}  // namespace helio::transport
