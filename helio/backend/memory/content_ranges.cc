#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "helio/backend/memory/content_internal.h"

namespace helio::backend::memory {

using vfs::Status;

namespace {

// Bytes read or written per system call.
constexpr std::size_t kStepBytes = 64u << 10;

std::uint64_t find(const MemoryFile& file, std::uint64_t offset, int what, std::uint64_t size) {
    const off_t found = lseek(file.descriptor(), static_cast<off_t>(offset), what);
    return found < 0 ? size : std::min(static_cast<std::uint64_t>(found), size);
}

}  // namespace

std::uint64_t Content::find_data(std::uint64_t offset) const {
    return file_ ? find(*file_, offset, SEEK_DATA, size_) : offset;
}

std::uint64_t Content::find_hole(std::uint64_t offset) const {
    return file_ ? find(*file_, offset, SEEK_HOLE, size_) : size_;
}

// Writes zeros into holes. After fallocate(2) a memfd still reports holes there, so a later write
// could not tell that the space is already charged.
Status Content::allocate(std::uint64_t offset, std::uint64_t length, Budget& budget) {
    const std::uint64_t end = offset + length;
    if (!file_ && end <= kHeapBytesMax) return end > size_ ? resize_heap(end, budget) : Status::ok;
    if (!file_) {
        if (const Status moved = move_to_file(budget); moved != Status::ok) return moved;
    }
    const std::uint64_t reserved = whole_blocks(end) - offset / kBlockBytes * kBlockBytes;
    if (!budget.take(reserved)) return is_allocated(offset, end) ? Status::ok : Status::no_space;
    static constexpr std::array<std::byte, kStepBytes> kZeros{};
    const std::uint64_t size_before = size_;
    int error = 0;
    for (std::uint64_t at = offset; at < end && error == 0;) {
        const std::uint64_t hole = at < size_ ? find_hole(at) : at;
        if (hole >= end) break;
        const std::uint64_t data = hole < size_ ? find_data(hole) : end;
        const std::uint64_t stop = std::min({hole + kStepBytes, data, end});
        error = write_whole(file_->descriptor(), hole, ByteView{kZeros}.first(stop - hole));
        if (error == 0) size_ = std::max(size_, stop);
        at = stop;
    }
    if (error != 0 && ftruncate(file_->descriptor(), static_cast<off_t>(size_before)) == 0)
        size_ = size_before;
    settle(reserved, budget);
    return error == 0 ? Status::ok : status_of_storage(error);
}

Status Content::deallocate(std::uint64_t offset, std::uint64_t length, Budget& budget) {
    if (offset >= size_) return Status::ok;
    const std::uint64_t end = std::min(offset + length, size_);
    if (!file_) {
        std::memset(heap_.data() + offset, 0, end - offset);
        return Status::ok;
    }
    // Include the rest of the last block, so that it is freed.
    const std::uint64_t stop = end == size_ ? std::min(whole_blocks(end), kFileBytesMax) : end;
    if (fallocate(file_->descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(offset), static_cast<off_t>(stop - offset)) != 0)
        return status_of_storage(errno);
    settle(0, budget);
    return Status::ok;
}

Status Content::clone_from(const Content& source, std::uint64_t source_offset,
                           std::uint64_t target_offset, std::uint64_t count, Budget& budget) {
    if (!source.file_) {
        // Copied first, because the source may be this object.
        const ByteView part = source.heap().subspan(source_offset, count);
        return write(target_offset, std::vector<std::byte>(part.begin(), part.end()), budget);
    }
    if (!file_) {
        if (const Status moved = move_to_file(budget); moved != Status::ok) return moved;
    }
    // First everything that can fail. It changes nothing that readers see.
    if (const Status room = reserve_data(source, source_offset, target_offset, count, budget);
        room != Status::ok)
        return room;
    const Status copied = copy_data(source, source_offset, target_offset, count);
    settle(0, budget);
    return copied;
}

// Allocates the pages that copy_data() will write to.
Status Content::reserve_data(const Content& source, std::uint64_t source_offset,
                             std::uint64_t target_offset, std::uint64_t count, Budget& budget) {
    const std::uint64_t end = source_offset + count;
    for (std::uint64_t at = source.find_data(source_offset); at < end;) {
        const std::uint64_t stop = std::min(source.find_hole(at), end);
        const std::uint64_t target = target_offset + at - source_offset;
        std::uint64_t reserved = whole_blocks(stop - at) + kBlockBytes;
        if (!budget.take(reserved)) {
            if (!is_allocated(target, target + stop - at)) return Status::no_space;
            reserved = 0;
        }
        const int failed = fallocate(file_->descriptor(), FALLOC_FL_KEEP_SIZE,
                                     static_cast<off_t>(target), static_cast<off_t>(stop - at)) == 0
                               ? 0
                               : errno;
        settle(reserved, budget);
        if (failed != 0) return status_of_storage(failed);
        at = stop < end ? source.find_data(stop) : end;
    }
    return Status::ok;
}

Status Content::copy_data(const Content& source, std::uint64_t source_offset,
                          std::uint64_t target_offset, std::uint64_t count) {
    const int into = file_->descriptor();
    const std::uint64_t end = source_offset + count;
    const auto target_of = [=](std::uint64_t at) { return target_offset + at - source_offset; };
    std::array<std::byte, kStepBytes> step;
    for (std::uint64_t at = source_offset; at < end;) {
        const std::uint64_t data = std::min(source.find_data(at), end);
        if (data > at &&
            fallocate(into, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(target_of(at)), static_cast<off_t>(data - at)) != 0)
            return status_of_storage(errno);
        if (data == end) break;
        std::size_t got = 0;
        const std::uint64_t hole = std::min({source.find_hole(data), end, data + kStepBytes});
        const Status read = source.read(data, std::span{step}.first(hole - data), got);
        if (read != Status::ok) return read;
        if (const int error = write_whole(into, target_of(data), ByteView{step}.first(got)))
            return status_of_storage(error);
        at = hole;
    }
    const std::uint64_t size = target_offset + count;
    if (size <= size_) return Status::ok;
    if (ftruncate(into, static_cast<off_t>(size)) != 0) return status_of_storage(errno);
    size_ = size;
    return Status::ok;
}

}  // namespace helio::backend::memory
