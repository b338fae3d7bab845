// Report: the figures of a load run, and the three forms they are shown in. The JSON form is stable
// and described in docs/load.md; the HTML form is one self-contained file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helio/base/histogram.h"

namespace helio::load {

// Points of the time series: as many as a plot can show.
inline constexpr std::size_t kPointsMax = 600;
// Above this share of a core, the generator may be the bottleneck.
inline constexpr double kBusyShare = 0.9;

struct Point {
    double at_s = 0;  // its beginning, since the end of the warm-up
    double rate = 0;  // answers a second
    std::uint64_t failed = 0;
    double p50_us = 0;  // of the calls that ended in it; 0 if none did
    double p99_us = 0;
};

struct Counted {
    std::string name;
    std::uint64_t count = 0;
};

struct Report {
    // To identify and repeat the run; any may be empty.
    std::string when;     // the beginning of the run: "2026-11-16T04:30:12Z"
    std::string version;  // of the generator
    std::string command;  // as typed

    std::string target;
    std::string transport;            // "tcp", "udp", "unix", "rdma"
    std::vector<Counted> procedures;  // with their weights
    std::uint32_t connections = 0;
    std::uint32_t depth = 0;
    std::uint32_t threads = 0;
    double rate_wanted = 0;  // 0: closed loop
    double warmup_s = 0;
    double seconds = 0;       // measured, without warm-up
    std::string ended_early;  // why; empty if it was not

    // Calls that began after the warm-up or, in an open loop, were due after it.
    rpc::Histogram latency;        // ns, of those answered and those never answered
    std::uint64_t answered = 0;    // SUCCESS
    std::uint64_t failed = 0;      // by `errors`
    std::uint64_t unanswered = 0;  // at the end of the run; counted with the time they had waited
    double rate = 0;               // answers per second
    std::uint64_t argument_bytes = 0;
    std::uint64_t result_bytes = 0;
    std::vector<Counted> errors;
    std::vector<Counted> statuses;  // for results that begin with one, by name
    std::uint64_t checked = 0;      // results decoded against the schema
    std::uint64_t retransmitted = 0;
    std::uint64_t strays = 0;  // replies to no call, impossible over TCP with a correct server
    std::uint64_t wrong = 0;   // of `failed`: results that a Source rejected
    double interval_s = 1;
    std::vector<Point> series;

    // The generator itself.
    double cpu_s = 0;
    double busiest_share = 0;     // of one core, of its busiest thread
    rpc::Histogram lag;           // ns; how late it sent calls that it could have sent
    std::uint64_t held_back = 0;  // open loop: calls delayed because too many were in flight
    bool unreachable = false;     // the server could not be reached, or disappeared

    double cpu_us_per_call() const;
    // Doubts about the figures, as sentences.
    std::vector<std::string> warnings() const;
};

std::string to_text(const Report& report);
std::string to_json(const Report& report);
std::string to_html(const Report& report);

}  // namespace helio::load
