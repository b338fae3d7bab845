#include <iterator>

#include <fmt/format.h>

#include "helio/load/report_internal.h"

namespace helio::load {

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + "\"";
}

std::string counted(const std::vector<Counted>& list, const char* number) {
    std::string out = "[";
    for (const Counted& one : list)
        out += fmt::format("{}{{\"name\": {}, \"{}\": {}}}", out.size() > 1 ? ", " : "",
                           quoted(one.name), number, one.count);
    return out + "]";
}

std::string times(const rpc::Histogram& histogram) {
    std::string out = fmt::format("{{\"min\": {:.3f}", static_cast<double>(histogram.min()) / 1e3);
    const std::uint64_t count = histogram.count();
    const double mean =
        count > 0 ? static_cast<double>(histogram.sum()) / static_cast<double>(count) / 1e3 : 0;
    out += fmt::format(", \"mean\": {:.3f}", mean);
    for (const Percentile& one : percentiles(histogram))
        out += fmt::format(", \"{}\": {:.3f}", one.name, one.us);
    return out + "}";
}

std::string series(const Report& report) {
    std::string out = "[";
    for (const Point& one : report.series)
        fmt::format_to(std::back_inserter(out),
                       "{}\n    {{\"at_s\": {:.1f}, \"rate\": {:.1f}, \"failed\": {}, \"p50_us\": "
                       "{:.3f}, \"p99_us\": {:.3f}}}",
                       out.size() > 1 ? "," : "", one.at_s, one.rate, one.failed, one.p50_us,
                       one.p99_us);
    return out + "]";
}

std::string generator(const Report& report) {
    std::string warnings = "[";
    for (const std::string& one : report.warnings())
        warnings += (warnings.size() > 1 ? ", " : "") + quoted(one);
    return fmt::format(
        "{{\"cpu_s\": {:.6f}, \"cpu_us_per_call\": {:.4f}, \"busiest_share\": {:.4f}, "
        "\"held_back\": {}, \"lag_us\": {}, \"warnings\": {}]}}",
        report.cpu_s, report.cpu_us_per_call(), report.busiest_share, report.held_back,
        report.rate_wanted > 0 ? times(report.lag) : "null", warnings);
}

}  // namespace

std::string to_json(const Report& report) {
    std::string out = "{";
    const auto add = [&out](const char* name, const std::string& value) {
        fmt::format_to(std::back_inserter(out), "{}\n  \"{}\": {}", out.size() > 1 ? "," : "", name,
                       value);
    };
    const auto number = [](auto value) { return std::to_string(value); };
    add("target", quoted(report.target));
    add("transport", quoted(report.transport));
    add("procedures", counted(report.procedures, "weight"));
    add("loop", report.rate_wanted > 0 ? "\"open\"" : "\"closed\"");
    add("rate_wanted", report.rate_wanted > 0 ? number(report.rate_wanted) : "null");
    add("connections", number(report.connections));
    add("depth", number(report.depth));
    add("threads", number(report.threads));
    add("warmup_s", number(report.warmup_s));
    add("seconds", number(report.seconds));
    add("ended_early", report.ended_early.empty() ? "null" : quoted(report.ended_early));
    add("answered", number(report.answered));
    add("failed", number(report.failed));
    add("unanswered", number(report.unanswered));
    add("rate", fmt::format("{:.1f}", report.rate));
    add("latency_us", times(report.latency));
    add("argument_bytes", number(report.argument_bytes));
    add("result_bytes", number(report.result_bytes));
    add("statuses", counted(report.statuses, "count"));
    add("errors", counted(report.errors, "count"));
    add("checked", number(report.checked));
    add("retransmitted", number(report.retransmitted));
    add("strays", number(report.strays));
    add("generator", generator(report));
    add("interval_s", fmt::format("{:.1f}", report.interval_s));
    add("series", series(report));
    return out + "\n}\n";
}

}  // namespace helio::load
