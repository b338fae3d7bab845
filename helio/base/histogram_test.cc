#include "helio/base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace helio::rpc::histogram_test {
namespace {

constexpr std::uint64_t kHour = 3'600'000'000'000;

std::vector<std::pair<std::uint64_t, std::uint64_t>> buckets(const Histogram& histogram) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    histogram.for_each_bucket(
        [&all](std::uint64_t bound, std::uint64_t count) { all.emplace_back(bound, count); });
    return all;
}

TEST(Histogram, EmptyHasZeros) {
    const Histogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.sum(), 0u);
    EXPECT_EQ(histogram.min(), 0u);
    EXPECT_EQ(histogram.max(), 0u);
    EXPECT_EQ(histogram.percentile(0.5), 0u);
    EXPECT_TRUE(buckets(histogram).empty());
}

TEST(Histogram, IsSmallEnoughForOnePerProcedureAndThread) {
    EXPECT_EQ(Histogram::kBuckets, 624u);
    EXPECT_LE(sizeof(Histogram), 5120u);
    EXPECT_GT(kHistogramValueMax, kHour);
}

// The table of bounds, as it follows from "sixteen per power of two".
TEST(Histogram, PutsValuesWhereTheyBelong) {
    struct Row {
        std::uint64_t ns;
        std::uint64_t bound;
    };
    const Row rows[] = {
        {0, 0},
        {1, 1},
        {15, 15},
        {16, 16},
        {31, 31},
        {32, 33},
        {33, 33},
        {34, 35},
        {63, 63},
        {64, 67},
        {1000, 1023},
        {1023, 1023},
        {1024, 1087},
        {1087, 1087},
        {1088, 1151},
        {1 << 20, (1 << 20) + (1 << 16) - 1},
        {kHistogramValueMax, kHistogramValueMax},
    };
    for (const Row& row : rows) {
        Histogram histogram;
        histogram.record(row.ns);
        const auto all = buckets(histogram);
        ASSERT_EQ(all.size(), 1u) << row.ns;
        EXPECT_EQ(all[0], std::pair(row.bound, std::uint64_t{1})) << row.ns;
    }
}

TEST(Histogram, BucketsMeetWithoutGapAndAreNarrow) {
    for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
        const std::uint64_t upper = Histogram::upper_bound(i);
        const std::uint64_t lower = i == 0 ? 0 : Histogram::upper_bound(i - 1) + 1;
        ASSERT_EQ(Histogram::bucket_of(lower), i);
        ASSERT_EQ(Histogram::bucket_of(upper), i);
        ASSERT_LE(static_cast<double>(upper - lower), static_cast<double>(lower) * 0.0625) << i;
    }
    EXPECT_EQ(Histogram::upper_bound(Histogram::kBuckets - 1), kHistogramValueMax);
}

TEST(Histogram, ValuesBeyondTheLastBucketStillCount) {
    Histogram histogram;
    histogram.record(kHistogramValueMax + 1);
    histogram.record(UINT64_MAX / 4);
    EXPECT_EQ(histogram.count(), 2u);
    EXPECT_EQ(histogram.max(), UINT64_MAX / 4);
    EXPECT_EQ(histogram.percentile(1), UINT64_MAX / 4);
    const auto all = buckets(histogram);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0], std::pair(kHistogramValueMax, std::uint64_t{2}));
}

TEST(Histogram, PercentilesAreNeverTooLowAndLittleTooHigh) {
    std::mt19937_64 random{7};
    std::lognormal_distribution<double> latency{std::log(50'000.0), 1.5};
    std::vector<std::uint64_t> values;
    Histogram histogram;
    std::uint64_t sum = 0;
    for (int i = 0; i < 20'000; ++i) {
        values.push_back(static_cast<std::uint64_t>(latency(random)));
        histogram.record(values.back());
        sum += values.back();
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(histogram.count(), values.size());
    EXPECT_EQ(histogram.sum(), sum);
    EXPECT_EQ(histogram.min(), values.front());
    EXPECT_EQ(histogram.max(), values.back());
    for (const double fraction : {0.0, 0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto rank =
            static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(values.size())));
        const std::uint64_t exact = values[rank == 0 ? 0 : rank - 1];
        EXPECT_GE(histogram.percentile(fraction), exact) << fraction;
        EXPECT_LE(static_cast<double>(histogram.percentile(fraction)),
                  static_cast<double>(exact) * 1.0625 + 1)
            << fraction;
    }
    EXPECT_EQ(histogram.percentile(1), values.back());
    EXPECT_EQ(histogram.percentile(-3), histogram.percentile(0));
    EXPECT_EQ(histogram.percentile(3), values.back());
}

TEST(Histogram, RecordsManyAtOnce) {
    Histogram histogram;
    histogram.record(100, 99);
    histogram.record(5000, 1);
    histogram.record(1, 0);  // nothing at all, not a minimum of 1
    EXPECT_EQ(histogram.count(), 100u);
    EXPECT_EQ(histogram.sum(), 100u * 99 + 5000);
    EXPECT_EQ(histogram.min(), 100u);
    EXPECT_EQ(histogram.percentile(0.99), 103u);
    EXPECT_EQ(histogram.percentile(0.991), 5000u);
}

TEST(Histogram, MergesAndCopies) {
    Histogram one, other;
    for (std::uint64_t ns = 10; ns < 1000; ns += 10) one.record(ns);
    for (std::uint64_t ns = 5; ns < 100'000; ns += 77) other.record(ns);
    Histogram both{one};
    EXPECT_EQ(buckets(both), buckets(one));
    both.add(other);
    EXPECT_EQ(both.count(), one.count() + other.count());
    EXPECT_EQ(both.sum(), one.sum() + other.sum());
    EXPECT_EQ(both.min(), 5u);
    EXPECT_EQ(both.max(), other.max());
    both.add(Histogram{});
    EXPECT_EQ(both.min(), 5u);
    EXPECT_EQ(both.count(), one.count() + other.count());
}

TEST(Histogram, IsReadWhileItIsWritten) {
    constexpr std::uint64_t kRecords = 100'000;
    Histogram histogram;
    std::thread writer{[&histogram] {
        for (std::uint64_t i = 0; i < kRecords; ++i) histogram.record(i);
    }};
    std::uint64_t before = 0;
    while (before < kRecords) {
        const Histogram now{histogram};
        const std::uint64_t count = now.count();
        ASSERT_GE(count, before);
        ASSERT_LE(now.percentile(0.5), now.percentile(0.99));
        before = count;
    }
    writer.join();
    EXPECT_EQ(histogram.count(), kRecords);
}

}  // namespace
}  // namespace helio::rpc::histogram_test
