#include "helio/serve/monitor/metrics.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/serve/log.h"

namespace helio::serve {
namespace {

// Latencies by powers of two, from about a microsecond to 17 seconds: these are bounds of
// rpc::Histogram's own buckets, so that every count is exact.
constexpr unsigned kFirstPower = 10;
constexpr unsigned kLastPower = 34;

class Page final {
 public:
    void family(std::string_view name, std::string_view type, std::string_view help) {
        name_ = name;
        fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                       type);
    }
    template <class Value>
    void value(std::string_view labels, Value number) {
        suffixed("", labels, number);
    }
    template <class Value>
    void suffixed(std::string_view suffix, std::string_view labels, Value number) {
        const bool any = !labels.empty();
        fmt::format_to(std::back_inserter(text_), "{}{}{}{}{} {}\n", name_, suffix, any ? "{" : "",
                       labels, any ? "}" : "", number);
    }
    // A family of one value, without labels.
    template <class Value>
    void counter(std::string_view name, std::string_view help, Value number) {
        family(name, "counter", help);
        value("", number);
    }
    template <class Value>
    void gauge(std::string_view name, std::string_view help, Value number) {
        family(name, "gauge", help);
        value("", number);
    }
    std::string take() { return std::move(text_); }

 private:
    std::string text_;
    std::string name_;
};

// Values of labels: backslash, quote and line feed are escaped, as are dangerous bytes from peers.
std::string label(std::string_view name, std::string_view value) {
    std::string out = fmt::format("{}=\"", name);
    for (const char c : printable(value)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string labels_of(const rpc::ProcedureSnapshot& row) {
    return fmt::format("{},{},{}", label("program", row.program_name()),
                       label("version", std::to_string(row.version_number())),
                       label("procedure", row.procedure_name()));
}

void put_calls(Page& page, const std::vector<rpc::ProcedureSnapshot>& rows) {
    page.family("helio_rpc_calls_total", "counter", "RPC calls by outcome (RFC 5531).");
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < rpc::kCallOutcomes; ++i) {
            const auto outcome = static_cast<rpc::CallOutcome>(i);
            // Successes are shown from the start, failures once there has been one.
            const bool usual = outcome == rpc::CallOutcome::success && row.procedure != nullptr;
            if (row.count(outcome) == 0 && !usual) continue;
            page.value(labels_of(row) + "," + label("outcome", rpc::name_of(outcome)),
                       row.count(outcome));
        }
    }
    page.family("helio_rpc_received_bytes_total", "counter", "Bytes received in calls.");
    for (const auto& row : rows)
        if (row.calls() > 0) page.value(labels_of(row), row.bytes_in);
    page.family("helio_rpc_sent_bytes_total", "counter", "Bytes sent in replies.");
    for (const auto& row : rows)
        if (row.calls() > 0) page.value(labels_of(row), row.bytes_out);
}

void put_histogram(Page& page, const std::string& labels, const rpc::Histogram& histogram) {
    std::array<std::uint64_t, kLastPower + 1> up_to{};
    std::uint64_t beyond = 0;
    histogram.for_each_bucket([&](std::uint64_t upper, std::uint64_t count) {
        unsigned power = kFirstPower;
        while (power <= kLastPower && upper >= std::uint64_t{1} << power) ++power;
        (power <= kLastPower ? up_to[power] : beyond) += count;
    });
    std::uint64_t sum = 0;
    for (unsigned power = kFirstPower; power <= kLastPower; ++power) {
        sum += up_to[power];
        const double seconds = static_cast<double>(std::uint64_t{1} << power) * 1e-9;
        page.suffixed("_bucket", fmt::format("{},le=\"{:.12g}\"", labels, seconds), sum);
    }
    page.suffixed("_bucket", labels + ",le=\"+Inf\"", sum + beyond);
    page.suffixed("_sum", labels,
                  fmt::format("{:.9f}", static_cast<double>(histogram.sum()) * 1e-9));
    page.suffixed("_count", labels, sum + beyond);
}

void put_latencies(Page& page, const std::vector<rpc::ProcedureSnapshot>& rows) {
    page.family("helio_rpc_duration_seconds", "histogram",
                "Time from receiving a call to sending its reply.");
    for (const auto& row : rows)
        if (row.latency) put_histogram(page, labels_of(row), *row.latency);
}

void put_exports(Page& page, const std::vector<nfs::ExportCounts>& exports) {
    const auto each = [&](std::string_view name, std::string_view help, auto number) {
        page.family(name, "counter", help);
        for (const auto& one : exports)
            for (const auto& row : one.procedures)
                if (row.calls > 0)
                    page.value(fmt::format("{},{},{}", label("export", one.path),
                                           label("version", std::to_string(row.version)),
                                           label("procedure", row.procedure)),
                               number(row));
    };
    each("helio_nfs_calls_total", "NFS calls by export.",
         [](const auto& row) { return row.calls; });
    each("helio_nfs_errors_total", "NFS calls by export that were answered with an error status.",
         [](const auto& row) { return row.errors; });
    page.family("helio_nfs_read_bytes_total", "counter", "Bytes read from files, by export.");
    for (const auto& one : exports) page.value(label("export", one.path), one.bytes_read);
    page.family("helio_nfs_written_bytes_total", "counter", "Bytes written to files, by export.");
    for (const auto& one : exports) page.value(label("export", one.path), one.bytes_written);
}

void put_clients(Page& page, const std::vector<nfs::ClientCounts>& clients) {
    const auto each = [&](std::string_view name, std::string_view help, auto number) {
        page.family(name, "counter", help);
        for (const auto& one : clients) page.value(label("client", one.client), number(one));
    };
    each("helio_client_calls_total", "NFS calls by client.",
         [](const auto& one) { return one.calls; });
    each("helio_client_errors_total",
         "NFS calls by client that were answered with an error status.",
         [](const auto& one) { return one.errors; });
    each("helio_client_read_bytes_total", "Bytes read from files, by client.",
         [](const auto& one) { return one.bytes_read; });
    each("helio_client_written_bytes_total", "Bytes written to files, by client.",
         [](const auto& one) { return one.bytes_written; });
}

void put_state(Page& page, const StateCounts& state) {
    const nfs::state::Totals& all = state.totals;
    page.gauge("helio_nfs4_clients", "NFS 4 clients that the server remembers.", all.clients);
    page.gauge("helio_nfs4_clients_expired",
               "NFS 4 clients whose lease has run out; they keep their state until it is needed.",
               all.expired);
    page.gauge("helio_nfs4_sessions", "Sessions of NFS 4 clients.", all.sessions);
    page.gauge("helio_nfs4_opens", "Files that NFS 4 clients have open, by owner.", all.opens);
    page.gauge("helio_nfs4_locks", "Byte ranges that NFS 4 clients have locked.", state.locks);
    page.gauge("helio_nfs4_in_grace",
               "1 while clients may reclaim what they held before the restart.",
               all.in_grace ? 1 : 0);
    page.family("helio_nfs4_clients_evicted_total", "counter",
                "NFS 4 clients that lost their state.");
    page.value(R"(reason="expired")", all.made_way);
    page.value(R"(reason="administrator")", all.evicted);
    page.counter("helio_nfs4_replays_total",
                 "NFS 4 calls that were sent again and answered from the cache of their slot.",
                 all.replays);
}

void put_connections(Page& page, const transport::Server::Counters& transport) {
    page.gauge("helio_connections", "Open connections.", transport.connections);
    page.counter("helio_connections_refused_total",
                 "Connections refused because file descriptors ran out or the limit was reached.",
                 transport.refused);
    page.counter("helio_connections_timed_out_total",
                 "Connections closed because they were idle or slow.", transport.timed_out);
    page.counter("helio_connections_evicted_total",
                 "Idle connections closed to make room for new ones.", transport.evicted);
    page.counter("helio_connections_shed_total",
                 "Slow connections closed because clients held too much memory.", transport.shed);
    page.gauge("helio_client_memory_bytes",
               "Memory used for clients: received records, calls, replies and buffers.",
               transport.memory_bytes);
    page.gauge("helio_client_memory_limit_bytes", "Limit of the memory for clients: --memory.",
               transport.memory_bytes_max);
}

void put_duplicates(Page& page, const rpc::DuplicateCache::Counters& cache) {
    page.counter("helio_duplicates_lookups_total",
                 "Lookups in the cache of calls that must not run twice.", cache.lookups);
    page.counter("helio_duplicates_replayed_total", "Retransmissions answered from the cache.",
                 cache.replayed);
    page.counter("helio_duplicates_while_running_total",
                 "Retransmissions that arrived while the call was still running.",
                 cache.while_running);
    page.counter("helio_duplicates_evicted_total", "Replies removed from the cache to make room.",
                 cache.evicted);
    page.gauge("helio_duplicates_entries", "Replies in the cache.", cache.entries);
    page.gauge("helio_duplicates_bytes", "Bytes of the replies in the cache.", cache.reply_bytes);
}

void put_callbacks(Page& page, const nfs::CallbackCounts& callbacks) {
    page.gauge("helio_nfs4_lock_waiters", "NFS 4 lock owners that wait for a lock.",
               callbacks.lock_waiters);
    page.counter("helio_nfs4_callbacks_total",
                 "Callbacks sent to NFS 4 clients: notices that a lock may be free.",
                 callbacks.sent);
    page.counter("helio_nfs4_callbacks_answered_total", "Callbacks that NFS 4 clients answered.",
                 callbacks.answered);
    page.counter("helio_nfs4_callbacks_failed_total",
                 "Callbacks that NFS 4 clients did not answer, or answered with an error.",
                 callbacks.failed);
}

void put_reloads(Page& page, const Metrics& all) {
    page.family("helio_reloads_total", "counter", "Configuration reloads.");
    page.value(R"(result="done")", all.reloads);
    page.value(R"(result="refused")", all.reloads_refused);
}

// The same names as in every Prometheus client library.
void put_process(Page& page, const ProcessFacts& process) {
    page.counter("process_cpu_seconds_total", "User and system CPU time.",
                 fmt::format("{:.3f}", process.cpu_seconds));
    page.gauge("process_resident_memory_bytes", "Resident memory.", process.resident_bytes);
    page.gauge("process_virtual_memory_bytes", "Virtual memory.", process.virtual_bytes);
    page.gauge("process_open_fds", "Open file descriptors.", process.open_descriptors);
    page.gauge("process_max_fds", "Maximum number of open file descriptors.",
               process.descriptors_max);
    page.gauge("process_start_time_seconds", "Start time in seconds since 1970.",
               fmt::format("{:.3f}", process.started));
}

double now_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

ProcessWatch::ProcessWatch()
    : memory_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)),
      descriptors_(opendir("/proc/self/fd")),
      started_(now_seconds()) {}

ProcessWatch::~ProcessWatch() {
    if (descriptors_ != nullptr) closedir(descriptors_);
}

ProcessFacts ProcessWatch::look() {
    ProcessFacts facts;
    facts.started = started_;
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    facts.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    facts.descriptors_max = limit.rlim_cur;
    std::array<char, 128> text{};  // "SIZE RESIDENT …", in pages
    if (memory_ && pread(memory_.get(), text.data(), text.size() - 1, 0) > 0) {
        char* end = nullptr;
        const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        facts.virtual_bytes = std::strtoull(text.data(), &end, 10) * page;
        facts.resident_bytes = std::strtoull(end, nullptr, 10) * page;
    }
    if (descriptors_ != nullptr) {
        rewinddir(descriptors_);
        while (const dirent* const entry = readdir(descriptors_))
            facts.open_descriptors += entry->d_name[0] != '.';
    }
    return facts;
}

std::string to_text(const Metrics& metrics) {
    Page page;
    page.family("helio_build_info", "gauge", "Version of the server.");
    page.value(label("version", metrics.version), 1);
    put_calls(page, metrics.procedures);
    put_latencies(page, metrics.procedures);
    put_exports(page, metrics.exports);
    put_clients(page, metrics.clients);
    if (metrics.state) put_state(page, *metrics.state);
    put_connections(page, metrics.transport);
    put_duplicates(page, metrics.duplicates);
    put_callbacks(page, metrics.callbacks);
    put_reloads(page, metrics);
    put_process(page, metrics.process);
    return page.take();
}

}  // namespace helio::serve
