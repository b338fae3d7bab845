// helio virt serve: a daemon that libvirt's clients connect to, on a simulated host.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/virt/virt.h"
#include "helio/transport/server/server.h"
#include "helio/virt/daemon/daemon_server.h"
#include "helio/virt/host/load.h"

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
    bool no_sandbox = false;
};

constexpr const char* kVirtServeExamples = R"(Examples:
  helio virt serve --socket /tmp/virt-sock
  virsh -c 'test+unix:///default?socket=/tmp/virt-sock' list --all

  helio virt serve --socket /tmp/virt-sock --domains 5000
  helio virt serve --socket /tmp/virt-sock --host lab.toml --fault 'DomainCreate:error=no space left'
  helio virt serve --listen 127.0.0.1:16509 --fault '*:delay=50ms'

Without --host it simulates the host of libvirt's test:///default. A --host file is TOML or
libvirt's XML. Clients may ask for any driver: qemu:///system finds this host too. Anybody who can reach a
socket has full access, unless --sasl-passwords is given; --socket-ro gives read-only access.
It prints "ready" when it accepts connections, and stops on SIGTERM or SIGINT.)";

void fill_host(virt::host::Host& host, const VirtServeFlags& flags) {
    if (flags.hosts.empty()) host.add_default();
    for (const std::string& path : flags.hosts)
        if (const auto done = virt::host::load_host_file(host, path); !done)
            throw std::runtime_error(done.error());
    if (const auto done = virt::host::add_running_domains(host, flags.domains); !done)
        throw std::runtime_error(done.error());
}

virt::daemon::DaemonServerOptions server_options(const VirtServeFlags& flags) {
    virt::daemon::DaemonServerOptions options;
    options.daemon.sasl_passwords = flags.sasl_passwords;
    for (const std::string& text : flags.faults) {
        auto fault = virt::daemon::parse_fault(text);
        if (!fault) throw std::runtime_error(fault.error());
        options.daemon.faults.push_back(std::move(*fault));
    }
    options.socket = flags.socket;
    options.socket_read_only = flags.socket_read_only;
    options.socket_admin = flags.socket_admin;
    if (!flags.listen.empty()) options.listen = virt_host_port(flags.listen);
    options.keepalive_interval = parse_duration(flags.keepalive);
    options.threads = flags.threads;
    options.workers = flags.workers;
    options.priority_workers = flags.priority_workers;
    options.client_requests = flags.client_requests;
    options.clients = flags.clients;
    options.log = [](std::string_view line) { fmt::print(stderr, "helio: {}\n", line); };
    if (flags.quiet) options.log_level = virt::daemon::kLogError;
    return options;
}

// Files that are used after the start. Descriptions of the host have been read.
SandboxNeeds sandbox_needs(const VirtServeFlags& flags) {
    SandboxNeeds needs;
    for (const std::string* const path :
         {&flags.socket, &flags.socket_read_only, &flags.socket_admin})
        if (!path->empty()) needs.removable.push_back(directory_of(*path));
    // Names of users, for virt-admin.
    if (!flags.socket_admin.empty()) needs.readable.emplace_back("/etc");
    if (!flags.sasl_passwords.empty()) {
        // The SASL library opens the database for each client, and its own files when it needs
        // them.
        needs.readable.push_back(directory_of(flags.sasl_passwords));
        for (const char* const path : {"/dev/random", "/dev/urandom", "/etc", "/usr/lib"})
            needs.readable.emplace_back(path);
    }
    return needs;
}

int serve_virt(const VirtServeFlags& flags) {
    if (flags.socket.empty() && flags.socket_read_only.empty() && flags.listen.empty())
        throw std::runtime_error("nothing to listen on; use --socket, --socket-ro or --listen");
    if (!flags.sasl_passwords.empty() && !flags.listen.empty())
        throw std::runtime_error(
            "--sasl-passwords works on AF_UNIX only: over TCP libvirt's clients require SASL to "
            "encrypt, which this daemon does not support");
    if (!flags.sasl_passwords.empty() && !std::filesystem::exists(flags.sasl_passwords))
        throw std::runtime_error(fmt::format("{}: no such file", flags.sasl_passwords));
    transport::Server::block_signals();
    virt::host::Host host;
    fill_host(host, flags);
    virt::daemon::DaemonServer server{host, server_options(flags)};
    if (!flags.no_sandbox) confine(sandbox_needs(flags), {});
    server.start();
    for (const std::string& line : server.listening()) fmt::print("{}\n", line);
    fmt::print("ready\n");
    std::fflush(stdout);
    server.wait_for_signal();
    return kDone;
}

}  // namespace

void add_virt_serve(Command& virt, int& exit_code) {
    auto flags = std::make_shared<VirtServeFlags>();
    auto* const verb = virt.add_subcommand("serve", "Run a libvirt daemon on a simulated host");
    verb->add_option("--socket", flags->socket, "AF_UNIX socket with full access")
        ->type_name("PATH");
    verb->add_option("--socket-ro", flags->socket_read_only, "AF_UNIX socket with read-only access")
        ->type_name("PATH");
    verb->add_option("--socket-admin", flags->socket_admin, "AF_UNIX socket for virt-admin")
        ->type_name("PATH");
    verb->add_option("--listen", flags->listen,
                     "TCP address with full access; port 0 picks a free port")
        ->type_name("HOST[:PORT]");
    verb->add_option("--host", flags->hosts,
                     "TOML or XML file that describes the host; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FILE");
    verb->add_option("--domains", flags->domains, "add this many running domains: vm-1, vm-2, …")
        ->range(std::uint64_t{0}, std::uint64_t{virt::host::kHostObjectsMax});
    verb->add_option(
            "--fault", flags->faults,
            "inject a fault: PROCEDURE:delay=20ms, error=TEXT, disconnect or hang, optionally "
            "times=N and skip=N; may be repeated")
        ->allow_extra_args(false)
        ->type_name("FAULT");
    verb->add_option("--keepalive", flags->keepalive,
                     "ping clients after this much silence; 0s: never")
        ->capture_default_str()
        ->check(check_duration);
    verb->add_option("--sasl-passwords", flags->sasl_passwords,
                     "require SASL on --socket, with this saslpasswd2 database")
        ->type_name("FILE");
    verb->add_option("--workers", flags->workers, "concurrent calls for all clients together")
        ->capture_default_str()
        ->range(1u, 1'000'000u);
    verb->add_option("--priority-workers", flags->priority_workers,
                     "additional workers for high-priority calls")
        ->capture_default_str()
        ->range(0u, 1'000'000u);
    verb->add_option("--client-requests", flags->client_requests, "concurrent calls per client")
        ->capture_default_str()
        ->range(1u, 10'000u);
    verb->add_option("--max-clients", flags->clients.clients,
                     "maximum number of clients; beyond it, a new client replaces the oldest one "
                     "that has not opened a connection to the host")
        ->capture_default_str()
        ->range(1u, 65'536u);
    verb->add_option("--max-anonymous-clients", flags->clients.anonymous,
                     "maximum number of clients that have not authenticated")
        ->capture_default_str();
    verb->add_option("--threads", flags->threads, "number of threads; 0: one per core")
        ->capture_default_str();
    verb->add_flag("--quiet", flags->quiet, "do not log refused calls and broken connections");
    verb->add_flag("--no-sandbox", flags->no_sandbox,
                   "do not drop capabilities or apply Landlock and seccomp");
    verb->footer(kVirtServeExamples);
    verb->callback([flags, &exit_code] { exit_code = serve_virt(*flags); });
}

}  // namespace helio::cli
