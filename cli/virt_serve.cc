// helio virt serve: a daemon that libvirt's clients connect to, on a simulated host.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/virt.h"
#include "cli/words.h"
#include "helio/transport/server.h"
#include "helio/virt/daemon/daemon.h"
#include "helio/virt/host/load.h"
#include "helio/virt/server/connection.h"

namespace helio::cli {
namespace {

struct VirtServeFlags {
    std::vector<std::string> hosts, faults;
    std::string socket, socket_read_only, listen;
    std::string keepalive = "5s";
    std::uint64_t domains = 0;
    unsigned threads = 0;
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
socket may do anything; --socket-ro is for who may only look.
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

int serve_virt(const VirtServeFlags& flags) {
    if (flags.socket.empty() && flags.socket_read_only.empty() && flags.listen.empty())
        throw std::runtime_error("nobody could come in: give --socket, --socket-ro or --listen");
    transport::Server::block_signals();
    virt::host::Host host;
    fill_host(host, flags);
    virt::daemon::Daemon daemon(host, daemon_options(flags));
    rpc::ServerOptions options;
    if (!flags.quiet)
        options.log = [](std::string_view line) { fmt::print(stderr, "helio: {}\n", line); };
    rpc::Server programs(std::move(options));
    daemon.add_to(programs);
    virt::server::ConnectionOptions full;
    full.keepalive_interval = parse_duration(flags.keepalive);
    virt::server::ConnectionOptions looking = full;
    looking.read_only = true;
    const virt::server::Dialect dialect(full), looking_dialect(looking);
    transport::Server server(programs, {.threads = flags.threads});
    if (!flags.socket.empty()) server.listen_unix(flags.socket, &dialect);
    if (!flags.socket_read_only.empty())
        server.listen_unix(flags.socket_read_only, &looking_dialect);
    std::vector<transport::Endpoint> endpoints;
    if (!flags.listen.empty()) {
        const auto [name, port] = split_listen(flags.listen);
        endpoints = server.listen_tcp(name, port, &dialect);
    }
    server.start();
    if (!flags.socket.empty()) fmt::print("unix {}\n", flags.socket);
    if (!flags.socket_read_only.empty()) fmt::print("unix {} read-only\n", flags.socket_read_only);
    for (const transport::Endpoint& one : endpoints) fmt::print("tcp {}\n", to_text(one));
    fmt::print("ready\n");
    std::fflush(stdout);
    server.wait_for_signal();
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
    verb->add_option("--threads", flags->threads, "0 is one for each core")->capture_default_str();
    verb->add_flag("--quiet", flags->quiet, "no word on refused calls and broken connections");
    verb->footer(kVirtServeExamples);
    verb->callback([flags, &exit_code] { exit_code = serve_virt(*flags); });
}

}  // namespace helio::cli
