// Settings: all options of `helio serve`, as values. Command line and TOML file both produce them,
// and the file can be reloaded while the server runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/nfs/serve.h"
#include "helio/nfs/server/exports.h"
#include "helio/nfs/state/lease.h"
#include "helio/transport/rdma/limits.h"
#include "helio/vfs/backend.h"

namespace helio::serve {

// More than anybody has; with fewer, EXPORT's reply and the start text stay readable.
inline constexpr std::size_t kExportsMax = 1'000;
// More threads than any machine we know has cores.
inline constexpr unsigned kThreadsMax = 1'024;

// Default port of metrics and health.
inline constexpr std::uint16_t kMetricsPort = 9049;

// Rules as given: absent ones come from the defaults.
struct RuleSettings {
    std::optional<bool> read_only;
    std::optional<nfs::Squash> squash;
    std::optional<std::uint32_t> anonymous_uid;
    std::optional<std::uint32_t> anonymous_gid;
    std::optional<std::vector<nfs::Network>> allowed;
    std::optional<bool> udp;

    // `other` takes precedence.
    RuleSettings overlaid_with(const RuleSettings& other) const;
};

// Something wrong with the settings, and where in the file it is.
struct ConfigProblem {
    std::uint32_t line = 0;  // both from 1; 0: no particular place, or not from a file
    std::uint32_t column = 0;
    std::string reason;
};

struct ExportSettings {
    std::string name;        // "data" is mounted as /data; empty: not named
    std::string source;      // what is exported: a directory, "memory:"
    std::uint32_t line = 0;  // the line in the file; 0: it is from the command line
    std::uint32_t column = 0;
    RuleSettings rules;
    vfs::BackendSettings settings;  // of the back end
};

struct Listen {
    std::string host = "127.0.0.1";      // empty: every address
    std::uint16_t port = nfs::kNfsPort;  // 0: any that is free
    bool operator==(const Listen&) const = default;
};
inline const Listen kListenDefault;
inline const Listen kMetricsDefault{"127.0.0.1", kMetricsPort};
inline const Listen kRdmaDefault{"", transport::rdma::kRdmaPort};

// Which versions of NFS are served. MOUNT serves versions 3 and 2.
struct Versions {
    bool four = true;  // minor versions 1 and 2
    bool three = true;
    bool two = true;
    bool operator==(const Versions&) const = default;
};

enum class LogFormat : std::uint8_t { text, json };
enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct Settings {
    std::vector<ExportSettings> exports;
    RuleSettings rules;           // for exports without their own
    bool looks_up_names = false;  // the file has users or groups by name
    std::vector<Listen> listen;
    std::optional<Listen> rdma;             // absent: no RPC-over-RDMA
    std::optional<unsigned> threads;        // absent: one per core
    std::optional<std::string> state;       // absent: default_state_directory()
    std::optional<Versions> versions;       // all of them
    std::optional<std::string> domain;      // absent: owners are numbers
    std::optional<unsigned> lease_seconds;  // nfs::state::kLeaseDefault
    std::optional<bool> sync_metadata;      // false
    std::optional<LogFormat> log_format;    // text
    std::optional<LogLevel> log_level;      // info
    std::optional<bool> metrics_off;
    std::optional<Listen> metrics;  // absent: loopback, kMetricsPort, or any port if that is taken
    std::optional<bool> sandbox;    // true
    std::optional<bool> portmap;    // false
    std::optional<std::uint64_t> memory_bytes_max;  // a quarter of the machine's

    // `other` takes precedence; its exports come last.
    Settings overlaid_with(const Settings& other) const;
};

// Values in the syntax that flags and files share. Errors are phrases: "'x' is …".
//
// DIR, NAME=DIR, memory:
Result<ExportSettings, std::string> parse_export(std::string_view text,
                                                 const vfs::BackendTable& backends);
// ADDRESS, ADDRESS:PORT, PORT, :PORT, *, *:PORT. An omitted part is taken from `usual`.
Result<Listen, std::string> parse_listen(std::string_view text, const Listen& usual);
// A number, or the name of a user or group of this machine.
Result<std::uint32_t, std::string> parse_user(std::string_view text);
Result<std::uint32_t, std::string> parse_group(std::string_view text);
Result<nfs::Squash, std::string> parse_squash(std::string_view text);
// "512M", "2G": at least transport::kMemoryBytesMin.
Result<std::uint64_t, std::string> parse_memory(std::string_view text);
// "4.2,4.1,3,2". The minor versions of 4 come together.
Result<Versions, std::string> parse_versions(std::string_view text);
std::string to_text(const Versions& versions);  // "4.2, 4.1, 3 and 2"
Result<LogFormat, std::string> parse_log_format(std::string_view text);
Result<LogLevel, std::string> parse_log_level(std::string_view text);
// Empty, or what is wrong with an export's name.
std::string check_export_name(std::string_view name);
std::string_view name_of(nfs::Squash squash);
std::string_view name_of(LogLevel level);

// The mount path of each export, in order: "/" for a single one without a name, otherwise "/NAME",
// by default with the back end's suggestion. Error: two with the same path, or none at all.
Result<std::vector<std::string>, ConfigProblem> mount_paths(
    const std::vector<ExportSettings>& exports, const vfs::BackendTable& backends);

// $XDG_STATE_HOME/heliograph, or ~/.local/state/heliograph; for root /var/lib/heliograph, or
// systemd's $STATE_DIRECTORY. Empty: there is no home directory.
std::string default_state_directory();

}  // namespace helio::serve
