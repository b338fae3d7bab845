// Confinement cannot be undone, so each test does it in a child.
#include "helio/base/system/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

namespace helio::sandbox_test {
namespace {

// The child's verdict: 0 is success; anything else is the number of the failed check.
int in_child(const std::function<int()>& look) {
    const pid_t child = fork();
    if (child == 0) _exit(look());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

class SandboxTest : public testing::Test {
 protected:
    SandboxTest() {
        char name[] = "/tmp/helio-sandbox-XXXXXX";
        root = mkdtemp(name);
        for (const char* const one : {"/rw", "/ro", "/out"}) mkdir((root + one).c_str(), 0755);
        close(open((root + "/ro/file").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
        close(open((root + "/out/file").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
        needs.writable = {root + "/rw"};
        needs.readable = {root + "/ro"};
    }
    ~SandboxTest() override { std::filesystem::remove_all(root); }

    bool opens(const std::string& path, int flags) const {
        const int fd = open((root + path).c_str(), flags | O_CLOEXEC, 0644);
        if (fd >= 0) close(fd);
        return fd >= 0;
    }
    bool has_landlock() {
        const Sandbox probe{needs};
        return probe.problems().empty();
    }

    std::string root;
    SandboxNeeds needs;
};

TEST_F(SandboxTest, FilesOutsideAreOutOfReach) {
    if (!has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
    EXPECT_EQ(in_child([&] {
                  Sandbox sandbox{needs};
                  sandbox.enter();
                  if (!opens("/rw/new", O_CREAT | O_RDWR)) return 1;
                  if (!opens("/ro/file", O_RDONLY)) return 2;
                  if (opens("/ro/file", O_WRONLY)) return 3;
                  if (opens("/out/file", O_RDONLY)) return 4;
                  if (opens("/out", O_RDONLY | O_DIRECTORY)) return 5;
                  if (rename((root + "/rw/new").c_str(), (root + "/out/new").c_str()) == 0)
                      return 6;
                  if (!sandbox.reaches(root + "/rw", true)) return 7;
                  if (sandbox.reaches(root + "/ro", true)) return 8;
                  if (!sandbox.reaches(root + "/ro", false)) return 9;
                  if (sandbox.reaches(root + "/out", false)) return 10;
                  return 0;
              }),
              0);
}

TEST_F(SandboxTest, SingleFilesAndRemoval) {
    if (!has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
    needs.readable.push_back(root + "/out/file");
    mkdir((root + "/sockets").c_str(), 0755);
    close(open((root + "/sockets/one").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    needs.removable = {root + "/sockets"};
    EXPECT_EQ(in_child([&] {
                  Sandbox sandbox{needs};
                  sandbox.enter();
                  if (!opens("/out/file", O_RDONLY)) return 1;
                  if (opens("/out/file", O_WRONLY)) return 2;
                  if (opens("/sockets/one", O_RDONLY)) return 3;
                  if (opens("/sockets/new", O_CREAT | O_RDWR)) return 4;
                  return unlink((root + "/sockets/one").c_str()) == 0 ? 0 : 5;
              }),
              0);
}

TEST_F(SandboxTest, KernelHandlesLeaveFilesAlone) {
    needs.opens_by_handle = true;
    EXPECT_EQ(in_child([&] {
                  Sandbox sandbox{needs};
                  sandbox.enter();
                  if (!opens("/out/file", O_RDONLY)) return 1;
                  return sandbox.problems().empty() ? 2 : 0;
              }),
              0);
}

TEST_F(SandboxTest, NothingCanBeExecutedNorMounted) {
    EXPECT_EQ(in_child([&] {
                  Sandbox sandbox{needs};
                  sandbox.enter();
                  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 1;
                  char* const words[] = {nullptr};
                  if (execve("/bin/true", words, words) == 0 || errno != EPERM) return 2;
                  if (unshare(CLONE_NEWUSER) == 0 || errno != EPERM) return 3;
                  return 0;
              }),
              0);
}

// A user namespace gives its maker every capability in it.
TEST_F(SandboxTest, NoNamespaceIsMade) {
    EXPECT_EQ(
        in_child([&] {
            Sandbox sandbox{needs};
            sandbox.enter();
            for (const unsigned long flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
                                             CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
                const long made = syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0);
                if (made == 0) _exit(0);
                if (made > 0 || errno != EPERM) return 1;
            }
            if (syscall(SYS_clone3, nullptr, 0) == 0 || errno != ENOSYS) return 2;
            if (setns(0, CLONE_NEWUSER) == 0 || errno != EPERM) return 3;
            // Threads and processes are still made.
            int seen = 0;
            std::thread{[&] { seen = 1; }}.join();
            if (seen != 1) return 4;
            return in_child([] { return 0; }) == 0 ? 0 : 5;
        }),
        0);
}

TEST_F(SandboxTest, CapabilitiesGo) {
    EXPECT_EQ(in_child([&] {
                  Sandbox sandbox{needs};
                  sandbox.enter();
                  return effective_capabilities().empty() ? 0 : 1;
              }),
              0);
    needs.reach_files_of_others = true;
    EXPECT_EQ(in_child([&] {
                  Sandbox sandbox{needs};
                  sandbox.enter();
                  for (const auto& one : effective_capabilities())
                      if (one != "dac_override") return 1;
                  return 0;
              }),
              0);
    needs.act_as_others = true;
    const auto before = effective_capabilities();
    EXPECT_EQ(in_child([&] {
                  Sandbox sandbox{needs};
                  sandbox.enter();
                  for (const auto& one : effective_capabilities())
                      if (one == "sys_admin" || one == "net_admin" || one == "setpcap") return 1;
                  const bool root_now = geteuid() == 0 && !before.empty();
                  return root_now && effective_capabilities().empty() ? 2 : 0;
              }),
              0);
}

}  // namespace
}  // namespace helio::sandbox_test
