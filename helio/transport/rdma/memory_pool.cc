#include "helio/transport/rdma/memory_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "helio/base/assert.h"

namespace helio::transport::rdma {

namespace {
// A header beside a power of two of data fits without doubling the block. All sizes are whole
// pages.
constexpr std::size_t kBlockHead = 4096;
constexpr std::array<std::size_t, 6> kBlockSizes{
    4u << 10,
    16u << 10,
    64u << 10,
    (256u << 10) + kBlockHead,
    (1u << 20) + kBlockHead,
    kRegisteredBlockMax,
};
// Preferred blocks per slab: few registrations for small blocks, and at most half of the usual
// RLIMIT_MEMLOCK of 8 MiB for large ones.
constexpr std::array<std::size_t, 6> kBlocksPerSlab{128, 64, 16, 8, 4, 1};
// Memory that one trim() releases: unpinning pages takes time, and connections wait meanwhile.
constexpr std::size_t kTrimBytesMax = 32u << 20;

std::size_t size_class_of(std::size_t size) {
    std::size_t at = 0;
    while (kBlockSizes[at] < size) ++at;
    return at;
}
}  // namespace

struct MemoryPool::BeforeSlab {
    bool operator()(const std::byte* address, const Slab& slab) const {
        return std::less<const std::byte*>{}(address, slab.begin);
    }
};

Block::~Block() {
    if (data_ != nullptr) pool_->give_back(*this);
}

std::shared_ptr<MemoryPool> MemoryPool::make(std::unique_ptr<Registrar> registrar,
                                             std::size_t bytes_max) {
    return std::shared_ptr<MemoryPool>{new MemoryPool(std::move(registrar), bytes_max)};
}

MemoryPool::MemoryPool(std::unique_ptr<Registrar> registrar, std::size_t bytes_max)
    : registrar_(std::move(registrar)), bytes_max_(bytes_max) {
    static_assert(kBlockSizes.size() == kSizes && kBlocksPerSlab.size() == kSizes);
}

MemoryPool::~MemoryPool() {
    HELIO_ASSERT(lent_ == 0);  // each block keeps the pool alive
    for (Slab& slab : slabs_) release_slab(slab);
    if (budget_ != nullptr) budget_->remove(bytes_);
}

void MemoryPool::count_in(MemoryBudget* budget) {
    const std::lock_guard lock{mutex_};
    if (budget == budget_) return;
    if (budget_ != nullptr) budget_->remove(bytes_);
    budget_ = budget;
    if (budget_ != nullptr) budget_->add(bytes_);
}

void MemoryPool::trim() {
    {
        const std::lock_guard lock{mutex_};
        const std::size_t needed = std::exchange(lent_bytes_peak_, lent_bytes_);
        if (needed >= bytes_ / 2) return;
    }
    drop_idle_slabs(kTrimBytesMax);
}

Block MemoryPool::take(std::size_t size, Purpose purpose) {
    Block block;
    if (size > kRegisteredBlockMax) return block;
    const std::size_t first = (purpose == Purpose::shared ? kSizes : 0) + size_class_of(size);
    const std::size_t last = (purpose == Purpose::shared ? 2 * kSizes : kSizes) - 1;
    while (!pop(first, block)) {
        if (grow(first)) continue;
        // A block that is too large is better than none, and better than registering another slab.
        std::size_t larger = first + 1;
        while (larger <= last && !pop(larger, block)) ++larger;
        if (larger <= last) break;
        if (!drop_idle_slabs(bytes_max_)) return block;
    }
    block.pool_ = shared_from_this();
    return block;
}

std::span<std::byte> MemoryPool::take_payload(std::size_t size,
                                              std::shared_ptr<const void>& owner) {
    Block block = take(size, Purpose::own);
    if (!block) return {};
    std::byte* const data = block.data();
    owner = std::make_shared<const Block>(std::move(block));
    return {data, size};
}

bool MemoryPool::pop(std::size_t free_list, Block& into) {
    const std::lock_guard lock{mutex_};
    auto& unused = free_lists_[free_list].unused;
    if (unused.empty()) return false;
    const Free free = unused.back();
    unused.pop_back();
    ++lent_;
    into.data_ = free.data;
    into.size_ = kBlockSizes[free_list % kSizes];
    lent_bytes_ += into.size_;
    lent_bytes_peak_ = std::max(lent_bytes_peak_, lent_bytes_);
    into.local_key_ = free.local_key;
    into.remote_key_ = free.remote_key;
    into.free_list_ = static_cast<std::uint32_t>(free_list);
    return true;
}

void MemoryPool::give_back(const Block& block) {
#ifdef HELIO_POISON
    std::memset(block.data_, 0xdb, block.size_);
#endif
    const std::lock_guard lock{mutex_};
    --lent_;
    lent_bytes_ -= block.size_;
    // There is room, reserved by grow().
    free_lists_[block.free_list_].unused.push_back(
        {block.data_, block.local_key_, block.remote_key_});
}

// True if there were unused blocks a moment ago.
bool MemoryPool::grow(std::size_t free_list) {
    const std::lock_guard growing{growing_};
    const std::size_t block_size = kBlockSizes[free_list % kSizes];
    std::size_t room = 0;
    {
        const std::lock_guard lock{mutex_};
        if (!free_lists_[free_list].unused.empty()) return true;  // another thread was faster
        std::size_t bytes_left = bytes_max_ - std::min(bytes_max_, bytes_);
        if (budget_ != nullptr)
            bytes_left = std::min(bytes_left,
                                  budget_->tight() - std::min(budget_->tight(), budget_->used()));
        room = bytes_left / block_size;
    }
    if (room == 0) {
        last_error_.store(ENOBUFS, std::memory_order_relaxed);
        return false;
    }
    const std::size_t wanted = std::min(room, kBlocksPerSlab[free_list % kSizes]);
    // If little memory may be locked, a slab of one block may still fit.
    return add_slab(free_list, wanted) || (wanted > 1 && add_slab(free_list, 1));
}

bool MemoryPool::add_slab(std::size_t free_list, std::size_t blocks) {
    const std::size_t block_size = kBlockSizes[free_list % kSizes];
    Slab slab;
    slab.size = blocks * block_size;
    void* const memory =
        mmap(nullptr, slab.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        last_error_.store(errno, std::memory_order_relaxed);
        return false;
    }
    slab.begin = static_cast<std::byte*>(memory);
    errno = 0;
    slab.purpose = free_list < kSizes ? Purpose::own : Purpose::shared;
    slab.region = registrar_->add({slab.begin, slab.size}, slab.purpose);
    if (slab.region == nullptr) {
        last_error_.store(errno != 0 ? errno : EIO, std::memory_order_relaxed);
        munmap(memory, slab.size);
        return false;
    }

    const std::lock_guard lock{mutex_};
    FreeList& on = free_lists_[free_list];
    on.blocks += blocks;
    on.unused.reserve(on.blocks);
    for (std::size_t i = blocks; i-- > 0;)  // the lowest is lent first
        on.unused.push_back(
            {slab.begin + i * block_size, slab.region->local_key, slab.region->remote_key});
    bytes_ += slab.size;
    if (budget_ != nullptr) budget_->add(slab.size);
    const auto place = std::upper_bound(slabs_.begin(), slabs_.end(), slab.begin, BeforeSlab{});
    slabs_.insert(place, std::move(slab));
    return true;
}

// With mutex_ held.
const MemoryPool::Slab* MemoryPool::slab_of(ByteView bytes) const {
    auto slab = std::upper_bound(slabs_.begin(), slabs_.end(), bytes.data(), BeforeSlab{});
    if (slab == slabs_.begin()) return nullptr;
    --slab;
    const auto offset = static_cast<std::size_t>(bytes.data() - slab->begin);
    if (offset >= slab->size || bytes.size() > slab->size - offset) return nullptr;
    return &*slab;
}

// Releases unused slabs, up to this many bytes. False if there are none.
bool MemoryPool::drop_idle_slabs(std::size_t bytes_max) {
    std::vector<Slab> idle;
    {
        const std::lock_guard lock{mutex_};
        std::vector<std::size_t> unused_bytes(slabs_.size());
        const auto slab_of = [this](const Free& free) {
            const auto behind =
                std::upper_bound(slabs_.begin(), slabs_.end(), free.data, BeforeSlab{});
            return static_cast<std::size_t>(behind - slabs_.begin()) - 1;
        };
        for (std::size_t free_list = 0; free_list < free_lists_.size(); ++free_list)
            for (const Free& free : free_lists_[free_list].unused)
                unused_bytes[slab_of(free)] += kBlockSizes[free_list % kSizes];
        std::vector<bool> is_dropped(slabs_.size());
        std::size_t dropped_bytes = 0;
        for (std::size_t i = 0; i < slabs_.size() && dropped_bytes < bytes_max; ++i) {
            if (unused_bytes[i] != slabs_[i].size) continue;
            is_dropped[i] = true;
            dropped_bytes += slabs_[i].size;
        }
        for (FreeList& free_list : free_lists_)
            free_list.blocks -= std::erase_if(
                free_list.unused, [&](const Free& free) { return is_dropped[slab_of(free)]; });
        std::vector<Slab> kept;
        for (std::size_t i = 0; i < slabs_.size(); ++i)
            (is_dropped[i] ? idle : kept).push_back(std::move(slabs_[i]));
        slabs_ = std::move(kept);
        bytes_ -= dropped_bytes;
        if (budget_ != nullptr) budget_->remove(dropped_bytes);
    }
    for (Slab& slab : idle) release_slab(slab);
    return !idle.empty();
}

void MemoryPool::release_slab(Slab& slab) {
    slab.region.reset();  // before its memory
    munmap(slab.begin, slab.size);
}

std::optional<std::uint32_t> MemoryPool::key_of(ByteView bytes) const {
    const std::lock_guard lock{mutex_};
    const Slab* const slab = slab_of(bytes);
    if (slab == nullptr) return std::nullopt;
    return slab->region->local_key;
}

std::optional<std::uint32_t> MemoryPool::remote_key_of(ByteView bytes) const {
    const std::lock_guard lock{mutex_};
    const Slab* const slab = slab_of(bytes);
    if (slab == nullptr || slab->purpose != Purpose::shared) return std::nullopt;
    return slab->region->remote_key;
}

std::size_t MemoryPool::bytes_registered() const {
    const std::lock_guard lock{mutex_};
    return bytes_;
}

std::size_t MemoryPool::blocks_lent() const {
    const std::lock_guard lock{mutex_};
    return lent_;
}

}  // namespace helio::transport::rdma
