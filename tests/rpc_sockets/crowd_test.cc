// Ten thousand connections, a thousand of which send a byte a second: everybody else is served as
// if they were not there, and they cost little.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/rpc_sockets/child.h"
#include "tests/rpc_sockets/peer_server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace wire {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kConnections = 10'000;
constexpr std::size_t kSlow = 1'000;
constexpr std::size_t kDescriptors = kConnections + 500;
constexpr int kCalls = 3'000;
constexpr auto kTime = 4s;
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

struct Measured {
    std::chrono::microseconds p50, p99;
    std::chrono::nanoseconds processor;  // of the server, per call
};

// At least so many calls, and at least so long.
Measured measure(transport::Client& client, const ServerProcess& server, Clock::duration time) {
    std::vector<Clock::duration> took;
    const auto processor_before = server.processor_time();
    const auto begin = Clock::now();
    while (took.size() < kCalls || Clock::now() - begin < time) {
        const auto before = Clock::now();
        EXPECT_TRUE(PEER_V1::Client{client}.NULL_());
        took.push_back(Clock::now() - before);
    }
    std::sort(took.begin(), took.end());
    const auto at = [&](std::size_t percent) {
        return std::chrono::duration_cast<std::chrono::microseconds>(
            took[took.size() * percent / 100]);
    };
    const std::chrono::nanoseconds processor = server.processor_time() - processor_before;
    return {at(50), at(99), processor / took.size()};
}

TEST(Crowd, CostsTheOthersNothing) {
    if (!raise_descriptors())
        GTEST_SKIP() << "needs " << kDescriptors << " descriptors (ulimit -n)";
    ServerProcess server{{}};
    auto client = transport::Client::connect("127.0.0.1:" + std::to_string(server.port()));
    (void)measure(client, server, 0s);
    const Measured before = measure(client, server, 1s);
    const std::size_t memory_before = server.resident_bytes();

    std::vector<RawStream> crowd;
    crowd.reserve(kConnections);
    for (std::size_t i = 0; i < kConnections; ++i) crowd.emplace_back(server.port());
    // The last one has been accepted, so all have.
    crowd.back().send(record(call_message(1, 1, 0)));
    ASSERT_TRUE(crowd.back().receive(30s));
    const std::size_t memory_open = server.resident_bytes();

    // A record that will never end in this test's time, a byte of it a second.
    const Bytes call = record(call_message(1, 1, 2, words({60}) + Bytes(60)));
    std::atomic<bool> stopping = false;
    std::thread slow{[&] {
        for (std::size_t at = 0; !stopping && at < call.size(); ++at)
            for (std::size_t i = 0; i < kSlow && !stopping; ++i) {
                crowd[i].send({call[at]});
                std::this_thread::sleep_for(1s / kSlow);
            }
    }};
    const Measured during = measure(client, server, kTime);
    stopping = true;
    slow.join();
    const std::size_t memory_slow = server.resident_bytes();

    std::printf(
        "p50 %ld µs, with the crowd %ld; p99 %ld µs, with the crowd %ld; server %ld ns per call, "
        "with the crowd %ld; %zu bytes per connection, %zu with slow senders\n",
        before.p50.count(), during.p50.count(), before.p99.count(), during.p99.count(),
        before.processor.count(), during.processor.count(),
        (memory_open - memory_before) / kConnections, (memory_slow - memory_before) / kConnections);
    // Latencies depend on what else the machine does; the server's own work does not. One that
    // looks at every connection for each call is far beyond this.
    EXPECT_LT(during.processor, 3 * before.processor + 20us);
    if (!kSanitized) {
        EXPECT_LT(memory_open - memory_before, kConnections * kBytesPerConnection);
    }
    // And what has waited is served: nobody was forgotten.
    for (std::size_t i = kSlow; i < kConnections; i += 100) {
        crowd[i].send(record(call_message(1, 1, 0)));
        ASSERT_TRUE(crowd[i].receive()) << i;
    }
    EXPECT_EQ(server.terminate(), 0);
}

}  // namespace
}  // namespace wire
