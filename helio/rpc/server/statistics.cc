#include "helio/rpc/server/statistics.h"

#include <new>
#include <numeric>
#include <utility>

#include "helio/base/assert.h"

namespace helio::rpc {
namespace {

void add(ProcedureSnapshot& row, const CallStatistics& slot) {
    for (std::size_t i = 0; i < kCallOutcomes; ++i)
        row.outcomes[i] += slot.outcomes(static_cast<CallOutcome>(i));
    row.bytes_in += slot.bytes_in();
    row.bytes_out += slot.bytes_out();
    const Histogram* const latency = slot.latency();
    if (latency == nullptr) return;
    if (row.latency == nullptr) row.latency = std::make_unique<Histogram>();
    row.latency->add(*latency);
}

}  // namespace

std::string_view name_of(CallOutcome outcome) {
    switch (outcome) {
        case CallOutcome::success:
            return "success";
        case CallOutcome::procedure_unavailable:
            return "procedure_unavailable";
        case CallOutcome::garbage_arguments:
            return "garbage_arguments";
        case CallOutcome::system_error:
            return "system_error";
        case CallOutcome::program_unavailable:
            return "program_unavailable";
        case CallOutcome::program_mismatch:
            return "program_mismatch";
        case CallOutcome::rpc_mismatch:
            return "rpc_mismatch";
        case CallOutcome::auth_error:
            return "auth_error";
        case CallOutcome::dropped:
            return "dropped";
    }
    return "unknown";
}

CallOutcome to_call_outcome(xdr::Outcome outcome) {
    switch (outcome) {
        case xdr::Outcome::success:
            return CallOutcome::success;
        case xdr::Outcome::procedure_unavailable:
            return CallOutcome::procedure_unavailable;
        case xdr::Outcome::garbage_arguments:
            return CallOutcome::garbage_arguments;
        case xdr::Outcome::program_unavailable:
            return CallOutcome::program_unavailable;
        case xdr::Outcome::version_mismatch:
            return CallOutcome::program_mismatch;
        case xdr::Outcome::rpc_mismatch:
            return CallOutcome::rpc_mismatch;
        case xdr::Outcome::refused:
        case xdr::Outcome::auth_error:
            return CallOutcome::auth_error;
        case xdr::Outcome::silent:
        case xdr::Outcome::timed_out:
        case xdr::Outcome::unreachable:
        case xdr::Outcome::cancelled:
            return CallOutcome::dropped;
        case xdr::Outcome::garbage_reply:
        case xdr::Outcome::suspended:  // not an end of a call: must not be counted
        case xdr::Outcome::system_error:
            return CallOutcome::system_error;
    }
    return CallOutcome::system_error;
}

// Lack of memory must not fail a call: it is counted, but not timed.
Histogram* CallStatistics::first_latency() {
    auto* const histogram = new (std::nothrow) Histogram;
    latency_.store(histogram, std::memory_order_release);
    return histogram;
}

ThreadStatistics::ThreadStatistics(std::span<const xdr::VersionInfo* const> versions) {
    std::size_t end = 0;
    for (const xdr::VersionInfo* const version : versions) {
        HELIO_ASSERT(version != nullptr);
        begins_.push_back(end);
        firsts_.push_back(version->procedures.data());
        end += version->procedures.size() + 1;  // and one for unknown procedures
    }
    begins_.push_back(end);
    storage_ = std::make_unique<CallStatistics[]>(end + 1);
    slots_ = {storage_.get(), end + 1};
}

std::uint64_t ProcedureSnapshot::calls() const {
    return std::accumulate(outcomes.begin(), outcomes.end(), std::uint64_t{0});
}

Statistics::Statistics(std::vector<const xdr::VersionInfo*> versions)
    : versions_(std::move(versions)) {
    for (const xdr::VersionInfo* const version : versions_) HELIO_ASSERT(version != nullptr);
}

ThreadStatistics& Statistics::add_thread() {
    auto added = std::make_unique<ThreadStatistics>(versions_);
    const std::lock_guard lock{mutex_};
    return *threads_.emplace_back(std::move(added));
}

std::vector<ProcedureSnapshot> Statistics::snapshot() const {
    std::vector<ProcedureSnapshot> rows;
    for (const xdr::VersionInfo* const version : versions_) {
        for (const xdr::ProcedureInfo& procedure : version->procedures) {
            ProcedureSnapshot& row = rows.emplace_back();
            row.version = version;
            row.procedure = &procedure;
        }
        rows.emplace_back().version = version;
    }
    rows.emplace_back();

    const std::lock_guard lock{mutex_};
    for (const auto& thread : threads_)
        for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], thread->slots_[i]);
    return rows;
}

}  // namespace helio::rpc
