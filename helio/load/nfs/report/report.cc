#include "helio/load/nfs/report/report_internal.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "helio/base/text/json_writer.h"
#include "helio/load/report_internal.h"

namespace helio::load::nfs {

namespace {

std::optional<double> percentile(const Turn& turn, double fraction) {
    return static_cast<double>(turn.report.latency.percentile(fraction)) / 1e3;
}

}  // namespace

const std::vector<Column>& columns() {
    static const std::vector<Column> all{
        {"server_us_per_call", "server µs/call",
         [](const Turn& turn) { return turn.server_us_per_call(); }, "{:.2f}"},
        {"rate", "calls/s", [](const Turn& turn) { return std::optional(turn.report.rate); },
         "{:.0f}"},
        {"p50_us", "p50 µs", [](const Turn& turn) { return percentile(turn, 0.5); }, "{:.0f}"},
        {"p99_us", "p99 µs", [](const Turn& turn) { return percentile(turn, 0.99); }, "{:.0f}"},
        {"generator_us_per_call", "generator µs/call",
         [](const Turn& turn) { return std::optional(turn.report.cpu_us_per_call()); }, "{:.2f}"},
        {"generator_share", "generator cores",
         [](const Turn& turn) { return std::optional(turn.report.busiest_share); }, "{:.2f}"},
    };
    return all;
}

std::string number(std::optional<double> value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string job_name(const Job& job) {
    const auto pattern = [&] {
        return job.transfer.pattern == Pattern::random ? "random" : "sequential";
    };
    if (job.operation == Operation::read)
        return fmt::format("read {} {}", job.transfer.read_bytes, pattern());
    if (job.operation == Operation::write) {
        static constexpr std::array<const char*, 3> kStability{"unstable", "data_sync",
                                                               "file_sync"};
        return fmt::format("write {} {} {}", job.transfer.write_bytes, pattern(),
                           kStability[static_cast<std::size_t>(job.transfer.stable)]);
    }
    if (job.operation == Operation::create) return "create+remove";
    if (job.operation == Operation::open) return "open+close";
    if (job.operation == Operation::open_read)
        return fmt::format("open+read {}+close", job.transfer.read_bytes);
    if (job.operation == Operation::lock) return "lock+unlock";
    return std::string(to_text(job.operation));
}

std::string shape(const Orders& orders) {
    return fmt::format("{} connections × {} in flight, {}, {} round{} of {:.1f} s",
                       orders.load.connections, orders.load.depth,
                       orders.load.rate > 0
                           ? fmt::format("{} calls per second", grouped(orders.load.rate))
                           : "closed loop",
                       orders.rounds, orders.rounds == 1 ? "" : "s, medians,",
                       std::chrono::duration<double>(orders.load.duration).count());
}

std::string statuses(const std::vector<Turn>& turns) {
    std::vector<Counted> all;
    for (const Turn& turn : turns)
        for (const Counted& one : answer_statuses(turn.report)) {
            const auto same = std::find_if(all.begin(), all.end(), [&one](const Counted& other) {
                return other.name == one.name;
            });
            if (same != all.end())
                same->count += one.count;
            else
                all.push_back(one);
        }
    std::string out;
    for (const Counted& one : all)
        fmt::format_to(std::back_inserter(out), "{}{} {}", out.empty() ? "" : ", ",
                       grouped(static_cast<double>(one.count)), one.name);
    return out;
}

std::vector<std::string> problems(const Turn& turn) {
    std::vector<std::string> out;
    for (const std::string& warning : turn.report.warnings()) out.push_back("warning: " + warning);
    for (const Counted& error : turn.report.errors)
        out.push_back(fmt::format("{} × {}", error.count, error.name));
    if (turn.seen.wrong > 0)
        out.push_back(
            fmt::format("wrong: {}, the first {}", turn.seen.wrong, turn.seen.first_wrong));
    if (turn.report.strays > 0)
        out.push_back(fmt::format("{} replies that match no call", turn.report.strays));
    if (!turn.report.ended_early.empty()) out.push_back("ended early: " + turn.report.ended_early);
    return out;
}

namespace {

// Display width: µ is two bytes and one column.
std::string padded_left(const std::string& text, std::size_t width) {
    std::size_t places = 0;
    for (const char c : text) places += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return std::string(width > places ? width - places : 0, ' ') + text;
}

void add_row(std::string& out, const std::string& name,
             const std::function<std::string(const Column&)>& cell) {
    fmt::format_to(std::back_inserter(out), "{:<34}", name);
    for (const Column& column : columns()) out += padded_left(cell(column), 19);
    out += '\n';
}

void put_number(JsonWriter& json, std::string_view name, std::optional<double> value) {
    json.key(name);
    value ? json.fixed(*value, 4) : json.null();
}

void put_figures(JsonWriter& json,
                 const std::function<std::optional<double>(const Figure&)>& value) {
    for (const Column& column : columns()) put_number(json, column.json, value(column.figure));
}

void put_turn(JsonWriter& json, const Turn& turn) {
    json.open('{');
    put_figures(json, [&](const Figure& figure) { return figure(turn); });
    put_number(json, "server_cpu_s",
               turn.seen.server_cpu
                   ? std::optional(std::chrono::duration<double>(*turn.seen.server_cpu).count())
                   : std::nullopt);
    json.member("checked", turn.report.checked);
    json.member("wrong", turn.seen.wrong);
    json.key("first_wrong");
    turn.seen.wrong > 0 ? json.string(turn.seen.first_wrong) : json.null();
    json.member("listings", turn.seen.listings);
    json.member("read_whole", turn.seen.read_whole);
    json.member("read_back", turn.read_back);
    json.key("load");
    put_json(json, turn.report);
    json.close('}');
}

void put_server(JsonWriter& json, std::string_view name, const std::vector<Turn>& turns) {
    json.open('{');
    json.member("target", name);
    put_figures(json, [&](const Figure& figure) { return median(turns, figure); });
    json.key("rounds");
    json.open('[');
    for (const Turn& turn : turns) {
        json.new_line();
        json.element();
        put_turn(json, turn);
    }
    json.close(']');
    json.close('}');
}

void put_result(JsonWriter& json, const JobResult& result, const Orders& orders) {
    json.open('{');
    json.member("name", job_name(result.job));
    json.member("operation", to_text(result.job.operation));
    json.key("servers");
    json.open('[');
    for (std::size_t i = 0; i < result.turns.size(); ++i) {
        json.new_line();
        json.element();
        put_server(json, orders.servers[i].target.name, result.turns[i]);
    }
    json.close(']');
    if (result.turns.size() == 2) {
        json.key("ratio");
        json.open('{');
        put_figures(json, [&](const Figure& figure) { return ratio(result, figure); });
        json.close('}');
    }
    json.close('}');
}

}  // namespace

std::string to_text(const std::vector<JobResult>& results, const Orders& orders) {
    std::string out = shape(orders) + '\n';
    add_row(out, "", [](const Column& column) { return std::string(column.title); });
    for (const JobResult& result : results) {
        out += job_name(result.job) + "\n";
        for (std::size_t i = 0; i < result.turns.size(); ++i) {
            add_row(out, "  " + orders.servers[i].target.name, [&](const Column& column) {
                return number(median(result.turns[i], column.figure), column.format);
            });
            const std::string counts = statuses(result.turns[i]);
            if (!counts.empty())
                fmt::format_to(std::back_inserter(out), "  statuses: {}\n", counts);
            for (const Turn& turn : result.turns[i])
                for (const std::string& one : problems(turn))
                    fmt::format_to(std::back_inserter(out), "  {}\n", one);
        }
        if (result.turns.size() == 2)
            add_row(out, "  second / first", [&](const Column& column) {
                return number(ratio(result, column.figure), "{:.2f}");
            });
    }
    if (!orders.when.empty())
        fmt::format_to(std::back_inserter(out), "\nrun      {}, helio {}\n", orders.when,
                       orders.version);
    if (!orders.command.empty())
        fmt::format_to(std::back_inserter(out), "command  {}\n", orders.command);
    return out;
}

std::string to_json(const std::vector<JobResult>& results, const Orders& orders) {
    std::string out;
    JsonWriter json{out};
    json.open('{');
    put_origin(json, orders.when, orders.version, orders.command);
    json.member("connections", orders.load.connections);
    json.member("depth", orders.load.depth);
    json.member("threads", orders.load.threads);
    json.member("rounds", orders.rounds);
    json.key("operations");
    json.open('[');
    for (const JobResult& result : results) {
        json.new_line();
        json.element();
        put_result(json, result, orders);
    }
    json.close(']');
    json.close('}');
    return out + '\n';
}

}  // namespace helio::load::nfs
