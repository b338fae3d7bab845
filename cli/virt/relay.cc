// helio virt relay: between libvirt's clients and a daemon; says what passes, and lets pass what it
// may.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/explain/message_words.h"
#include "cli/virt/virt.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/escape.h"
#include "helio/reflect/json/json.h"
#include "helio/transport/loop/stop_signals.h"
#include "helio/virt/relay/audit.h"
#include "helio/virt/relay/relay.h"
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
};

constexpr const char* kVirtRelayExamples = R"(Examples:
  helio virt relay --listen unix:/tmp/l.sock --to unix:/run/libvirt/libvirt-sock
  virsh -c 'qemu+unix:///system?socket=/tmp/l.sock' list --all

  helio virt relay --listen /tmp/l.sock --to qemu:///system --read-only
  helio virt relay --listen /tmp/l.sock --to qemu:///system --deny '*:domain=prod-*'
  helio virt relay --listen /tmp/l.sock --to qemu:///system \
      --allow 'ConnectListAllDomains' --allow '*:domain=test-*' --audit /var/log/relay.log --json
  helio virt relay --listen /tmp/l.sock --to tcp:127.0.0.1:16509 --print words --record /tmp/calls

A rule is [PROGRAM.]PROCEDURE[:WHAT=GLOB,…]: a procedure as in libvirt's API, * in it for any text;
what is a field of the arguments (memory, dom.name), or domain, network, pool for any of those among
them; != for what is not. What a deny rule meets is denied; with allow rules, so is what none of
them meets. A line for each call goes to standard output, or to --audit.
Addresses are unix:PATH or PATH, tcp:HOST[:PORT], and behind --to also libvirt's URIs.
The daemon sees the relay, not the client: its user, its rights. See docs/virt-relay.md.)";

// ---- Addresses ----

std::vector<transport::Endpoint> tcp_addresses(const std::string& text) {
    const auto place = transport::parse_host_port(text);
    if (!place) throw std::runtime_error(place.error());
    // A port that is not named is libvirt's; 0 is one that is free.
    const bool named = place->port != 0 || text.ends_with(":0");
    auto found = transport::resolve(place->host, named ? place->port : virt::kVirtTcpPort);
    if (!found) throw std::runtime_error(found.error());
    return std::move(*found);
}

std::vector<transport::Endpoint> addresses_of(const std::string& text) {
    if (text.starts_with("/")) return {transport::Endpoint::unix_path(text)};
    if (text.starts_with("unix:") && !text.starts_with("unix://"))
        return {transport::Endpoint::unix_path(text.substr(5))};
    if (text.starts_with("tcp:") && !text.starts_with("tcp://"))
        return tcp_addresses(text.substr(4));
    throw std::runtime_error(
        fmt::format("'{}' is no address: unix:PATH, tcp:HOST[:PORT]", shown(text)));
}

std::vector<transport::Endpoint> daemon_addresses(const std::string& text) {
    if (text.find("://") == std::string::npos) return addresses_of(text);
    const auto uri = virt::parse_uri(text);
    if (!uri) throw std::runtime_error(uri.error());
    if (uri->way == virt::Uri::Way::unix_socket)
        return {transport::Endpoint::unix_path(uri->socket.empty() ? virt::default_socket(*uri)
                                                                   : uri->socket)};
    if (uri->way != virt::Uri::Way::tcp)
        throw std::runtime_error(
            fmt::format("{}: a relay reaches its daemon by AF_UNIX or TCP", shown(text)));
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
        throw std::runtime_error(fmt::format("--mode {}: it is like 0660", shown(text)));
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
            throw std::runtime_error(fmt::format("{} cannot be read", path));
        text.resize(static_cast<std::size_t>(file.gcount()));
        if (text.size() > kRulesSizeMax)
            throw std::runtime_error(fmt::format("{} is longer than any list of rules", path));
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

// ---- What is written ----

// Lines on their way to a file, all of a turn together.
class RelayLog final : transport::EventLoop::Deferred {
 public:
    RelayLog(transport::EventLoop& loop, int fd) : loop_(loop), fd_(fd) {}
    ~RelayLog() override { on_turn_end(); }
    // To add to; it goes out at the end of the turn.
    std::string& text() {
        loop_.defer(*this);
        return text_;
    }

 private:
    void on_turn_end() override {
        std::string_view rest = text_;
        while (!rest.empty()) {
            const ssize_t wrote = write(fd_, rest.data(), rest.size());
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote <= 0) {
                if (!failed_)
                    fmt::print(stderr, "helio: lines are lost: {}\n", std::strerror(errno));
                failed_ = true;
                break;
            }
            rest.remove_prefix(static_cast<std::size_t>(wrote));
        }
        text_.clear();
    }

    transport::EventLoop& loop_;
    int fd_;
    std::string text_;
    bool failed_ = false;
};

// Each message as a line: which way, what it is, and what is in it as JSON.
class RelayLines final {
 public:
    explicit RelayLines(const relay::Procedures& procedures) : procedures_(procedures) {}

    void append(std::string& out, const relay::RelayClient& client, bool from_client,
                ByteView frame) const {
        constexpr std::size_t kHead = 4 + frame::VirnetHeader::kSize;
        const frame::VirnetHeader header = frame::read_virnet_header(frame.data() + 4);
        ByteView payload = frame.subspan(kHead);
        const bool with_fds = header.type == frame::VirnetType::call_with_fds ||
                              header.type == frame::VirnetType::reply_with_fds;
        if (with_fds) payload = payload.subspan(4);
        out += fmt::format("#{} {} {} ", client.number, from_client ? "→" : "←",
                           frame::name_of(header.type));
        if (header.program == frame::kKeepaliveProgram) {
            out += header.procedure == frame::kKeepalivePing ? "ping\n" : "pong\n";
            return;
        }
        const auto* const procedure =
            procedures_.find(header.program, header.version, header.procedure);
        out += procedure != nullptr
                   ? procedure->name
                   : fmt::format("program {:#x} procedure {}", header.program, header.procedure);
        out += fmt::format(" serial {}", header.serial);
        append_body(out, header, procedure, payload);
        out += '\n';
    }

 private:
    static void append_body(std::string& out, const frame::VirnetHeader& header,
                            const relay::RelayProcedure* procedure, ByteView payload) {
        using frame::VirnetType;
        const bool stream =
            header.type == VirnetType::stream || header.type == VirnetType::stream_hole;
        if (header.status == frame::VirnetStatus::error && !payload.empty()) {
            const auto error = virt::open_error(payload);
            out += error ? fmt::format(" error {}/{} {}", error->code, error->domain,
                                       reflect::escaped(error->message))
                         : " an error that does not decode";
        } else if (stream) {
            constexpr std::string_view kStatus[] = {"finish", "abort", "more"};
            const auto status = static_cast<std::size_t>(header.status);
            out += fmt::format(" {} {} bytes", status < 3 ? kStatus[status] : "?", payload.size());
        } else if (procedure != nullptr) {
            const bool reply =
                header.type == VirnetType::reply || header.type == VirnetType::reply_with_fds;
            const auto& type = reply ? *procedure->result : *procedure->arguments;
            const auto tree = reflect::decode(payload, type, {.strict = false});
            if (!tree.ok())
                out += fmt::format(" undecodable: {}", to_string(tree.error));
            else if (!tree.nodes.empty() && tree.consumed > 0)
                reflect::append_json(out += ' ', tree, {.indent = 0});
        }
    }

    const relay::Procedures& procedures_;
};

// What each client says and hears, as bytes: for helio explain.
class RelayRecorder final {
 public:
    explicit RelayRecorder(std::string folder) : folder_(std::move(folder)) {
        if (mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST)
            throw std::runtime_error(fmt::format("{}: {}", folder_, std::strerror(errno)));
        const std::time_t now = std::time(nullptr);
        std::tm parts{};
        gmtime_r(&now, &parts);
        char text[32];
        std::strftime(text, sizeof text, "%Y%m%dT%H%M%S", &parts);
        began_ = text;
    }
    void begin(const relay::RelayClient& client) {
        Files& files = open_[client.number];
        for (const bool from_client : {false, true}) {
            const std::string path = fmt::format("{}/{}-{:04}.{}.bin", folder_, began_,
                                                 client.number, from_client ? "c2s" : "s2c");
            const int fd =
                ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
            std::FILE* const file = fd < 0 ? nullptr : fdopen(fd, "w");
            if (file == nullptr) fmt::print(stderr, "helio: {}: {}\n", path, std::strerror(errno));
            files[from_client ? 1 : 0] = {file, close_file};
        }
    }
    void add(const relay::RelayClient& client, bool from_client, ByteView frame) {
        const auto& file = open_[client.number][from_client ? 1 : 0];
        if (file && std::fwrite(frame.data(), 1, frame.size(), file.get()) != frame.size())
            fmt::print(stderr, "helio: {}: {}\n", folder_, std::strerror(errno));
    }
    void end(const relay::RelayClient& client) { open_.erase(client.number); }

 private:
    static void close_file(std::FILE* file) {
        if (file != nullptr) std::fclose(file);
    }
    using Files = std::array<std::unique_ptr<std::FILE, void (*)(std::FILE*)>, 2>;
    struct OpenFiles : Files {
        OpenFiles() : Files{{{nullptr, close_file}, {nullptr, close_file}}} {}
    };
    std::string folder_, began_;
    std::map<std::uint64_t, OpenFiles> open_;
};

// ---- The relay ----

class RelayReport final : public relay::RelayObserver {
 public:
    RelayReport(transport::EventLoop& loop, const VirtRelayFlags& flags,
                const relay::Procedures& procedures)
        : json_(flags.json), out_(loop, STDOUT_FILENO) {
        if (!flags.audit.empty()) {
            audit_file_ = Fd{::open(flags.audit.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                                    S_IRUSR | S_IWUSR)};
            if (!audit_file_)
                throw std::runtime_error(fmt::format("{}: {}", flags.audit, std::strerror(errno)));
            audit_ = std::make_unique<RelayLog>(loop, audit_file_.get());
        }
        if (flags.print == "lines") lines_ = std::make_unique<RelayLines>(procedures);
        if (flags.print == "words")
            words_ = std::make_unique<MessageWords>(
                [this](std::string_view more) { out_.text() += more; });
        if (!flags.record.empty()) recorder_ = std::make_unique<RelayRecorder>(flags.record);
    }
    bool wants_messages() const { return lines_ || words_ || recorder_; }

    void on_connect(const relay::RelayClient& client) override {
        if (recorder_) recorder_->begin(client);
        event(client, "connected", "");
    }
    void on_message(const relay::RelayClient& client, bool from_client, ByteView frame) override {
        if (recorder_) recorder_->add(client, from_client, frame);
        if (lines_) lines_->append(out_.text(), client, from_client, frame);
        if (words_)
            words_->append(client.number,
                           fmt::format("#{} {}", client.number, from_client ? "→" : "←"), frame);
    }
    void on_call_end(const relay::RelayClient& client, const relay::CallRecord& call) override {
        if (json_)
            relay::append_audit_json(log().text(), client, call);
        else
            relay::append_audit_text(log().text(), client, call);
    }
    void on_disconnect(const relay::RelayClient& client, std::string_view why) override {
        if (recorder_) recorder_->end(client);
        if (words_) words_->forget(client.number);
        event(client, "closed", why);
    }

 private:
    RelayLog& log() { return audit_ ? *audit_ : out_; }
    void event(const relay::RelayClient& client, std::string_view what, std::string_view why) {
        if (json_)
            relay::append_audit_json(log().text(), client, what, why);
        else
            relay::append_audit_text(log().text(), client, what, why);
    }

    const bool json_;
    Fd audit_file_;
    RelayLog out_;
    std::unique_ptr<RelayLog> audit_;
    std::unique_ptr<RelayLines> lines_;
    std::unique_ptr<MessageWords> words_;
    std::unique_ptr<RelayRecorder> recorder_;
};

// Two descriptors for each client; shells give a thousand.
void take_descriptors_for_clients() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int run_virt_relay(const VirtRelayFlags& flags) {
    const relay::Procedures procedures{builtin::parse_together(relay::kRelaySchemas).schema};
    const auto policy = relay::Policy::make(procedures, {rules_of(flags), flags.read_only});
    if (!policy) throw std::runtime_error(policy.error());
    relay::RelayOptions options;
    for (const std::string& one : flags.to)
        for (const transport::Endpoint& where : daemon_addresses(one))
            options.daemons.push_back(where);
    options.show_arguments = !flags.no_arguments;
    take_descriptors_for_clients();
    transport::EventLoop loop;
    const transport::StopSignals signals{loop};
    RelayReport report{loop, flags, procedures};
    options.watch_messages = report.wants_messages();
    relay::Relay relay{loop, **policy, report, std::move(options)};
    const mode_t rights = socket_rights(flags.mode);
    for (const std::string& one : flags.listen)
        for (const transport::Endpoint& where : addresses_of(one))
            fmt::print(stderr, "helio: listening on {}\n", to_text(relay.listen(where, rights)));
    std::size_t number = 0;
    for (const relay::Rule& one : (*policy)->rules())
        fmt::print(stderr, "helio: rule {}: {}\n", ++number, to_text(one));
    fmt::print(stderr, "helio: ready\n");
    std::fflush(stderr);
    loop.run();
    return kDone;
}

}  // namespace

void add_virt_relay(CLI::App& virt, int& exit_code) {
    auto flags = std::make_shared<VirtRelayFlags>();
    auto* const verb = virt.add_subcommand(
        "relay", "Stand between clients and a daemon: print, record and filter calls");
    const auto many = [&](const char* name, std::vector<std::string>& into, const char* help) {
        return verb->add_option(name, into, help)->allow_extra_args(false);
    };
    many("--listen", flags->listen, "where clients come in; may be repeated")
        ->type_name("ADDRESS")
        ->required();
    many("--to", flags->to, "the daemon; of several the first that answers")
        ->type_name("ADDRESS")
        ->required();
    many("--allow", flags->allow, "calls that may pass; may be repeated")->type_name("RULE");
    many("--deny", flags->deny, "calls that may not; may be repeated")->type_name("RULE");
    many("--rules", flags->rules, "a file of them, 'allow RULE' or 'deny RULE' on each line")
        ->type_name("FILE");
    verb->add_flag("--read-only", flags->read_only, "what libvirt's read-only socket allows");
    verb->add_option("--audit", flags->audit, "where the line for each call goes; it is added to")
        ->type_name("FILE");
    verb->add_flag("--json", flags->json, "those lines as JSON");
    verb->add_flag("--no-arguments", flags->no_arguments, "those lines without arguments");
    verb->add_option("--print", flags->print, "every message, on a line or word by word")
        ->check(CLI::IsMember({"lines", "words"}));
    verb->add_option("--record", flags->record, "the bytes of each connection, for helio explain")
        ->type_name("DIR");
    verb->add_option("--mode", flags->mode, "rights of AF_UNIX sockets to listen on")
        ->capture_default_str()
        ->type_name("OCTAL");
    verb->footer(kVirtRelayExamples);
    verb->callback([flags, &exit_code] { exit_code = run_virt_relay(*flags); });
}

}  // namespace helio::cli
