#include <iterator>

#include <fmt/format.h>

#include "helio/load/nfs/run.h"
#include "helio/load/report_internal.h"

namespace helio::load::nfs {

namespace {

struct Column {
    const char* json;
    const char* title;
    Figure figure;
    const char* format;
};

std::optional<double> percentile(const Turn& turn, double fraction) {
    return static_cast<double>(turn.report.latency.percentile(fraction)) / 1e3;
}

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
        {"generator_share", "its core",
         [](const Turn& turn) { return std::optional(turn.report.busiest_share); }, "{:.2f}"},
    };
    return all;
}

std::string number(std::optional<double> value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

// Display width: µ is two bytes and one column.
std::string padded_left(const std::string& text, std::size_t width) {
    std::size_t places = 0;
    for (const char c : text) places += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return std::string(width > places ? width - places : 0, ' ') + text;
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
    return std::string(to_text(job.operation));
}

void add_row(std::string& out, const std::string& name,
             const std::function<std::string(const Column&)>& cell) {
    fmt::format_to(std::back_inserter(out), "{:<34}", name);
    for (const Column& column : columns()) out += padded_left(cell(column), 19);
    out += '\n';
}

void add_problems(std::string& out, const Turn& turn) {
    for (const std::string& warning : turn.report.warnings())
        fmt::format_to(std::back_inserter(out), "  warning: {}\n", warning);
    for (const Counted& error : turn.report.errors)
        fmt::format_to(std::back_inserter(out), "  {} × {}\n", error.count, error.name);
    if (turn.seen.wrong > 0)
        fmt::format_to(std::back_inserter(out), "  wrong: {}, the first {}\n", turn.seen.wrong,
                       turn.seen.first_wrong);
    if (turn.report.strays > 0)
        fmt::format_to(std::back_inserter(out), "  {} replies to no call in flight\n",
                       turn.report.strays);
    if (!turn.report.ended_early.empty())
        fmt::format_to(std::back_inserter(out), "  ended early: {}\n", turn.report.ended_early);
}

std::string json_quoted(const std::string& text) {
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

std::string json_number(std::optional<double> value) {
    return value ? fmt::format("{:.4f}", *value) : "null";
}

std::string json_figures(const std::function<std::optional<double>(const Figure&)>& value) {
    std::string out;
    for (const Column& column : columns())
        out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", column.json,
                           json_number(value(column.figure)));
    return out;
}

std::string json_turn(const Turn& turn) {
    return fmt::format(
        "{{{}, \"server_cpu_s\": {}, \"checked\": {}, \"wrong\": {}, \"first_wrong\": {}, "
        "\"listings\": {}, \"read_whole\": {}, \"read_back\": {}, \"load\": {}}}",
        json_figures([&](const Figure& figure) { return figure(turn); }),
        turn.seen.server_cpu
            ? json_number(std::chrono::duration<double>(*turn.seen.server_cpu).count())
            : "null",
        turn.report.checked, turn.seen.wrong,
        turn.seen.wrong > 0 ? json_quoted(turn.seen.first_wrong) : "null", turn.seen.listings,
        turn.seen.read_whole, turn.read_back, load::to_json(turn.report));
}

}  // namespace

std::string to_text(const std::vector<JobResult>& results, const Orders& orders) {
    std::string out = fmt::format(
        "{} connections × {} in flight, {}, {} round{} of {:.1f} s\n", orders.load.connections,
        orders.load.depth,
        orders.load.rate > 0 ? fmt::format("{} calls due a second", grouped(orders.load.rate))
                             : "closed loop",
        orders.rounds, orders.rounds == 1 ? "" : "s, medians,",
        std::chrono::duration<double>(orders.load.duration).count());
    add_row(out, "", [](const Column& column) { return std::string(column.title); });
    for (const JobResult& result : results) {
        out += job_name(result.job) + "\n";
        for (std::size_t i = 0; i < result.turns.size(); ++i) {
            add_row(out, "  " + orders.servers[i].target.name, [&](const Column& column) {
                return number(median(result.turns[i], column.figure), column.format);
            });
            for (const Turn& turn : result.turns[i]) add_problems(out, turn);
        }
        if (result.turns.size() == 2)
            add_row(out, "  second / first", [&](const Column& column) {
                return number(ratio(result, column.figure), "{:.2f}");
            });
    }
    return out;
}

std::string to_json(const std::vector<JobResult>& results, const Orders& orders) {
    std::string out = fmt::format(
        "{{\"connections\": {}, \"depth\": {}, \"threads\": {}, \"rounds\": {}, \"operations\": [",
        orders.load.connections, orders.load.depth, orders.load.threads, orders.rounds);
    for (const JobResult& result : results) {
        out += fmt::format("{}\n{{\"name\": {}, \"operation\": \"{}\", \"servers\": [",
                           &result == results.data() ? "" : ",", json_quoted(job_name(result.job)),
                           to_text(result.job.operation));
        for (std::size_t i = 0; i < result.turns.size(); ++i) {
            out += fmt::format("{}\n {{\"target\": {}, {}, \"rounds\": [", i > 0 ? "," : "",
                               json_quoted(orders.servers[i].target.name),
                               json_figures([&](const Figure& figure) {
                                   return median(result.turns[i], figure);
                               }));
            for (const Turn& turn : result.turns[i])
                out += (&turn == result.turns[i].data() ? "" : ",\n  ") + json_turn(turn);
            out += "]}";
        }
        out += "]";
        if (result.turns.size() == 2)
            out += fmt::format(", \"ratio\": {{{}}}", json_figures([&](const Figure& figure) {
                                   return ratio(result, figure);
                               }));
        out += "}";
    }
    return out + "]}\n";
}

}  // namespace helio::load::nfs
