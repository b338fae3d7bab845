#include "tests/rpc_peers/tirpc_peer.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace rpc_peers {
namespace {

struct Child {
    pid_t process;
    int output;  // its stdout and stderr
};

Child start(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    const pid_t process = fork();
    if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // a crashing test leaves no process
        dup2(pipe[1], STDOUT_FILENO);
        dup2(pipe[1], STDERR_FILENO);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    close(pipe[1]);
    return {process, pipe[0]};
}

// One read of a pipe; empty at its end.
std::string read_some(int output) {
    std::array<char, 4096> buffer;
    ssize_t size = 0;
    do {
        size = read(output, buffer.data(), buffer.size());
    } while (size < 0 && errno == EINTR);
    return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TirpcServer::TirpcServer() {
    const Child child = start({TIRPC_PEER_SERVER});
    process_ = child.process;
    output_ = child.output;
    std::string line;
    while (line.find('\n') == std::string::npos) {
        const std::string more = read_some(output_);
        if (more.empty()) break;
        line += more;
    }
    if (std::sscanf(line.c_str(), "listening tcp %hu udp %hu", &tcp_port_, &udp_port_) == 2) return;
    kill(process_, SIGKILL);
    wait_for(process_);
    close(output_);
    throw std::runtime_error("tirpc_peer_server did not start: " + line);
}

TirpcServer::~TirpcServer() {
    kill(process_, SIGKILL);
    wait_for(process_);
    close(output_);
}

ClientRun run_tirpc_client(std::string_view host, std::uint16_t port, std::string_view transport) {
    const Child child =
        start({TIRPC_PEER_CLIENT, std::string(host), std::to_string(port), std::string(transport)});
    ClientRun run;
    for (std::string more = read_some(child.output); !more.empty(); more = read_some(child.output))
        run.text += more;
    close(child.output);
    run.status = wait_for(child.process);
    for (std::size_t at = 0; at < run.text.size(); at = run.text.find('\n', at) + 1)
        if (run.text.compare(at, 3, "ok ") == 0) ++run.passed;
    return run;
}

}  // namespace rpc_peers
