#include "helio/rpc/server/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

namespace helio::rpc::statistics_test {
namespace {

using std::chrono::nanoseconds;

constexpr xdr::ProcedureInfo procedure(std::uint32_t number, std::string_view short_name) {
    xdr::ProcedureInfo info;
    info.number = number;
    info.short_name = short_name;
    return info;
}

// With a gap, as in NLM.
constexpr std::array kLockProcedures{procedure(0, "NULL"), procedure(1, "TEST"),
                                     procedure(20, "SHARE")};
constexpr std::array kPingProcedures{procedure(0, "NULL")};
constexpr xdr::VersionInfo kLock{.program = 100021,
                                 .version = 4,
                                 .program_name = "LOCK",
                                 .version_name = "LOCK_V4",
                                 .procedures = kLockProcedures};
constexpr xdr::VersionInfo kPing{.program = 99,
                                 .version = 1,
                                 .program_name = "PING",
                                 .version_name = "PING_V1",
                                 .procedures = kPingProcedures};

TEST(Statistics, ASnapshotHasARowForEverything) {
    Statistics statistics{{&kLock, &kPing}};
    statistics.add_thread();
    const auto rows = statistics.snapshot();
    ASSERT_EQ(rows.size(), 3u + 1 + 1 + 1 + 1);
    const char* const names[][2] = {{"LOCK", "NULL"},      {"LOCK", "TEST"}, {"LOCK", "SHARE"},
                                    {"LOCK", "unknown"},   {"PING", "NULL"}, {"PING", "unknown"},
                                    {"unknown", "unknown"}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].program_name(), names[i][0]) << i;
        EXPECT_EQ(rows[i].procedure_name(), names[i][1]) << i;
        EXPECT_EQ(rows[i].calls(), 0u) << i;
        EXPECT_EQ(rows[i].latency, nullptr) << i;
    }
    EXPECT_EQ(rows[2].version_number(), 4u);
    EXPECT_EQ(rows[2].procedure->number, 20u);
    EXPECT_EQ(rows[6].version_number(), 0u);
}

TEST(Statistics, EveryRecordLandsInItsOwnRow) {
    Statistics statistics{{&kLock, &kPing}};
    ThreadStatistics& mine = statistics.add_thread();
    mine.slot(0, 0).record(CallOutcome::success, 1, 10);
    mine.slot(0, *kLock.procedure(20)).record(CallOutcome::system_error, 2, 20);
    mine.slot(1, 0).record(CallOutcome::auth_error, 3, 30);
    mine.unknown_procedure(0).record(CallOutcome::procedure_unavailable, 4, 40);
    mine.unknown_procedure(1).record(CallOutcome::procedure_unavailable, 5, 50);
    mine.unknown_program().record(CallOutcome::program_unavailable, 6, 60);
    mine.unknown_program().record(CallOutcome::rpc_mismatch, 7, 70);

    const auto rows = statistics.snapshot();
    const std::uint64_t bytes_in[] = {1, 0, 2, 4, 3, 5, 13};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].bytes_in, bytes_in[i]) << i;
        EXPECT_EQ(rows[i].bytes_out, 10 * bytes_in[i]) << i;
    }
    EXPECT_EQ(rows[0].errors(), 0u);
    EXPECT_EQ(rows[0].calls(), 1u);
    EXPECT_EQ(rows[2].count(CallOutcome::system_error), 1u);
    EXPECT_EQ(rows[2].errors(), 1u);
    EXPECT_EQ(rows[6].calls(), 2u);
    EXPECT_EQ(rows[6].count(CallOutcome::rpc_mismatch), 1u);
}

TEST(Statistics, LatencyIsThereOnceACallWasTimed) {
    Statistics statistics{{&kPing}};
    ThreadStatistics& mine = statistics.add_thread();
    mine.slot(0, 0).record(CallOutcome::dropped, 1, 1);
    EXPECT_EQ(mine.slot(0, 0).latency(), nullptr);
    mine.slot(0, 0).record(CallOutcome::success, 1, 1, nanoseconds{1000});
    mine.slot(0, 0).record(CallOutcome::success, 1, 1, nanoseconds{-5});  // a clock's mistake
    const auto rows = statistics.snapshot();
    ASSERT_NE(rows[0].latency, nullptr);
    EXPECT_EQ(rows[0].latency->count(), 2u);
    EXPECT_EQ(rows[0].latency->max(), 1000u);
    EXPECT_EQ(rows[0].latency->min(), 0u);
    EXPECT_EQ(rows[0].calls(), 3u);
    EXPECT_EQ(rows[1].latency, nullptr);
}

TEST(Statistics, NoProgramsAtAllIsFine) {
    Statistics statistics{{}};
    statistics.add_thread().unknown_program().record(CallOutcome::program_unavailable, 40, 28);
    const auto rows = statistics.snapshot();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].errors(), 1u);
}

TEST(Statistics, ThreadsAreMergedWhileTheyWrite) {
    constexpr std::uint64_t kCalls = 20'000;
    constexpr std::size_t kThreads = 3;
    Statistics statistics{{&kLock, &kPing}};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&statistics, t] {
            ThreadStatistics& mine = statistics.add_thread();
            for (std::uint64_t i = 0; i < kCalls; ++i)
                mine.slot(0, i % 3).record(CallOutcome::success, 100, 50,
                                           nanoseconds{1000 * (t + 1)});
        });
    }
    std::uint64_t before = 0;
    while (before < kThreads * kCalls) {
        std::uint64_t calls = 0;
        for (const ProcedureSnapshot& row : statistics.snapshot()) calls += row.calls();
        ASSERT_GE(calls, before);
        before = calls;
    }
    for (std::thread& thread : threads) thread.join();

    std::uint64_t timed = 0, bytes = 0;
    for (const ProcedureSnapshot& row : statistics.snapshot()) {
        bytes += row.bytes_out;
        if (row.latency != nullptr) timed += row.latency->count();
    }
    EXPECT_EQ(before, kThreads * kCalls);
    EXPECT_EQ(timed, kThreads * kCalls);
    EXPECT_EQ(bytes, kThreads * kCalls * 50);
}

TEST(CallOutcome, EachHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kCallOutcomes; ++i)
        names.insert(name_of(static_cast<CallOutcome>(i)));
    EXPECT_EQ(names.size(), kCallOutcomes);
    EXPECT_FALSE(names.contains("unknown"));
    EXPECT_EQ(name_of(CallOutcome::dropped), "dropped");
    EXPECT_EQ(to_call_outcome(xdr::Outcome::garbage_arguments), CallOutcome::garbage_arguments);
    EXPECT_EQ(to_call_outcome(xdr::Outcome::refused), CallOutcome::auth_error);
    EXPECT_EQ(to_call_outcome(xdr::Outcome::silent), CallOutcome::dropped);
}

}  // namespace
}  // namespace helio::rpc::statistics_test
