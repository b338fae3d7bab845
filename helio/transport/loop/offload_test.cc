#include "helio/transport/loop/offload.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>

#include "helio/transport/client/client.h"

namespace helio::transport::offload_test {
namespace {

using namespace std::chrono_literals;

Task<std::string> text_of(Pool& pool, int number) {
    const std::thread::id home = std::this_thread::get_id();
    const std::string text = co_await offload(pool, [&] {
        EXPECT_NE(std::this_thread::get_id(), home);
        return std::to_string(number);
    });
    EXPECT_EQ(std::this_thread::get_id(), home);
    co_return text;
}

TEST(Offload, GivesTheValueOnTheThreadThatAwaited) {
    Pool pool{2};
    EventLoop loop;
    // The loop starts it: a coroutine that offloads is in a turn.
    Task<std::string> task = text_of(pool, 42);
    loop.post([&] { task.start(nullptr, nullptr); });
    while (!task.finished()) loop.turn(-1ms);
    EXPECT_EQ(task.take(), "42");
}

Task<int> fails(Pool& pool) {
    co_return co_await offload(pool, []() -> int { throw std::runtime_error("no such file"); });
}

TEST(Offload, BringsTheException) {
    Pool pool{1};
    EventLoop loop;
    Task<int> task = fails(pool);
    loop.post([&] { task.start(nullptr, nullptr); });
    while (!task.finished()) loop.turn(-1ms);
    EXPECT_THROW(task.take(), std::runtime_error);
}

Task<int> says(Pool& pool, std::vector<int>& order, int number) {
    co_return co_await offload(pool, [&] {
        order.push_back(number);
        return number;
    });
}

TEST(Offload, APoolWithoutThreadsRunsWhatItsOwnerSays) {
    Pool pool{0};
    EventLoop loop;
    std::vector<int> order;
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(says(pool, order, i));
    loop.post([&] {
        for (auto& one : tasks) one.start(nullptr, nullptr);
    });
    loop.turn(0ms);
    EXPECT_EQ(pool.queued(), 3u);
    EXPECT_TRUE(order.empty());
    pool.run_queued(1);
    EXPECT_EQ(order, std::vector{1});
    EXPECT_FALSE(tasks[1].finished()) << "it goes on in a turn of its loop";
    loop.turn(0ms);
    EXPECT_TRUE(tasks[1].finished());
    pool.run_queued(1);
    tasks.erase(tasks.begin());  // takes its job back
    EXPECT_EQ(pool.queued(), 0u);
    EXPECT_EQ(order, (std::vector{1, 2}));
    loop.turn(0ms);
    EXPECT_TRUE(tasks[1].finished());
}

Task<void> adds(Pool& pool, std::atomic<int>& sum, int number) {
    co_await offload(pool, [&] { sum += number; });
    co_await offload(pool, [&] { sum += number; });
}

TEST(Offload, ManyAtATimeEachOnce) {
    Pool pool{4};
    EventLoop loop;
    std::atomic<int> sum = 0;
    std::vector<Task<void>> tasks;
    for (int i = 1; i <= 1000; ++i) tasks.push_back(adds(pool, sum, i));
    loop.post([&] {
        for (auto& one : tasks) one.start(nullptr, nullptr);
    });
    for (auto& one : tasks)
        while (!one.finished()) loop.turn(-1ms);
    EXPECT_EQ(sum, 1000 * 1001);
}

Task<void> waits_for(Pool& pool, std::shared_future<void> gate, std::atomic<int>& ran) {
    co_await offload(pool, [&] {
        gate.wait();
        ++ran;
    });
    ADD_FAILURE() << "it was destroyed";
}

// A server that stops destroys coroutines that wait, wherever they are.
TEST(Offload, DestroyedMeanwhileItWaitsForItsFunctionAndIsNotResumed) {
    Pool pool{1};
    EventLoop loop;
    std::promise<void> gate;
    const std::shared_future<void> open = gate.get_future().share();
    std::atomic<int> ran = 0;
    Task<void> running = waits_for(pool, open, ran);
    Task<void> queued = waits_for(pool, open, ran);
    loop.post([&] {
        running.start(nullptr, nullptr);
        queued.start(nullptr, nullptr);
    });
    loop.turn(-1ms);
    std::thread opener{[&] {
        std::this_thread::sleep_for(20ms);
        gate.set_value();
    }};
    queued = {};  // has not begun: destroyed at once
    running = {};
    opener.join();
    EXPECT_LE(ran, 1);
    loop.turn(0ms);
}

TEST(Offload, DestroyedOnItsWayBackIsNotResumed) {
    Pool pool{1};
    EventLoop loop;
    std::promise<void> gate;
    gate.set_value();
    std::atomic<int> ran = 0;
    Task<void> task = waits_for(pool, gate.get_future().share(), ran);
    loop.post([&] { task.start(nullptr, nullptr); });
    loop.turn(-1ms);
    while (ran == 0) std::this_thread::yield();
    task = {};
    loop.turn(0ms);
    EXPECT_EQ(ran, 1);
}

Task<int> waits(Pool& pool, const void* group, std::latch& gate) {
    auto work = [&] {
        gate.wait();
        return 1;
    };
    co_return co_await Offload(pool, work, PoolOrder{nullptr, group, false});
}

// File systems hang one after the other: each occupies its share of the threads, and one is left
// for the next.
TEST(Offload, GroupsThatHangKeepNoOtherWaiting) {
    constexpr std::size_t kGroups = 5, kJobs = 20;
    Pool pool{4};
    EventLoop loop;
    std::latch never{1}, open{0};
    std::array<char, kGroups> groups{};
    std::deque<Task<int>> hung;
    for (const char& group : groups) {
        for (std::size_t i = 0; i < kJobs; ++i) {
            Task<int>& task = hung.emplace_back(waits(pool, &group, never));
            loop.post([&] { task.start(nullptr, nullptr); });
        }
        const char healthy = 0;
        Task<int> task = waits(pool, &healthy, open);
        loop.post([&] { task.start(nullptr, nullptr); });
        while (!task.finished()) loop.turn(-1ms);
        EXPECT_EQ(pool.jobs_of(&group), kJobs);
    }
    EXPECT_FALSE(pool.wait_until_idle(1ms));
    never.count_down();
    for (Task<int>& task : hung)
        while (!task.finished()) loop.turn(-1ms);
    EXPECT_TRUE(pool.wait_until_idle(10min));
}

}  // namespace
TEST(Offload, DetachedJobsRunEvenIfThePoolEnds) {
    std::atomic<int> sum = 0;
    {
        Pool pool{1};
        for (int i = 1; i <= 100; ++i) pool.run_detached([&sum, i] { sum += i; });
    }
    EXPECT_EQ(sum, 5050);
    Pool none{0};
    none.run_detached([&sum] { sum = 0; });
    EXPECT_EQ(sum, 5050);
    none.run_queued();
    EXPECT_EQ(sum, 0);
}

}  // namespace helio::transport::offload_test
