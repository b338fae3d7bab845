// Interrupt: lets Ctrl-C end a run but not its report. While it exists, SIGINT and SIGTERM are
// blocked, and came() tells whether one was sent. Create it before threads, so that they inherit
// the mask.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace helio::cli {

class Interrupt final {
 public:
    Interrupt() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGINT);
        sigaddset(&set_, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &set_, &before_);
    }
    ~Interrupt() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    bool came() const {
        const timespec now{};
        return sigtimedwait(&set_, nullptr, &now) > 0;
    }

 private:
    sigset_t set_{}, before_{};
};

}  // namespace helio::cli
