#include "helio/load/run.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "helio/load/worker_internal.h"

namespace helio::load {

namespace {

using Workers = std::vector<std::unique_ptr<Worker>>;

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}
double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e3; }

// One second; a tenth for short runs, longer if there were too many points to show.
std::chrono::nanoseconds interval_for(std::chrono::nanoseconds duration) {
    using namespace std::chrono_literals;
    if (duration < 10s) return 100ms;
    const auto least = duration / static_cast<std::int64_t>(kPointsMax);
    return std::max<std::chrono::nanoseconds>(1s, std::chrono::ceil<std::chrono::seconds>(least));
}

Progress progress_of(const Workers& workers, const Times& times) {
    Progress out;
    const auto elapsed = Clock::now() - times.begin;
    out.elapsed_s = seconds(elapsed);
    out.total_s = seconds(times.end - times.begin);
    const auto intervals = elapsed.count() < 0 ? 0 : elapsed / times.interval;
    rpc::Histogram latest;
    for (const auto& worker : workers) {
        out.answered += worker->answered_so_far();
        out.failed += worker->failed_so_far();
        if (intervals == 0) continue;
        if (const auto* const one = worker->interval(static_cast<std::size_t>(intervals - 1)))
            latest.add(one->latency);
    }
    out.p50_us = microseconds(latest.percentile(0.5));
    out.p99_us = microseconds(latest.percentile(0.99));
    return out;
}

void add_series(Report& report, const Workers& workers, const Times& times, double measured_s) {
    report.interval_s = seconds(times.interval);
    double answered = 0;
    for (std::size_t i = 0;; ++i) {
        Point point;
        point.at_s = static_cast<double>(i) * report.interval_s;
        const double length = std::min(report.interval_s, measured_s - point.at_s);
        if (length < 1e-6) break;
        rpc::Histogram latency;
        std::uint64_t count = 0;
        for (const auto& worker : workers) {
            const Worker::Interval* const one = worker->interval(i);
            if (one == nullptr) continue;
            latency.add(one->latency);
            count += one->answered.get();
            point.failed += one->failed.get();
        }
        report.latency.add(latency);
        answered += static_cast<double>(count);
        point.rate = static_cast<double>(count) / length;
        point.p50_us = microseconds(latency.percentile(0.5));
        point.p99_us = microseconds(latency.percentile(0.99));
        // Drop the short last interval of a run that was stopped: it is mostly noise.
        if (length > report.interval_s / 4) report.series.push_back(point);
    }
    report.rate = measured_s > 0 ? answered / measured_s : 0;
}

void add_counted(std::vector<Counted>& list, const std::string& name, std::uint64_t count) {
    for (Counted& one : list) {
        if (one.name != name) continue;
        one.count += count;
        return;
    }
    list.push_back({name, count});
}

std::string status_name(const std::vector<Step>& steps, std::int64_t key) {
    const Step& step = steps[static_cast<std::size_t>(key >> 32)];
    if (step.status_name != nullptr) return step.status_name(static_cast<std::uint32_t>(key));
    const auto value = static_cast<std::int32_t>(key & 0xffffffff);
    const idl::Type* type = &idl::resolve(*step.result);
    if (type->kind == idl::Kind::union_) type = &idl::resolve(*type->discriminant.type);
    const idl::Enumerator* const named = type->enumerator(std::int64_t{value});
    return named != nullptr ? named->name : std::to_string(value);
}

std::string error_name(const xdr::CallError& error) {
    if (error.outcome == xdr::Outcome::unreachable && error.error_number != 0)
        return fmt::format("unreachable: {}", std::strerror(error.error_number));
    if (error.outcome == xdr::Outcome::unreachable)
        return "unreachable: the server closed the connection";
    return rpc::to_text(error);
}

void add_figures(Report& report, const Worker::Figures& figures, const std::vector<Step>& steps,
                 double measured_s) {
    report.latency.add(figures.latency);
    report.lag.add(figures.lag);
    report.answered += figures.answered;
    report.failed += figures.failed;
    report.unanswered += figures.unanswered;
    report.argument_bytes += figures.argument_bytes;
    report.result_bytes += figures.result_bytes;
    report.checked += figures.checked;
    report.held_back += figures.held_back;
    report.retransmitted += figures.retransmitted;
    for (const auto& [error, count] : figures.errors)
        add_counted(report.errors, error_name(error), count);
    for (const auto& [what, count] : figures.wrong) add_counted(report.errors, what, count);
    report.strays += figures.strays;
    for (const auto& [what, count] : figures.wrong) report.wrong += count;
    for (const auto& [key, count] : figures.statuses)
        add_counted(report.statuses, status_name(steps, key), count);
    report.cpu_s += seconds(figures.cpu);
    if (measured_s > 0)
        report.busiest_share = std::max(report.busiest_share, seconds(figures.cpu) / measured_s);
    if (figures.away) {
        report.unreachable = true;
        report.ended_early = error_name(*figures.away);
    }
}

Report collect(const Workers& workers, const std::vector<Step>& steps, const Settings& settings,
               const Times& times, bool stopped) {
    Report report;
    report.target = settings.target;
    const bool local = settings.servers.front().is_unix();
    report.transport = settings.client.fabric ? "rdma"
                       : settings.client.udp  ? "udp"
                       : local                ? "unix"
                                              : "tcp";
    for (const Step& step : steps) report.procedures.push_back({step.name, step.weight});
    report.connections = settings.connections;
    report.depth = settings.depth;
    report.threads = settings.threads;
    report.rate_wanted = settings.rate;
    report.warmup_s = seconds(settings.warmup);
    if (stopped) report.ended_early = "interrupted";
    auto end = times.begin;
    for (const auto& worker : workers) end = std::max(end, worker->figures().end);
    report.seconds = seconds(end - times.begin);
    for (const auto& worker : workers)
        add_figures(report, worker->figures(), steps, report.seconds);
    add_series(report, workers, times, report.seconds);
    const auto most = [](const Counted& a, const Counted& b) { return a.count > b.count; };
    std::stable_sort(report.errors.begin(), report.errors.end(), most);
    std::stable_sort(report.statuses.begin(), report.statuses.end(), most);
    return report;
}

}  // namespace

Report run(const std::vector<Step>& steps, const Settings& wanted,
           const std::function<bool(const Progress&)>& tick) {
    constexpr std::chrono::milliseconds kTick{100};
    Settings settings = wanted;
    settings.threads = std::clamp(settings.threads, 1u, settings.connections);
    const std::vector<std::uint16_t> order = lay_out(steps);
    Times times;
    // Time for all threads to start.
    times.start = Clock::now() + std::chrono::milliseconds(1);
    times.begin = times.start + settings.warmup;
    times.end = times.begin + settings.duration;
    times.interval = interval_for(settings.duration);

    Workers workers;
    for (std::uint32_t i = 0; i < settings.threads; ++i)
        workers.push_back(std::make_unique<Worker>(steps, order, settings, times, i));
    for (const auto& worker : workers) worker->start_thread();
    const auto running = [](const auto& worker) { return !worker->ended(); };
    bool stopped = false;
    while (std::any_of(workers.begin(), workers.end(), running)) {
        if (tick && !stopped && !tick(progress_of(workers, times))) {
            stopped = true;
            for (const auto& worker : workers) worker->stop();
        }
        // If there is no tick, or it returns at once, wait here; the end is noticed soon.
        for (int i = 0; i < 10 && std::any_of(workers.begin(), workers.end(), running); ++i)
            std::this_thread::sleep_for(kTick / 10);
    }
    for (const auto& worker : workers) worker->join();
    return collect(workers, steps, settings, times, stopped);
}

}  // namespace helio::load
