// Workers: how many calls of all clients together a daemon runs at a time. libvirtd has threads
// for that; here a call that waits is a coroutine and costs none, but a program under test meets
// the same wall: with every worker busy a call waits, unless its procedure is one of the quick ones
// for which a few workers are kept (@priority high in the schema).
//
// Any thread. A client that finds no worker queues with wait() and is called back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace helio::virt::server {

// libvirtd's max_workers and prio_workers.
inline constexpr unsigned kWorkersMax = 20;
inline constexpr unsigned kPriorityWorkersMax = 5;

enum class Priority : std::uint8_t { low, high };

class Workers final {
 public:
    explicit Workers(unsigned workers = kWorkersMax,
                     unsigned priority_workers = kPriorityWorkersMax)
        : workers_(workers), priority_workers_(priority_workers) {}
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // False: none is free.
    bool take(Priority priority);
    bool has_free(Priority priority) const { return fits(busy_.load(), priority); }
    void give_back(Priority priority);
    // `wake` is called once, from any thread and with nothing locked that it could need, when one
    // may be free. Try take() again after this: one may have been given back meanwhile.
    void wait(Priority priority, std::function<void()> wake);
    // Wakes the next that waits, if a worker is free: after one that was woken has no use for it.
    void wake_next();

    void set_limits(unsigned workers, unsigned priority_workers);
    struct Figures {
        unsigned workers = 0, priority = 0;  // there are
        unsigned busy_low = 0, busy_high = 0;
        std::size_t waiting = 0;  // clients
    };
    Figures figures() const;

 private:
    // Calls that run: the high ones in the upper half.
    static constexpr std::uint64_t one_of(Priority priority) {
        return priority == Priority::high ? std::uint64_t{1} << 32 : 1;
    }
    std::deque<std::function<void()>>& queue_of(Priority priority) {
        return priority == Priority::high ? high_ : low_;
    }
    bool fits(std::uint64_t busy, Priority priority) const;

    std::atomic<unsigned> workers_, priority_workers_;
    std::atomic<std::uint64_t> busy_ = 0;
    std::atomic<std::size_t> waiting_ = 0;  // in both queues: nobody locks for nothing
    mutable std::mutex mutex_;
    std::deque<std::function<void()>> low_, high_;
};

}  // namespace helio::virt::server
