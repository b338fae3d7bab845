// Totals of exchanges, and their memory limits.
#include "helio/inspect/view/statistics/statistics.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/inspect/exchange.h"

namespace helio::inspect::statistics_test {
namespace {

constexpr const char* kReadOfFive = R"({"status": "NFS3_OK", "resok": {"file_attributes": null,
    "count": 5, "eof": true, "data": "0102030405"}})";

std::string read_arguments(std::uint32_t file) {
    return fmt::format(R"({{"file": {{"data": "{:08x}"}}, "offset": 0, "count": 5}})", file);
}

class StatisticsTest : public testing::Test {
 protected:
    void add(ExchangeMaker& made) { statistics_.exchange(made.exchange()); }

    Names names_{builtin_catalogue()};
    Statistics statistics_{builtin_catalogue(), names_, {}};
};

TEST_F(StatisticsTest, CountsBytesErrorsAndWhatWasNeverAnswered) {
    ExchangeMaker good{"nfs3.READ", read_arguments(1)};
    good.reply(kReadOfFive);
    add(good);
    ExchangeMaker stale{"nfs3.READ", read_arguments(1)};
    stale.reply(R"({"status": "NFS3ERR_STALE", "resfail": {"file_attributes": null}})");
    add(stale);
    ExchangeMaker lonely{
        "nfs3.WRITE",
        R"({"file": {"data": "02"}, "offset": 0, "count": 3, "stable": "UNSTABLE", "data": "010203"})"};
    add(lonely);
    ExchangeMaker orphan{"nfs3.READ", read_arguments(1)};
    orphan.reply(kReadOfFive).without_call();
    add(orphan);

    const std::string json = statistics_.json();
    EXPECT_NE(
        json.find(R"({"name":"nfs3.READ","calls":2,"errors":1,"unanswered":0,"retransmissions":0,)"
                  R"("bytes_read":5,"bytes_written":0,"p50_ns":1234567,)"),
        std::string::npos)
        << json;
    EXPECT_NE(
        json.find(R"({"name":"nfs3.WRITE","calls":1,"errors":0,"unanswered":1,"retransmissions":0,)"
                  R"("bytes_read":0,"bytes_written":3})"),
        std::string::npos)
        << json;
    EXPECT_NE(json.find(R"("clients":[{"name":"10.0.0.1","calls":3,)"), std::string::npos) << json;
    const std::string text = statistics_.text(false);
    EXPECT_NE(text.find("nfs3.WRITE"), std::string::npos) << text;
    EXPECT_NE(text.find("3 calls in"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(statistics_.text(true).find("\x1b[31m"), std::string::npos) << "errors are red";
}

TEST_F(StatisticsTest, FilesBeyondTheLimitAreCountedTogether) {
    for (std::uint32_t file = 0; file < kFilesMax + 7; ++file) {
        ExchangeMaker made{"nfs3.READ", read_arguments(file)};
        made.reply(kReadOfFive);
        add(made);
    }
    const std::string json = statistics_.json();
    EXPECT_NE(json.find(R"({"name":"others","calls":7,)"), std::string::npos);
}

TEST(SmallHistogram, PercentilesAreNeverTooLowAndAtMostAQuarterTooHigh) {
    std::mt19937_64 random{7};
    SmallHistogram histogram;
    std::vector<std::uint64_t> exact;
    for (int i = 0; i < 5000; ++i) {
        const auto value =
            static_cast<std::uint64_t>(std::exp2(10 + static_cast<double>(random() % 2000) / 100));
        exact.push_back(value);
        histogram.record(value);
    }
    std::sort(exact.begin(), exact.end());
    for (const double fraction : {0.01, 0.5, 0.9, 0.99, 1.0}) {
        const auto rank = static_cast<std::size_t>(std::ceil(fraction * 5000)) - 1;
        const auto got = static_cast<double>(histogram.percentile(fraction));
        EXPECT_GE(got, static_cast<double>(exact[rank])) << fraction;
        EXPECT_LE(got, 1.25 * static_cast<double>(exact[rank])) << fraction;
    }
    EXPECT_EQ(histogram.max(), exact.back());
    EXPECT_EQ(SmallHistogram{}.percentile(0.5), 0u);
}

TEST(SmallHistogram, TheShortestAndTheLongestHaveAPlace) {
    SmallHistogram histogram;
    histogram.record(0);
    histogram.record(UINT64_MAX);
    EXPECT_LE(histogram.percentile(0.5), 1279u);
    EXPECT_EQ(histogram.max(), UINT64_MAX);
}

}  // namespace
}  // namespace helio::inspect::statistics_test
