// in_own_mounts(): a part of a test that mounts file systems. It runs in a child process with its
// own mount namespace, so nothing stays mounted, whatever happens. Needs the right to mount.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace helio::backend {

// The current test fails if `body` fails in the child. It is skipped if the machine does not allow
// mounting, or if `body` returns false because something else it needs is missing. Threads of the
// test, and those of its file systems, do not exist in the child: make both inside `body`.
inline void in_own_mounts(const std::function<bool()>& body) {
    constexpr int kImpossible = 77;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 ||
            mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            _exit(kImpossible);
        const bool possible = body();
        _exit(!possible ? kImpossible : testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kImpossible)
        GTEST_SKIP() << "needs the right to mount";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace helio::backend
