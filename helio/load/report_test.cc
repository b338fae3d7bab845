#include "helio/load/report.h"

#include <gtest/gtest.h>

namespace helio::load::report_test {
namespace {

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

Report sample() {
    Report report;
    report.target = "host:1";
    report.transport = "tcp";
    report.procedures = {{"nfs3.GETATTR", 80}, {"nfs3.ACCESS", 20}};
    report.connections = 8;
    report.depth = 4;
    report.threads = 1;
    report.warmup_s = 1;
    report.seconds = 2;
    report.answered = 1000;
    report.rate = 500;
    report.argument_bytes = 36'000;
    report.result_bytes = 112'000;
    report.statuses = {{"NFS3_OK", 999}, {"NFS3ERR_STALE", 1}};
    report.cpu_s = 0.001;
    report.busiest_share = 0.0005;
    report.interval_s = 1;
    report.series = {{0, 400, 0, 100, 200}, {1, 600, 3, 110, 900}};
    for (std::uint64_t i = 1; i <= 1000; ++i) report.latency.record(i * 1000);  // 1 … 1000 µs
    return report;
}

TEST(Report, TextHasTheFigures) {
    const std::string text = to_text(sample());
    EXPECT_TRUE(holds(text, "nfs3.GETATTR (80), nfs3.ACCESS (20) at host:1 over tcp")) << text;
    EXPECT_TRUE(holds(text, "closed loop, 8 connections × 4 in flight"));
    EXPECT_TRUE(holds(text, "1,000, 500 per second"));
    EXPECT_TRUE(holds(text, "max 1.00 ms"));
    EXPECT_TRUE(holds(text, "1 NFS3ERR_STALE"));
    EXPECT_TRUE(holds(text, "in flight, 2.0 s, after 1.0 s of warm-up\n"));
    EXPECT_TRUE(holds(text, "generator:  1.00 µs of CPU per call, 0 % of one core"));
    EXPECT_FALSE(holds(text, "warning"));
}

TEST(Report, JsonIsThisShape) {
    EXPECT_EQ(to_json(sample()), R"({
  "target": "host:1",
  "transport": "tcp",
  "procedures": [{"name": "nfs3.GETATTR", "weight": 80}, {"name": "nfs3.ACCESS", "weight": 20}],
  "loop": "closed",
  "rate_wanted": null,
  "connections": 8,
  "depth": 4,
  "threads": 1,
  "warmup_s": 1.000000,
  "seconds": 2.000000,
  "ended_early": null,
  "answered": 1000,
  "failed": 0,
  "unanswered": 0,
  "rate": 500.0,
  "latency_us": {"min": 1.000, "mean": 500.500, "p50": 507.903, "p90": 917.503, "p99": 1000.000, "p99.9": 1000.000, "max": 1000.000},
  "argument_bytes": 36000,
  "result_bytes": 112000,
  "statuses": [{"name": "NFS3_OK", "count": 999}, {"name": "NFS3ERR_STALE", "count": 1}],
  "errors": [],
  "checked": 0,
  "retransmitted": 0,
  "strays": 0,
  "generator": {"cpu_s": 0.001000, "cpu_us_per_call": 1.0000, "busiest_share": 0.0005, "held_back": 0, "lag_us": null, "warnings": []},
  "interval_s": 1.0,
  "series": [
    {"at_s": 0.0, "rate": 400.0, "failed": 0, "p50_us": 100.000, "p99_us": 200.000},
    {"at_s": 1.0, "rate": 600.0, "failed": 3, "p50_us": 110.000, "p99_us": 900.000}]
}
)");
}

TEST(Report, SaysHowToRepeatIt) {
    Report report = sample();
    report.when = "2026-11-16T04:30:12Z";
    report.version = "0.9";
    report.command = "helio load 'a<b' nfs3.NULL";
    const std::string page = to_html(report);
    EXPECT_TRUE(holds(page, "<p>2026-11-16T04:30:12Z, helio 0.9</p>"));
    EXPECT_TRUE(holds(page, "<code>helio load &apos;a&lt;b&apos; nfs3.NULL</code>")) << page;
    EXPECT_TRUE(holds(to_text(report),
                      "run         2026-11-16T04:30:12Z, helio 0.9\n"
                      "command     helio load 'a<b' nfs3.NULL\n"))
        << to_text(report);
    EXPECT_TRUE(holds(to_json(report), R"("command": "helio load 'a<b' nfs3.NULL")"));
}

TEST(Report, HtmlCountsAnswersWithoutAStatusToo) {
    Report report = sample();
    report.answered = 1500;
    EXPECT_TRUE(holds(to_html(report), "<td class=\"number\">500</td><td>SUCCESS</td>"));
}

TEST(Report, LatenciesThatDoNotExistAreNotZero) {
    Report report;
    report.ended_early = "interrupted";
    const std::string text = to_text(report);
    EXPECT_TRUE(holds(text, "latency     p50 –   p90 –   p99 –   p99.9 –   max –\n")) << text;
    EXPECT_TRUE(holds(text, "ended early: interrupted\n")) << text;
    EXPECT_FALSE(holds(to_html(report), "0.0 µs"));
}

TEST(Report, WarnsWhereItsFiguresMayBeItsOwn) {
    Report report = sample();
    EXPECT_TRUE(report.warnings().empty());
    report.busiest_share = 0.95;
    report.rate_wanted = 1000;
    report.held_back = 12'345;
    report.unanswered = 7;
    report.lag.record(900'000);
    const std::string text = to_text(report);
    EXPECT_TRUE(holds(text, "used 95 % of a core")) << text;
    EXPECT_TRUE(holds(text, "only 500 of the 1,000 calls per second were answered"));
    EXPECT_TRUE(holds(text, "12,345 calls had to wait"));
    EXPECT_TRUE(holds(text, "7 calls were unanswered"));
    EXPECT_TRUE(holds(text, "the load generator sent calls late"));
    EXPECT_EQ(report.warnings().size(), 5u);
}

TEST(Report, HtmlStandsAlone) {
    Report report = sample();
    report.target = "<b>&\"host";
    report.errors = {{"timed out <script>", 2}};
    const std::string html = to_html(report);
    EXPECT_TRUE(html.starts_with("<!doctype html>"));
    EXPECT_TRUE(html.ends_with("</html>\n"));
    std::size_t plots = 0;
    for (std::size_t at = 0; (at = html.find("<svg ", at)) != std::string::npos; ++at) ++plots;
    EXPECT_EQ(plots, 3u);
    for (const char* const part : {"http://", "https://", "<script", "<link", "url(", "nan", "inf"})
        EXPECT_FALSE(holds(html, part)) << part;
    EXPECT_TRUE(holds(html, "&lt;b&gt;&amp;&quot;host"));
    EXPECT_TRUE(holds(html, "NFS3ERR_STALE"));
    // Two points each, the first curve rising from 400 to 600 of 600.
    EXPECT_TRUE(holds(html, "<polyline class=\"curve one\" points=\"263.5,78.0 638.5,14.0\"/>"))
        << html;
}

TEST(Report, NothingAnsweredIsShownToo) {
    Report report;
    report.ended_early = "unreachable: Connection refused";
    for (const std::string& text : {to_text(report), to_html(report), to_json(report)}) {
        EXPECT_TRUE(holds(text, "Connection refused"));
        EXPECT_FALSE(holds(text, "nan,")) << text;
        EXPECT_FALSE(holds(text, "-0")) << text;
    }
}

}  // namespace
}  // namespace helio::load::report_test
