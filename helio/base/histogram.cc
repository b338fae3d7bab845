#include "helio/base/histogram.h"

#include <algorithm>
#include <cmath>

namespace helio::rpc {

void Histogram::add(const Histogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i)
        if (const std::uint64_t count = read(other.buckets_[i]); count != 0)
            grow(buckets_[i], count);
    grow(sum_, other.sum());
    max_.store(std::max(read(max_), read(other.max_)), std::memory_order_relaxed);
    min_.store(std::min(read(min_), read(other.min_)), std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const {
    std::uint64_t total = 0;
    for (const Word& bucket : buckets_) total += read(bucket);
    return total;
}

std::uint64_t Histogram::min() const {
    const std::uint64_t least = read(min_);
    return least == UINT64_MAX ? 0 : least;
}

std::uint64_t Histogram::percentile(double fraction) const {
    // The writer continues meanwhile: the total read first may be less than the sum of the buckets,
    // but never more.
    const std::uint64_t total = count();
    if (total == 0) return 0;
    const double wanted = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(total));
    const std::uint64_t rank =
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, total);
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i + 1 < kBuckets; ++i) {
        passed += read(buckets_[i]);
        if (passed >= rank) return std::min(upper_bound(i), max());
    }
    return max();
}

}  // namespace helio::rpc
