// helio virt: the flags that its verbs share, and their error messages.
#include "cli/virt/virt.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "helio/base/text/escape.h"
#include "helio/virt/client/connect/polkit.h"

namespace helio::cli {
namespace {

constexpr const char* kVirtExamples = R"(Examples:
  helio virt -c test+unix:///default?socket=/run/libvirt/libvirt-sock list --all
  helio virt -c qemu:///system dumpxml web1
  helio virt -c qemu+ssh://root@host/system domstats
  helio virt -c qemu+tls://host/system vol-download --pool default disk.img copy.img
  helio virt call DomainGetInfo --domain web1

The URI is the same as for virsh: DRIVER[+unix|+tcp|+tls|+ssh]://[USER@][HOST][:PORT]/PATH[?socket=PATH…].
The default is $LIBVIRT_DEFAULT_URI, or qemu:///system.
Exit status: 0 success, 1 a reply does not match the schema or a local file failed, 2 wrong usage, 3 the
daemon could not be reached or did not answer in time, 4 the daemon returned an error, which is printed.)";

constexpr const char* kVirtUriDefault = "qemu:///system";

std::string uri_of(const VirtFlags& flags) {
    if (!flags.uri.empty()) return flags.uri;
    const char* const usual = std::getenv("LIBVIRT_DEFAULT_URI");
    return usual != nullptr && *usual != 0 ? usual : kVirtUriDefault;
}

// For a daemon on this machine that does not answer: where it was expected.
std::string sockets_tried(const VirtFlags& flags) {
    const auto uri = virt::parse_uri(uri_of(flags));
    if (!uri || uri->transport != virt::Uri::Transport::unix_socket) return "";
    if (!uri->socket.empty()) return fmt::format(" (socket {})", uri->socket);
    const auto sockets = virt::usual_sockets(*uri);
    return fmt::format(" (sockets tried: {}, {}; -c URI names another daemon)", sockets[0],
                       sockets[1]);
}

// The first line of the file, or from the terminal if there is no file.
std::string password_of(const VirtFlags& flags, const std::string& user) {
    if (flags.password_file.empty()) {
        const char* const typed = getpass(fmt::format("Password for {}: ", user).c_str());
        return typed == nullptr ? "" : typed;
    }
    std::ifstream file{flags.password_file};
    std::string line;
    if (!std::getline(file, line))
        throw std::runtime_error(fmt::format("cannot read {}", flags.password_file));
    return line;
}

}  // namespace

Result<std::unique_ptr<virt::Client>, virt::Failure> open_virt(const VirtFlags& flags) {
    auto uri = virt::parse_uri(uri_of(flags));
    if (!uri) throw std::runtime_error(uri.error());
    uri->read_only = flags.read_only;
    virt::ClientConnectionOptions options;
    options.call_timeout = parse_duration(flags.timeout);
    options.keepalive_interval =
        flags.no_keepalive ? std::chrono::milliseconds{} : parse_duration(flags.keepalive_interval);
    options.keepalive_count = flags.keepalive_count;
    const std::string user = flags.user.empty() ? uri->user : flags.user;
    // Read before connecting, so that errors are reported directly.
    std::string password;
    const bool has_file = !flags.password_file.empty();
    if (has_file) password = password_of(flags, user);
    const auto ask = [&]() -> std::optional<virt::Credentials> {
        if (user.empty()) return {};
        return virt::Credentials{user, has_file ? password : password_of(flags, user)};
    };
    auto client = virt::Client::open(*uri, options, ask);
    // Polkit has no agent to ask the user; on a terminal, start one.
    if (client || !client.error().is(virt::VIR_ERR_AUTH_UNAVAILABLE) || isatty(STDIN_FILENO) == 0)
        return client;
    const auto agent = virt::PolkitAgent::start();
    if (!agent) {
        fmt::print(stderr, "helio: {}\n", agent.error());
        return client;
    }
    return virt::Client::open(*uri, std::move(options), ask);
}

int report_virt(const VirtFlags& flags, const virt::Failure& failure) {
    std::fflush(stdout);
    std::string why = escaped(virt::to_text(failure));
    if (failure.call.outcome == xdr::Outcome::timed_out) why += fmt::format(" ({})", flags.timeout);
    const int code = failure.call.outcome == xdr::Outcome::system_error
                         ? kNo  // a local file
                         : exit_code_of(failure.call);
    if (code == kUnreachable)
        fmt::print(stderr, "helio: {}: {}{}\n", uri_of(flags), why, sockets_tried(flags));
    else
        fmt::print(stderr, "helio: {}\n", why);
    return code;
}

transport::HostPort virt_host_port(const std::string& text) {
    auto place = transport::parse_host_port(text, virt::kVirtTcpPort);
    if (!place) throw std::runtime_error(place.error());
    return std::move(*place);
}

std::string size_text(std::uint64_t bytes) {
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024; ++unit) value /= 1024;
    return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

void print_document(std::string_view text) {
    const bool ends = text.ends_with('\n');
    if (isatty(STDOUT_FILENO) == 0) {
        fmt::print("{}{}", text, ends ? "" : "\n");
        return;
    }
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        fmt::print("{}\n", escaped(text.substr(0, end)));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

void add_virt(Command& app, int& exit_code) {
    auto flags = std::make_shared<VirtFlags>();
    auto* const virt =
        app.add_subcommand("virt", "libvirt client, simulated daemon and filtering proxy");
    virt->require_subcommand();
    virt->hint_verb("'helio virt call' calls any procedure of libvirt");
    virt->add_option("-c,--connect", flags->uri, "URI of the daemon")->type_name("URI");
    virt->add_option("--timeout", flags->timeout, "how long to wait for each answer: 500ms, 2s")
        ->capture_default_str()
        ->check(check_duration);
    virt->add_option("--user", flags->user, "user name for SASL. Default: the one in the URI");
    virt->add_option("--password-file", flags->password_file,
                     "file whose first line is the password. Default: ask");
    virt->add_flag("-r,--read-only", flags->read_only, "open a read-only connection");
    virt->add_flag("--no-keepalive", flags->no_keepalive, "do not ping a silent daemon");
    virt->add_option("-k,--keepalive-interval", flags->keepalive_interval,
                     "ping the daemon after this much silence")
        ->capture_default_str()
        ->check(check_duration);
    virt->add_option("-K,--keepalive-count", flags->keepalive_count,
                     "disconnect after this many unanswered pings")
        ->capture_default_str()
        ->range(1u, 1000u);
    virt->footer(kVirtExamples);
    add_virt_domains(*virt, flags, exit_code);
    add_virt_edit(*virt, flags, exit_code);
    add_virt_stats(*virt, flags, exit_code);
    add_virt_event(*virt, flags, exit_code);
    add_virt_info(*virt, flags, exit_code);
    add_virt_host(*virt, flags, exit_code);
    add_virt_storage(*virt, flags, exit_code);
    add_virt_console(*virt, flags, exit_code);
    add_virt_call(*virt, flags, exit_code);
    // The common flags may also be given after the verb.
    virt->let_subcommands_fall_through();
    add_virt_serve(*virt, exit_code);
    add_virt_relay(*virt, exit_code);
}

}  // namespace helio::cli
