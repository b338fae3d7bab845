// helio ping: checks that a program answers, and how fast. Calls procedure 0, which does nothing
// (RFC 5531 §12.1).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/schemas.h"
#include "cli/target.h"
#include "helio/base/text/json_writer.h"
#include "helio/transport/client/client.h"

namespace helio::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

struct PingFlags {
    std::string host, program;
    std::vector<std::string> schemas;
    std::string unix_path;
    std::string interval = "1s";
    std::string timeout = "2s";
    std::uint32_t count = 4;
    bool udp = false;
    bool rdma = false;
    bool json = false;
};

constexpr const char* kPingExamples = R"(Examples:
  helio ping localhost portmapper
  helio ping nfs.example.org nfs3
  helio ping nfs.example.org 100003.4 --udp
  helio ping nfs.example.org nfs3 --rdma
  helio ping localhost:4000 my.1 --schema my.x --count 100 --interval 10ms

Without a version, helio uses the highest one in the schemas. Over UDP it does not retransmit calls, so
that losses show. Over TCP the first time includes opening the connection.
Exit status: 0 all calls were answered, 1 some were lost, 2 wrong usage, 3 none were answered,
4 the server refused the call; its status and the versions it serves are printed.)";

volatile std::sig_atomic_t interrupted = 0;

struct Tally {
    std::vector<double> times_ms;  // of the replies
    std::uint32_t calls = 0;

    std::size_t lost() const { return calls - times_ms.size(); }
};

struct Times {
    double min = 0, mean = 0, median = 0, max = 0;
};

Times times_of(std::vector<double> sorted) {
    std::sort(sorted.begin(), sorted.end());
    const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    // The median: the smallest that half of them do not exceed.
    return {sorted.front(), sum / static_cast<double>(sorted.size()),
            sorted[(sorted.size() - 1) / 2], sorted.back()};
}

void print_json(const std::string& name, const std::string& where, const Tally& tally) {
    std::string out;
    JsonWriter json{out};
    json.open('{');
    json.member("program", name);
    json.member("server", where);
    json.member("calls", tally.calls);
    json.member("replies", tally.times_ms.size());
    if (!tally.times_ms.empty()) {
        const Times times = times_of(tally.times_ms);
        json.member("min_ms", times.min, 3);
        json.member("avg_ms", times.mean, 3);
        json.member("p50_ms", times.median, 3);
        json.member("max_ms", times.max, 3);
    }
    json.close('}');
    fmt::print("{}\n", out);
}

void print_summary(const PingFlags& flags, const std::string& name, const std::string& where,
                   const Tally& tally) {
    if (flags.json) return print_json(name, where, tally);
    fmt::print("{} calls, {} replies, {:.0f}% lost\n", tally.calls, tally.times_ms.size(),
               100.0 * static_cast<double>(tally.lost()) / std::max(1u, tally.calls));
    if (tally.times_ms.empty()) return;
    const Times times = times_of(tally.times_ms);
    fmt::print("min {:.3f}  avg {:.3f}  p50 {:.3f}  max {:.3f} ms\n", times.min, times.mean,
               times.median, times.max);
}

// Returns when the next call is due, or soon after ^C.
void wait_until(Clock::time_point due) {
    constexpr auto kLook = std::chrono::milliseconds(50);
    while (!interrupted && Clock::now() < due)
        std::this_thread::sleep_for(std::min<Clock::duration>(kLook, due - Clock::now()));
}

struct Ping {
    const PingFlags& flags;
    Schemas::ProgramNumber program;
    Target target;
    transport::Client client;
    Tally tally;

    // kDone, or the exit code if there is no point in another call.
    int one();
    int all();
};

int Ping::one() {
    const auto begin = Clock::now();
    const auto reply = client.call(program.program, program.version, 0, {}, true);
    const double took = Milliseconds(Clock::now() - begin).count();
    ++tally.calls;
    if (reply) {
        tally.times_ms.push_back(took);
        if (!flags.json) fmt::print("reply {}: {:.3f} ms\n", tally.calls, took);
        std::fflush(stdout);
        return kDone;
    }
    const auto& error = reply.error();
    const int code = exit_code_of(error);
    // Unreachable from the start, or refused: another call would not help.
    const bool hopeless = code != kUnreachable ||
                          (error.outcome == xdr::Outcome::unreachable && tally.times_ms.empty());
    if (!flags.json && !hopeless)
        fmt::print("reply {}: none: {}\n", tally.calls, rpc::to_text(error));
    if (hopeless)
        fmt::print(stderr, "helio: {} at {}: {}\n", program.name(), target.shown(flags.udp),
                   rpc::to_text(error));
    return hopeless ? code : kDone;
}

int Ping::all() {
    const auto interval = parse_duration(flags.interval);
    auto due = Clock::now();
    while (!interrupted && (flags.count == 0 || tally.calls < flags.count)) {
        wait_until(due);
        if (interrupted) break;
        due = std::max(due + interval, Clock::now());
        if (const int code = one(); code != kDone) return code;
    }
    print_summary(flags, program.name(), transport::to_text(client.connection().server()), tally);
    if (tally.lost() == 0) return kDone;
    return tally.times_ms.empty() ? kUnreachable : kNo;
}

int run(const PingFlags& flags) {
    const bool no_host = !flags.unix_path.empty();
    Schemas schemas{flags.schemas};
    if (!no_host && flags.program.empty())
        throw std::runtime_error("HOST and PROGRAM are required; see helio ping --help");
    const auto program = schemas.program(no_host ? flags.host : flags.program);
    require_onc(program.found);
    const auto timeout = parse_duration(flags.timeout);
    auto target =
        find_target({no_host ? "" : flags.host, flags.unix_path, flags.udp, timeout, flags.rdma},
                    program.program, program.version);
    if (!target) {
        fmt::print(stderr, "helio: {}\n", target.error());
        return kUnreachable;
    }
    transport::ClientOptions options;
    options.udp = flags.udp;
    options.fabric = target->fabric;
    options.call_timeout = timeout;
    options.retransmit_first = timeout;
    if (!flags.json)
        fmt::print("ping {} (program {} version {}) at {}\n", program.name(), program.program,
                   program.version, target->shown(flags.udp));
    std::fflush(stdout);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    Ping ping{flags, program, *target, transport::Client{target->servers, options}, {}};
    return ping.all();
}

}  // namespace

void add_ping(Command& app, int& exit_code) {
    auto flags = std::make_shared<PingFlags>();
    auto* const verb = app.add_subcommand("ping", "Check whether a program answers, and how fast");
    verb->add_option("HOST", flags->host, "HOST, HOST:PORT or unix:PATH; not with --unix")
        ->required();
    verb->add_option("PROGRAM", flags->program, "PROGRAM or PROGRAM.VERSION: nfs3, 100003.4");
    verb->add_option("--schema", flags->schemas,
                     "a .x file that is searched first; may be repeated")
        ->allow_extra_args(false)
        ->existing_file();
    auto* const unix_path =
        verb->add_option("--unix", flags->unix_path, "the server's AF_UNIX socket, instead of HOST")
            ->type_name("PATH");
    auto* const udp =
        verb->add_flag("--udp", flags->udp, "over UDP instead of TCP")->excludes(unix_path);
    verb->add_flag("--rdma", flags->rdma, "over RDMA (RFC 8166) instead of TCP; port 20049")
        ->excludes(unix_path)
        ->excludes(udp);
    verb->add_option("--count", flags->count, "number of calls; 0: until ^C")
        ->capture_default_str();
    verb->add_option("--interval", flags->interval, "time between calls: 10ms, 1s")
        ->capture_default_str()
        ->check(check_duration);
    verb->add_option("--timeout", flags->timeout, "how long to wait for each answer")
        ->capture_default_str()
        ->check(check_duration);
    verb->add_flag("--json", flags->json, "print only the summary, as JSON (docs/calling.md)");
    verb->footer(kPingExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
