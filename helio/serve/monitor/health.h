// Health: checks the server from outside: NULL over TCP where it listens, and GETATTR of each
// export's root over a connection within the process. Blocks; not for an event loop.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "helio/nfs/server/exports.h"
#include "helio/serve/monitor/metrics.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/server/server.h"

namespace helio::serve {

// Timeout of one call: a disk this slow is unhealthy.
inline constexpr std::chrono::milliseconds kHealthTimeout{2'000};
// A file system that has not returned from a call for this long hangs.
inline constexpr std::chrono::milliseconds kHungAfter{10'000};
// If asked more often than this, the last report is returned again, so that health checks cannot
// become a load.
inline constexpr std::chrono::milliseconds kHealthAge{500};

struct HealthReport {
    struct Check {
        std::string what;     // "listen 127.0.0.1:2049", "export /data"
        std::string problem;  // empty: healthy
        double milliseconds = 0;
    };
    std::vector<Check> checks;

    // Identifies the server: another one may be listening at the port that was queried.
    struct Served {
        std::string path;    // "/data"
        std::string source;  // "/srv/data"
    };
    std::vector<Served> exports;
    std::string version;
    int pid = 0;
    std::optional<StateCounts> state = {};  // filled in by the server

    bool well() const;
};
std::string to_json(const HealthReport& report);

class Health final {
 public:
    // They outlive it; the server has started.
    Health(transport::Server& server, const nfs::Exports& exports, const transport::Pool& pool,
           std::string version)
        : server_(server), exports_(exports), pool_(pool), version_(std::move(version)) {}

    const HealthReport& look();  // one thread at a time
    // NULL over an in-process connection: do the threads still take calls?
    bool alive();

 private:
    HealthReport::Check knock(const transport::Endpoint& door) const;
    HealthReport::Check ask(const nfs::Export& one) const;

    transport::Server& server_;
    const nfs::Exports& exports_;
    const transport::Pool& pool_;
    const std::string version_;
    HealthReport last_;
    std::chrono::steady_clock::time_point when_;
};

}  // namespace helio::serve
