// MemoryBudget: what all clients together may make a server hold: records that have not wholly
// arrived, replies that calls will have, and replies that have not been sent. Thread-safe.
// Connections count in steps of kMemoryStep, so that short calls, which are never held for long,
// cost nothing.
#pragma once

#include <atomic>
#include <cstddef>

namespace helio::rpc {

inline constexpr std::size_t kMemoryStep = 64u << 10;

class MemoryBudget final {
 public:
    explicit MemoryBudget(std::size_t bytes_max)
        : bytes_max_(bytes_max), tight_(bytes_max / 8 * 7) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    std::size_t bytes_max() const { return bytes_max_; }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    // Nearly used up: whoever holds much and is slow has to give some back.
    bool is_tight() const { return used() > tight(); }
    std::size_t tight() const { return tight_; }
    void exchange(std::size_t before, std::size_t after) {
        used_.fetch_add(after - before, std::memory_order_relaxed);
    }

 private:
    const std::size_t bytes_max_;
    const std::size_t tight_;
    std::atomic<std::size_t> used_ = 0;
};

}  // namespace helio::rpc
