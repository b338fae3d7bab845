// Statistics: totals of a capture's calls by procedure, client and file: how many, how many failed
// or were never answered, bytes read and written, and latencies. Operations of a compound (NFS 4)
// have rows of their own; each has the latency of its call, since nothing tells them apart.
//
// Memory is bounded: clients and files beyond their limit are counted together as "others".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "helio/base/histogram.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/inspect/view/names.h"

namespace helio::inspect {

// 5 KiB each: 20 MiB.
inline constexpr std::size_t kClientsMax = 4096;
// 576 bytes each: 9 MiB.
inline constexpr std::size_t kFilesMax = 16384;

// Latencies of one file: eight times smaller than rpc::Histogram and coarser: four buckets for each
// power of two, from a microsecond to nine minutes, so a percentile is at most 25 % too high.
class SmallHistogram final {
 public:
    void record(std::uint64_t ns) {
        ++buckets_[bucket_of(ns)];
        if (ns > max_) max_ = ns;
    }
    // Asks the processor for the memory that record() will change.
    void prefetch(std::uint64_t ns) const {
        __builtin_prefetch(&max_, 1);
        __builtin_prefetch(&buckets_[bucket_of(ns)], 1);
    }
    std::uint64_t percentile(double fraction) const;
    std::uint64_t max() const { return max_; }

 private:
    static constexpr unsigned kFirstPower = 10;  // 1,024 ns; shorter times go to the first bucket
    static constexpr unsigned kLastPower = 39;
    static constexpr std::size_t kBuckets = 4 * (kLastPower - kFirstPower);
    static std::size_t bucket_of(std::uint64_t ns) {
        if (ns < (1u << kFirstPower)) return 0;
        const auto power = static_cast<unsigned>(std::bit_width(ns)) - 1;
        if (power >= kLastPower) return kBuckets - 1;
        return 4 * (power - kFirstPower) + (static_cast<std::size_t>(ns >> (power - 2)) & 3);
    }
    static std::uint64_t upper_bound(std::size_t bucket) {
        return ((4 + bucket % 4 + 1) << (bucket / 4 + kFirstPower - 2)) - 1;
    }

    std::uint64_t max_ = 0;
    std::array<std::uint32_t, kBuckets> buckets_{};
};

struct Tally {
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;  // rejected, or answered with a status other than 0
    std::uint64_t unanswered = 0;
    std::uint64_t retransmissions = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
};

template <class Latencies>
struct Counted : Tally {
    Latencies latency;
};

class Statistics final : public ExchangeSink {
 public:
    struct Wanted {
        bool procedures = true;
        bool clients = true;
        bool files = true;
        std::size_t rows_max = 20;  // clients and files shown, most calls first
    };

    // `names` supplies file numbers and, at the end, paths. The caller has to feed it exchanges.
    Statistics(const Catalogue& catalogue, Names& names, Wanted wanted);

    void exchange(const Exchange& exchange) override;

    std::string text(bool color) const;
    std::string json() const;

 private:
    using Full = Counted<rpc::Histogram>;
    // Its counters share a cache line, and one of its buckets takes a second: thousands of these do
    // not fit into a processor's L2 cache.
    struct alignas(64) Small : Counted<SmallHistogram> {};
    struct What {  // one exchange, in numbers
        bool answered = false;
        bool error = false;
        std::uint64_t latency_ns = 0;
        std::uint64_t read = 0;
        std::uint64_t written = 0;
        std::uint32_t retransmissions = 0;
    };
    static What measure(const Exchange& exchange);
    What count_operations(const Exchange& exchange, What what);
    Full& row_of(const Procedure& procedure);
    template <class Row>
    static void count(Row& row, const What& what);
    static void prefetch(const Small& row, const What& what);

    Full& row_of_procedure(const Exchange& exchange);
    Full& row_of_client(const Exchange& exchange);
    Full& new_client(const Endpoint& client);
    Small* row_of_file(const Exchange& exchange);  // null: it is about no file
    Small& row_of_file(FileNumber file);

    friend class StatisticsText;
    friend class StatisticsJson;
    struct NamedFull {
        std::string name;
        const Full* row = nullptr;
        const Procedure* carried_by = nullptr;  // an operation: its call counts in another row
    };
    struct NamedSmall {
        std::string name;
        const Small* row = nullptr;
    };
    std::unique_ptr<Full> total() const;  // of all procedures
    // In the schemas' order, operations after the procedure that carries them.
    std::vector<NamedFull> procedures() const;
    std::vector<NamedFull> clients() const;  // most calls first
    std::vector<NamedSmall> files() const;

    const Catalogue& catalogue_;
    Names& names_;
    const Wanted wanted_;

    std::vector<std::unique_ptr<Full>> by_procedure_;                   // by Procedure::number
    std::unordered_map<std::uint64_t, std::unique_ptr<Full>> unknown_;  // program, version
    std::unordered_map<std::string, std::unique_ptr<Full>> by_client_;  // address bytes
    std::unique_ptr<Full> other_clients_;
    // The client's row by flow and direction; RoCE numbers its flows separately.
    std::vector<Full*> client_by_flow_[2];
    std::vector<std::unique_ptr<Small>> by_file_;  // by FileNumber
    std::size_t file_count_ = 0;
    std::unique_ptr<Small> other_files_;
    std::int64_t first_ns_ = 0;
    std::int64_t last_ns_ = 0;
};

}  // namespace helio::inspect
