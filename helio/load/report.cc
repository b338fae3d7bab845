#include "helio/load/report.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "helio/load/report_internal.h"

namespace helio::load {

double Report::cpu_us_per_call() const {
    const double calls = rate * seconds;
    return calls > 0 ? cpu_s * 1e6 / calls : 0;
}

std::vector<std::string> Report::warnings() const {
    std::vector<std::string> out;
    if (busiest_share > kBusyShare)
        out.push_back(
            fmt::format("the load generator used {:.0f} % of a core and may itself be the "
                        "bottleneck; use more --threads",
                        busiest_share * 100));
    if (rate_wanted > 0 && seconds > 0 && rate < rate_wanted * 0.98)
        out.push_back(fmt::format("only {} of the {} calls per second were answered", grouped(rate),
                                  grouped(rate_wanted)));
    // The generator's lag is a large part of the measured latency.
    if (lag.count() > 0 && lag.percentile(0.99) * 2 > latency.percentile(0.99))
        out.push_back(
            "the load generator sent calls late (see its lag); that is a large part of the latency "
            "shown");
    if (held_back > 0)
        out.push_back(fmt::format(
            "{} calls had to wait because {} × {} were in flight; the wait counts as latency",
            grouped(static_cast<double>(held_back)), connections, depth));
    if (unanswered > 0)
        out.push_back(
            fmt::format("{} calls were unanswered at the end of the run; the time they had waited "
                        "counts as latency",
                        grouped(static_cast<double>(unanswered))));
    return out;
}

std::string grouped(double number) {
    std::string digits = fmt::format("{:.0f}", std::max(number, 0.0));
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits;
}

std::string duration(double us) {
    if (us < 10) return fmt::format("{:.1f} µs", us);
    if (us < 1'000) return fmt::format("{:.0f} µs", us);
    if (us < 10'000) return fmt::format("{:.2f} ms", us / 1e3);
    if (us < 1'000'000) return fmt::format("{:.0f} ms", us / 1e3);
    return fmt::format("{:.2f} s", us / 1e6);
}

std::string byte_rate(double bytes) {
    if (bytes < 1e4) return fmt::format("{:.0f} B/s", bytes);
    if (bytes < 1e7) return fmt::format("{:.1f} kB/s", bytes / 1e3);
    return fmt::format("{:.1f} MB/s", bytes / 1e6);
}

std::string headline(const Report& report) {
    std::string names;
    for (const Counted& one : report.procedures) {
        if (!names.empty()) names += ", ";
        names += one.name;
        if (report.procedures.size() > 1) names += fmt::format(" ({})", one.count);
    }
    return fmt::format("{} at {} over {}", names, report.target, report.transport);
}

std::string shape(const Report& report) {
    const std::string loop =
        report.rate_wanted > 0
            ? fmt::format("open loop at {} calls per second, at most {} × {} in flight",
                          grouped(report.rate_wanted), report.connections, report.depth)
            : fmt::format("closed loop, {} connections × {} in flight", report.connections,
                          report.depth);
    if (report.warmup_s == 0) return fmt::format("{}, {:.1f} s", loop, report.seconds);
    return fmt::format("{}, {:.1f} s, after {:.1f} s of warm-up", loop, report.seconds,
                       report.warmup_s);
}

std::string generator_line(const Report& report) {
    return fmt::format(
        "{:.2f} µs of CPU per call, {:.0f} % of one core{}", report.cpu_us_per_call(),
        report.busiest_share * 100,
        report.threads > 1 ? fmt::format(" on the busiest of {} threads", report.threads) : "");
}

std::vector<Counted> answer_statuses(const Report& report) {
    std::vector<Counted> out = report.statuses;
    std::uint64_t named = 0;
    for (const Counted& one : out) named += one.count;
    if (named < report.answered) out.push_back({"SUCCESS", report.answered - named});
    return out;
}

std::string duration_of(const rpc::Histogram& histogram, const Percentile& one) {
    return histogram.count() > 0 ? duration(one.us) : "–";
}

std::vector<Percentile> percentiles(const rpc::Histogram& histogram) {
    const auto us = [&](double fraction) {
        return static_cast<double>(histogram.percentile(fraction)) / 1e3;
    };
    return {{"p50", us(0.5)},
            {"p90", us(0.9)},
            {"p99", us(0.99)},
            {"p99.9", us(0.999)},
            {"max", static_cast<double>(histogram.max()) / 1e3}};
}

std::string to_text(const Report& report) {
    std::string out = fmt::format("{}\n{}\n\n", headline(report), shape(report));
    const auto line = [&out](const char* name, const std::string& text) {
        fmt::format_to(std::back_inserter(out), "{:<11} {}\n", name, text);
    };
    line("answers", fmt::format("{}, {} per second", grouped(static_cast<double>(report.answered)),
                                grouped(report.rate)));
    const auto times = [](const rpc::Histogram& histogram) {
        std::string text;
        for (const Percentile& one : percentiles(histogram))
            text += fmt::format("{}{} {}", text.empty() ? "" : "   ", one.name,
                                duration_of(histogram, one));
        return text;
    };
    line("latency", times(report.latency));
    if (report.seconds > 0 && report.argument_bytes + report.result_bytes > 0)
        line("data",
             fmt::format("arguments {}, results {}",
                         byte_rate(static_cast<double>(report.argument_bytes) / report.seconds),
                         byte_rate(static_cast<double>(report.result_bytes) / report.seconds)));
    for (const Counted& one : report.statuses)
        line(&one == report.statuses.data() ? "statuses" : "",
             fmt::format("{} {}", grouped(static_cast<double>(one.count)), one.name));
    if (report.checked > 0)
        line("checked", fmt::format("{} results against the schema",
                                    grouped(static_cast<double>(report.checked))));
    if (report.retransmitted > 0) line("sent again", fmt::format("{} calls", report.retransmitted));
    if (report.strays > 0 && report.transport != "udp")
        line("strays", fmt::format("{} replies that match no call",
                                   grouped(static_cast<double>(report.strays))));
    line("failed", grouped(static_cast<double>(report.failed)));
    for (const Counted& one : report.errors)
        line("", fmt::format("{} {}", grouped(static_cast<double>(one.count)), one.name));
    line("generator:", generator_line(report));
    if (report.rate_wanted > 0) line("", "late by " + times(report.lag));
    for (const std::string& warning : report.warnings()) line("warning:", warning);
    if (!report.ended_early.empty()) line("ended early:", report.ended_early);
    if (!report.when.empty()) line("run", fmt::format("{}, helio {}", report.when, report.version));
    if (!report.command.empty()) line("command", report.command);
    return out;
}

}  // namespace helio::load
