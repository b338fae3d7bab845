#include <gtest/gtest.h>

#include "helio/load/nfs/run.h"

namespace helio::load::nfs::report_test {
namespace {

using namespace std::chrono_literals;

Turn turn_of(double rate, std::chrono::nanoseconds server_cpu) {
    Turn turn;
    turn.report.rate = rate;
    turn.report.seconds = 1;
    turn.report.answered = static_cast<std::uint64_t>(rate);
    turn.seen.server_cpu = server_cpu;
    return turn;
}

std::optional<double> cpu(const Turn& turn) { return turn.server_us_per_call(); }

JobResult two_servers() {
    JobResult result{{Operation::getattr, {}}, std::vector<std::vector<Turn>>(2)};
    // The second round is slow for both: its ratio is the same.
    for (const auto slow : {1, 3, 1}) {
        result.turns[0].push_back(turn_of(1000, slow * 2ms));
        result.turns[1].push_back(turn_of(1000, slow * 10ms));
    }
    return result;
}

TEST(NfsReport, CpuPerCallMediansAndRatios) {
    const JobResult result = two_servers();
    EXPECT_DOUBLE_EQ(*result.turns[0][0].server_us_per_call(), 2);
    EXPECT_DOUBLE_EQ(*median(result.turns[0], cpu), 2);
    EXPECT_DOUBLE_EQ(*median(result.turns[1], cpu), 10);
    EXPECT_DOUBLE_EQ(*ratio(result, cpu), 5);
}

TEST(NfsReport, AnEvenNumberOfRoundsHasItsMedianBetween) {
    std::vector<Turn> turns;
    for (const auto time : {1ms, 2ms, 4ms, 9ms}) turns.push_back(turn_of(1000, time));
    EXPECT_DOUBLE_EQ(*median(turns, cpu), 3);
}

TEST(NfsReport, WithoutAProcessThereIsNoCpu) {
    JobResult result = two_servers();
    result.turns[1][1].seen.server_cpu.reset();
    EXPECT_FALSE(median(result.turns[1], cpu));
    EXPECT_FALSE(ratio(result, cpu));
    EXPECT_FALSE(median({}, cpu));
}

TEST(NfsReport, AnythingWrongMakesATurnWrong) {
    EXPECT_TRUE(turn_of(10, 1ms).right());
    EXPECT_FALSE(turn_of(0, 1ms).right());
    Turn wrong = turn_of(10, 1ms);
    wrong.seen.wrong = 1;
    EXPECT_FALSE(wrong.right());
    Turn stray = turn_of(10, 1ms);
    stray.report.strays = 1;
    EXPECT_FALSE(stray.right());
    Turn failed = turn_of(10, 1ms);
    failed.report.failed = 1;
    EXPECT_FALSE(failed.right());
}

TEST(NfsReport, SaysHowToRepeatTheRunAndCountsStatuses) {
    std::vector<JobResult> results;
    results.push_back(two_servers());
    for (Turn& turn : results[0].turns[0]) turn.report.statuses = {{"NFS3_OK", 1000}};
    Orders orders;
    orders.servers.resize(2);
    orders.servers[0].target.name = "one:/<x>";
    orders.servers[1].target.name = "two:/y";
    orders.when = "2026-11-16T04:30:12Z";
    orders.version = "0.9";
    orders.command = "helio load nfs 'one:/<x>'";
    const std::string text = to_text(results, orders);
    EXPECT_NE(text.find("  statuses: 3,000 NFS3_OK\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  statuses: 3,000 SUCCESS\n"), std::string::npos) << text;
    EXPECT_TRUE(
        text.ends_with("\nrun      2026-11-16T04:30:12Z, helio 0.9\n"
                       "command  helio load nfs 'one:/<x>'\n"))
        << text;
    const std::string json = to_json(results, orders);
    EXPECT_NE(json.find("\"when\": \"2026-11-16T04:30:12Z\""), std::string::npos) << json;
    EXPECT_NE(json.find("\"version\": \"0.9\""), std::string::npos) << json;
    EXPECT_NE(json.find("\"command\": \"helio load nfs 'one:/<x>'\""), std::string::npos) << json;
    const std::string page = to_html(results, orders);
    EXPECT_NE(page.find("<p>2026-11-16T04:30:12Z, helio 0.9</p>"), std::string::npos) << page;
    EXPECT_NE(page.find("<code>helio load nfs &apos;one:/&lt;x&gt;&apos;</code>"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("<p>one:/&lt;x&gt;: 3,000 NFS3_OK</p>"), std::string::npos) << page;
    EXPECT_EQ(page.find("<x>"), std::string::npos) << page;
    EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST(NfsReport, TextHasARowForEachServerAndWhatWasWrong) {
    std::vector<JobResult> results;
    results.push_back(two_servers());
    results[0].turns[1][2].seen.wrong = 3;
    results[0].turns[1][2].seen.first_wrong = "GETATTR: NFS3ERR_STALE";
    Orders orders;
    orders.servers.resize(2);
    orders.servers[0].target.name = "one:/x";
    orders.servers[1].target.name = "two:/y";
    orders.rounds = 3;
    const std::string text = to_text(results, orders);
    EXPECT_NE(text.find("  one:/x"), std::string::npos) << text;
    EXPECT_NE(text.find("second / first"), std::string::npos) << text;
    EXPECT_NE(text.find("wrong: 3, the first GETATTR: NFS3ERR_STALE"), std::string::npos) << text;
    const std::string json = to_json(results, orders);
    EXPECT_NE(json.find("\"ratio\": {\"server_us_per_call\": 5.0000"), std::string::npos) << json;
    EXPECT_NE(json.find("\"first_wrong\": \"GETATTR: NFS3ERR_STALE\""), std::string::npos) << json;
}

}  // namespace
}  // namespace helio::load::nfs::report_test
