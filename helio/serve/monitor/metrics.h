// Metrics: the server's counters in Prometheus' text format (version 0.0.4). The text is made on
// request; nothing is counted here.
#pragma once

#include <dirent.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/nfs/server/exports.h"
#include "helio/nfs/server/programs.h"
#include "helio/nfs/state/state.h"
#include "helio/rpc/server/duplicate_cache.h"
#include "helio/rpc/server/statistics.h"
#include "helio/transport/server/server.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {

struct ProcessFacts {
    double cpu_seconds = 0;
    double started = 0;  // seconds since 1970
    std::uint64_t resident_bytes = 0;
    std::uint64_t virtual_bytes = 0;
    std::uint64_t open_descriptors = 0;
    std::uint64_t descriptors_max = 0;
};

// Keeps its files open: a confined process cannot open them again.
class ProcessWatch final {
 public:
    ProcessWatch();
    ~ProcessWatch();
    ProcessWatch(const ProcessWatch&) = delete;
    ProcessWatch& operator=(const ProcessWatch&) = delete;

    ProcessFacts look();  // one thread at a time

 private:
    transport::Fd memory_;        // /proc/self/statm
    DIR* descriptors_ = nullptr;  // /proc/self/fd
    double started_;
};

// What clients of NFS 4 hold.
struct StateCounts {
    nfs::state::Totals totals;
    std::size_t locks = 0;  // byte ranges
};

struct Metrics {
    std::string version;
    std::vector<rpc::ProcedureSnapshot> procedures;
    std::vector<nfs::ExportCounts> exports;
    std::vector<nfs::ClientCounts> clients;
    transport::Server::Counters transport;
    rpc::DuplicateCache::Counters duplicates;
    nfs::CallbackCounts callbacks;
    std::optional<StateCounts> state;  // absent: NFS 4 is not served
    ProcessFacts process;
    std::uint64_t reloads = 0;
    std::uint64_t reloads_refused = 0;
};
std::string to_text(const Metrics& metrics);

// The Content-Type.
inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace helio::serve
