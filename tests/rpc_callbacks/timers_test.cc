// Timers of a whole server, and the pool of clients that its services share.
#include <gtest/gtest.h>

#include <thread>

#include "tests/rpc_callbacks/steps_service.h"

namespace rpc_callbacks::timers_test {
namespace {

using namespace std::chrono_literals;

TEST(ServerTimers, GoOffOnTheServersThread) {
    StepsServer server;
    std::atomic<bool> on_a_loop = false;
    std::atomic<int> once = 0;
    const auto repeated = server.server.timers().every(1ms, [&] {
        on_a_loop = transport::EventLoop::current() != nullptr;
        ++server.service.ticks;
    });
    const auto single = server.server.timers().after(1ms, [&] { ++once; });
    auto client = transport::Client::connect("127.0.0.1:" + std::to_string(server.port));
    for (std::int32_t seen = 0; seen < 5;) seen = *STEPS_V1::Client{client}.TICKS();
    EXPECT_TRUE(on_a_loop);
    EXPECT_EQ(once, 1);
}

TEST(ServerTimers, MayBeSetBeforeTheServerStartsAndOutliveIt) {
    StepsService* service = nullptr;
    transport::ServerTimer timer;
    std::atomic<int> count = 0;
    {
        transport::Pool pool{1};
        StepsService steps{pool};
        service = &steps;
        rpc::Server programs;
        programs.add(steps);
        transport::Server server{programs, {.threads = 1}};
        timer = server.timers().every(1ms, [&] { ++count; });
        std::this_thread::sleep_for(5ms);
        EXPECT_EQ(count, 0);
        server.start();
        while (count < 3) std::this_thread::sleep_for(1ms);
        server.stop(0ms);
    }
    const int at_the_end = count;
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(count, at_the_end);
    EXPECT_NE(service, nullptr);
    timer.cancel();
}

TEST(ServerTimers, AfterCancelTheWorkDoesNotRun) {
    StepsServer server;
    for (int i = 0; i < 200; ++i) {
        std::atomic<bool> gone = false;
        std::atomic<int> late = 0;
        auto timer = server.server.timers().every(1us, [&] {
            if (gone) ++late;
            std::this_thread::yield();
        });
        std::this_thread::sleep_for(std::chrono::microseconds(i % 50));
        timer.cancel();
        gone = true;
        EXPECT_EQ(late, 0);
    }
}

TEST(ServerTimers, TheWorkMayCancelItself) {
    StepsServer server;
    std::atomic<int> runs = 0;
    transport::ServerTimer timer;
    std::mutex mutex;
    {
        const std::lock_guard lock{mutex};
        timer = server.server.timers().every(1ms, [&] {
            const std::lock_guard inner{mutex};
            ++runs;
            timer.cancel();
        });
    }
    while (runs == 0) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(10ms);
    EXPECT_EQ(runs, 1);
    const std::lock_guard lock{mutex};  // the work has used the timer up to here
}

TEST(ClientPool, CallsToOneServerShareAConnection) {
    transport::EventLoop loop;
    auto& pool = loop.local<transport::ClientPool>();
    EXPECT_EQ(&pool, &loop.local<transport::ClientPool>());
    const auto here = *transport::resolve("127.0.0.1", 1);
    const auto there = *transport::resolve("127.0.0.1", 2);
    const auto first = pool.to(here.front());
    EXPECT_EQ(first, pool.to(here.front()));
    EXPECT_NE(first, pool.to(there.front()));
    transport::ClientOptions as_somebody;
    as_somebody.credential = rpc::ClientCredential::sys(1, 1, {}, "x");
    EXPECT_NE(first, pool.to(here.front(), as_somebody));
    EXPECT_EQ(pool.connections(), 3u);
}

TEST(ClientPool, KeepsNoMoreThanItMay) {
    transport::EventLoop loop;
    transport::ClientPool pool{loop};
    for (std::uint16_t port = 1; port <= transport::kPooledConnectionsMax + 10; ++port)
        pool.to(transport::resolve("127.0.0.1", port)->front());
    EXPECT_EQ(pool.connections(), transport::kPooledConnectionsMax);
}

TEST(ClientPool, ConnectionsThatNobodyWantsAreClosed) {
    FakeClock clock;
    transport::EventLoop loop;
    transport::ClientPool pool{loop};
    const auto kept = pool.to(transport::resolve("127.0.0.1", 1)->front());
    pool.to(transport::resolve("127.0.0.1", 2)->front());
    EXPECT_EQ(pool.connections(), 2u);
    clock.advance(2 * transport::kPooledIdleMax);
    loop.turn(0ms);
    EXPECT_EQ(pool.connections(), 1u);
}

}  // namespace
}  // namespace rpc_callbacks::timers_test
