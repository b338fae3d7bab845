// helio load: calls any procedure of any schema many times and measures latency.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/load_nfs.h"
#include "cli/schemas.h"
#include "cli/target.h"
#include "helio/base/text/time_text.h"
#include "helio/load/run.h"

#ifndef HELIO_VERSION
#define HELIO_VERSION "unknown"
#endif

namespace helio::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  helio load localhost:2049 nfs3.NULL
  helio load localhost:2049 nfs3.GETATTR '{"object": {"data": "0102"}}' --duration 30s --html report.html
  helio load localhost:4000 peer.ADD '{"a": "{{counter}}", "b": "{{random 0 100}}"}' --schema peer.x --rate 5000
  helio load unix:/run/x.sock peer.NULL --schema peer.x --connections 1 --depth 1 --json
  helio load localhost:4000 --schema peer.x --mix 'peer.NULL=80' --mix 'peer.ADD=20:{"a": 1, "b": 2}'

Without --rate the loop is closed: each reply triggers the next call. With --rate it is open: calls are
scheduled at fixed times, and latency counts from the scheduled time. See docs/load.md.
Exit status: 0 calls were answered, 1 some results failed --check, 2 wrong usage, 3 nothing was answered,
4 the server refused every call.)";

struct Flags {
    std::string target;
    std::string procedure;
    std::string arguments;
    std::vector<std::string> schemas;
    std::vector<std::string> mix;
    std::string duration = "10s";
    std::string warmup = "1s";
    std::string timeout = "5s";
    std::string credential = "none";
    std::string html;
    load::Settings settings;
    std::size_t variants = load::kVariants;
    std::uint64_t seed = 1;
    bool udp = false;
    bool rdma = false;
    bool json = false;
};

load::Step make_step(Schemas& schemas, const std::string& name, const std::string& arguments,
                     const Flags& flags) {
    const SchemaEntry found = schemas.procedure(name);
    require_onc(found);
    load::Step step;
    step.name = found.name();
    step.program = found.program->number;
    step.version = found.version->number;
    step.procedure = found.procedure->number;
    step.idempotent = found.procedure->has("idempotent");
    step.result = found.procedure->result;
    std::string json = read_json_argument(arguments);
    if (json.empty() && found.procedure->arguments.empty()) json = "null";
    if (json.empty())
        throw std::runtime_error(fmt::format(
            "{} takes arguments; 'helio template {}' shows them as JSON", step.name, name));
    auto variants = load::make_variants(*found.procedure, json, flags.variants, flags.seed);
    if (!variants) throw std::runtime_error(variants.error());
    step.arguments = std::move(*variants);
    return step;
}

// "nfs3.GETATTR=80:{json}", "nfs3.NULL=20"
load::Step make_mix_step(Schemas& schemas, const std::string& text, const Flags& flags) {
    const std::size_t equals = text.find('=');
    const std::size_t colon = std::min(text.find(':', equals), text.size());
    const char* const begin = text.data() + std::min(equals, text.size() - 1) + 1;
    std::uint32_t weight = 0;
    const auto [end, fault] = std::from_chars(begin, text.data() + colon, weight);
    if (equals == std::string::npos || fault != std::errc{} || end != text.data() + colon ||
        weight == 0)
        throw std::runtime_error(
            fmt::format("--mix '{}' is not PROCEDURE=WEIGHT or PROCEDURE=WEIGHT:JSON", text));
    load::Step step = make_step(schemas, text.substr(0, equals),
                                colon < text.size() ? text.substr(colon + 1) : "", flags);
    step.weight = weight;
    return step;
}

std::vector<load::Step> make_steps(Schemas& schemas, const Flags& flags) {
    std::vector<load::Step> steps;
    if (!flags.procedure.empty())
        steps.push_back(make_step(schemas, flags.procedure, flags.arguments, flags));
    if (steps.empty() == flags.mix.empty())
        throw std::runtime_error("name one PROCEDURE, or several with --mix");
    for (const std::string& one : flags.mix) steps.push_back(make_mix_step(schemas, one, flags));
    return steps;
}

// A progress line, overwritten in place.
class ProgressLine final {
 public:
    void show(const load::Progress& progress) {
        if (!terminal_) return;
        const double time = progress.elapsed_s;
        const double passed = time - time_;
        if (passed < 0.5 && time_ > -1e9) return;
        const double rate = static_cast<double>(progress.answered - answered_) / passed;
        std::string line = time < 0 ? fmt::format("warm-up, {:.0f} s left", -time)
                                    : fmt::format("{:.0f} of {:.0f} s", time, progress.total_s);
        if (time_ > -1e9) line += fmt::format("   {:.0f} calls/s", rate);
        if (progress.p50_us > 0)
            line +=
                fmt::format("   p50 {:.0f} µs   p99 {:.0f} µs", progress.p50_us, progress.p99_us);
        if (progress.failed > 0) line += fmt::format("   {} failed", progress.failed);
        fmt::print(stderr, "\r{}\033[K", line);
        std::fflush(stderr);
        time_ = time;
        answered_ = progress.answered;
    }
    ~ProgressLine() {
        if (terminal_) std::fputs("\r\033[K", stderr);
    }

 private:
    bool terminal_ = isatty(STDERR_FILENO) != 0;
    double time_ = -1e10;
    std::uint64_t answered_ = 0;
};

int exit_code_for(const load::Report& report, bool checking) {
    if (report.answered > 0) return checking && report.checked > report.answered ? kNo : kDone;
    if (checking && report.checked > 0) return kNo;
    // The server answered, but refused.
    for (const load::Counted& error : report.errors)
        if (error.name != rpc::to_text({xdr::Outcome::timed_out, {}, {}, 0}) &&
            !error.name.starts_with("unreachable"))
            return kRefused;
    return kUnreachable;
}

int run(const Flags& flags) {
    Schemas schemas{flags.schemas};
    const auto steps = make_steps(schemas, flags);
    load::Settings settings = flags.settings;
    settings.client.udp = flags.udp;
    settings.client.credential = parse_credential(flags.credential);
    settings.client.call_timeout = parse_duration(flags.timeout);
    settings.target = flags.target;
    settings.duration = parse_duration(flags.duration);
    if (flags.warmup == "0" || flags.warmup == "0s")
        settings.warmup = {};
    else
        settings.warmup = parse_duration(flags.warmup);
    if (settings.duration > load::kDurationMax || settings.warmup > load::kDurationMax)
        throw std::runtime_error(
            fmt::format("--duration and --warmup are limited to {} h", load::kDurationMax.count()));
    const auto target =
        find_target({flags.target, {}, flags.udp, settings.client.call_timeout, flags.rdma},
                    steps.front().program, steps.front().version);
    if (!target) {
        fmt::print(stderr, "helio: {}\n", target.error());
        return kUnreachable;
    }
    settings.servers = target->servers;
    settings.client.fabric = target->fabric;
    std::ofstream html;
    if (!flags.html.empty()) {
        html.open(flags.html, std::ios::binary);  // before the run: failing later would waste it
        if (!html) throw std::runtime_error(fmt::format("cannot write '{}'", flags.html));
    }

    const Interrupt interrupt;
    const std::string when = to_rfc3339(std::chrono::system_clock::now());
    load::Report report = [&] {
        ProgressLine line;
        return load::run(steps, settings, [&](const load::Progress& progress) {
            line.show(progress);
            return !interrupt.came();
        });
    }();
    report.when = when;
    report.version = HELIO_VERSION;
    report.command = command_line();
    if (html.is_open() && !(html << load::to_html(report)).flush())
        throw std::runtime_error(fmt::format("cannot write '{}'", flags.html));
    // A report of zeros would only hide the reason.
    const bool reached = !report.unreachable || report.answered > 0;
    if (flags.json || reached) {
        const std::string out = flags.json ? load::to_json(report) : load::to_text(report);
        std::fwrite(out.data(), 1, out.size(), stdout);
    }
    if (report.unreachable) {
        constexpr std::string_view kKind = "unreachable: ";  // the message says that already
        std::string_view why = report.ended_early;
        if (why.starts_with(kKind)) why.remove_prefix(kKind.size());
        fmt::print(stderr, "helio: {} {}: {}\n", flags.target,
                   reached ? "went away" : "cannot be reached", why);
    }
    return exit_code_for(report, settings.check);
}

}  // namespace

void add_load(Command& app, int& exit_code) {
    Command* const verb =
        app.add_subcommand("load", "Load-test any procedure and report latencies");
    const auto flags = std::make_shared<Flags>();
    load::Settings& settings = flags->settings;
    verb->add_option("TARGET", flags->target,
                     "HOST:PORT, HOST (the port is looked up in rpcbind) or unix:/path");
    verb->add_option("PROCEDURE", flags->procedure, "procedure to call: nfs3.GETATTR");
    verb->add_option("JSON", flags->arguments,
                     "arguments, @FILE, or - for standard input. {{counter}}, {{random A B}} and "
                     "{{random_hex N}} give each call different values");
    verb->add_option("--schema", flags->schemas,
                     "a .x file that defines the program; may be repeated")
        ->allow_extra_args(false);
    verb->add_option("--mix", flags->mix,
                     "PROCEDURE=WEIGHT or PROCEDURE=WEIGHT:JSON; may be repeated")
        ->allow_extra_args(false);
    verb->add_option("--connections", settings.connections, "number of connections")
        ->range(1u, load::kConnectionsMax)
        ->capture_default_str();
    verb->add_option("--depth", settings.depth, "calls in flight per connection")
        ->range(1u, load::kDepthMax)
        ->capture_default_str();
    verb->add_option("--rate", settings.rate, "open loop: calls per second")->range(0.01, 1e8);
    verb->add_option("--duration", flags->duration, "time to measure: 10s, 5m")
        ->check(check_duration)
        ->capture_default_str();
    verb->add_option("--warmup", flags->warmup, "time to run before measuring")
        ->capture_default_str();
    verb->add_option("--timeout", flags->timeout, "how long to wait for each answer")
        ->check(check_duration)
        ->capture_default_str();
    auto* const udp = verb->add_flag("--udp", flags->udp, "over UDP instead of TCP");
    verb->add_flag("--rdma", flags->rdma, "over RDMA (RFC 8166) instead of TCP; port 20049")
        ->excludes(udp);
    verb->add_option("--auth", flags->credential,
                     "credential: none, sys (this user) or sys:UID:GID,GID")
        ->check(check_credential)
        ->capture_default_str();
    verb->add_option("--threads", settings.threads, "threads of the load generator")
        ->range(1u, load::kThreadsMax)
        ->capture_default_str();
    verb->add_option("--variants", flags->variants, "how many variants of the arguments to prepare")
        ->range(std::size_t{1}, std::size_t{1'000'000})
        ->capture_default_str();
    verb->add_option("--seed", flags->seed, "seed for {{random}}")->capture_default_str();
    verb->add_flag("--check", settings.check, "decode every result against the schema");
    verb->add_flag("--json", flags->json, "print the report as JSON");
    verb->add_option("--html", flags->html, "also write the report with plots to this HTML file");
    verb->footer(kExamples);
    // `helio load nfs …` is its own verb; CLI11 runs this callback after it as well.
    add_load_nfs(*verb, exit_code);
    verb->callback([verb, flags, &exit_code] {
        if (verb->has_subcommand()) return;
        if (flags->target.empty()) throw_required("TARGET");
        exit_code = run(*flags);
    });
}

}  // namespace helio::cli
