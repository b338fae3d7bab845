#include "helio/virt/client/connect/uri.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"
#include "helio/transport/socket/socket.h"

namespace helio::virt {

namespace {

// Decodes %2F and the like. A % without two hexadecimal digits stays as it is.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
            if (high >= 0 && low >= 0) {
                out += static_cast<char>(high * 16 + low);
                i += 2;
                continue;
            }
        }
        out += text[i];
    }
    return out;
}

// Removes and returns the text before the first character that is in `end`.
std::string_view take_until(std::string_view& text, std::string_view end) {
    const std::size_t at = text.find_first_of(end);
    const std::string_view head = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at);
    return head;
}

Result<void, std::string> read_transport(Uri& uri, std::string_view word) {
    if (word == "unix")
        uri.transport = Uri::Transport::unix_socket;
    else if (word == "tcp")
        uri.transport = Uri::Transport::tcp;
    else if (word == "tls")
        uri.transport = Uri::Transport::tls;
    else if (word == "ssh")
        uri.transport = Uri::Transport::ssh;
    else
        return fail(fmt::format("unknown transport +{}: expected unix, tcp, tls or ssh", word));
    return {};
}

Result<void, std::string> read_authority(Uri& uri, std::string_view text) {
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
        uri.user = unescaped(text.substr(0, at));
        text.remove_prefix(at + 1);
    }
    if (text.empty()) return {};
    auto where = transport::parse_host_port(text);
    if (!where) return fail(where.error());
    uri.host = std::move(where->host);
    uri.port = where->port;
    // ssh would take these for options.
    if (uri.host.starts_with('-') || uri.user.starts_with('-'))
        return fail(std::string("a host or user cannot begin with a hyphen"));
    return {};
}

// Parameters of the transport are not sent to the daemon; the others are for its driver.
void read_parameter(Uri& uri, std::string_view parameter, std::string& for_daemon,
                    std::string& given_name) {
    const std::size_t sign = parameter.find('=');
    const std::string_view key = parameter.substr(0, sign);
    const std::string value =
        sign == std::string_view::npos ? "" : unescaped(parameter.substr(sign + 1));
    if (key == "socket")
        uri.socket = value;
    else if (key == "command")
        uri.command = value;
    else if (key == "keyfile")
        uri.keyfile = value;
    else if (key == "auth")
        uri.auth = value;
    else if (key == "name")
        given_name = value;
    else if (key == "pkipath")
        uri.pki_folder = value;
    else if (key == "tls_priority")
        uri.tls_priority = value;
    else if (key == "no_verify")
        uri.no_verify = !value.empty() && value != "0";
    else if (key == "mode" || key == "proxy" || key == "netcat" || key == "no_tty" ||
             key == "sshauth" || key == "known_hosts" || key == "known_hosts_verify" ||
             key == "debug" || key == "no_sanity")
        return;  // parameters of libvirt's own library, which have no meaning here
    else {
        for_daemon += for_daemon.empty() ? '?' : '&';
        for_daemon += parameter;
    }
}

}  // namespace

Result<Uri, std::string> parse_uri(std::string_view text) {
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos || colon == 0)
        return fail(
            fmt::format("'{}' is no URI: qemu:///system, test+unix:///default?socket=PATH", text));
    Uri uri;
    std::string_view scheme = text.substr(0, colon);
    std::string_view rest = text.substr(colon + 3);
    const std::string_view driver = take_until(scheme, "+");
    uri.driver = driver;
    const std::string_view authority = take_until(rest, "/?#");
    if (auto read = read_authority(uri, authority); !read) return fail(read.error());
    if (!scheme.empty()) {
        if (auto read = read_transport(uri, scheme.substr(1)); !read) return fail(read.error());
    } else if (!uri.host.empty()) {
        uri.transport = Uri::Transport::tls;  // like libvirt: a host without a transport means TLS
    }
    uri.path = take_until(rest, "?#");

    std::string for_daemon, given_name;
    if (rest.starts_with('?')) {
        rest.remove_prefix(1);
        std::string_view query = take_until(rest, "#");
        while (!query.empty()) {
            const std::string_view one = take_until(query, "&;");
            if (!query.empty()) query.remove_prefix(1);
            if (!one.empty()) read_parameter(uri, one, for_daemon, given_name);
        }
    }
    uri.name = given_name.empty() ? uri.driver + "://" + uri.path + for_daemon : given_name;
    // libvirt's name for the daemon's default driver.
    if (uri.driver == "remote" && given_name.empty()) uri.name.clear();
    if (uri.transport != Uri::Transport::unix_socket && uri.host.empty()) uri.host = "localhost";
    if (uri.transport == Uri::Transport::tcp && uri.port == 0) uri.port = kVirtTcpPort;
    if (uri.transport == Uri::Transport::tls && uri.port == 0) uri.port = kVirtTlsPort;
    return uri;
}

std::array<std::string, 2> usual_sockets(const Uri& uri) {
    const bool of_user = uri.path == "/session" || (uri.path != "/system" && getuid() != 0);
    std::string folder = "/run/libvirt";
    if (of_user) {
        const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
        folder = runtime != nullptr && *runtime != 0
                     ? fmt::format("{}/libvirt", runtime)
                     : fmt::format("/run/user/{}/libvirt", getuid());
    }
    // A session daemon has one socket, which only its user can reach.
    const char* const end = uri.read_only && !of_user ? "-ro" : "";
    return {fmt::format("{}/virt{}d-sock{}", folder, uri.driver, end),
            fmt::format("{}/libvirt-sock{}", folder, end)};
}

std::string default_socket(const Uri& uri) {
    auto [own, common] = usual_sockets(uri);
    return access(own.c_str(), F_OK) == 0 ? own : common;
}

}  // namespace helio::virt
