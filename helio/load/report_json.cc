#include "helio/base/text/json_writer.h"
#include "helio/load/report_internal.h"

namespace helio::load {

namespace {

void put_counted(JsonWriter& json, std::string_view key, const std::vector<Counted>& list,
                 std::string_view number) {
    json.key(key);
    json.open('[');
    for (const Counted& one : list) {
        json.element();
        json.open('{');
        json.member("name", one.name);
        json.member(number, one.count);
        json.close('}');
    }
    json.close(']');
}

void put_times(JsonWriter& json, const rpc::Histogram& histogram) {
    const std::uint64_t count = histogram.count();
    const double mean =
        count > 0 ? static_cast<double>(histogram.sum()) / static_cast<double>(count) / 1e3 : 0;
    json.open('{');
    json.member("min", static_cast<double>(histogram.min()) / 1e3, 3);
    json.member("mean", mean, 3);
    for (const Percentile& one : percentiles(histogram)) json.member(one.name, one.us, 3);
    json.close('}');
}

void put_series(JsonWriter& json, const Report& report) {
    json.open('[');
    for (const Point& one : report.series) {
        json.new_line();
        json.element();
        json.open('{');
        json.member("at_s", one.at_s, 1);
        json.member("rate", one.rate, 1);
        json.member("failed", one.failed);
        json.member("p50_us", one.p50_us, 3);
        json.member("p99_us", one.p99_us, 3);
        json.close('}');
    }
    json.close(']');
}

void put_generator(JsonWriter& json, const Report& report) {
    json.open('{');
    json.member("cpu_s", report.cpu_s, 6);
    json.member("cpu_us_per_call", report.cpu_us_per_call(), 4);
    json.member("busiest_share", report.busiest_share, 4);
    json.member("held_back", report.held_back);
    json.key("lag_us");
    report.rate_wanted > 0 ? put_times(json, report.lag) : json.null();
    json.key("warnings");
    json.open('[');
    for (const std::string& one : report.warnings()) json.item(one);
    json.close(']');
    json.close('}');
}

}  // namespace

void put_origin(JsonWriter& json, const std::string& when, const std::string& version,
                const std::string& command) {
    const auto member = [&json](std::string_view name, const std::string& value) {
        if (value.empty()) return;
        json.new_line();
        json.member(name, value);
    };
    member("when", when);
    member("version", version);
    member("command", command);
}

void put_json(JsonWriter& json, const Report& report) {
    const auto member = [&json](std::string_view name, const auto&... value) {
        json.new_line();
        json.member(name, value...);
    };
    const auto key = [&json](std::string_view name) {
        json.new_line();
        json.key(name);
    };
    json.open('{');
    put_origin(json, report.when, report.version, report.command);
    member("target", report.target);
    member("transport", report.transport);
    json.new_line();
    put_counted(json, "procedures", report.procedures, "weight");
    member("loop", report.rate_wanted > 0 ? "open" : "closed");
    key("rate_wanted");
    report.rate_wanted > 0 ? json.fixed(report.rate_wanted, 6) : json.null();
    member("connections", report.connections);
    member("depth", report.depth);
    member("threads", report.threads);
    member("warmup_s", report.warmup_s, 6);
    member("seconds", report.seconds, 6);
    key("ended_early");
    report.ended_early.empty() ? json.null() : json.string(report.ended_early);
    member("answered", report.answered);
    member("failed", report.failed);
    member("unanswered", report.unanswered);
    member("rate", report.rate, 1);
    key("latency_us");
    put_times(json, report.latency);
    member("argument_bytes", report.argument_bytes);
    member("result_bytes", report.result_bytes);
    json.new_line();
    put_counted(json, "statuses", report.statuses, "count");
    json.new_line();
    put_counted(json, "errors", report.errors, "count");
    member("checked", report.checked);
    member("retransmitted", report.retransmitted);
    member("strays", report.strays);
    key("generator");
    put_generator(json, report);
    member("interval_s", report.interval_s, 1);
    key("series");
    put_series(json, report);
    json.new_line();
    json.close('}');
}

std::string to_json(const Report& report) {
    std::string out;
    JsonWriter json{out};
    put_json(json, report);
    return out + '\n';
}

}  // namespace helio::load
