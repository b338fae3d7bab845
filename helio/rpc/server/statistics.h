// Statistics: a server's calls by program, version and procedure: outcomes, bytes, and latencies.
// Each server thread writes its own ThreadStatistics, without locks; a snapshot merges them at any
// time from any thread. Counters never decrease: a thread's counts stay after its end.
//
//     rpc::Statistics statistics{{&nfs3_info, &mount3_info}};
//     rpc::ThreadStatistics& mine = statistics.add_thread();                  // once per thread
//     mine.slot(0, procedure).record(outcome, bytes_in, bytes_out, elapsed);  // once per call
//
// The VersionInfos must outlive the Statistics and its snapshots, which point at their names;
// generated ones live forever.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "helio/base/histogram.h"
#include "helio/xdr/program.h"

namespace helio::rpc {

// How the server ended a call: RFC 5531 §9's statuses, and silence.
enum class CallOutcome : std::uint8_t {
    success,
    procedure_unavailable,
    garbage_arguments,
    system_error,
    program_unavailable,
    program_mismatch,
    rpc_mismatch,
    auth_error,
    dropped,  // no reply was made: a duplicate of a running call, or nothing that is a call
};
inline constexpr std::size_t kCallOutcomes = 9;

std::string_view name_of(CallOutcome outcome);
CallOutcome to_call_outcome(xdr::Outcome outcome);

// The counters of one procedure on one thread.
class CallStatistics final {
 public:
    CallStatistics() = default;
    ~CallStatistics() { delete latency_.load(std::memory_order_relaxed); }
    CallStatistics(const CallStatistics&) = delete;
    CallStatistics& operator=(const CallStatistics&) = delete;

    // Only the thread that owns this calls these. The first has no latency: it is for calls that
    // were refused or dropped.
    void record(CallOutcome outcome, std::size_t bytes_in, std::size_t bytes_out) {
        grow(outcomes_[static_cast<std::size_t>(outcome)], 1);
        grow(bytes_in_, bytes_in);
        grow(bytes_out_, bytes_out);
    }
    void record(CallOutcome outcome, std::size_t bytes_in, std::size_t bytes_out,
                std::chrono::nanoseconds latency) {
        record(outcome, bytes_in, bytes_out);
        Histogram* histogram = latency_.load(std::memory_order_relaxed);
        if (histogram == nullptr) [[unlikely]]
            histogram = first_latency();
        if (histogram != nullptr) [[likely]]
            histogram->record(latency.count() > 0 ? static_cast<std::uint64_t>(latency.count())
                                                  : 0);
    }

    // For any thread.
    std::uint64_t outcomes(CallOutcome outcome) const {
        return outcomes_[static_cast<std::size_t>(outcome)].load(std::memory_order_relaxed);
    }
    std::uint64_t bytes_in() const { return bytes_in_.load(std::memory_order_relaxed); }
    std::uint64_t bytes_out() const { return bytes_out_.load(std::memory_order_relaxed); }
    // nullptr if there is none yet.
    const Histogram* latency() const { return latency_.load(std::memory_order_acquire); }

 private:
    using Word = std::atomic<std::uint64_t>;

    static void grow(Word& word, std::uint64_t by) {
        word.store(word.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    [[gnu::noinline]] Histogram* first_latency();

    std::array<Word, kCallOutcomes> outcomes_{};
    Word bytes_in_ = 0;
    Word bytes_out_ = 0;
    // Made by the first call: most procedures of most programs are never called, and it is 5 KiB.
    std::atomic<Histogram*> latency_ = nullptr;
};

// All counters of one thread. A slot is found by indexing: version as in the list given to
// Statistics, procedure as in VersionInfo::procedures.
class alignas(64) ThreadStatistics final {
 public:
    explicit ThreadStatistics(std::span<const xdr::VersionInfo* const> versions);

    CallStatistics& slot(std::size_t version, std::size_t procedure) {
        return slots_[begins_[version] + procedure];
    }
    CallStatistics& slot(std::size_t version, const xdr::ProcedureInfo& procedure) {
        return slot(version, static_cast<std::size_t>(&procedure - firsts_[version]));
    }
    // For calls to a number that the version does not have.
    CallStatistics& unknown_procedure(std::size_t version) {
        return slots_[begins_[version + 1] - 1];
    }
    // For calls to programs or versions that are not served, and those whose header could not be
    // read.
    CallStatistics& unknown_program() { return slots_[slots_.size() - 1]; }

    std::span<const CallStatistics> slots() const { return slots_; }

 private:
    friend class Statistics;

    std::vector<std::size_t> begins_;                // of each version in slots_, and their end
    std::vector<const xdr::ProcedureInfo*> firsts_;  // of each version's procedures
    std::unique_ptr<CallStatistics[]> storage_;
    std::span<CallStatistics> slots_;
};

// One row of a snapshot: all threads together.
struct ProcedureSnapshot {
    const xdr::VersionInfo* version = nullptr;      // nullptr: calls to no program of ours
    const xdr::ProcedureInfo* procedure = nullptr;  // nullptr: calls to no procedure of the version
    std::array<std::uint64_t, kCallOutcomes> outcomes{};
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::unique_ptr<Histogram> latency;  // nullptr: no call has been timed

    std::string_view program_name() const { return version ? version->program_name : "unknown"; }
    std::uint32_t version_number() const { return version ? version->version : 0; }
    std::string_view procedure_name() const {
        return procedure ? procedure->short_name : "unknown";
    }
    std::uint64_t count(CallOutcome outcome) const {
        return outcomes[static_cast<std::size_t>(outcome)];
    }
    std::uint64_t calls() const;
    std::uint64_t errors() const { return calls() - count(CallOutcome::success); }
};

class Statistics final {
 public:
    explicit Statistics(std::vector<const xdr::VersionInfo*> versions);
    Statistics(const Statistics&) = delete;
    Statistics& operator=(const Statistics&) = delete;

    std::span<const xdr::VersionInfo* const> versions() const { return versions_; }

    // For a thread that begins; the result is valid as long as this is.
    ThreadStatistics& add_thread();

    // A row for each procedure, in the order of versions and procedures, each version's unknown
    // ones after its own, and calls to unknown programs last. Includes rows without calls, so that
    // metrics with value zero exist.
    std::vector<ProcedureSnapshot> snapshot() const;

 private:
    std::vector<const xdr::VersionInfo*> versions_;
    mutable std::mutex mutex_;  // for the list; the counters need none
    std::vector<std::unique_ptr<ThreadStatistics>> threads_;
};

}  // namespace helio::rpc
