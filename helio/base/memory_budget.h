// MemoryBudget: the memory that all clients together may make a server hold, and how much they hold
// now. Memory is counted where it is allocated: receive buffers, arenas of calls and replies,
// fragments of records, replies in the duplicate request cache, memory registered for RDMA. The
// results of waiting calls are counted from the moment they are promised. Memory that threads keep
// for the next call is counted as well, so they keep little when much is in use. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>

namespace helio {

class MemoryBudget final {
 public:
    explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    std::size_t bytes_max() const { return bytes_max_; }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    // Nearly used up: slow connections that hold much have to give some back, and the rest is
    // reserved for those that hold little.
    bool is_tight() const { return used() > tight(); }
    std::size_t tight() const { return bytes_max_ / 8 * 7; }
    // Whether freed memory may be kept for the next call.
    bool may_keep() const { return used() <= bytes_max_ / 2; }

    void add(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
    void remove(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
    const std::size_t bytes_max_;
    std::atomic<std::size_t> used_ = 0;
};

}  // namespace helio
