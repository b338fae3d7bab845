// Arena: the memory of one call. Decoded lists and arrays live in it until reset(); nothing in it
// is ever destroyed, so only trivially destructible things may live there. Warm after the first
// call: reset() keeps what ordinary calls need, and then nothing is allocated.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace helio::xdr {

// The most one call may take. A 1 MiB message of the smallest list entries grows about tenfold.
inline constexpr std::size_t kArenaBytesMax = 256u << 20;
// What reset() keeps: a READDIRPLUS of 1 MiB decodes into less.
inline constexpr std::size_t kArenaBytesKept = 4u << 20;

class Arena final {
 public:
    explicit Arena(std::size_t bytes_max = kArenaBytesMax) : bytes_max_(bytes_max) {}
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Storage for `count` of T, not initialised; nullptr when that would pass the limit.
    template <class T>
    T* make(std::size_t count = 1) {
        static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
        if (count > bytes_max_ / sizeof(T)) return nullptr;
        if (count == 0) count = 1;  // an address to point at, also for nothing
        return static_cast<T*>(allocate(count * sizeof(T)));
    }

    void* allocate(std::size_t size) {
        size = (size + kAlignment - 1) & ~(kAlignment - 1);
        if (size > static_cast<std::size_t>(end_ - at_)) return allocate_slow(size);
        void* const out = at_;
        at_ += size;
        return out;
    }

    // Everything made so far is gone; under HELIO_POISON it is overwritten, so that a view kept too
    // long fails loudly.
    void reset();

    std::size_t bytes_max() const { return bytes_max_; }
    std::size_t bytes_held() const { return bytes_held_; }

 private:
    static constexpr std::size_t kAlignment = alignof(std::max_align_t);
    struct Block;

    void* allocate_slow(std::size_t size);

    std::byte* at_ = nullptr;
    std::byte* end_ = nullptr;
    Block* first_ = nullptr;  // in order of use; blocks behind current_ are warm and empty
    Block* current_ = nullptr;
    std::size_t bytes_max_;
    std::size_t bytes_held_ = 0;
};

}  // namespace helio::xdr
