// Histogram: the distribution of call latencies, in nanoseconds, in fixed memory. Buckets are
// log-linear, sixteen per power of two, so a percentile is at most 6.25 % too high and never too
// low. Below 16 ns each value has its own bucket; values beyond kHistogramValueMax (more than an
// hour) share the last one, but min(), max() and sum() stay exact.
//
// One thread records, any thread reads. The counters are relaxed atomics written by load and store,
// without locked instructions: a reader sees each of them whole, but not all from the same instant.
// For several figures that have to agree, make a merged copy with add() and ask that.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace helio::rpc {

// 73 minutes: no call that anybody still waits for takes longer.
inline constexpr std::uint64_t kHistogramValueMax = (std::uint64_t{1} << 42) - 1;

class Histogram final {
 public:
    Histogram() = default;
    Histogram(const Histogram& other) { add(other); }
    Histogram& operator=(const Histogram&) = delete;

    // Only one thread calls these.
    void record(std::uint64_t ns) { record(ns, 1); }
    void record(std::uint64_t ns, std::uint64_t count) {
        if (count == 0) return;
        grow(buckets_[bucket_of(ns)], count);
        grow(sum_, ns * count);
        if (ns > read(max_)) max_.store(ns, std::memory_order_relaxed);
        if (ns < read(min_)) min_.store(ns, std::memory_order_relaxed);
    }
    // Adds the contents of `other`, which may be recording meanwhile.
    void add(const Histogram& other);

    std::uint64_t count() const;
    std::uint64_t sum() const { return read(sum_); }
    std::uint64_t min() const;  // exact, as is max(); both 0 when nothing was recorded
    std::uint64_t max() const { return read(max_); }
    // The value that is at least as large as `fraction` (0 … 1) of all values: percentile(0.99). 0
    // when empty.
    std::uint64_t percentile(double fraction) const;

    // Calls visit(upper_bound_ns, count) for each bucket that is not empty, shortest first. The
    // bound is inclusive, except that the last bucket has no upper end.
    template <class Visit>
    void for_each_bucket(Visit&& visit) const {
        for (std::size_t i = 0; i < kBuckets; ++i)
            if (const std::uint64_t count = read(buckets_[i]); count != 0)
                visit(upper_bound(i), count);
    }

    static constexpr std::size_t kSubBucketBits = 4;
    static constexpr std::size_t kSubBuckets = std::size_t{1} << kSubBucketBits;
    // The values below 16, then sixteen buckets for each power of two from 2^4 to 2^41. This makes
    // 5 KiB: little enough for one per procedure in use and thread.
    static constexpr std::size_t kBuckets =
        (1 + static_cast<std::size_t>(std::bit_width(kHistogramValueMax)) - kSubBucketBits) *
        kSubBuckets;

    static constexpr std::size_t bucket_of(std::uint64_t ns) {
        if (ns < kSubBuckets) return static_cast<std::size_t>(ns);
        if (ns > kHistogramValueMax) ns = kHistogramValueMax;
        // The leading one bit selects the power of two, the four bits after it the bucket within.
        const auto power = static_cast<std::size_t>(std::bit_width(ns)) - kSubBucketBits;
        return power * kSubBuckets +
               (static_cast<std::size_t>(ns >> (power - 1)) & (kSubBuckets - 1));
    }
    static constexpr std::uint64_t upper_bound(std::size_t bucket) {
        if (bucket < kSubBuckets) return bucket;
        const std::size_t power = bucket / kSubBuckets;
        return ((kSubBuckets + bucket % kSubBuckets + 1) << (power - 1)) - 1;
    }

 private:
    using Word = std::atomic<std::uint64_t>;

    static std::uint64_t read(const Word& word) { return word.load(std::memory_order_relaxed); }
    static void grow(Word& word, std::uint64_t by) {
        word.store(read(word) + by, std::memory_order_relaxed);
    }

    Word sum_ = 0;
    Word max_ = 0;
    Word min_ = UINT64_MAX;
    std::array<Word, kBuckets> buckets_{};
};

}  // namespace helio::rpc
