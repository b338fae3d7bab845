#include "helio/virt/server/workers.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace helio::virt::server {

// High ones take the workers kept for them first, then those of all.
bool Workers::fits(std::uint64_t busy, bool high) const {
    const std::uint64_t low_busy = busy & 0xffffffff, high_busy = busy >> 32;
    const std::uint64_t kept = priority_.load(), common = workers_.load();
    if (high) return low_busy + high_busy < common + kept;
    return low_busy + (high_busy > kept ? high_busy - kept : 0) < common;
}

bool Workers::take(bool high) {
    std::uint64_t busy = busy_.load();
    while (fits(busy, high))
        if (busy_.compare_exchange_weak(busy, busy + (high ? kOneHigh : kOneLow))) return true;
    return false;
}

void Workers::give_back(bool high) {
    busy_.fetch_sub(high ? kOneHigh : kOneLow);
    if (waiting_.load() > 0) [[unlikely]]
        pass_on();
}

void Workers::wait(bool high, std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    (high ? high_ : low_).push_back(std::move(wake));
    waiting_.fetch_add(1);
}

// One of each kind: which of them gets the worker is decided when they try.
void Workers::pass_on() {
    std::vector<std::function<void()>> woken;
    {
        const std::lock_guard lock(mutex_);
        for (const bool high : {true, false}) {
            auto& queue = high ? high_ : low_;
            if (queue.empty() || !has_free(high)) continue;
            woken.push_back(std::move(queue.front()));
            queue.pop_front();
            waiting_.fetch_sub(1);
        }
    }
    for (const auto& wake : woken) wake();
}

void Workers::set_limits(unsigned workers, unsigned priority) {
    workers_ = workers;
    priority_ = priority;
    for (std::size_t all = waiting_.load(); all > 0; --all) pass_on();
}

Workers::Figures Workers::figures() const {
    const std::uint64_t busy = busy_.load();
    return {.workers = workers_.load(),
            .priority = priority_.load(),
            .busy_low = static_cast<unsigned>(busy & 0xffffffff),
            .busy_high = static_cast<unsigned>(busy >> 32),
            .waiting = waiting_.load()};
}

}  // namespace helio::virt::server
