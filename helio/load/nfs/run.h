// `helio load nfs` as a library: one or two servers, several operations, several rounds. In a round
// each server runs the same operation in turn, so a slow minute of the machine affects all of them;
// the result is the median of the ratios of all rounds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "helio/load/nfs/test_tree.h"
#include "helio/load/nfs/workload.h"
#include "helio/load/run.h"

namespace helio::load::nfs {

inline constexpr std::uint32_t kRoundsMax = 1'000;
// Names in one listing, 8 bytes of memory each: stops a server whose listing never ends.
inline constexpr std::size_t kListedMax = 100'000'000;

struct Job {
    Operation operation = Operation::mixed;
    TransferOptions transfer;
};

struct Server {
    ExportTarget target;
    std::optional<ServerCpu> cpu;
};

struct Orders {
    std::vector<Server> servers;  // one, or two to compare
    std::vector<Job> jobs;
    std::uint32_t rounds = 1;
    Settings load;  // connections, depth, threads, rate, times; the rest is filled in
    // The test_tree.
    std::uint32_t files = 1000;
    std::uint32_t data_files = 16;
    std::uint64_t data_bytes = 4u << 20;
    std::uint32_t entries = 1000;
    std::uint32_t locks = 0;  // held while `lock` runs, in `files`; at most kLocksMax
    // For the report, so that the run can be repeated; any may be empty.
    std::string when;     // the beginning of the run: "2026-11-16T04:30:12Z"
    std::string version;  // of the generator
    std::string command;  // as typed
};

// One server's part of a round.
struct Turn {
    Report report;
    Seen seen;                    // over all threads
    std::uint64_t read_back = 0;  // ranges written, then read back correctly

    // Microseconds of server CPU per answered call; nothing if its process is unknown.
    std::optional<double> server_us_per_call() const;
    bool right() const;
};

struct JobResult {
    Job job;
    std::vector<std::vector<Turn>> turns;  // by server, then by round
};

// Throws Failure if a server cannot be prepared. `tick` is as in load::run: its result decides
// whether the run continues, and the result has only what was run.
std::vector<JobResult> run(const Orders& orders,
                           const std::function<bool(const Progress&)>& tick = {});

// The median of `figure` over the turns; nothing if one of them has none.
using Figure = std::function<std::optional<double>(const Turn&)>;
std::optional<double> median(const std::vector<Turn>& turns, const Figure& figure);
// The median of the second server's figure divided by the first's, round by round.
std::optional<double> ratio(const JobResult& result, const Figure& figure);

std::string to_text(const std::vector<JobResult>& results, const Orders& orders);
std::string to_json(const std::vector<JobResult>& results, const Orders& orders);
std::string to_html(const std::vector<JobResult>& results, const Orders& orders);

// ---- One complete listing of an existing directory ----

struct Listing {
    double seconds = 0;
    std::uint64_t names = 0;  // including "." and ".." if the server lists them
    std::uint64_t duplicates = 0;
    std::uint64_t replies = 0;
    std::uint64_t without_attributes = 0;
    std::optional<double> server_cpu_s;
};
// Throws Failure.
Listing list_once(const Server& server, const std::string& path, std::uint32_t reply_bytes);

}  // namespace helio::load::nfs
