// Workers: how many calls of all clients together a daemon runs at a time. libvirtd has threads
// for that; here a call that waits is a coroutine and costs none, but a program under test meets
// the same wall: with every worker busy a call waits, unless its procedure is one of the quick ones
// for which a few workers are kept (@priority high in the schema).
//
// Any thread. Who finds no worker leaves word by wait() and is called back.
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

class Workers final {
 public:
    explicit Workers(unsigned workers = kWorkersMax, unsigned priority = kPriorityWorkersMax)
        : workers_(workers), priority_(priority) {}
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // False: none is free.
    bool take(bool high);
    bool has_free(bool high) const { return fits(busy_.load(), high); }
    void give_back(bool high);
    // `wake` is called once, from any thread and with nothing locked that it could need, when one
    // may be free. Try take() again after this: one may have been given back meanwhile.
    void wait(bool high, std::function<void()> wake);
    // Who was woken has no use for it any more.
    void pass_on();

    void set_limits(unsigned workers, unsigned priority);
    struct Figures {
        unsigned workers = 0, priority = 0;  // there are
        unsigned busy_low = 0, busy_high = 0;
        std::size_t waiting = 0;  // clients
    };
    Figures figures() const;

 private:
    // Calls that run: the high ones in the upper half.
    static constexpr std::uint64_t kOneLow = 1, kOneHigh = std::uint64_t{1} << 32;
    bool fits(std::uint64_t busy, bool high) const;

    std::atomic<unsigned> workers_, priority_;
    std::atomic<std::uint64_t> busy_ = 0;
    std::atomic<std::size_t> waiting_ = 0;  // in both queues: nobody locks for nothing
    mutable std::mutex mutex_;
    std::deque<std::function<void()>> low_, high_;
};

}  // namespace helio::virt::server
