// Signals end processes, so each test has a child for them.
#include "helio/serve/startup_signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace helio::serve::startup_signals_test {
namespace {

sigset_t served() {
    sigset_t set;
    sigemptyset(&set);
    for (const int one : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, one);
    return set;
}

// The child's status as waitpid gives it.
int status_of(const std::function<int()>& child) {
    const pid_t pid = fork();
    if (pid == 0) _exit(child());
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

TEST(StartupSignals, EndAStartThatHangs) {
    for (const int signal : {SIGTERM, SIGINT}) {
        const int status = status_of([&] {
            const StartupSignals interruptible{served()};
            kill(getpid(), signal);
            alarm(60);  // SIGALRM, should the signal wait
            for (;;) pause();
            return 0;
        });
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    }
}

TEST(StartupSignals, WaitForTheServerAfterwards) {
    EXPECT_EQ(status_of([] {
                  const sigset_t set = served();
                  {
                      const StartupSignals interruptible{set};
                      kill(getpid(), SIGHUP);  // reloads what has started
                  }
                  kill(getpid(), SIGTERM);
                  int first = 0, second = 0;
                  sigwait(&set, &first);
                  sigwait(&set, &second);
                  return first == SIGHUP && second == SIGTERM ? 0 : 1;
              }),
              0);
}

}  // namespace
}  // namespace helio::serve::startup_signals_test
