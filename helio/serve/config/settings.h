// Settings: everything `helio serve` can be told, as values. The command line and the TOML file
// both end here, and the file can be read again while the server runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/nfs/server/exports.h"
#include "helio/vfs/backend.h"

namespace helio::serve {

// More exports than anybody has named; EXPORT's answer and the start text stay readable.
inline constexpr std::size_t kExportsMax = 1'000;
// Threads beyond this share cores with each other on every machine we know.
inline constexpr unsigned kThreadsMax = 1'024;

// IANA's port for NFS.
inline constexpr std::uint16_t kNfsPort = 2049;
// Metrics and health, unless told.
inline constexpr std::uint16_t kMetricsPort = 9049;

// Rules as somebody said them: what is absent comes from the defaults.
struct RuleSettings {
    std::optional<bool> read_only;
    std::optional<nfs::Squash> squash;
    std::optional<std::uint32_t> anonymous_uid;
    std::optional<std::uint32_t> anonymous_gid;
    std::optional<std::vector<nfs::Network>> allowed;

    // What `other` says goes first.
    RuleSettings overlaid_with(const RuleSettings& other) const;
};

struct ExportSettings {
    std::string name;    // "data" is mounted as /data; empty: not named
    std::string source;  // what is exported: a directory, "memory:"
    RuleSettings rules;
    vfs::BackendSettings settings;  // of the back end
};

struct Listen {
    std::string host = "127.0.0.1";  // empty: every address
    std::uint16_t port = kNfsPort;   // 0: any that is free
    bool operator==(const Listen&) const = default;
};

enum class LogFormat : std::uint8_t { text, json };
enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct Settings {
    std::vector<ExportSettings> exports;
    RuleSettings rules;  // of exports that do not say otherwise
    std::vector<Listen> listen;
    std::optional<Listen> rdma;           // absent: no RPC-over-RDMA
    std::optional<unsigned> threads;      // absent: one per core
    std::optional<std::string> state;     // absent: default_state_directory()
    std::optional<bool> sync_metadata;    // false
    std::optional<LogFormat> log_format;  // text
    std::optional<LogLevel> log_level;    // info
    std::optional<bool> metrics_off;
    std::optional<Listen> metrics;  // absent: loopback, kMetricsPort, or any port if that is taken
    std::optional<bool> sandbox;    // true
    std::optional<bool> portmap;    // false

    // What `other` says goes first; its exports come behind.
    Settings overlaid_with(const Settings& other) const;
};

// Words as they are written in flags and files alike. Errors are phrases: "'x' is …".
// DIR, NAME=DIR, memory:
Result<ExportSettings, std::string> parse_export(std::string_view text,
                                                 const vfs::BackendTable& backends);
Result<Listen, std::string> parse_listen(std::string_view text, std::uint16_t default_port);
Result<nfs::Squash, std::string> parse_squash(std::string_view text);
Result<LogFormat, std::string> parse_log_format(std::string_view text);
Result<LogLevel, std::string> parse_log_level(std::string_view text);
// Empty, or what is wrong with a name of an export.
std::string check_export_name(std::string_view name);
std::string_view name_of(nfs::Squash squash);
std::string_view name_of(LogLevel level);

// Where each export is mounted, in their order: "/" for one without a name that is alone, else
// "/NAME" with the name that the back end suggests for want of a given one. Error: two of the same,
// or none at all.
Result<std::vector<std::string>, std::string> mount_paths(
    const std::vector<ExportSettings>& exports, const vfs::BackendTable& backends);

// $XDG_STATE_HOME/heliograph, or ~/.local/state/heliograph; /var/lib/heliograph for root, and
// $STATE_DIRECTORY where systemd says so. Empty: there is no home.
std::string default_state_directory();

}  // namespace helio::serve
