// ConnectPlan: from a URI to a stream.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "helio/base/text/shell.h"
#include "helio/virt/client/client.h"

extern char** environ;

namespace helio::virt {

namespace {

// ssh closes its output a moment before it exits.
constexpr auto kSshExitMax = std::chrono::seconds(2);

// Quotes a word for a POSIX shell.
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char one : text) {
        if (one == '\'')
            out += "'\\''";
        else
            out += one;
    }
    return out + "'";
}

// The command at the other end: libvirt's helper, which finds the daemon's socket itself, or netcat
// if that is not installed.
std::string far_command(const Uri& uri) {
    const std::string socket =
        uri.socket.empty() ? fmt::format("/run/libvirt/libvirt-sock{}", uri.read_only ? "-ro" : "")
                           : uri.socket;
    const std::string netcat = fmt::format("nc -U {}", quoted(socket));
    const std::string script =
        uri.socket.empty()
            ? fmt::format(
                  "if command -v virt-ssh-helper >/dev/null 2>&1; then exec virt-ssh-helper "
                  "{}{}; else exec {}; fi",
                  uri.read_only ? "-r " : "", quoted(uri.name), netcat)
            : "exec " + netcat;
    return "sh -c " + quoted(script);
}

std::vector<std::string> ssh_words(const Uri& uri) {
    std::vector<std::string> words{uri.command.empty() ? "ssh" : uri.command, "-T", "-e", "none"};
    if (uri.port != 0) words.insert(words.end(), {"-p", fmt::format("{}", uri.port)});
    if (!uri.user.empty()) words.insert(words.end(), {"-l", uri.user});
    if (!uri.keyfile.empty()) words.insert(words.end(), {"-i", uri.keyfile});
    words.insert(words.end(), {"--", uri.host, far_command(uri)});
    return words;
}

// Starts a process with its standard input and output connected to `ours`.
Result<int, std::string> spawn(const std::vector<std::string>& words, Fd& ours) {
    auto [near, theirs] = transport::socket_pair();
    if (!near) return fail(std::string("cannot create a socket pair: ") + std::strerror(errno));
    ours = std::move(near);
    fcntl(theirs.get(), F_SETFL, 0);  // programs expect blocking standard input
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), 0);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
    std::vector<char*> arguments;
    for (const std::string& one : words) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    pid_t process = -1;
    const int error =
        posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return fail(fmt::format("{}: {}", words[0], std::strerror(error)));
    return process;
}

}  // namespace

Result<ConnectPlan, std::string> ConnectPlan::find(const Uri& uri) {
    ConnectPlan out;
    if (uri.transport == Uri::Transport::ssh) {
        const std::vector<std::string> words = ssh_words(uri);
        const auto process = spawn(words, out.connected_);
        if (!process) return fail(process.error());
        out.ssh_ = *process;
        for (const std::string& one : words)
            out.ssh_command_ += (out.ssh_command_.empty() ? "" : " ") + shell_quoted(one);
        return out;
    }
    if (uri.transport == Uri::Transport::tcp || uri.transport == Uri::Transport::tls) {
        auto found = transport::resolve(uri.host, uri.port);
        if (!found) return fail(found.error());
        out.servers_ = std::move(*found);
        if (uri.transport == Uri::Transport::tls)
            out.tls_ = {find_tls_files(uri.pki_folder), uri.host, !uri.no_verify, uri.tls_priority};
        return out;
    }
    try {
        out.servers_.push_back(
            transport::Endpoint::unix_path(uri.socket.empty() ? default_socket(uri) : uri.socket));
    } catch (const std::exception& error) {
        return fail(std::string(error.what()));
    }
    return out;
}

ConnectPlan::ConnectPlan(ConnectPlan&& other) noexcept
    : servers_(std::move(other.servers_)),
      connected_(std::move(other.connected_)),
      ssh_(std::exchange(other.ssh_, -1)),
      ssh_command_(std::move(other.ssh_command_)),
      tls_(std::move(other.tls_)) {}

ConnectPlan& ConnectPlan::operator=(ConnectPlan&& other) noexcept {
    std::swap(servers_, other.servers_);
    connected_ = std::move(other.connected_);
    std::swap(ssh_, other.ssh_);
    std::swap(ssh_command_, other.ssh_command_);
    std::swap(tls_, other.tls_);
    return *this;
}

std::string ConnectPlan::how_ssh_ended() {
    if (ssh_ < 0) return "";
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + kSshExitMax;
    while (waitpid(ssh_, &status, WNOHANG) != ssh_) {
        if (std::chrono::steady_clock::now() > end) return "";
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ssh_ = -1;
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("was killed by signal {}", WTERMSIG(status))
                                : fmt::format("ended with exit status {}", WEXITSTATUS(status));
    return fmt::format("ssh {}; the command was: {}", how, ssh_command_);
}

ConnectPlan::~ConnectPlan() {
    if (ssh_ < 0) return;
    kill(ssh_, SIGTERM);
    waitpid(ssh_, nullptr, 0);
}

Task<ConnectPlan::Connected> ConnectPlan::connect(transport::EventLoop& loop,
                                                  ClientConnectionOptions options) {
    if (tls_) {
        auto stream = co_await connect_tls(loop, servers_, *tls_, options.call_timeout);
        if (!stream) co_return fail(stream.error());
        auto out =
            std::make_unique<ClientConnection>(loop, std::move(stream->socket), std::move(options));
        out->set_layer(std::move(stream->layer));
        co_return out;
    }
    if (connected_)
        co_return std::make_unique<ClientConnection>(loop, std::move(connected_),
                                                     std::move(options));
    co_return std::make_unique<ClientConnection>(loop, servers_, std::move(options));
}

}  // namespace helio::virt
