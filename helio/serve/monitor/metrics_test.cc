#include "helio/serve/monitor/metrics.h"

#include <gtest/gtest.h>

#include <string>

#include "schema/nfs3_service.h"

namespace helio::serve::metrics_test {
namespace {

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, CountsAndHistograms) {
    rpc::Statistics statistics{{&nfs3::NFS_V3::info()}};
    auto& thread = statistics.add_thread();
    using std::chrono::nanoseconds;
    thread.slot(0, 1).record(rpc::CallOutcome::success, 100, 200, nanoseconds(1'023));
    thread.slot(0, 1).record(rpc::CallOutcome::success, 100, 200, nanoseconds(1'024));
    thread.slot(0, 1).record(rpc::CallOutcome::success, 100, 200, std::chrono::seconds(30));
    thread.slot(0, 1).record(rpc::CallOutcome::garbage_arguments, 50, 24);
    Metrics metrics;
    metrics.version = "1";
    metrics.procedures = statistics.snapshot();
    nfs::ClientCounts client;
    client.client = "10.0.0.7\n\"\\";
    client.calls = 3;
    metrics.clients.push_back(client);
    metrics.transport.connections = 2;
    const std::string text = to_text(metrics);
    const std::string labels = R"(program="NFS_PROGRAM",version="3",procedure="GETATTR")";
    EXPECT_TRUE(has_line(text, "helio_rpc_calls_total{" + labels + ",outcome=\"success\"} 3"));
    EXPECT_TRUE(has_line(text, "helio_rpc_received_bytes_total{" + labels + "} 350"));
    const std::string bucket = "helio_rpc_duration_seconds_bucket{" + labels;
    EXPECT_TRUE(has_line(text, bucket + ",le=\"1.024e-06\"} 1")) << text;
    EXPECT_TRUE(has_line(text, bucket + ",le=\"2.048e-06\"} 2"));
    EXPECT_TRUE(has_line(text, bucket + ",le=\"17.179869184\"} 2"));
    EXPECT_TRUE(has_line(text, bucket + ",le=\"+Inf\"} 3"));
    EXPECT_TRUE(has_line(text, "helio_rpc_duration_seconds_count{" + labels + "} 3"));
    EXPECT_TRUE(has_line(text, R"(helio_client_calls_total{client="10.0.0.7\\n\"\\"} 3)")) << text;
    EXPECT_TRUE(has_line(text, "helio_connections 2"));
}

TEST(Metrics, CountWhatClientsHoldIfThereIsVersion4) {
    Metrics metrics;
    EXPECT_EQ(to_text(metrics).find("helio_nfs4_clients"), std::string::npos);
    metrics.state = StateCounts{.totals = {.clients = 5,
                                           .expired = 2,
                                           .sessions = 6,
                                           .opens = 7,
                                           .in_grace = true,
                                           .made_way = 3,
                                           .evicted = 1,
                                           .replays = 4},
                                .locks = 8};
    const std::string text = to_text(metrics);
    for (const char* const line :
         {"helio_nfs4_clients 5", "helio_nfs4_clients_expired 2", "helio_nfs4_sessions 6",
          "helio_nfs4_opens 7", "helio_nfs4_locks 8", "helio_nfs4_in_grace 1",
          R"(helio_nfs4_clients_evicted_total{reason="expired"} 3)",
          R"(helio_nfs4_clients_evicted_total{reason="administrator"} 1)",
          "helio_nfs4_replays_total 4"})
        EXPECT_TRUE(has_line(text, line)) << line << '\n' << text;
}

TEST(Metrics, OfThisProcess) {
    ProcessWatch watch;
    const ProcessFacts facts = watch.look();
    EXPECT_GT(facts.resident_bytes, 1u << 20);
    EXPECT_GT(facts.virtual_bytes, facts.resident_bytes);
    EXPECT_GE(facts.open_descriptors, 4u);
    EXPECT_GT(facts.descriptors_max, facts.open_descriptors);
    const transport::Fd one_more{dup(0)};
    EXPECT_EQ(watch.look().open_descriptors, facts.open_descriptors + 1) << "it looks again";
}

}  // namespace
}  // namespace helio::serve::metrics_test
