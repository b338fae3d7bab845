#include "helio/serve/config/settings.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/serve/config/backends.h"
#include "helio/transport/server/server.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {
namespace {

template <class T>
void take(std::optional<T>& mine, const std::optional<T>& other) {
    if (other) mine = other;
}

std::string mount_name(const ExportSettings& one, const vfs::BackendTable& backends) {
    if (!one.name.empty()) return one.name;
    const vfs::Backend* const backend = backends.find(one.source);
    return backend ? backend->default_name(one.source) : "";
}

}  // namespace

RuleSettings RuleSettings::overlaid_with(const RuleSettings& other) const {
    RuleSettings both = *this;
    take(both.read_only, other.read_only);
    take(both.squash, other.squash);
    take(both.anonymous_uid, other.anonymous_uid);
    take(both.anonymous_gid, other.anonymous_gid);
    take(both.allowed, other.allowed);
    take(both.udp, other.udp);
    return both;
}

Settings Settings::overlaid_with(const Settings& other) const {
    Settings both = *this;
    both.exports.insert(both.exports.end(), other.exports.begin(), other.exports.end());
    both.rules = rules.overlaid_with(other.rules);
    both.looks_up_names |= other.looks_up_names;
    if (!other.listen.empty()) both.listen = other.listen;
    take(both.threads, other.threads);
    take(both.state, other.state);
    take(both.versions, other.versions);
    take(both.lease_seconds, other.lease_seconds);
    take(both.domain, other.domain);
    take(both.sync_metadata, other.sync_metadata);
    take(both.log_format, other.log_format);
    take(both.log_level, other.log_level);
    if (other.metrics_off || other.metrics) {
        both.metrics_off = other.metrics_off;
        both.metrics = other.metrics;
    }
    take(both.sandbox, other.sandbox);
    take(both.portmap, other.portmap);
    take(both.memory_bytes_max, other.memory_bytes_max);
    take(both.rdma, other.rdma);
    return both;
}

Result<Versions, std::string> parse_versions(std::string_view text) {
    Versions out{false, false, false};
    const std::string_view all = text;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        if (one == "4" || one == "4.1" || one == "4.2")
            out.four = true;
        else if (one == "3")
            out.three = true;
        else if (one == "2")
            out.two = true;
        else
            return fail(fmt::format(
                "'{}' is not a version of NFS that can be served: 4.2, 4.1, 3, 2", one));
    }
    if (out == Versions{false, false, false})
        return fail(fmt::format("'{}' names no version; such as 4.2,4.1,3,2", all));
    return out;
}

std::string to_text(const Versions& versions) {
    std::vector<std::string_view> names;
    if (versions.four) names.insert(names.end(), {"4.2", "4.1"});
    if (versions.three) names.push_back("3");
    if (versions.two) names.push_back("2");
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out.append(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ").append(names[i]);
    return out;
}

std::string check_export_name(std::string_view name) {
    if (name.empty()) return "the name of an export is empty";
    if (name.size() > 255) return "the name of an export is longer than 255 bytes";
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        const std::string_view part = name.substr(at, end - at);
        if (part == "." || part == "..") return fmt::format("an export cannot be named '{}'", name);
        if (part.empty()) return "the name of an export has a '/' that does not separate two names";
        at = end + 1;
    }
    for (const char c : name)
        if (c <= ' ' || c == 127)
            return "the name of an export cannot contain spaces or control characters";
    return {};
}

Result<ExportSettings, std::string> parse_export(std::string_view text,
                                                 const vfs::BackendTable& backends) {
    ExportSettings one;
    // If there is a slash before '=', it is a path that contains '='.
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && text.substr(0, equals).find('/') == text.npos) {
        one.name = text.substr(0, equals);
        if (auto wrong = check_export_name(one.name); !wrong.empty()) return fail(std::move(wrong));
        text.remove_prefix(equals + 1);
    }
    if (text.empty()) return fail(fmt::format("an export needs {}", source_nouns(backends, "'")));
    if (text.find('\0') != text.npos) return fail(std::string("a path cannot contain a NUL byte"));
    const vfs::Backend* const backend = backends.find(text);
    if (!backend) return fail(fmt::format("'{}' {}", text, not_a_source(backends)));
    if (auto wrong = backend->check(text, vfs::Backend::SourceOrigin::command_line); !wrong.empty())
        return fail(std::move(wrong));
    one.source = text;
    return one;
}

Result<Listen, std::string> parse_listen(std::string_view text, const Listen& usual) {
    constexpr std::string_view kDigits = "0123456789";
    Listen where = usual;
    if (text == "*") {
        where.host.clear();
        return where;
    }
    if (text.empty())
        return fail(std::string(
            "the address is empty; use ADDRESS:PORT, PORT, or :PORT for every address"));
    const bool any_host =
        text.starts_with("*:") || (text.starts_with(":") && !text.starts_with("::"));
    std::string word{any_host ? text.substr(text.find(':')) : text};
    // A port alone. The resolver would take 3000 for the address 0.0.11.184.
    const bool is_port = text.find_first_not_of(kDigits) == text.npos;
    if (is_port) word = ":" + word;
    // The parser needs a host before the port.
    auto parsed =
        transport::parse_host_port(any_host || is_port ? "0.0.0.0" + word : word, usual.port);
    if (!parsed) return fail(std::move(parsed.error()));
    if (!is_port) where.host = any_host ? "" : parsed->host;
    where.port = parsed->port;
    return where;
}

namespace {

// Calls getpwnam_r or getgrnam_r with more memory until it is enough.
template <class Entry, class Look>
int look_up(const std::string& name, Entry& entry, Entry*& found, std::vector<char>& buffer,
            Look look) {
    constexpr std::size_t kBufferMax = 1u << 20;
    for (buffer.resize(1024);; buffer.resize(2 * buffer.size())) {
        const int error = look(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
        if (error != ERANGE || buffer.size() >= kBufferMax) return error;
    }
}

template <class Entry, class Look, class Number>
Result<std::uint32_t, std::string> parse_id(std::string_view text, std::string_view noun,
                                            std::string_view number_noun, Look look,
                                            Number number) {
    std::uint32_t id = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, bad] = std::from_chars(text.data(), end, id);
    if (bad == std::errc{} && rest == end) return id;
    const std::string name{text};
    Entry entry{};
    Entry* found = nullptr;
    std::vector<char> buffer;
    const int error = look_up(name, entry, found, buffer, look);
    if (found != nullptr) return static_cast<std::uint32_t>(number(*found));
    // getpwnam(3): several errors mean that there is no such entry.
    const bool unreadable = error == EACCES || error == EPERM || error == EIO || error == EMFILE;
    if (unreadable)
        return fail(fmt::format("cannot look up the {} '{}': {}; use a {} instead", noun,
                                printable(text), std::strerror(error), number_noun));
    return fail(fmt::format("this machine has no {} '{}'; a {} is a number from 0 to {}", noun,
                            printable(text), number_noun, UINT32_MAX));
}

}  // namespace

Result<std::uint32_t, std::string> parse_user(std::string_view text) {
    return parse_id<passwd>(text, "user", "uid", getpwnam_r,
                            [](const passwd& one) { return one.pw_uid; });
}

Result<std::uint32_t, std::string> parse_group(std::string_view text) {
    return parse_id<group>(text, "group", "gid", getgrnam_r,
                           [](const group& one) { return one.gr_gid; });
}

Result<std::uint64_t, std::string> parse_memory(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    std::uint64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, count);
    const std::size_t unit = rest + 1 == end ? kUnits.find(*rest) : std::string_view::npos;
    const unsigned shift = rest == end ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
    const bool is_wrong =
        error != std::errc{} || (rest != end && unit == kUnits.npos) || count > UINT64_MAX >> shift;
    if (is_wrong || count << shift < transport::kMemoryBytesMin)
        return fail(fmt::format("'{}' is not a size of at least {}M, such as 512M or 2G", text,
                                transport::kMemoryBytesMin >> 20));
    return count << shift;
}

Result<nfs::Squash, std::string> parse_squash(std::string_view text) {
    if (text == "none") return nfs::Squash::none;
    if (text == "root") return nfs::Squash::root;
    if (text == "all") return nfs::Squash::all;
    return fail(fmt::format("'{}' is not root, all or none", text));
}

std::string_view name_of(nfs::Squash squash) {
    switch (squash) {
        case nfs::Squash::none:
            return "none";
        case nfs::Squash::root:
            return "root";
        case nfs::Squash::all:
            return "all";
    }
    return "?";
}

Result<LogFormat, std::string> parse_log_format(std::string_view text) {
    if (text == "text") return LogFormat::text;
    if (text == "json") return LogFormat::json;
    return fail(fmt::format("'{}' is not text or json", text));
}

Result<LogLevel, std::string> parse_log_level(std::string_view text) {
    for (const auto level : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error})
        if (text == name_of(level)) return level;
    return fail(fmt::format("'{}' is not debug, info, warning or error", text));
}

std::string_view name_of(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return "debug";
        case LogLevel::info:
            return "info";
        case LogLevel::warning:
            return "warning";
        case LogLevel::error:
            return "error";
    }
    return "?";
}

namespace {

// How to name an export, in the terms of the place where it was defined.
std::string how_to_name(const ExportSettings& one) {
    return one.line != 0 ? "give it another name: name = \"NAME\""
                         : fmt::format("give it another name: NAME={}", one.source);
}

}  // namespace

Result<std::vector<std::string>, ConfigProblem> mount_paths(
    const std::vector<ExportSettings>& exports, const vfs::BackendTable& backends) {
    if (exports.empty()) return fail(ConfigProblem{0, 0, "nothing to export"});
    if (exports.size() > kExportsMax)
        return fail(ConfigProblem{
            0, 0, fmt::format("{} exports; the limit is {}", exports.size(), kExportsMax)});
    if (exports.size() == 1 && exports[0].name.empty()) return std::vector<std::string>{"/"};
    std::vector<std::string> paths;
    for (const ExportSettings& one : exports) {
        const auto wrong = [&one](std::string_view what) {
            return fail(
                ConfigProblem{one.line, one.column, fmt::format("{}; {}", what, how_to_name(one))});
        };
        const std::string name = mount_name(one, backends);
        if (!check_export_name(name).empty())
            return wrong(fmt::format("'{}' needs a name", one.source));
        const std::string path = "/" + name;
        const auto twin = std::find(paths.begin(), paths.end(), path);
        if (twin != paths.end())
            return wrong(
                fmt::format("'{}' would be exported as {}, like '{}'", one.source, path,
                            exports[static_cast<std::size_t>(twin - paths.begin())].source));
        paths.push_back(path);
    }
    return paths;
}

std::string default_state_directory() {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string{value != nullptr ? value : ""};
    };
    // systemd.exec(5): several are separated by colons; the first is ours.
    if (const std::string given = variable("STATE_DIRECTORY"); !given.empty())
        return given.substr(0, given.find(':'));
    // The XDG base directory specification: relative paths are ignored.
    if (const std::string given = variable("XDG_STATE_HOME"); given.starts_with('/'))
        return given + "/heliograph";
    if (geteuid() == 0) return "/var/lib/heliograph";
    if (const std::string home = variable("HOME"); home.starts_with('/'))
        return home + "/.local/state/heliograph";
    return {};
}

}  // namespace helio::serve
