#include "helio/virt/client/connect/polkit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "helio/base/fd.h"

extern char** environ;

namespace helio::virt {

namespace {

constexpr int kNotifyFd = 3;  // in the agent, next after standard error

// Was the other end closed in time? The agent closes it once it is registered, or when it ends.
bool closed_in_time(int fd, std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd one{fd, POLLIN, 0};
        const int ready = poll(&one, 1, static_cast<int>(left.count()));
        char ignored[64];
        if (ready > 0 && read(fd, ignored, sizeof ignored) <= 0) return true;
    }
}

}  // namespace

Result<PolkitAgent, std::string> PolkitAgent::start() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(std::string("cannot create a pipe: ") + std::strerror(errno));
    const Fd ours{ends[0]};
    Fd theirs{ends[1]};
    std::string words[] = {"pkttyagent",
                           "--process",
                           std::to_string(getpid()),
                           "--notify-fd",
                           fmt::format("{}", kNotifyFd),
                           "--fallback"};
    char* arguments[std::size(words) + 1] = {};
    for (std::size_t i = 0; i < std::size(words); ++i) arguments[i] = words[i].data();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), kNotifyFd);
    pid_t process = -1;
    const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return fail(fmt::format("pkttyagent: {}", std::strerror(error)));
    theirs.reset();
    PolkitAgent agent{process};
    if (!closed_in_time(ours.get(), kPolkitAgentTimeout))
        return fail(std::string("pkttyagent: polkit did not accept it"));
    if (waitpid(process, nullptr, WNOHANG) == process) {
        agent.process_ = -1;
        return fail(std::string("pkttyagent exited immediately"));
    }
    return agent;
}

PolkitAgent::PolkitAgent(PolkitAgent&& other) noexcept
    : process_(std::exchange(other.process_, -1)) {}

PolkitAgent& PolkitAgent::operator=(PolkitAgent&& other) noexcept {
    std::swap(process_, other.process_);
    return *this;
}

PolkitAgent::~PolkitAgent() {
    if (process_ < 0) return;
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
}

}  // namespace helio::virt
