// Ten thousand connections, a thousand of which send their calls byte by byte: all others are
// served meanwhile, and each of them costs little memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "tests/rpc_sockets/child.h"
#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace wire::crowd_test {
namespace {

constexpr std::size_t kConnections = 10'000;
constexpr std::size_t kSlow = 1'000;
constexpr std::size_t kDescriptors = kConnections + 500;
// An idle connection of ours; the kernel's own memory is not in the process's.
constexpr std::size_t kBytesPerConnection = 4096;

bool raise_descriptors() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= kDescriptors) return true;
    limit.rlim_cur = kDescriptors;
    limit.rlim_max = std::max<rlim_t>(limit.rlim_max, kDescriptors);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

TEST(Crowd, OthersAreServedBesideSlowSenders) {
    if (!raise_descriptors())
        GTEST_SKIP() << "needs " << kDescriptors << " descriptors (ulimit -n)";
    ServerProcess server{{}};
    auto client = transport::Client::connect("127.0.0.1:" + std::to_string(server.port()));
    EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
    const std::size_t memory_before = server.resident_bytes();

    std::vector<RawStream> crowd;
    crowd.reserve(kConnections);
    for (std::size_t i = 0; i < kConnections; ++i) crowd.emplace_back(server.port());
    // The last one has been accepted, so all have.
    crowd.back().send(record(call_message(1, 1, 0)));
    ASSERT_TRUE(crowd.back().receive());
    const std::size_t memory_open = server.resident_bytes();
    if (!kSanitized) {
        EXPECT_LT(memory_open - memory_before, kConnections * kBytesPerConnection);
    }

    // Each slow sender has a byte more of its call on the way before each call of ours.
    const Bytes slow_call = record(call_message(1, 1, 2, words({60}) + Bytes(60)));
    std::size_t sent = 0;
    for (; sent + 1 < slow_call.size(); ++sent) {
        for (std::size_t i = 0; i < kSlow; ++i) ASSERT_TRUE(crowd[i].send({slow_call[sent]}));
        ASSERT_TRUE(PEER_V1::Client{client}.NULL_()) << "after " << sent << " bytes";
    }
    // No connection is forgotten: neither the silent ones, nor the slow ones at their last byte.
    for (std::size_t i = kSlow; i < kConnections; i += 100) {
        crowd[i].send(record(call_message(1, 1, 0)));
        ASSERT_TRUE(crowd[i].receive()) << i;
    }
    for (std::size_t i = 0; i < kSlow; ++i) {
        crowd[i].send({slow_call[sent]});
        ASSERT_TRUE(crowd[i].receive()) << i;
    }
    EXPECT_EQ(server.terminate(), 0);
}

}  // namespace
}  // namespace wire::crowd_test
