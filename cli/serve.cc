// helio serve: exports directories, or files in memory, over NFS. helio/serve is the server; this
// file has its flags.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "helio/serve/config/backends.h"
#include "helio/serve/names/domain_names.h"
#include "helio/serve/serve.h"

#ifndef HELIO_VERSION
#define HELIO_VERSION "unknown"
#endif

namespace helio::cli {
namespace {

struct Flags {
    std::vector<std::string> exports, listen, allow;
    bool read_write = false;
    bool read_only = false;
    bool udp = false;
    std::string squash, anonymous_uid, anonymous_gid, memory, state, config, log, log_level,
        metrics, rdma;
    unsigned threads = 0;
    unsigned lease = 0;
    std::string versions, domain;
    bool sync_metadata = false;
    bool no_sandbox = false;
    bool portmap = false;
    bool check = false;
    bool check_ports = false;
};

constexpr const char* kExamples = R"(Examples:
  helio serve .                                 this directory, for this machine
  helio serve --listen 0.0.0.0 --allow 10.0.0.0/8 --ro /srv/data
  helio serve data=/srv/data scratch=memory:    two exports, /data and /scratch
  helio serve --listen 127.0.0.1:0 memory:      picks a free port and prints it
  helio serve --rdma --listen 0.0.0.0 /srv/data also over RDMA
  helio serve --domain example.com /srv/data    owners by name, ada@example.com, with NFS 4
  helio serve --config /etc/heliograph.toml     settings from a file; SIGHUP reloads it
  helio serve --config /etc/heliograph.toml --check

NFS versions 4.2, 4.1, 3 and 2, MOUNT and the port mapper share one port. Neither root nor rpcbind
is needed. At start it prints the exports, who may use them, and the command to mount them:
  sudo mount -t nfs HOST:/ /mnt
See docs/serve.md.
Exit status: 0 stopped by SIGTERM or ^C, 1 wrong settings, 2 wrong usage or could not start.)";

// Parses a flag; an error names it and ends the program.
template <class T>
T take(Result<T, std::string> parsed, std::string_view flag) {
    if (!parsed) throw std::runtime_error(fmt::format("{}: {}", flag, parsed.error()));
    return std::move(*parsed);
}

serve::RuleSettings to_rules(const Flags& flags) {
    serve::RuleSettings rules;
    if (flags.read_only || flags.read_write) rules.read_only = flags.read_only;
    if (flags.udp) rules.udp = true;
    if (!flags.squash.empty()) rules.squash = take(serve::parse_squash(flags.squash), "--squash");
    if (!flags.anonymous_uid.empty())
        rules.anonymous_uid = take(serve::parse_user(flags.anonymous_uid), "--anon-uid");
    if (!flags.anonymous_gid.empty())
        rules.anonymous_gid = take(serve::parse_group(flags.anonymous_gid), "--anon-gid");
    for (const auto& text : flags.allow) {
        if (!rules.allowed) rules.allowed.emplace();
        rules.allowed->push_back(take(nfs::Network::parse(text), "--allow"));
    }
    return rules;
}

serve::Settings to_settings(const Flags& flags) {
    serve::Settings settings;
    for (const auto& text : flags.exports)
        settings.exports.push_back(take(serve::parse_export(text, serve::linked_backends()), text));
    settings.rules = to_rules(flags);
    for (const auto& text : flags.listen)
        settings.listen.push_back(
            take(serve::parse_listen(text, serve::kListenDefault), "--listen"));
    if (flags.threads != 0) settings.threads = flags.threads;
    if (!flags.memory.empty())
        settings.memory_bytes_max = take(serve::parse_memory(flags.memory), "--memory");
    if (!flags.state.empty()) settings.state = flags.state;
    if (!flags.versions.empty())
        settings.versions = take(serve::parse_versions(flags.versions), "--versions");
    if (flags.lease != 0) settings.lease_seconds = flags.lease;
    if (!flags.domain.empty())
        settings.domain = take(serve::parse_domain(flags.domain), "--domain");
    if (flags.sync_metadata) settings.sync_metadata = true;
    if (!flags.log.empty()) settings.log_format = take(serve::parse_log_format(flags.log), "--log");
    if (!flags.log_level.empty())
        settings.log_level = take(serve::parse_log_level(flags.log_level), "--log-level");
    if (flags.metrics == "off")
        settings.metrics_off = true;
    else if (!flags.metrics.empty())
        settings.metrics =
            take(serve::parse_listen(flags.metrics, serve::kMetricsDefault), "--metrics");
    if (flags.no_sandbox) settings.sandbox = false;
    if (flags.portmap) settings.portmap = true;
    if (!flags.rdma.empty())
        settings.rdma = take(serve::parse_listen(flags.rdma, serve::kRdmaDefault), "--rdma");
    return settings;
}

int run(const Flags& flags) {
    serve::Request request;
    request.flags = to_settings(flags);
    request.config = flags.config;
    request.check = flags.check || flags.check_ports;
    request.check_ports = flags.check_ports;
    request.version = HELIO_VERSION;
    if (request.flags.exports.empty() && request.config.empty())
        throw std::runtime_error(fmt::format("nothing to export; name {}; see helio serve --help",
                                             serve::source_nouns(serve::linked_backends(), "")));
    return serve::serve(request);
}

void bind_rules(Command& verb, Flags& flags) {
    auto* const rw = verb.add_flag("--rw", flags.read_write, "clients may write (the default)");
    verb.add_flag("--ro", flags.read_only, "clients may not write")->excludes(rw);
    verb.add_option(
            "--allow", flags.allow,
            "only clients in this network, 10.0.0.0/8 or fe80::/64; may be repeated. Default: "
            "every client that can reach the --listen address")
        ->type_name("CIDR")
        ->allow_extra_args(false);
    verb.add_flag(
        "--udp", flags.udp,
        "serve NFS over UDP to every client. Default: only to this machine and to --allow "
        "networks, because source addresses of datagrams can be forged");
    verb.add_option(
            "--squash", flags.squash,
            "which callers are mapped to the anonymous user: root (the default), all or none")
        ->type_name("WHO");
    verb.add_option("--anon-uid", flags.anonymous_uid,
                    "the anonymous user, as a number or a name. Default: 65534")
        ->type_name("USER");
    verb.add_option("--anon-gid", flags.anonymous_gid,
                    "the anonymous user's group, as a number or a name. Default: 65534")
        ->type_name("GROUP");
}

// Names of our flags in other servers.
void hint_flags(Command& verb) {
    for (const char* const name : {"--port", "-p"})
        verb.hint_flag(name,
                       "--listen sets the port: --listen 3000 for this machine, --listen :3000 "
                       "for every address");
    for (const char* const name : {"--host", "--bind", "--address", "--addr", "-b", "-l"})
        verb.hint_flag(name, "did you mean --listen?");
    for (const char* const name : {"--readonly", "--read-only", "-r"})
        verb.hint_flag(name, "did you mean --ro?");
    for (const char* const name : {"--readwrite", "--read-write", "-w"})
        verb.hint_flag(name, "did you mean --rw?");
    for (const char* const name : {"--quiet", "-q"})
        verb.hint_flag(name, "--log-level error logs less");
    for (const char* const name : {"--verbose", "--debug", "-v"})
        verb.hint_flag(name, "--log-level debug logs more");
    for (const char* const name : {"--daemon", "--daemonize", "--background", "-d"})
        verb.hint_flag(
            name, "helio always runs in the foreground; docs/serve.md describes the systemd unit");
    for (const char* const name : {"--export", "--dir", "--directory", "-e"})
        verb.hint_flag(name, "exports are arguments: helio serve DIR or NAME=DIR");
    for (const char* const name : {"--no-root-squash", "--no_root_squash"})
        verb.hint_flag(name, "did you mean --squash none?");
    verb.hint_flag("--all-squash", "did you mean --squash all?");
    verb.hint_flag("--root-squash", "did you mean --squash root, which is the default?");
}

}  // namespace

void add_serve(Command& app, int& exit_code) {
    auto flags = std::make_shared<Flags>();
    auto* const verb = app.add_subcommand("serve", "Export directories over NFS");
    verb->add_option("EXPORT", flags->exports, serve::source_usage(serve::linked_backends()));
    verb->add_option(
            "--listen", flags->listen,
            "ADDRESS, ADDRESS:PORT, PORT (on 127.0.0.1) or :PORT (on every address); port 0 "
            "picks a free port; may be repeated. Default: 127.0.0.1:2049")
        ->type_name("WHERE")
        ->allow_extra_args(false);
    verb->add_flag("--rdma{*}", flags->rdma,
                   "also serve over RDMA (RoCE, InfiniBand, iWARP): --rdma on every device, port "
                   "20049; --rdma=ADDRESS:PORT on one");
    bind_rules(*verb, *flags);
    hint_flags(*verb);
    verb->add_option("--threads", flags->threads, "number of threads. Default: one per core")
        ->range(1u, serve::kThreadsMax);
    verb->add_option("--memory", flags->memory,
                     "memory limit for all clients together: 512M, 2G. Default: a quarter of the "
                     "memory of the machine or of its control group")
        ->type_name("SIZE");
    verb->add_option(
            "--state", flags->state,
            "directory for the handle key and index, which keep mounts valid across restarts. "
            "Default: $XDG_STATE_HOME/heliograph, or /var/lib/heliograph for root")
        ->type_name("DIR");
    verb->add_option("--versions", flags->versions,
                     "versions of NFS to serve. Default: 4.2,4.1,3,2")
        ->type_name("LIST");
    verb->add_option("--lease", flags->lease,
                     "seconds after which other clients of NFS 4 may take the locks of a silent "
                     "one. Default: 60")
        ->type_name("SECONDS")
        ->range(static_cast<unsigned>(nfs::state::kLeaseMin.count()),
                static_cast<unsigned>(nfs::state::kLeaseMax.count()));
    verb->add_option("--domain", flags->domain,
                     "send owners and groups to clients of NFS 4 as names, ada@NAME, as this "
                     "machine knows them. Default: as numbers")
        ->type_name("NAME");
    verb->add_flag("--sync-metadata", flags->sync_metadata,
                   "reply only after names and attributes, not just data, are on disk");
    verb->add_option("--config", flags->config,
                     "read settings from a TOML file (docs/serve.md); flags override it")
        ->type_name("FILE");
    verb->add_flag("--check", flags->check,
                   "check the settings, print the exports or every error, and exit");
    verb->add_flag("--check-ports", flags->check_ports,
                   "like --check, and also require that the ports are free");
    verb->add_option("--log", flags->log, "log format on stderr: text (the default) or json")
        ->type_name("FORMAT");
    verb->add_option("--log-level", flags->log_level, "debug, info (the default), warning or error")
        ->type_name("LEVEL");
    verb->add_option("--metrics", flags->metrics,
                     "HTTP address for /metrics and /health, or off. Default: 127.0.0.1:9049")
        ->type_name("WHERE");
    verb->add_flag("--no-sandbox", flags->no_sandbox,
                   "do not drop capabilities or apply Landlock and seccomp");
    verb->add_flag("--portmap", flags->portmap,
                   "register with rpcbind, or listen on port 111 if rpcbind is not running");
    verb->footer(serve::settings_help(serve::linked_backends()) + kExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
