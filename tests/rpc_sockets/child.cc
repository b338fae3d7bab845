#include "tests/rpc_sockets/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace wire {

namespace {

// In the child, between fork and exec.
[[noreturn]] void become_server(const ServerProcess::Setup& setup, int output) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    // Out of the way first: a source may itself be 3 or 4.
    std::array<int, 8> moved{};
    const std::size_t count = setup.inherited.size();
    for (std::size_t i = 0; i < count; ++i) moved[i] = fcntl(setup.inherited[i], F_DUPFD, 100);
    for (std::size_t i = 0; i < count; ++i) {
        dup2(moved[i], 3 + static_cast<int>(i));  // without close-on-exec
        close(moved[i]);
    }
    if (count > 0) {
        setenv("LISTEN_FDS", std::to_string(count).c_str(), 1);
        setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
    }
    if (setup.descriptors_max != 0) {
        const rlimit limit{setup.descriptors_max, setup.descriptors_max};
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (count > 0)
        execl(SOCKET_PEER, SOCKET_PEER, "--inherited", nullptr);
    else
        execl(SOCKET_PEER, SOCKET_PEER, nullptr);
    _exit(127);
}

}  // namespace

ServerProcess::ServerProcess(const Setup& setup) {
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    process_ = fork();
    if (process_ == 0) become_server(setup, pipe[1]);
    close(pipe[1]);
    output_ = helio::transport::Fd{pipe[0]};
    char c = 0;
    while (read(output_.get(), &c, 1) == 1 && c != '\n') first_line_ += c;
    if (first_line_.empty()) throw std::runtime_error("socket_peer did not start");
    std::sscanf(first_line_.c_str(), "listening %hu", &port_);
}

ServerProcess::~ServerProcess() {
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
}

int ServerProcess::terminate() {
    kill(process_, SIGTERM);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::chrono::milliseconds ServerProcess::processor_time() const {
    std::ifstream file{"/proc/" + std::to_string(process_) + "/stat"};
    std::string word;
    for (int i = 0; i < 13; ++i) file >> word;
    long user = 0, system = 0;
    file >> user >> system;
    return std::chrono::milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

std::size_t ServerProcess::resident_bytes() const { return wire::resident_bytes(process_); }

std::size_t resident_bytes(pid_t process) {
    std::ifstream file{"/proc/" + std::to_string(process) + "/statm"};
    std::size_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace wire
