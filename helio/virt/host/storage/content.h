// VolumeContent: a volume's data, in memory, in pages; pages never written take no memory and read
// as zeros. Shared by the volume and its open streams, so a volume may be deleted during a
// download. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace helio::virt::host {

// As small as the blocks of file systems on such volumes.
inline constexpr std::size_t kVolumePageSize = 4096;
// Default limit for the data of all volumes of a host: a test's uploads fit, and a client that
// writes forever gets "disk full".
inline constexpr std::uint64_t kContentBytesMax = std::uint64_t{1} << 30;
// Capacity of one volume, most of which may be holes: offsets cannot overflow.
inline constexpr std::uint64_t kVolumeCapacityMax = std::uint64_t{1} << 60;

// Memory left for all volumes of a host.
class ContentBudget final {
 public:
    explicit ContentBudget(std::uint64_t bytes_max = kContentBytesMax) : max_(bytes_max) {}
    bool take(std::uint64_t bytes);
    void give(std::uint64_t bytes) { used_.fetch_sub(bytes); }
    std::uint64_t used() const { return used_.load(); }

 private:
    const std::uint64_t max_;
    std::atomic<std::uint64_t> used_{0};
};

class VolumeContent final {
 public:
    VolumeContent(std::uint64_t capacity, std::shared_ptr<ContentBudget> budget);
    ~VolumeContent();
    VolumeContent(const VolumeContent&) = delete;
    VolumeContent& operator=(const VolumeContent&) = delete;

    std::uint64_t capacity() const;
    std::uint64_t allocation() const;  // bytes of allocated pages
    void resize(std::uint64_t capacity);
    // Zeroes everything and frees its memory.
    void clear();

    // Reads up to the capacity; 0 at the end.
    std::size_t read(std::uint64_t offset, std::span<std::byte> into) const;
    // Writes up to the capacity; less, or nothing, if the budget is used up.
    std::size_t write(std::uint64_t offset, std::span<const std::byte> from);
    // Zeroes this range.
    void punch(std::uint64_t offset, std::uint64_t size);

    // What is at `offset`: data or a hole, and its length; 0 at the end.
    struct Extent {
        bool data = false;
        std::uint64_t size = 0;
    };
    Extent extent(std::uint64_t offset) const;

 private:
    using Page = std::array<std::byte, kVolumePageSize>;

    mutable std::mutex mutex_;
    std::uint64_t capacity_;
    std::shared_ptr<ContentBudget> budget_;
    std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by number
};

}  // namespace helio::virt::host
