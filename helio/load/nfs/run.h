// `helio load nfs` as a library: one or two servers, several operations, several rounds. In a round
// every server has its turn with the same operation, so a slow minute of the machine hits all of
// them; ratios are taken round by round, and the median of them counts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "helio/load/nfs/workload.h"
#include "helio/load/run.h"

namespace helio::load::nfs {

inline constexpr std::uint32_t kRoundsMax = 1'000;
// Names of one listing, 8 bytes of memory each: a server that never comes to an end is stopped
// here.
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
    std::vector<Server> servers;  // one, or two that are compared
    std::vector<Job> jobs;
    std::uint32_t rounds = 1;
    Settings load;  // connections, depth, threads, rate, times; the rest is filled in
    // The test_tree.
    std::uint32_t files = 1000;
    std::uint32_t data_files = 16;
    std::uint64_t data_bytes = 4u << 20;
    std::uint32_t entries = 1000;
};

// One server's turn.
struct Turn {
    Report report;
    Seen seen;                    // of all threads together
    std::uint64_t read_back = 0;  // ranges that were written, then read and right

    // Microseconds of the server's CPU per answered call; nothing when its process is not known.
    std::optional<double> server_us_per_call() const;
    bool right() const;
};

struct JobResult {
    Job job;
    std::vector<std::vector<Turn>> turns;  // by server, then by round
};

// Throws Failure when a server cannot be prepared. `tick` is as in load::run; what it says decides
// whether the run goes on, and what has not been run is not in the result.
std::vector<JobResult> run(const Orders& orders,
                           const std::function<bool(const Progress&)>& tick = {});

// The median over the turns of `figure`; nothing when one of them has none.
using Figure = std::function<std::optional<double>(const Turn&)>;
std::optional<double> median(const std::vector<Turn>& turns, const Figure& figure);
// The median of the second server's figure divided by the first's, round by round.
std::optional<double> ratio(const JobResult& result, const Figure& figure);

std::string to_text(const std::vector<JobResult>& results, const Orders& orders);
std::string to_json(const std::vector<JobResult>& results, const Orders& orders);

// ---- One listing of a directory that is there, from its begin to its end ----

struct Listing {
    double seconds = 0;
    std::uint64_t names = 0;  // "." and ".." included, where the server lists them
    std::uint64_t duplicates = 0;
    std::uint64_t replies = 0;
    std::uint64_t without_attributes = 0;
    std::optional<double> server_cpu_s;
};
// Throws Failure.
Listing list_once(const Server& server, const std::string& path, std::uint32_t reply_bytes);

}  // namespace helio::load::nfs
