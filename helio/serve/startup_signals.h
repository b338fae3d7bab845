// StartupSignals: lets signals end the process while it starts. Threads inherit the signal mask of
// the thread that creates them, so a server blocks its signals before it creates any. But until it
// waits for them (sigwait), a start that hangs could then be ended only by SIGKILL.
#pragma once

#include <csignal>
#include <thread>

#include "helio/base/fd.h"

namespace helio::serve {

class StartupSignals final {
 public:
    // Blocks `served` in the calling thread, and so in those it creates. SIGTERM and SIGINT still
    // have their previous effect until the destructor; afterwards all of them wait for sigwait.
    explicit StartupSignals(const sigset_t& served);
    ~StartupSignals();
    StartupSignals(const StartupSignals&) = delete;
    StartupSignals& operator=(const StartupSignals&) = delete;

 private:
    Fd end_;              // of a pipe: the thread ends when it is closed
    std::thread thread_;  // the one that does not block them
};

}  // namespace helio::serve
