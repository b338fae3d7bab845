// helio virt serve: a daemon that libvirt's clients connect to, on a simulated host.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/transport/server/server.h"
#include "helio/virt/daemon/admin.h"
#include "helio/virt/daemon/daemon.h"
#include "helio/virt/host/load.h"
#include "helio/virt/server/connection.h"

namespace helio::cli {
namespace {

struct VirtServeFlags {
    std::vector<std::string> hosts, faults;
    std::string socket, socket_read_only, socket_admin, listen;
    std::string sasl_passwords;
    std::string keepalive = "5s";
    std::uint64_t domains = 0;
    unsigned threads = 0;
    unsigned workers = virt::server::kWorkersMax;
    unsigned priority_workers = virt::server::kPriorityWorkersMax;
    std::size_t client_requests = virt::kVirnetCallsInFlightMax;
    virt::server::ClientList::Limits clients;
    bool quiet = false;
};

constexpr const char* kVirtServeExamples = R"(Examples:
  helio virt serve --socket /tmp/virt-sock
  virsh -c 'test+unix:///default?socket=/tmp/virt-sock' list --all

  helio virt serve --socket /tmp/virt-sock --domains 5000
  helio virt serve --socket /tmp/virt-sock --host lab.toml --fault 'DomainCreate:error=no space left'
  helio virt serve --listen 127.0.0.1:16509 --fault '*:delay=50ms'

Without --host it is the host of libvirt's test:///default. A file of --host is TOML or libvirt's
XML. Clients may ask for any driver: qemu:///system finds this host too. Anybody who can reach a
socket may do anything, unless --sasl-passwords is given; --socket-ro is for who may only look.
It says "ready" when it is, and ends by SIGTERM or SIGINT.)";

void fill_host(virt::host::Host& host, const VirtServeFlags& flags) {
    if (flags.hosts.empty()) host.add_default();
    for (const std::string& path : flags.hosts)
        if (const auto done = virt::host::load_host_file(host, path); !done)
            throw std::runtime_error(done.error());
    if (flags.domains == 0) return;
    const std::string more = fmt::format(
        "[[domain]]\nname = \"vm\"\ncount = {}\nstate = \"running\"\nnetworks = [\"default\"]\n"
        "disks = [\"/guest/disk\"]\n",
        flags.domains);
    if (const auto done = virt::host::load_host_toml(host, more, "--domains"); !done)
        throw std::runtime_error(done.error());
}

virt::daemon::DaemonOptions daemon_options(const VirtServeFlags& flags) {
    virt::daemon::DaemonOptions options;
    options.sasl_passwords = flags.sasl_passwords;
    for (const std::string& text : flags.faults) {
        auto fault = virt::daemon::parse_fault(text);
        if (!fault) throw std::runtime_error(fault.error());
        options.faults.push_back(std::move(*fault));
    }
    return options;
}

// "127.0.0.1:16509", "[::1]:0", "host".
std::pair<std::string, std::uint16_t> split_listen(const std::string& text) {
    constexpr std::uint16_t kLibvirtTcpPort = 16509;
    const std::size_t colon = text.rfind(':');
    std::string host = text;
    std::uint16_t port = kLibvirtTcpPort;
    if (colon != std::string::npos && text.find(']', colon) == std::string::npos) {
        host = text.substr(0, colon);
        std::size_t used = 0;
        unsigned long number = 0x10000;
        const std::string digits = text.substr(colon + 1);
        if (!digits.empty() && digits.size() <= 5 &&
            digits.find_first_not_of("0123456789") == std::string::npos)
            number = std::stoul(digits, &used);
        if (number > 0xffff)
            throw std::runtime_error(fmt::format("--listen {}: a port is 0 to 65535", text));
        port = static_cast<std::uint16_t>(number);
    }
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    return {host, port};
}

// What it all needs, in the order in which it goes away again: sockets first.
class VirtServer final {
 public:
    explicit VirtServer(const VirtServeFlags& flags)
        : workers_(flags.workers, flags.priority_workers),
          clients_(flags.clients),
          log_level_(flags.quiet ? virt::daemon::kLogError : virt::daemon::kLogWarning),
          daemon_((fill_host(host_, flags), host_), daemon_options(flags)),
          programs_(with_log()) {
        daemon_.add_to(programs_);
        admin_.add_to(admin_programs_);
        server_.emplace(programs_,
                        transport::ServerLimits{.threads = flags.threads, .busy_polls = true});
        full_.emplace(connection_options(flags, false));
        looking_.emplace(connection_options(flags, true));
        listen(flags);
    }

    void run() {
        server_->start();
        if (admin_server_) admin_server_->start();
        for (const std::string& line : listening_) fmt::print("{}\n", line);
        fmt::print("ready\n");
        std::fflush(stdout);
        server_->wait_for_signal();
        if (admin_server_) admin_server_->stop();
    }

 private:
    rpc::ServerOptions with_log() {
        rpc::ServerOptions options;
        options.log = [this](std::string_view line) {
            if (log_level_ <= virt::daemon::kLogWarning) fmt::print(stderr, "helio: {}\n", line);
        };
        return options;
    }
    virt::server::ConnectionOptions connection_options(const VirtServeFlags& flags,
                                                       bool read_only) {
        virt::server::ConnectionOptions options;
        options.read_only = read_only;
        options.needs_authentication = !flags.sasl_passwords.empty() && !read_only;
        options.keepalive_interval = parse_duration(flags.keepalive);
        options.limits.calls_in_flight = flags.client_requests;
        options.workers = &workers_;
        options.clients = &clients_;
        return options;
    }
    void listen(const VirtServeFlags& flags) {
        if (!flags.socket.empty()) {
            server_->listen_unix(flags.socket, &*full_);
            listening_.push_back(fmt::format("unix {}", flags.socket));
        }
        if (!flags.socket_read_only.empty()) {
            server_->listen_unix(flags.socket_read_only, &*looking_);
            listening_.push_back(fmt::format("unix {} read-only", flags.socket_read_only));
        }
        if (!flags.listen.empty()) {
            const auto [name, port] = split_listen(flags.listen);
            for (const transport::Endpoint& one : server_->listen_tcp(name, port, &*full_))
                listening_.push_back(fmt::format("tcp {}", to_text(one)));
        }
        if (!flags.socket_admin.empty()) {
            virt::server::ConnectionOptions options;
            options.clients = &administrators_;
            admin_sessions_.emplace(options);
            admin_server_.emplace(admin_programs_, transport::ServerLimits{.threads = 1});
            admin_server_->listen_unix(flags.socket_admin, &*admin_sessions_);
            listening_.push_back(fmt::format("unix {} admin", flags.socket_admin));
        }
    }

    virt::host::Host host_;
    virt::server::Workers workers_;
    virt::server::ClientList clients_, administrators_;
    std::atomic<unsigned> log_level_;
    virt::daemon::Daemon daemon_;
    virt::daemon::Administration admin_{{workers_, clients_, administrators_, log_level_}};
    rpc::Server programs_, admin_programs_;
    std::optional<virt::server::SessionFactory> full_, looking_, admin_sessions_;
    std::optional<transport::Server> server_, admin_server_;
    std::vector<std::string> listening_;
};

int serve_virt(const VirtServeFlags& flags) {
    if (flags.socket.empty() && flags.socket_read_only.empty() && flags.listen.empty())
        throw std::runtime_error("nobody could come in: give --socket, --socket-ro or --listen");
    if (!flags.sasl_passwords.empty() && !flags.listen.empty())
        throw std::runtime_error(
            "--sasl-passwords is for AF_UNIX: over TCP libvirt's clients want SASL to encrypt, "
            "which "
            "this daemon does not");
    if (!flags.sasl_passwords.empty() && !std::filesystem::exists(flags.sasl_passwords))
        throw std::runtime_error(fmt::format("{}: there is no such file", flags.sasl_passwords));
    transport::Server::block_signals();
    VirtServer{flags}.run();
    return kDone;
}

}  // namespace

void add_virt_serve(CLI::App& virt, int& exit_code) {
    auto flags = std::make_shared<VirtServeFlags>();
    auto* const verb = virt.add_subcommand("serve", "Be a libvirt daemon, on a simulated host");
    verb->add_option("--socket", flags->socket, "AF_UNIX socket for who may do anything")
        ->type_name("PATH");
    verb->add_option("--socket-ro", flags->socket_read_only, "AF_UNIX socket for who may look")
        ->type_name("PATH");
    verb->add_option("--socket-admin", flags->socket_admin, "AF_UNIX socket for virt-admin")
        ->type_name("PATH");
    verb->add_option("--listen", flags->listen, "TCP, for who may do anything; port 0 is any")
        ->type_name("HOST[:PORT]");
    verb->add_option("--host", flags->hosts, "what is on the host; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FILE");
    verb->add_option("--domains", flags->domains, "so many running domains, vm-1 and on, besides")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{virt::host::kHostObjectsMax}));
    verb->add_option(
            "--fault", flags->faults,
            "PROCEDURE:WHAT; what is delay=20ms, error=TEXT, disconnect, hang, with times=N "
            "and skip=N; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FAULT");
    verb->add_option("--keepalive", flags->keepalive, "ask silent clients so often; 0s is never")
        ->capture_default_str()
        ->check(CLI::Validator{check_duration, "", ""});
    verb->add_option("--sasl-passwords", flags->sasl_passwords,
                     "who comes by --socket says who he is; a file of saslpasswd2")
        ->type_name("FILE");
    verb->add_option("--workers", flags->workers, "calls that run at a time, of all clients")
        ->capture_default_str()
        ->check(CLI::Range(1u, 1'000'000u));
    verb->add_option("--priority-workers", flags->priority_workers,
                     "and besides, of those that do not wait for anything")
        ->capture_default_str()
        ->check(CLI::Range(0u, 1'000'000u));
    verb->add_option("--client-requests", flags->client_requests, "and of one client")
        ->capture_default_str()
        ->check(CLI::Range(1u, 10'000u));
    verb->add_option("--max-clients", flags->clients.clients, "more are cut off")
        ->capture_default_str()
        ->check(CLI::Range(1u, 65'536u));
    verb->add_option("--max-anonymous-clients", flags->clients.anonymous,
                     "more that have not authenticated are cut off")
        ->capture_default_str();
    verb->add_option("--threads", flags->threads, "0 is one for each core")->capture_default_str();
    verb->add_flag("--quiet", flags->quiet, "no word on refused calls and broken connections");
    verb->footer(kVirtServeExamples);
    verb->callback([flags, &exit_code] { exit_code = serve_virt(*flags); });
}

}  // namespace helio::cli
