#include "helio/nfs/serve.h"

#include <sys/random.h>

#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/base/text/shell.h"
#include "helio/nfs/server/programs.h"
#include "helio/portmap/portmapper.h"
#include "helio/transport/server/server.h"

namespace helio::nfs {
namespace {

HandleKey random_key() {
    HandleKey key;
    if (getrandom(&key, sizeof key, 0) != static_cast<ssize_t>(sizeof key))
        throw std::runtime_error("the system gives no random bytes");
    return key;
}

void print_text(std::string_view text) {
    fmt::print("{}", text);
    std::fflush(stdout);
}

void print_log(std::string_view line) { fmt::print(stderr, "{}\n", line); }

std::string start_text(const ExportTable& exports, const std::string& host, std::uint16_t port) {
    std::string text = fmt::format("NFS versions 4.2, 4.1, 3 and 2 at {}:{}, TCP and UDP\n",
                                   host.empty() ? "*" : host, port);
    const std::string from = host.empty() || host == "0.0.0.0" || host == "::" ? "HOST" : host;
    for (const auto& one : exports)
        text +=
            fmt::format("\nTo mount {}:\n  {}\n", one.path, mount_command(from, port, one.path));
    return text;
}

}  // namespace

std::string mount_command(const std::string& host, std::uint16_t port, const std::string& path,
                          unsigned version) {
    const bool v6 = host.find(':') != host.npos;
    const bool lacks_brackets = v6 && !host.starts_with('[');
    const std::string what = shell_quoted((lacks_brackets ? "[" + host + "]" : host) + ":" + path);
    if (version >= 4) {
        const std::string options = port == kNfsPort ? "" : fmt::format("-o port={} ", port);
        return fmt::format("sudo mount -t nfs {}{} /mnt", options, what);
    }
    return fmt::format(
        "sudo mount -t nfs -o "
        "vers={3},proto=tcp{1},port={0},mountport={0},mountproto=tcp{1},nolock "
        "{2} /mnt",
        port, v6 ? "6" : "", what, version);
}

void serve(ExportTable file_systems, const ServeOptions& options) {
    const auto log = options.log ? options.log : print_log;
    transport::Server::block_signals();
    for (auto& one : file_systems) one.path = normalized_path(one.path);
    const ExportTable served = file_systems;

    const HandleKey key = options.key ? *options.key : random_key();
    Exports exports{key, log};
    if (auto set = exports.set(std::move(file_systems)); !set)
        throw std::runtime_error(set.error());
    transport::Pool pool{options.pool_threads};
    state::NoRecovery recovery;
    Programs programs{exports, pool, Version4{recovery, public_id_of(key)}};
    portmap::Portmapper portmapper;
    rpc::ServerOptions rpc_options;
    rpc_options.trusts_datagrams_of = [&exports](const rpc::Peer& peer) {
        return exports.trusts_datagrams_of(peer);
    };
    rpc_options.log = log;
    rpc_options.probed_programs.assign(kProbedPrograms.begin(), kProbedPrograms.end());
    rpc::Server rpc{std::move(rpc_options)};
    programs.add_to(rpc);
    portmapper.add_to(rpc);

    transport::ServerLimits limits;
    limits.threads = options.threads;
    transport::Server server{rpc, limits};
    const std::uint16_t port = server.listen(options.host, options.port);
    for (const auto& problem : portmapper.register_programs(rpc, server)) log(problem);
    server.start();
    (options.announce ? options.announce : print_text)(start_text(served, options.host, port));
    server.wait_for_signal();
}

}  // namespace helio::nfs
