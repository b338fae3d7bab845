// Arena: the memory of one call. Decoded lists and arrays live in it until reset(). Destructors are
// never run, so only trivially destructible types may live there. reset() keeps the memory that
// ordinary calls need, so after the first call nothing is allocated.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "helio/base/memory_budget.h"

namespace helio::xdr {

// The most memory that one call may take. A 1 MiB message of the smallest list entries grows about
// tenfold when decoded.
inline constexpr std::size_t kArenaBytesMax = 256u << 20;
// The memory that reset() keeps: a READDIRPLUS of 1 MiB decodes into less.
inline constexpr std::size_t kArenaBytesKept = 4u << 20;

class Arena final {
 public:
    // Its blocks count in `budget`, if there is one, which must outlive it.
    explicit Arena(std::size_t bytes_max = kArenaBytesMax, MemoryBudget* budget = nullptr)
        : bytes_max_(bytes_max), budget_(budget) {}
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Uninitialised storage for `count` objects of type T; nullptr if that would exceed the limit.
    template <class T>
    T* make(std::size_t count = 1) {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
        if (count > SIZE_MAX / 2 / sizeof(T)) [[unlikely]]
            return nullptr;
        return static_cast<T*>(allocate(count * sizeof(T)));
    }

    // Zero bytes also have an address: nullptr means only that the limit was reached.
    void* allocate(std::size_t size) {
        size = (size + kAlignment - 1) & ~(kAlignment - 1);
        if (size > free()) [[unlikely]]
            return allocate_slow(size);
        void* const out = at_;
        at_ += size;
        return out;
    }

    // For a Writer: all that is free in the current block, at least `size` bytes; empty if that
    // would exceed the limit. give_back returns the unused part, unless something was allocated in
    // between.
    std::span<std::byte> take_rest(std::size_t size) {
        if (size > free()) [[unlikely]] {
            void* const fresh = allocate_slow((size + kAlignment - 1) & ~(kAlignment - 1));
            if (fresh == nullptr) return {};
            at_ = static_cast<std::byte*>(fresh);
        }
        const std::span<std::byte> rest{at_, end_};
        at_ = end_;
        return rest;
    }
    void give_back(std::byte* unused, const std::byte* end) {
        if (end != end_ || at_ != end_) return;
        const auto odd = reinterpret_cast<std::uintptr_t>(unused) & (kAlignment - 1);
        if (odd == 0)
            at_ = unused;
        else if (kAlignment - odd <= static_cast<std::size_t>(end_ - unused))
            at_ = unused + (kAlignment - odd);
    }

    // Announces that this much will be allocated soon. It counts in the budget now, and not again
    // when it is allocated.
    void reserve(std::size_t bytes) {
        if (budget_ != nullptr) budget_->add(bytes);
        reserved_ += bytes;
    }
    // Whatever was reserved and not allocated is no longer needed.
    void end_reservation() {
        if (budget_ != nullptr) budget_->remove(reserved_);
        reserved_ = 0;
    }

    // Frees everything. With HELIO_POISON the memory is overwritten, so that a view kept too long
    // fails loudly.
    void reset() {
#ifndef HELIO_POISON
        if (bytes_held_ <= kArenaBytesKept) [[likely]] {
            current_ = first_;
            at_ = first_begin_;
            end_ = first_end_;
            return;
        }
#endif
        reset_slow(kArenaBytesKept);
    }
    // Like reset(), but keeps only a block for the next short call. For when memory is short.
    void shrink() { reset_slow(kFirstBlockSize); }

    std::size_t bytes_max() const { return bytes_max_; }
    std::size_t bytes_held() const { return bytes_held_; }
    MemoryBudget* budget() const { return budget_; }

 private:
    static constexpr std::size_t kAlignment = 8;               // no decoded type needs more
    static constexpr std::size_t kFirstBlockSize = 64u << 10;  // most calls without bulk data
    struct Block;

    std::size_t free() const { return static_cast<std::size_t>(end_ - at_); }
    void* allocate_slow(std::size_t size);
    void reset_slow(std::size_t bytes_kept);
    void release(Block* block);

    alignas(kAlignment) static inline std::byte
        nowhere_;  // the address of empty allocations: not nullptr
    std::byte* at_ = &nowhere_;
    std::byte* end_ = &nowhere_;
    std::byte* first_begin_ = &nowhere_;  // of the first block
    std::byte* first_end_ = &nowhere_;
    Block* first_ = nullptr;  // in order of use; blocks after current_ are free
    Block* current_ = nullptr;
    std::size_t bytes_max_;
    std::size_t bytes_held_ = 0;
    std::size_t reserved_ = 0;
    MemoryBudget* budget_;
};

}  // namespace helio::xdr
