#include "helio/transport/loop/stop_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace helio::transport {

StopSignals::StopSignals(EventLoop& loop) : loop_(loop) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_ = Fd{signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC)};
    if (!signals_) throw std::system_error(errno, std::generic_category(), "signalfd");
    if (const int error_number = loop_.add(signals_.get(), Interest::read, *this);
        error_number != 0)
        throw std::system_error(error_number, std::generic_category(), "cannot wait for signals");
}

StopSignals::~StopSignals() { loop_.remove(signals_.get(), *this); }

void StopSignals::on_ready(Readiness) {
    signalfd_siginfo which;
    while (read(signals_.get(), &which, sizeof which) > 0) continue;
    loop_.stop();
}

}  // namespace helio::transport
