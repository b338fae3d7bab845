#include "helio/virt/server/workers.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace helio::virt::server {

// High-priority calls use their reserved workers first, then the others.
bool Workers::fits(std::uint64_t busy, Priority priority) const {
    const std::uint64_t low_busy = busy & 0xffffffff, high_busy = busy >> 32;
    const std::uint64_t kept = priority_workers_.load(), common = workers_.load();
    if (priority == Priority::high) return low_busy + high_busy < common + kept;
    return low_busy + (high_busy > kept ? high_busy - kept : 0) < common;
}

bool Workers::take(Priority priority) {
    std::uint64_t busy = busy_.load();
    while (fits(busy, priority))
        if (busy_.compare_exchange_weak(busy, busy + one_of(priority))) return true;
    return false;
}

void Workers::give_back(Priority priority) {
    busy_.fetch_sub(one_of(priority));
    if (waiting_.load() > 0) [[unlikely]]
        wake_next();
}

void Workers::wait(Priority priority, std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    queue_of(priority).push_back(std::move(wake));
    waiting_.fetch_add(1);
}

// Wakes one of each priority: whichever tries first gets the worker.
void Workers::wake_next() {
    std::vector<std::function<void()>> woken;
    {
        const std::lock_guard lock(mutex_);
        for (const Priority priority : {Priority::high, Priority::low}) {
            auto& queue = queue_of(priority);
            if (queue.empty() || !has_free(priority)) continue;
            woken.push_back(std::move(queue.front()));
            queue.pop_front();
            waiting_.fetch_sub(1);
        }
    }
    for (const auto& wake : woken) wake();
}

void Workers::set_limits(unsigned workers, unsigned priority_workers) {
    workers_ = workers;
    priority_workers_ = priority_workers;
    for (std::size_t all = waiting_.load(); all > 0; --all) wake_next();
}

Workers::Figures Workers::figures() const {
    const std::uint64_t busy = busy_.load();
    return {.workers = workers_.load(),
            .priority = priority_workers_.load(),
            .busy_low = static_cast<unsigned>(busy & 0xffffffff),
            .busy_high = static_cast<unsigned>(busy >> 32),
            .waiting = waiting_.load()};
}

}  // namespace helio::virt::server
