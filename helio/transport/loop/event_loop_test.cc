#include "helio/transport/loop/event_loop.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "helio/transport/socket/socket.h"

namespace helio::transport::event_loop_test {
namespace {

using namespace std::chrono_literals;

// Calls a function when its time has come.
class Alarm final : public Timer {
 public:
    Alarm(EventLoop& loop, std::function<void()> action)
        : Timer(loop), action_(std::move(action)) {}

 private:
    void on_time() override { action_(); }
    std::function<void()> action_;
};

class AtTurnEnd final : public EventLoop::Deferred {
 public:
    explicit AtTurnEnd(std::function<void()> action) : action_(std::move(action)) {}

 private:
    void on_turn_end() override { action_(); }
    std::function<void()> action_;
};

// A descriptor that is always readable.
class Ready final : public EventLoop::Handler {
 public:
    Ready(EventLoop& loop, std::function<void(Ready&)> action)
        : loop_(loop), fd_(eventfd(1, EFD_CLOEXEC)), action_(std::move(action)) {
        EXPECT_EQ(loop_.add(fd_.get(), Interest::read, *this), 0);
    }
    ~Ready() override { remove(); }
    void remove() {
        if (!fd_) return;
        loop_.remove(fd_.get(), *this);
        fd_.reset();
    }

 private:
    void on_ready(Readiness) override { action_(*this); }
    EventLoop& loop_;
    Fd fd_;
    std::function<void(Ready&)> action_;
};

TEST(EventLoopTimers, GoOffInOrderOfTimeNotOfSetting) {
    EventLoop loop;
    std::string order;
    const auto now = EventLoop::Clock::now();
    std::vector<std::unique_ptr<Alarm>> alarms;
    for (const char name : std::string{"dbfaec"}) {
        alarms.push_back(std::make_unique<Alarm>(loop, [&order, name] { order += name; }));
        alarms.back()->set(now - 1s + std::chrono::milliseconds(name));
    }
    loop.turn(0ms);
    EXPECT_EQ(order, "abcdef");
    for (const auto& one : alarms) EXPECT_FALSE(one->is_set());
}

TEST(EventLoopTimers, EveryWayToTakeOneOutKeepsTheOthersInOrder) {
    for (std::size_t out = 0; out < 20; ++out) {
        EventLoop loop;
        std::vector<int> order;
        std::vector<std::unique_ptr<Alarm>> alarms;
        const auto past = EventLoop::Clock::now() - 1s;
        for (int i = 0; i < 20; ++i) {
            alarms.push_back(
                std::make_unique<Alarm>(loop, [&order, at = i * 7 % 20] { order.push_back(at); }));
            alarms.back()->set(past + std::chrono::milliseconds(i * 7 % 20));
        }
        if (out % 2 == 0)
            alarms[out]->cancel();
        else
            alarms[out].reset();  // destroying it is as good
        loop.turn(0ms);
        ASSERT_EQ(order.size(), 19u) << out;
        EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << out;
    }
}

TEST(EventLoopTimers, MayBeSetAgainAndCancelledByOthersInACallback) {
    EventLoop loop;
    int first = 0, second = 0;
    const auto past = EventLoop::Clock::now() - 1s;
    std::unique_ptr<Alarm> other;
    Alarm again{loop, [&] {
                    if (++first == 1) again.set(past);  // due at once: in the same turn
                    other.reset();
                }};
    other = std::make_unique<Alarm>(loop, [&] { ++second; });
    again.set(past);
    other->set(past + 1ms);
    loop.turn(0ms);
    EXPECT_EQ(first, 2);
    EXPECT_EQ(second, 0);
}

TEST(EventLoopTimers, SettingItMovesIt) {
    EventLoop loop;
    int count = 0;
    Alarm alarm{loop, [&] { ++count; }};
    alarm.set(EventLoop::Clock::now() + 1h);
    alarm.set(EventLoop::Clock::now() - 1s);
    loop.turn(0ms);
    EXPECT_EQ(count, 1);
    alarm.set(EventLoop::Clock::now() - 1s);
    alarm.set(EventLoop::Clock::now() + 1h);
    loop.turn(0ms);
    EXPECT_EQ(count, 1);
}

TEST(EventLoopTimers, GoByAFakeClockWhereThereIsOne) {
    FakeClock clock;
    EventLoop loop;
    EXPECT_EQ(loop.next_timer(), std::nullopt);
    std::string order;
    Alarm late{loop, [&] { order += 'l'; }};
    Alarm early{loop, [&] { order += 'e'; }};
    late.set(Clock::now() + 2h);
    early.set(Clock::now() + 1h);
    EXPECT_EQ(loop.next_timer(), Clock::now() + 1h);
    clock.advance(1h - 1ns);
    loop.turn(0ms);
    EXPECT_EQ(order, "");
    clock.advance_to(*loop.next_timer());
    loop.turn(-1ms);  // does not wait: a timer is due
    EXPECT_EQ(order, "e");
    clock.advance_to(*loop.next_timer());
    loop.turn(-1ms);
    EXPECT_EQ(order, "el");
    EXPECT_EQ(loop.next_timer(), std::nullopt);
}

TEST(EventLoopTimers, MayOutliveTheLoop) {
    auto loop = std::make_unique<EventLoop>();
    Alarm alarm{*loop, [] {}};
    AtTurnEnd deferred{[] {}};
    alarm.set(EventLoop::Clock::now() + 1h);
    loop->defer(deferred);
    loop.reset();
    EXPECT_FALSE(alarm.is_set());
}

TEST(EventLoopDeferred, RunsOncePerTurnHoweverOftenItIsAsked) {
    EventLoop loop;
    int count = 0;
    AtTurnEnd work{[&] { ++count; }};
    loop.defer(work);
    loop.defer(work);
    loop.turn(-1ms);  // does not wait: there is something to do
    EXPECT_EQ(count, 1);
    loop.turn(0ms);
    EXPECT_EQ(count, 1);
}

TEST(EventLoopDeferred, AskedForAtTheEndOfATurnItRunsInTheNext) {
    EventLoop loop;
    int count = 0;
    AtTurnEnd work{[&] {
        if (++count < 3) loop.defer(work);
    }};
    loop.defer(work);
    for (int turn = 1; turn <= 3; ++turn) {
        loop.turn(-1ms);
        EXPECT_EQ(count, turn);
    }
}

TEST(EventLoopDeferred, DestroyedByOneBeforeItItDoesNotRun) {
    EventLoop loop;
    int count = 0;
    std::unique_ptr<AtTurnEnd> second, third;
    AtTurnEnd first{[&] { second.reset(); }};
    second = std::make_unique<AtTurnEnd>([&] { ++count; });
    third = std::make_unique<AtTurnEnd>([&] { ++count; });
    loop.defer(first);
    loop.defer(*second);
    loop.defer(*third);
    third.reset();
    loop.turn(0ms);
    EXPECT_EQ(count, 0);
}

TEST(EventLoopHandlers, MayRemoveThemselves) {
    EventLoop loop;
    int count = 0;
    Ready one{loop, [&](Ready& self) {
                  ++count;
                  self.remove();
              }};
    loop.turn(0ms);
    loop.turn(0ms);
    EXPECT_EQ(count, 1);
}

// Two are ready in the same turn, and each destroys the other: whichever comes first, the other
// must not be called.
TEST(EventLoopHandlers, RemovedByAnotherInTheSameTurnIsNotCalled) {
    EventLoop loop;
    int count = 0;
    std::unique_ptr<Ready> one, other;
    one = std::make_unique<Ready>(loop, [&](Ready&) {
        ++count;
        other.reset();
    });
    other = std::make_unique<Ready>(loop, [&](Ready&) {
        ++count;
        one.reset();
    });
    loop.turn(0ms);
    EXPECT_EQ(count, 1);
}

TEST(EventLoopPost, FromManyThreadsEachRunsOnceAndInItsThreadsOrder) {
    EventLoop loop;
    constexpr int kThreads = 4, kEach = 500;
    int next[kThreads] = {};
    int total = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i)
                loop.post([&, t, i] {
                    EXPECT_EQ(next[t]++, i);
                    EXPECT_EQ(EventLoop::current(), &loop);
                    if (++total == kThreads * kEach) loop.stop();
                });
        });
    loop.run();
    for (auto& one : threads) one.join();
    EXPECT_EQ(total, kThreads * kEach);
    EXPECT_EQ(EventLoop::current(), nullptr);
}

TEST(EventLoopPost, ToALoopThatEndsIsFreedUnrun) {
    const auto held = std::make_shared<int>(0);
    {
        EventLoop loop;
        loop.post([held] { ++*held; });
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(*held, 0);
}

TEST(EventLoopPost, CanBeTakenBackAlsoByOneBeforeIt) {
    struct Counted : EventLoop::Posted {
        int runs = 0;
    };
    const auto count = [](EventLoop::Posted& self) { ++static_cast<Counted&>(self).runs; };
    EventLoop loop;
    Counted first, second, third;
    first.run = second.run = third.run = count;
    loop.post(first);
    loop.post([&] { EXPECT_TRUE(loop.unpost(second)); });
    loop.post(second);
    loop.post(third);
    EXPECT_TRUE(loop.unpost(third));  // the last one: the next takes its place
    EXPECT_FALSE(loop.unpost(third));
    int after = 0;
    loop.post([&] { ++after; });
    loop.turn(-1ms);
    EXPECT_EQ(first.runs, 1);
    EXPECT_EQ(second.runs, 0);
    EXPECT_EQ(third.runs, 0);
    EXPECT_EQ(after, 1);
}

TEST(EventLoopBusyPoll, TimersAndWorkOfOthersComeAllTheSame) {
    EventLoop loop;
    loop.busy_poll();
    constexpr int kTimes = 2000;  // close enough together to poll, far enough apart to sleep
    std::atomic<int> heard{0};
    std::thread other{[&] {
        for (int i = 0; i < kTimes; ++i) {
            loop.post([&] { ++heard; });
            while (heard <= i) std::this_thread::yield();
        }
        loop.stop();
    }};
    int alarms = 0;
    Alarm alarm{loop, [&] {
                    ++alarms;
                    alarm.set(EventLoop::Clock::now() + 100us);
                }};
    alarm.set(EventLoop::Clock::now());
    loop.run();
    other.join();
    EXPECT_EQ(heard, kTimes);
    EXPECT_GT(alarms, 0);
}

TEST(EventLoopBusyPoll, WaitsForOneOnly) {
    EventLoop loop;
    EXPECT_FALSE(loop.waits_for_one_only(1ms));
    Ready first{loop, [](Ready&) {}};
    EXPECT_TRUE(loop.waits_for_one_only(1ms));
    {
        Ready second{loop, [](Ready&) {}};
        EXPECT_FALSE(loop.waits_for_one_only(1ms));
    }
    EXPECT_TRUE(loop.waits_for_one_only(1ms));
    Alarm alarm{loop, [] {}};
    alarm.set(EventLoop::Clock::now() + 10s);
    EXPECT_TRUE(loop.waits_for_one_only(1ms));
    EXPECT_FALSE(loop.waits_for_one_only(20s));
    AtTurnEnd work{[] {}};
    loop.defer(work);
    EXPECT_FALSE(loop.waits_for_one_only(1ms));
}

TEST(EventLoopStop, BeforeRunIsNotLost) {
    EventLoop loop;
    loop.stop();
    loop.run();
}

Task<void> count_turns(EventLoop& loop, int turns, int& count) {
    for (int i = 0; i < turns; ++i) {
        co_await loop.next_turn();
        ++count;
    }
}

TEST(EventLoopCoroutines, NextTurnComesOncePerTurn) {
    EventLoop loop;
    int count = 0;
    Task<void> task = count_turns(loop, 3, count);
    task.start(nullptr, nullptr);
    EXPECT_EQ(count, 0);
    for (int turn = 1; turn <= 3; ++turn) {
        loop.turn(-1ms);
        EXPECT_EQ(count, turn);
    }
    EXPECT_TRUE(task.finished());
}

TEST(EventLoopCoroutines, DestroyedWhileItWaitsIsNotResumed) {
    EventLoop loop;
    int count = 0, others = 0;
    Task<void> before = count_turns(loop, 1, others);
    Task<void> task = count_turns(loop, 1, count);
    Task<void> after = count_turns(loop, 1, others);
    for (Task<void>* const one : {&before, &task, &after}) one->start(nullptr, nullptr);
    task = {};
    loop.turn(0ms);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(others, 2);
}

Task<void> destroy_next_turn(EventLoop& loop, Task<void>& victim) {
    co_await loop.next_turn();
    victim = {};
}

TEST(EventLoopCoroutines, DestroyedByOneThatIsResumedBeforeItIsNotResumed) {
    EventLoop loop;
    int count = 0;
    Task<void> victim;
    Task<void> killer = destroy_next_turn(loop, victim);
    killer.start(nullptr, nullptr);
    victim = count_turns(loop, 1, count);
    victim.start(nullptr, nullptr);
    loop.turn(0ms);
    EXPECT_EQ(count, 0);
}

Task<void> sleep_and_note(EventLoop& loop, std::chrono::milliseconds time, std::string& order,
                          char name) {
    co_await loop.sleep(time);
    order += name;
}

TEST(EventLoopCoroutines, SleepersWakeInOrderAndNotBeforeTheirTime) {
    EventLoop loop;
    std::string order;
    Task<void> long_one = sleep_and_note(loop, 30ms, order, 'l');
    Task<void> short_one = sleep_and_note(loop, 10ms, order, 's');
    Task<void> none = sleep_and_note(loop, 0ms, order, '0');
    Task<void> gone = sleep_and_note(loop, 5ms, order, 'x');
    const auto begin = EventLoop::Clock::now();
    for (Task<void>* const one : {&long_one, &short_one, &none, &gone})
        one->start(nullptr, nullptr);
    EXPECT_EQ(order, "0");  // zero does not wait
    gone = {};
    while (!long_one.finished()) loop.turn(-1ms);
    EXPECT_EQ(order, "0sl");
    EXPECT_GE(EventLoop::Clock::now() - begin, 30ms);
}

}  // namespace
}  // namespace helio::transport::event_loop_test
