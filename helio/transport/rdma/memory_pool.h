// MemoryPool: memory registered with a device once and lent many times. Registering costs a system
// call and pins pages, so it is done per slab. Unused slabs are released when trim() finds that
// much less was needed, or when there is no memory for blocks of another size. One pool per device,
// shared by all its links; thread-safe.
//
// A peer that knows a block's remote key can read and write the whole slab, because keys are per
// slab. So memory lent for others to write never shares a slab with memory that only we write
// (Purpose).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/memory_budget.h"
#include "helio/rpc/payload_memory.h"

namespace helio::transport::rdma {

// The most memory of one device's pool: a gigabyte of data in flight.
inline constexpr std::size_t kRegisteredBytesMax = 1u << 30;
// The longest block: a message with 4 MiB of data, and its head.
inline constexpr std::size_t kRegisteredBlockMax = (4u << 20) + 4096;

enum class Purpose : std::uint8_t {
    own,     // the device reads and writes it on our behalf only
    shared,  // the other side reads and writes it by its remote key
};

// Registered memory; destroying it ends the registration.
class Region {
 public:
    virtual ~Region() = default;
    std::uint32_t local_key = 0;
    std::uint32_t remote_key = 0;
};

// How a device registers memory.
class Registrar {
 public:
    virtual ~Registrar() = default;
    // nullptr and errno when the device or the kernel refuses. The memory outlives the region.
    virtual std::unique_ptr<Region> add(std::span<std::byte> memory, Purpose purpose) = 0;
};

class MemoryPool;

// A block from the pool, returned to it on destruction. Keeps the pool alive.
class Block final {
 public:
    Block() = default;
    Block(Block&& other) noexcept { swap(other); }
    Block& operator=(Block&& other) noexcept {
        Block{std::move(other)}.swap(*this);
        return *this;
    }
    ~Block();

    explicit operator bool() const { return data_ != nullptr; }
    std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }  // at least the size requested
    std::uint32_t local_key() const { return local_key_; }
    std::uint32_t remote_key() const { return remote_key_; }

 private:
    friend class MemoryPool;
    void swap(Block& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(local_key_, other.local_key_);
        std::swap(remote_key_, other.remote_key_);
        std::swap(free_list_, other.free_list_);
    }

    std::shared_ptr<MemoryPool> pool_;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::uint32_t local_key_ = 0;
    std::uint32_t remote_key_ = 0;
    std::uint32_t free_list_ = 0;
};

class MemoryPool final : public rpc::PayloadMemory,
                         public std::enable_shared_from_this<MemoryPool> {
 public:
    static std::shared_ptr<MemoryPool> make(std::unique_ptr<Registrar> registrar,
                                            std::size_t bytes_max = kRegisteredBytesMax);
    ~MemoryPool() override;

    // Empty when the pool has grown to its limit, the device refuses, or the size is beyond
    // kRegisteredBlockMax.
    Block take(std::size_t size, Purpose purpose = Purpose::own);
    // Its memory counts in a server's budget, and it grows only while that is not tight. nullptr
    // ends this, before the budget is destroyed.
    void count_in(MemoryBudget* budget);
    // Releases some slabs that nothing uses, if less than half of the memory was needed since the
    // last call of this. It takes a few milliseconds at most.
    void trim();
    // For results: the same as take(), held by an owner. From any thread.
    std::span<std::byte> take_payload(std::size_t size,
                                      std::shared_ptr<const void>& owner) override;
    // The local key of bytes that lie in this pool, wherever they came from.
    std::optional<std::uint32_t> key_of(ByteView bytes) const;
    // The remote key of bytes that lie in this pool in memory of Purpose::shared.
    std::optional<std::uint32_t> remote_key_of(ByteView bytes) const;

    std::size_t bytes_registered() const;
    std::size_t blocks_lent() const;
    // Why the pool last could not grow: the errno of the device or the kernel (ENOMEM is mostly
    // RLIMIT_MEMLOCK), ENOBUFS at its own limit. 0: it always could.
    int last_error() const { return last_error_.load(std::memory_order_relaxed); }

 private:
    friend class Block;
    // Memory of one mapping, in blocks of one free_list.
    struct Slab {
        std::byte* begin = nullptr;
        std::size_t size = 0;
        Purpose purpose = Purpose::own;
        std::unique_ptr<Region> region;
    };
    const Slab* slab_of(ByteView bytes) const;
    struct BeforeSlab;  // their order
    // A free block. Recorded here and not in the block itself: peers that once knew a shared slab's
    // key could write there.
    struct Free {
        std::byte* data;
        std::uint32_t local_key;
        std::uint32_t remote_key;
    };
    // Blocks of one size and purpose. The one given back last is lent next: it is in the caches.
    struct FreeList {
        std::vector<Free> unused;
        std::size_t blocks = 0;  // lent ones too: `unused` has room for all of them
    };
    static constexpr std::size_t kSizes = 6;

    MemoryPool(std::unique_ptr<Registrar> registrar, std::size_t bytes_max);
    bool pop(std::size_t free_list, Block& into);
    void give_back(const Block& block);
    bool grow(std::size_t free_list);
    bool add_slab(std::size_t free_list, std::size_t blocks);
    bool drop_idle_slabs(std::size_t bytes_max);
    static void release_slab(Slab& slab);

    const std::unique_ptr<Registrar> registrar_;
    const std::size_t bytes_max_;
    std::mutex growing_;        // held while a device registers; taken before mutex_
    mutable std::mutex mutex_;  // for everything below; held for a few instructions at a time
    std::vector<Slab> slabs_;   // by address
    std::array<FreeList, 2 * kSizes> free_lists_;
    MemoryBudget* budget_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t lent_ = 0;
    std::size_t lent_bytes_ = 0;
    std::size_t lent_bytes_peak_ = 0;  // since the last trim()
    std::atomic<int> last_error_{0};
};

}  // namespace helio::transport::rdma
