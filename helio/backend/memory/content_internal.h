// Content: the bytes of a regular file. Up to kHeapBytesMax they are on the heap; beyond that in a
// memfd, where holes cost nothing and from which the kernel sends without a copy. Callers hold the
// file's mutex, or the whole tree.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/vfs/status.h"

namespace helio::backend::memory {

// Most files of most trees are smaller, and reading this much is still one short copy.
inline constexpr std::uint64_t kHeapBytesMax = 64u << 10;
// Unit of space accounting: a page.
inline constexpr std::uint64_t kBlockBytes = 4096;
inline constexpr std::uint64_t kFileBytesMax = INT64_MAX;

// Writes all of it. Returns 0 or an errno.
int write_whole(int descriptor, std::uint64_t offset, ByteView data);
// Translates an errno; lack of memory or descriptors becomes no_space.
vfs::Status status_of_storage(int error);

inline constexpr std::uint64_t whole_blocks(std::uint64_t bytes) {
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

// The bytes that all files together may have. From any thread.
class Budget {
 public:
    explicit Budget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}
    bool take(std::uint64_t bytes);
    void give(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::uint64_t total() const { return bytes_max_; }
    std::uint64_t free() const;

 private:
    const std::uint64_t bytes_max_;
    std::atomic<std::uint64_t> used_{0};
};

// A memfd, closed with its last owner: the file, and replies still being sent from it.
class MemoryFile {
 public:
    // Null if the system has none, or too few descriptors would be left for others.
    static std::shared_ptr<const MemoryFile> make();
    explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    int descriptor() const { return descriptor_; }

 private:
    const int descriptor_;
};

// Reads until `into` is full or the file ends.
vfs::Status read_file(const MemoryFile& file, std::uint64_t offset, std::span<std::byte> into,
                      std::size_t& count);

class Content {
 public:
    std::uint64_t size() const { return size_; }
    std::uint64_t used() const { return used_; }
    // Null while the bytes lie on the heap.
    const std::shared_ptr<const MemoryFile>& file() const { return file_; }
    // The bytes, while there is no file.
    ByteView heap() const { return heap_; }

    // offset + data.size() is at most kFileBytesMax. All of it is written, or nothing.
    vfs::Status write(std::uint64_t offset, ByteView data, Budget& budget);
    vfs::Status resize(std::uint64_t size, Budget& budget);
    // Reads until `into` is full or the content ends.
    vfs::Status read(std::uint64_t offset, std::span<std::byte> into, std::size_t& count) const;

    // Implemented in content_ranges.cc. The next data or hole at or after an offset below the size;
    // the size if there is none. Content on the heap has no holes.
    std::uint64_t find_data(std::uint64_t offset) const;
    std::uint64_t find_hole(std::uint64_t offset) const;
    // offset + length is at most kFileBytesMax.
    vfs::Status allocate(std::uint64_t offset, std::uint64_t length, Budget& budget);
    vfs::Status deallocate(std::uint64_t offset, std::uint64_t length, Budget& budget);
    // The range lies within the source. If the source is this object, the ranges do not overlap.
    // All of it is cloned, or nothing.
    vfs::Status clone_from(const Content& source, std::uint64_t source_offset,
                           std::uint64_t target_offset, std::uint64_t count, Budget& budget);

 private:
    vfs::Status resize_heap(std::uint64_t size, Budget& budget);
    vfs::Status move_to_file(Budget& budget);
    vfs::Status write_file(std::uint64_t offset, ByteView data, Budget& budget);
    bool is_allocated(std::uint64_t offset, std::uint64_t end) const;
    void settle(std::uint64_t reserved, Budget& budget);
    vfs::Status reserve_data(const Content& source, std::uint64_t source_offset,
                             std::uint64_t target_offset, std::uint64_t count, Budget& budget);
    vfs::Status copy_data(const Content& source, std::uint64_t source_offset,
                          std::uint64_t target_offset, std::uint64_t count);

    std::uint64_t size_ = 0;
    std::uint64_t used_ = 0;  // taken from the budget
    std::vector<std::byte> heap_;
    std::shared_ptr<const MemoryFile> file_;
};

}  // namespace helio::backend::memory
