// Workers: limits how many calls of all clients a daemon runs at once. libvirtd has a thread for
// each; here a waiting call is a coroutine and costs no thread, but programs under test meet the
// same limit: if all workers are busy, a call waits, unless its procedure is one of the quick ones
// with reserved workers (@priority high in the schema).
//
// Thread-safe. A client that finds no worker queues with wait() and is called back.
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

    // False if none is free.
    bool take(Priority priority);
    bool has_free(Priority priority) const { return fits(busy_.load(), priority); }
    void give_back(Priority priority);
    // `wake` is called once, from any thread and without locks held, when one may be free. Call
    // take() again after this: one may have been released meanwhile.
    void wait(Priority priority, std::function<void()> wake);
    // Wakes the next waiter if a worker is free: call it if a woken client has no use for it.
    void wake_next();

    void set_limits(unsigned workers, unsigned priority_workers);
    struct Figures {
        unsigned workers = 0, priority = 0;  // limits
        unsigned busy_low = 0, busy_high = 0;
        std::size_t waiting = 0;  // clients
    };
    Figures figures() const;

 private:
    // Running calls: the high-priority ones in the upper half.
    static constexpr std::uint64_t one_of(Priority priority) {
        return priority == Priority::high ? std::uint64_t{1} << 32 : 1;
    }
    std::deque<std::function<void()>>& queue_of(Priority priority) {
        return priority == Priority::high ? high_ : low_;
    }
    bool fits(std::uint64_t busy, Priority priority) const;

    std::atomic<unsigned> workers_, priority_workers_;
    std::atomic<std::uint64_t> busy_ = 0;
    std::atomic<std::size_t> waiting_ = 0;  // in both queues: avoids locking if 0
    mutable std::mutex mutex_;
    std::deque<std::function<void()>> low_, high_;
};

}  // namespace helio::virt::server
