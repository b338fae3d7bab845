#include "helio/serve/startup_signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace helio::serve {
namespace {

void take_signals_until_closed(const Fd& pipe) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
    char byte = 0;
    while (read(pipe.get(), &byte, 1) < 0 && errno == EINTR) {
    }
}

}  // namespace

StartupSignals::StartupSignals(const sigset_t& served) {
    pthread_sigmask(SIG_BLOCK, &served, nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;  // no descriptors: the start will report that
    end_ = Fd{ends[1]};
    thread_ = std::thread{[pipe = Fd{ends[0]}] { take_signals_until_closed(pipe); }};
}

StartupSignals::~StartupSignals() {
    end_.reset();
    if (thread_.joinable()) thread_.join();
}

}  // namespace helio::serve
