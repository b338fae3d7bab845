#include "helio/inspect/view/statistics/statistics.h"

#include <algorithm>

#include <fmt/format.h>

#include "helio/xdr/wire.h"

namespace helio::inspect {

std::uint64_t SmallHistogram::percentile(double fraction) const {
    std::uint64_t all = 0;
    for (const std::uint32_t one : buckets_) all += one;
    if (all == 0) return 0;
    const auto wanted = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(fraction * static_cast<double>(all) + 0.999999));
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        so_far += buckets_[i];
        if (so_far >= wanted) return std::min(upper_bound(i), max_);
    }
    return max_;
}

Statistics::Statistics(const Catalogue& catalogue, Names& names, Wanted wanted)
    : catalogue_(catalogue),
      names_(names),
      wanted_(wanted),
      by_procedure_(catalogue.procedures().size()) {}

Statistics::What Statistics::measure(const Exchange& exchange) {
    What what;
    what.answered = exchange.paired();
    what.retransmissions = exchange.retransmissions;
    const Procedure* const procedure = exchange.procedure;
    if (what.answered) {
        what.latency_ns =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, exchange.latency_ns()));
        what.error = exchange.reply_head.verdict != Verdict::success;
    }
    if (procedure == nullptr) return what;
    if (!procedure->call_bytes.empty())
        if (const auto found = procedure->call_bytes.find(exchange.arguments))
            what.written = found->number;
    if (exchange.results.empty()) return what;
    if (procedure->status_first && exchange.results.size() >= 4)
        what.error |= xdr::load_u32(exchange.results.data()) != 0;
    if (!procedure->reply_bytes.empty())
        if (const auto found = procedure->reply_bytes.find(exchange.results))
            what.read = found->number;
    return what;
}

template <class Row>
void Statistics::count(Row& row, const What& what) {
    ++row.calls;
    row.errors += what.error;
    row.retransmissions += what.retransmissions;
    row.bytes_read += what.read;
    row.bytes_written += what.written;
    if (what.answered)
        row.latency.record(what.latency_ns);
    else
        ++row.unanswered;
}

// Asks the processor for the memory that count() will change: the rows of thousands of files do not
// fit into its L2 cache.
void Statistics::prefetch(const Small& row, const What& what) {
    __builtin_prefetch(&row, 1);
    row.latency.prefetch(what.latency_ns);
}

// Counts each operation of a compound, and adds their bytes to those of the call.
Statistics::What Statistics::count_operations(const Exchange& exchange, What whole) {
    for (const Operation& operation : exchange.operations()) {
        if (operation.procedure == nullptr) continue;
        // Operations after one that failed were not executed.
        if (whole.answered && !operation.answered && !exchange.results_cut) continue;
        What what;
        what.answered = whole.answered;
        what.latency_ns = whole.latency_ns;
        what.retransmissions = whole.retransmissions;
        what.error = operation.answered && !operation.succeeded();
        if (const auto found = operation.procedure->call_bytes.find(operation.arguments))
            what.written = found->number;
        if (const auto found = operation.procedure->reply_bytes.find(operation.result))
            what.read = found->number;
        whole.read += what.read;
        whole.written += what.written;
        count(row_of(*operation.procedure), what);
    }
    return whole;
}

void Statistics::exchange(const Exchange& exchange) {
    if (exchange.call == nullptr || exchange.one_way) return;  // the procedure is unknown
    What what = measure(exchange);
    Small* const file = row_of_file(exchange);
    if (file != nullptr) prefetch(*file, what);
    if (exchange.procedure != nullptr && exchange.procedure->operations)
        what = count_operations(exchange, what);
    if (first_ns_ == 0) first_ns_ = exchange.time_ns();
    last_ns_ = std::max(last_ns_, exchange.any().time_ns);
    if (exchange.reply != nullptr) last_ns_ = std::max(last_ns_, exchange.reply->time_ns);
    count(row_of_procedure(exchange), what);  // the total is their sum
    if (wanted_.clients) count(row_of_client(exchange), what);
    if (file != nullptr) count(*file, what);
}

Statistics::Full& Statistics::row_of_procedure(const Exchange& exchange) {
    if (exchange.procedure != nullptr) return row_of(*exchange.procedure);
    std::unique_ptr<Full>& row = unknown_[std::uint64_t{exchange.program} << 32 | exchange.version];
    if (!row) row = std::make_unique<Full>();
    return *row;
}

Statistics::Full& Statistics::row_of(const Procedure& procedure) {
    std::unique_ptr<Full>& row = by_procedure_[procedure.number];
    if (!row) row = std::make_unique<Full>();
    return *row;
}

Statistics::Full& Statistics::row_of_client(const Exchange& exchange) {
    const Message& call = *exchange.call;
    const std::size_t at = call.flow != nullptr ? 2 * call.flow->number + call.direction : 0;
    std::vector<Full*>& by_flow = client_by_flow_[call.carrier == Carrier::roce ? 1 : 0];
    if (at >= by_flow.size()) by_flow.resize(std::max(at + 1, 2 * by_flow.size()));
    if (by_flow[at] == nullptr) by_flow[at] = &new_client(exchange.client());
    return *by_flow[at];
}

Statistics::Full& Statistics::new_client(const Endpoint& client) {
    std::string key(reinterpret_cast<const char*>(client.address.data()), client.v6 ? 16 : 4);
    if (const auto found = by_client_.find(key); found != by_client_.end()) return *found->second;
    if (by_client_.size() < kClientsMax)
        return *by_client_.emplace(std::move(key), std::make_unique<Full>()).first->second;
    if (!other_clients_) other_clients_ = std::make_unique<Full>();
    return *other_clients_;
}

Statistics::Small* Statistics::row_of_file(const Exchange& exchange) {
    if (!wanted_.files || exchange.procedure == nullptr) return nullptr;
    const FileNumber file = names_.id(exchange);
    if (file == kNoFile && exchange.procedure->handle.empty()) return nullptr;
    return &row_of_file(file);
}

Statistics::Small& Statistics::row_of_file(FileNumber file) {
    if (file != kNoFile) {
        if (file >= by_file_.size())
            by_file_.resize(std::max<std::size_t>(file + 1, 2 * by_file_.size()));
        std::unique_ptr<Small>& row = by_file_[file];
        if (row) return *row;
        if (file_count_ < kFilesMax) {
            ++file_count_;
            row = std::make_unique<Small>();
            return *row;
        }
    }
    if (!other_files_) other_files_ = std::make_unique<Small>();
    return *other_files_;
}

std::unique_ptr<Statistics::Full> Statistics::total() const {
    auto sum = std::make_unique<Full>();
    for (const NamedFull& one : procedures()) {
        if (one.carried_by != nullptr) continue;
        sum->calls += one.row->calls;
        sum->errors += one.row->errors;
        sum->unanswered += one.row->unanswered;
        sum->retransmissions += one.row->retransmissions;
        sum->bytes_read += one.row->bytes_read;
        sum->bytes_written += one.row->bytes_written;
        sum->latency.add(one.row->latency);
    }
    return sum;
}

std::vector<Statistics::NamedFull> Statistics::procedures() const {
    std::vector<NamedFull> out;
    for (const Procedure& procedure : catalogue_.procedures())
        if (const auto& row = by_procedure_[procedure.number])
            out.push_back({procedure.name, row.get(), procedure.carried_by});
    const std::size_t known = out.size();
    for (const auto& [key, row] : unknown_)
        out.push_back({catalogue_.name_of(Shape::onc, static_cast<std::uint32_t>(key >> 32),
                                          static_cast<std::uint32_t>(key)),
                       row.get()});
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(known), out.end(),
              [](const NamedFull& a, const NamedFull& b) { return a.name < b.name; });
    return out;
}

namespace {

// Most calls first, then by name, so that the order is stable.
template <class Named>
void sort_by_calls(std::vector<Named>& rows) {
    std::sort(rows.begin(), rows.end(), [](const Named& a, const Named& b) {
        return a.row->calls != b.row->calls ? a.row->calls > b.row->calls : a.name < b.name;
    });
}

}  // namespace

std::vector<Statistics::NamedFull> Statistics::clients() const {
    std::vector<NamedFull> out;
    for (const auto& [key, row] : by_client_) {
        Endpoint client;
        client.v6 = key.size() == 16;
        std::copy_n(reinterpret_cast<const std::byte*>(key.data()), key.size(),
                    client.address.begin());
        out.push_back({address_of(client), row.get()});
    }
    sort_by_calls(out);
    if (other_clients_) out.push_back({"others", other_clients_.get()});
    return out;
}

std::vector<Statistics::NamedSmall> Statistics::files() const {
    std::vector<NamedSmall> out;
    for (std::size_t file = 0; file < by_file_.size(); ++file)
        if (const auto& row = by_file_[file])
            out.push_back({names_.path(static_cast<FileNumber>(file)), row.get()});
    sort_by_calls(out);
    if (other_files_) out.push_back({"others", other_files_.get()});
    return out;
}

}  // namespace helio::inspect
