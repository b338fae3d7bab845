#include "helio/base/task.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace {
std::size_t allocations = 0;
}  // namespace

// Counted, to see what a warm coroutine costs. Not inlined: GCC would see half of a pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace helio::task_test {
namespace {

// What a coroutine waits for until the test opens it.
struct Gate {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) { waiter = coroutine; }
    void await_resume() const {}
    void open() { std::exchange(waiter, {}).resume(); }
    std::coroutine_handle<> waiter;
};

// Counts those that live.
struct Guard {
    explicit Guard(int& living) : count(living) { ++count; }
    ~Guard() { --count; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    int& count;
};

struct Pair {
    int one;
    int two;
};

template <class T>
void run(Task<T>& task, int* ends = nullptr) {
    task.start(
        [](void* count) {
            if (count != nullptr) ++*static_cast<int*>(count);
        },
        ends);
}

Task<int> number(int value) { co_return value; }
Task<int> sum(int one, int two) { co_return co_await number(one) + co_await number(two); }
Task<void> set(int& place, int value) { place = co_await number(value); }
Task<Pair> pair(int one, int two) { co_return {one, two}; }
Task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }
Task<int> unwrapped(int value) {
    const std::unique_ptr<int> inner = co_await owned(value);
    co_return *inner;
}
Task<int> failing(const char* why) {
    if (why != nullptr) throw std::runtime_error(why);
    co_return 1;
}
Task<std::string> caught(const char* why) {
    try {
        co_await failing(why);
    } catch (const std::runtime_error& error) {
        co_return error.what();
    }
    co_return "nothing";
}
Task<int> gated(Gate& gate, int& living, int value) {
    const Guard guard{living};
    co_await gate;
    co_return value;
}
Task<int> outer(Gate& gate, int& living) {
    const Guard guard{living};
    co_return 1 + co_await gated(gate, living, 41);
}
Task<int> deep(int levels) {
    if (levels == 0) co_return 0;
    co_return 1 + co_await deep(levels - 1);
}
Task<int> many(int times) {
    int total = 0;
    for (int i = 0; i < times; ++i) total += co_await number(1);
    co_return total;
}

TEST(Task, IsLazyAndGivesItsValue) {
    int place = 0;
    Task<void> task = set(place, 7);
    EXPECT_TRUE(task);
    EXPECT_FALSE(task.finished());
    EXPECT_EQ(place, 0);
    int ends = 0;
    run(task, &ends);
    EXPECT_TRUE(task.finished());
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(place, 7);
    task.take();

    Task<int> added = sum(2, 3);
    run(added);
    EXPECT_EQ(added.take(), 5);
    EXPECT_FALSE(Task<int>{});
    EXPECT_FALSE(Task<int>{}.finished());
}

TEST(Task, ReturnsBracesAndWhatOnlyMoves) {
    Task<Pair> both = pair(1, 2);
    run(both);
    EXPECT_EQ(both.take().two, 2);
    Task<std::unique_ptr<int>> one = owned(9);
    run(one);
    EXPECT_EQ(*one.take(), 9);
    Task<std::unique_ptr<int>> not_taken = owned(9);  // the frame destroys it
    run(not_taken);
    Task<int> nested = unwrapped(8);
    run(nested);
    EXPECT_EQ(nested.take(), 8);
}

TEST(Task, ThrowsWhereItIsAwaitedOrTaken) {
    Task<int> task = failing("no");
    run(task);
    ASSERT_TRUE(task.finished());
    EXPECT_THROW(task.take(), std::runtime_error);
    Task<std::string> text = caught("because");
    run(text);
    EXPECT_EQ(text.take(), "because");
    Task<std::string> fine = caught(nullptr);
    run(fine);
    EXPECT_EQ(fine.take(), "nothing");
}

TEST(Task, GoesOnWhereItWaited) {
    Gate gate;
    int living = 0;
    int ends = 0;
    Task<int> task = outer(gate, living);
    EXPECT_EQ(living, 0);
    run(task, &ends);
    EXPECT_EQ(living, 2);
    EXPECT_EQ(ends, 0);
    gate.open();
    EXPECT_EQ(living, 0);
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(task.take(), 42);
}

TEST(Task, DestroyedWhileItWaitsTakesAllWithIt) {
    Gate gate;
    int living = 0;
    int ends = 0;
    {
        Task<int> task = outer(gate, living);
        run(task, &ends);
        EXPECT_EQ(living, 2);
    }
    EXPECT_EQ(living, 0);
    Task<int> replaced = outer(gate, living);
    run(replaced, &ends);
    replaced = number(1);
    EXPECT_EQ(living, 0);
    { const Task<int> never_started = outer(gate, living); }
    EXPECT_EQ(living, 0);
    EXPECT_EQ(ends, 0);
}

TEST(Task, MayBeDestroyedByWhomItTells) {
    Gate gate;
    int living = 0;
    const auto destroy = [](void* task) {
        static_cast<std::unique_ptr<Task<int>>*>(task)->reset();
    };
    auto at_once = std::make_unique<Task<int>>(sum(1, 2));
    at_once->start(destroy, &at_once);
    EXPECT_EQ(at_once, nullptr);
    auto later = std::make_unique<Task<int>>(outer(gate, living));
    later->start(destroy, &later);
    ASSERT_NE(later, nullptr);
    gate.open();
    EXPECT_EQ(later, nullptr);
    EXPECT_EQ(living, 0);
}

TEST(Task, NestingTakesNoStack) {
// GCC jumps from frame to frame only when it optimises, and never under its sanitizers; otherwise
// each await takes stack.
#if defined(__clang__) || \
    (defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__))
    constexpr int kLevels = 100'000;
#else
    constexpr int kLevels = 1'000;
#endif
    Task<int> task = deep(kLevels);
    run(task);
    EXPECT_EQ(task.take(), kLevels);
    Task<int> row = many(kLevels);
    run(row);
    EXPECT_EQ(row.take(), kLevels);
}

TEST(Task, FramesAreReused) {
    const auto once = [] {
        Task<int> task = sum(1, 2);
        run(task);
        return task.take();
    };
    EXPECT_EQ(once(), 3);
    const std::size_t before = allocations;
    int total = 0;
    for (int i = 0; i < 1000; ++i) total += once();
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(total, 3000);
}

}  // namespace
}  // namespace helio::task_test
