// Pool: threads for blocking work: reading a file that is not cached, resolving a name. A coroutine
// on an event loop awaits offload(pool, function): the function runs on the pool, the coroutine
// resumes on its loop. The function may use what the coroutine holds, because that is suspended.
//
//     const auto size = co_await offload(pool, [&] { return std::filesystem::file_size(path); });
//
// A pool without threads runs nothing on its own: its owner runs the queued jobs, one at a time and
// in any order. Thus a test that drives a server (Server::start_driven) decides when blocking work
// happens.
#pragma once

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "helio/base/assert.h"
#include "helio/base/clock.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/loop/pool_queue.h"

namespace helio::transport {

// Threads that a pool adds while all its own are busy or hang, and jobs of another group wait.
inline constexpr std::size_t kSpareThreadsMax = 64;

class Pool final {
 public:
    struct Job : EventLoop::Posted, PoolJob {
        void (*work)(Job& self) = nullptr;
        EventLoop* home = nullptr;  // null: nobody waits for the job, which destroys itself
    };

    // With 0 threads the owner calls run_queued().
    explicit Pool(unsigned threads);
    ~Pool();  // waits until every job has ended
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    void give(Job& job);
    // From any thread: runs `work` without telling anybody. It must not throw.
    void run_detached(std::function<void()> work, const PoolOrder& order = {});
    // On the job's home thread: the job has not returned, and will not. Waits while it runs.
    void take_back(Job& job);

    // False if jobs wait or run after this time.
    bool wait_until_idle(std::chrono::milliseconds at_most);
    // Jobs that no thread has begun.
    std::size_t queued() const;
    // Jobs of a group, begun or not.
    std::size_t jobs_of(const void* group) const;
    // How long a job of the group has been running, if any. Reveals a file system that hangs.
    std::chrono::milliseconds longest_of(const void* group) const;
    // Runs a queued job on this thread: 0 is the one that has waited longest. Only for a pool
    // without threads; threads could have produced any order of these calls.
    void run_queued(std::size_t index = 0);

 private:
    // The job that a thread runs.
    struct Running {
        const Job* job = nullptr;  // only its address: it may be gone
        PoolOrder order;
        Clock::time_point began;
    };
    static void run_job(Job& job);
    void run(Running& mine);
    void add_thread();
    void add_thread_if_one_starves();
    bool should_wake();

    const std::size_t threads_max_;
    mutable std::mutex mutex_;
    std::condition_variable work_;
    std::condition_variable ended_;
    PoolQueue queue_;
    std::deque<Running> running_;  // by each thread
    std::size_t idle_ = 0;         // threads that wait for a job
    bool is_waking_ = false;       // an idle thread was woken to look for it
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

// Destroying the coroutine waits for its function, unless that has not started.
template <class F>
class Offload final : private Pool::Job {
 public:
    using Value = std::invoke_result_t<F&>;
    Offload(Pool& pool, F function, const PoolOrder& how = {})
        : pool_(pool), function_(std::move(function)) {
        order = how;
    }
    Offload(const Offload&) = delete;
    Offload& operator=(const Offload&) = delete;
    ~Offload() {
        if (away_) pool_.take_back(*this);
    }

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) {
        waiter_ = waiter;
        home = EventLoop::current();
        HELIO_ASSERT(home != nullptr);
        work = [](Pool::Job& self) { static_cast<Offload&>(self).compute(); };
        run = [](EventLoop::Posted& self) {
            auto& mine = static_cast<Offload&>(static_cast<Pool::Job&>(self));
            mine.away_ = false;
            mine.waiter_.resume();
        };
        away_ = true;
        pool_.give(*this);
    }
    Value await_resume() {
        if (error_) std::rethrow_exception(error_);
        if constexpr (!std::is_void_v<Value>) return std::move(*value_);
    }

 private:
    void compute() noexcept {
        try {
            if constexpr (std::is_void_v<Value>)
                function_();
            else
                value_.emplace(function_());
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    Pool& pool_;
    F function_;
    std::coroutine_handle<> waiter_;
    bool away_ = false;  // in the pool, or on its way back
    std::exception_ptr error_;
    struct Nothing {};
    std::optional<std::conditional_t<std::is_void_v<Value>, Nothing, Value>> value_;
};

// The function must capture by reference ([&]) and own nothing: GCC 12 destroys a lambda within a
// co_await twice, which matters if its captures have destructors.
template <class F>
Offload<F> offload(Pool& pool, F function) {
    static_assert(std::is_trivially_destructible_v<F>, "capture by reference; see above");
    return {pool, std::move(function)};
}

}  // namespace helio::transport
