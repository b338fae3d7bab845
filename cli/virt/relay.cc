// helio virt relay: a proxy between libvirt's clients and a daemon that logs, records and filters
// calls.
#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/explain/message_words.h"
#include "cli/virt/virt.h"
#include "helio/base/system/descriptor_limit.h"
#include "helio/base/text/escape.h"
#include "helio/transport/loop/stop_signals.h"
#include "helio/virt/relay/relay.h"
#include "helio/virt/relay/report/report.h"
#include "schema/builtin.h"

namespace helio::cli {
namespace {

namespace relay = virt::relay;

struct VirtRelayFlags {
    std::vector<std::string> listen, to, allow, deny, rules;
    std::string audit, record, print;
    std::string mode = "0600";
    bool read_only = false;
    bool json = false;
    bool no_arguments = false;
    bool no_sandbox = false;
};

constexpr const char* kVirtRelayExamples = R"(Examples:
  helio virt relay --listen unix:/tmp/l.sock --to unix:/run/libvirt/libvirt-sock
  virsh -c 'qemu+unix:///system?socket=/tmp/l.sock' list --all

  helio virt relay --listen /tmp/l.sock --to qemu:///system --read-only
  helio virt relay --listen /tmp/l.sock --to qemu:///system --deny '*:domain=prod-*'
  helio virt relay --listen /tmp/l.sock --to qemu:///system \
      --allow 'ConnectListAllDomains' --allow '*:domain=test-*' --audit /var/log/relay.log --json
  helio virt relay --listen /tmp/l.sock --to tcp:127.0.0.1:16509 --print words --record /tmp/calls

A rule is [PROGRAM.]PROCEDURE[:FIELD=GLOB,…]. PROCEDURE is a name of libvirt's API and may contain *.
FIELD is a field of the arguments (memory, dom.name); domain, network and pool match any argument of
that kind; != negates. A call that matches a deny rule is denied. If there are allow rules, a call
must also match one of them. One line per call goes to standard output, or to --audit.
Addresses are unix:PATH or PATH, tcp:HOST[:PORT]; --to also takes libvirt's URIs.
The daemon sees the relay's user and rights, not the client's. See docs/virt-relay.md.)";

// ---- Addresses ----

std::vector<transport::Endpoint> tcp_addresses(const std::string& text) {
    const transport::HostPort place = virt_host_port(text);
    auto found = transport::resolve(place.host, place.port);
    if (!found) throw std::runtime_error(found.error());
    return std::move(*found);
}

std::vector<transport::Endpoint> addresses_of(const std::string& text) {
    if (text.starts_with("/")) return {transport::Endpoint::unix_path(text)};
    if (text.starts_with("unix:") && !text.starts_with("unix://"))
        return {transport::Endpoint::unix_path(text.substr(5))};
    if (text.starts_with("tcp:") && !text.starts_with("tcp://"))
        return tcp_addresses(text.substr(4));
    if (text.find(':') == std::string::npos && !text.empty())
        return {transport::Endpoint::unix_path(text)};
    throw std::runtime_error(fmt::format(
        "'{}' is not an address: expected PATH, unix:PATH or tcp:HOST[:PORT]", printable(text)));
}

std::vector<transport::Endpoint> daemon_addresses(const std::string& text) {
    if (text.find("://") == std::string::npos) return addresses_of(text);
    const auto uri = virt::parse_uri(text);
    if (!uri) throw std::runtime_error(uri.error());
    if (uri->transport == virt::Uri::Transport::unix_socket)
        return {transport::Endpoint::unix_path(uri->socket.empty() ? virt::default_socket(*uri)
                                                                   : uri->socket)};
    if (uri->transport != virt::Uri::Transport::tcp)
        throw std::runtime_error(fmt::format(
            "{}: the relay can reach a daemon only over AF_UNIX or TCP", printable(text)));
    auto found = transport::resolve(uri->host, uri->port);
    if (!found) throw std::runtime_error(found.error());
    return std::move(*found);
}

mode_t socket_rights(const std::string& text) {
    unsigned long value = 01000;
    if (!text.empty() && text.size() <= 4 &&
        text.find_first_not_of("01234567") == std::string::npos)
        value = std::stoul(text, nullptr, 8);
    if (value > 0777)
        throw std::runtime_error(
            fmt::format("--mode {}: expected an octal mode such as 0660", printable(text)));
    return static_cast<mode_t>(value);
}

// ---- Rules ----

std::vector<relay::Rule> rules_of(const VirtRelayFlags& flags) {
    constexpr std::size_t kRulesSizeMax = 4u << 20;
    std::vector<relay::Rule> out;
    for (const std::string& path : flags.rules) {
        std::ifstream file{path};
        std::string text(kRulesSizeMax + 1, '\0');
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        if (!file.is_open() || file.bad())
            throw std::runtime_error(fmt::format("cannot read {}", path));
        text.resize(static_cast<std::size_t>(file.gcount()));
        if (text.size() > kRulesSizeMax)
            throw std::runtime_error(fmt::format("{} is too large for a file of rules", path));
        auto rules = relay::parse_rules(text, path);
        if (!rules) throw std::runtime_error(rules.error());
        for (relay::Rule& one : *rules) out.push_back(std::move(one));
    }
    const auto add = [&](relay::Effect effect, const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            auto rule = relay::parse_rule(effect, text);
            if (!rule) throw std::runtime_error(rule.error());
            out.push_back(std::move(*rule));
        }
    };
    add(relay::Effect::allow, flags.allow);
    add(relay::Effect::deny, flags.deny);
    return out;
}

// ---- Output ----

// --print words: prints each message word by word.
class WordPrinter final : public relay::MessagePrinter {
 public:
    void append(std::string& out, const relay::RelayClient& client, relay::RelaySide from,
                ByteView frame) override {
        out_ = &out;
        words_.append(client.number, relay::direction_text(client, from), frame);
    }
    void on_disconnect(const relay::RelayClient& client) override { words_.forget(client.number); }

 private:
    std::string* out_ = nullptr;
    MessageWords words_{[this](std::string_view more) { *out_ += more; }};
};

relay::ReportOptions report_options(const VirtRelayFlags& flags,
                                    const relay::Procedures& procedures) {
    relay::ReportOptions options;
    if (flags.json) options.audit_format = relay::ReportOptions::Format::json;
    options.audit_path = flags.audit;
    options.record_folder = flags.record;
    if (flags.print == "lines") options.printer = relay::make_line_printer(procedures);
    if (flags.print == "words") options.printer = std::make_unique<WordPrinter>();
    options.on_problem = [](std::string_view what) { fmt::print(stderr, "helio: {}\n", what); };
    return options;
}

// ---- The relay ----

// After its start the relay connects to the daemon, writes records and removes its sockets. Rules
// have been read, and the audit is open.
void confine_relay(const VirtRelayFlags& flags, const std::vector<transport::Endpoint>& daemons) {
    SandboxNeeds needs;
    // The daemon's socket may be another user's.
    needs.reach_files_of_others = true;
    if (!flags.record.empty()) needs.writable.push_back(flags.record);
    for (const std::string& one : flags.listen)
        for (const transport::Endpoint& where : addresses_of(one))
            if (where.is_unix()) needs.removable.push_back(directory_of(where.path()));
    std::vector<std::uint16_t> ports;
    for (const transport::Endpoint& one : daemons)
        if (!one.is_unix()) ports.push_back(one.port());
    confine(needs, ports);
}

// The daemon may start later, so this is no error.
void warn_of_missing_sockets(const std::vector<transport::Endpoint>& daemons) {
    for (const transport::Endpoint& one : daemons) {
        std::error_code ignored;
        if (one.is_unix() && !std::filesystem::is_socket(one.path(), ignored))
            fmt::print(stderr, "helio: warning: no daemon is listening on {} yet\n", one.path());
    }
}

int run_virt_relay(const VirtRelayFlags& flags) {
    const relay::Procedures procedures{
        builtin::parse_together(builtin::kLibvirtCallSchemas).schema};
    const auto policy = relay::Policy::make(procedures, {rules_of(flags), flags.read_only});
    if (!policy) throw std::runtime_error(policy.error());
    relay::RelayOptions options;
    for (const std::string& one : flags.to)
        for (const transport::Endpoint& where : daemon_addresses(one))
            options.daemons.push_back(where);
    options.show_arguments = !flags.no_arguments;
    const std::size_t recordings = flags.record.empty() ? 0 : 2;  // one file for each direction
    options.clients_max = relay::relay_clients_max(raise_descriptor_limit(),
                                                   relay::kRelayClientDescriptors + recordings);
    transport::EventLoop loop;
    const transport::StopSignals signals{loop};
    relay::Report report{loop, report_options(flags, procedures)};
    options.watch_messages = report.wants_messages();
    const std::vector<transport::Endpoint> daemons = options.daemons;
    relay::Relay relay{loop, **policy, report, std::move(options)};
    const mode_t rights = socket_rights(flags.mode);
    for (const std::string& one : flags.listen)
        for (const transport::Endpoint& where : addresses_of(one))
            fmt::print(stderr, "helio: listening on {}\n", to_text(relay.listen(where, rights)));
    warn_of_missing_sockets(daemons);
    if (!flags.no_sandbox) confine_relay(flags, daemons);
    std::size_t number = 0;
    for (const relay::Rule& one : (*policy)->rules())
        fmt::print(stderr, "helio: rule {}: {}\n", ++number, to_text(one));
    fmt::print(stderr, "helio: ready\n");
    std::fflush(stderr);
    loop.run();
    return kDone;
}

}  // namespace

void add_virt_relay(Command& virt, int& exit_code) {
    auto flags = std::make_shared<VirtRelayFlags>();
    auto* const verb = virt.add_subcommand(
        "relay", "Proxy between clients and a daemon: log, record and filter calls");
    const auto many = [&](const char* name, std::vector<std::string>& into, const char* help) {
        return verb->add_option(name, into, help)->allow_extra_args(false);
    };
    many("--listen", flags->listen, "address to listen on for clients; may be repeated")
        ->type_name("ADDRESS")
        ->required();
    many("--to", flags->to,
         "address of the daemon; if repeated, the first one that answers is used")
        ->type_name("ADDRESS")
        ->required();
    many("--allow", flags->allow, "allow these calls; may be repeated")->type_name("RULE");
    many("--deny", flags->deny, "deny these calls; may be repeated")->type_name("RULE");
    many("--rules", flags->rules, "file with one 'allow RULE' or 'deny RULE' per line")
        ->type_name("FILE");
    verb->add_flag("--read-only", flags->read_only,
                   "allow only what libvirt's read-only socket allows");
    verb->add_option("--audit", flags->audit, "append one line per call to this file")
        ->type_name("FILE");
    verb->add_flag("--json", flags->json, "write these lines as JSON");
    verb->add_flag("--no-arguments", flags->no_arguments, "omit the arguments from these lines");
    verb->add_option("--print", flags->print, "print every message as a line, or word by word")
        ->one_of({"lines", "words"});
    verb->add_option("--record", flags->record,
                     "record the bytes of each connection, for helio explain")
        ->type_name("DIR");
    verb->add_option("--mode", flags->mode, "permissions of the AF_UNIX sockets of --listen")
        ->capture_default_str()
        ->type_name("OCTAL");
    verb->add_flag("--no-sandbox", flags->no_sandbox,
                   "do not drop capabilities or apply Landlock and seccomp");
    verb->footer(kVirtRelayExamples);
    verb->callback([flags, &exit_code] { exit_code = run_virt_relay(*flags); });
}

}  // namespace helio::cli
