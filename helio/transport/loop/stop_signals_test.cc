#include "helio/transport/loop/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace helio::transport::stop_signals_test {
namespace {

TEST(StopSignals, EitherOfThemStopsTheLoop) {
    for (const int signal_number : {SIGINT, SIGTERM}) {
        EventLoop loop;
        const StopSignals signals{loop};
        raise(signal_number);
        loop.run();  // otherwise the test hangs
    }
    // No signal is left for the next loop.
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGINT), 0);
    EXPECT_EQ(sigismember(&pending, SIGTERM), 0);
}

}  // namespace
}  // namespace helio::transport::stop_signals_test
