// What is in a volume: bytes in memory, in pages, of which those never written take no room and
// read as zeros. Shared by its volume and the streams that are open on it, so a volume may be
// deleted under a download. Any thread.
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

// Pages as small as the blocks that file systems on such volumes write.
inline constexpr std::size_t kVolumePageSize = 4096;
// Bytes that all volumes of a host hold together unless told otherwise: a test's uploads fit, and a
// client that writes for ever is told that the disk is full.
inline constexpr std::uint64_t kContentBytesMax = std::uint64_t{1} << 30;
// Bytes of one volume, of which none need be there: offsets stay far from overflow.
inline constexpr std::uint64_t kVolumeCapacityMax = std::uint64_t{1} << 60;

// How much room is left, for all volumes of a host.
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
    std::uint64_t allocation() const;  // bytes of pages that are there
    void resize(std::uint64_t capacity);
    // All bytes are zeros again, and take no room.
    void clear();

    // As many bytes as there are up to the capacity; 0 at the end.
    std::size_t read(std::uint64_t offset, std::span<std::byte> into) const;
    // As many bytes as fit before the capacity; fewer, also none, when the budget is at its end.
    std::size_t write(std::uint64_t offset, std::span<const std::byte> from);
    // These bytes are zeros from now on.
    void punch(std::uint64_t offset, std::uint64_t size);

    // What lies at `offset`: data or a hole, and for how many bytes; 0 at the end.
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
