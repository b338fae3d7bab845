#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helio/backend/memory/content_internal.h"
#include "helio/base/system/descriptor_limit.h"

namespace helio::backend::memory {

using vfs::Status;

namespace {

std::atomic<std::uint64_t> memory_files{0};

std::uint64_t memory_files_max() { return share_descriptors(descriptor_limit()).files; }

}  // namespace

int write_whole(int descriptor, std::uint64_t offset, ByteView data) {
    while (!data.empty()) {
        const ssize_t done =
            pwrite(descriptor, data.data(), data.size(), static_cast<off_t>(offset));
        if (done < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        if (done == 0) return EIO;
        data = data.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::uint64_t>(done);
    }
    return 0;
}

Status status_of_storage(int error) {
    return error == ENOMEM || error == EMFILE || error == ENFILE ? Status::no_space
                                                                 : vfs::status_of(error);
}

bool Budget::take(std::uint64_t bytes) {
    std::uint64_t used = used_.load(std::memory_order_relaxed);
    do {
        if (used > bytes_max_ || bytes > bytes_max_ - used) return bytes == 0;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
}

std::uint64_t Budget::free() const {
    const std::uint64_t used = used_.load(std::memory_order_relaxed);
    return used < bytes_max_ ? bytes_max_ - used : 0;
}

std::shared_ptr<const MemoryFile> MemoryFile::make() {
    if (memory_files.fetch_add(1) >= memory_files_max()) {
        memory_files.fetch_sub(1);
        return nullptr;
    }
    const int descriptor = memfd_create("helio", MFD_CLOEXEC);
    if (descriptor < 0) {
        memory_files.fetch_sub(1);
        return nullptr;
    }
    return std::make_shared<const MemoryFile>(descriptor);
}

MemoryFile::~MemoryFile() {
    close(descriptor_);
    memory_files.fetch_sub(1);
}

Status read_file(const MemoryFile& file, std::uint64_t offset, std::span<std::byte> into,
                 std::size_t& count) {
    count = 0;
    while (count < into.size()) {
        const ssize_t got = pread(file.descriptor(), into.data() + count, into.size() - count,
                                  static_cast<off_t>(offset + count));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return vfs::status_of(errno);
        if (got == 0) break;
        count += static_cast<std::size_t>(got);
    }
    return Status::ok;
}

Status Content::read(std::uint64_t offset, std::span<std::byte> into, std::size_t& count) const {
    if (file_) return read_file(*file_, offset, into, count);
    count = static_cast<std::size_t>(
        std::min<std::uint64_t>(into.size(), size_ - std::min(offset, size_)));
    if (count > 0) std::memcpy(into.data(), heap_.data() + offset, count);
    return Status::ok;
}

Status Content::write(std::uint64_t offset, ByteView data, Budget& budget) {
    const std::uint64_t end = offset + data.size();
    if (!file_ && end > kHeapBytesMax) {
        if (const Status moved = move_to_file(budget); moved != Status::ok) return moved;
    }
    if (file_) return write_file(offset, data, budget);
    if (end > size_) {
        if (const Status grown = resize_heap(end, budget); grown != Status::ok) return grown;
    }
    std::memcpy(heap_.data() + offset, data.data(), data.size());
    return Status::ok;
}

Status Content::resize(std::uint64_t size, Budget& budget) {
    if (size == 0) {
        budget.give(used_);
        *this = Content{};
        return Status::ok;
    }
    if (!file_ && size > kHeapBytesMax) {
        if (const Status moved = move_to_file(budget); moved != Status::ok) return moved;
    }
    if (!file_) return resize_heap(size, budget);
    if (ftruncate(file_->descriptor(), static_cast<off_t>(size)) != 0)
        return status_of_storage(errno);
    size_ = size;
    settle(0, budget);
    return Status::ok;
}

Status Content::resize_heap(std::uint64_t size, Budget& budget) {
    const std::uint64_t used = whole_blocks(size);
    if (used > used_) {
        if (!budget.take(used - used_)) return Status::no_space;
    } else {
        budget.give(used_ - used);
    }
    used_ = used;
    heap_.resize(size);
    if (heap_.capacity() > 2 * used) heap_.shrink_to_fit();
    size_ = size;
    return Status::ok;
}

Status Content::move_to_file(Budget& budget) {
    auto file = MemoryFile::make();
    if (!file) return Status::no_space;
    if (const int error = write_whole(file->descriptor(), 0, heap_))
        return status_of_storage(error);
    file_ = std::move(file);
    heap_ = {};
    settle(0, budget);
    return Status::ok;
}

Status Content::write_file(std::uint64_t offset, ByteView data, Budget& budget) {
    const std::uint64_t end = offset + data.size();
    // Overwritten blocks are already charged; counting them is not worth it while there is room.
    std::uint64_t reserved = whole_blocks(end) - offset / kBlockBytes * kBlockBytes;
    if (!budget.take(reserved)) {
        if (!is_allocated(offset, end)) return Status::no_space;
        reserved = 0;
    }
    const int error = write_whole(file_->descriptor(), offset, data);
    if (error == 0) {
        size_ = std::max(size_, end);
    } else if (end > size_) {
        // Part of it may have been written: restore the file's size.
        if (ftruncate(file_->descriptor(), static_cast<off_t>(size_)) != 0) return Status::io_error;
    }
    settle(reserved, budget);
    return error == 0 ? Status::ok : status_of_storage(error);
}

bool Content::is_allocated(std::uint64_t offset, std::uint64_t end) const {
    const off_t hole = lseek(file_->descriptor(), static_cast<off_t>(offset), SEEK_HOLE);
    return hole >= 0 && static_cast<std::uint64_t>(hole) >= end;
}

// Charges what the file really uses now instead of the earlier estimate.
void Content::settle(std::uint64_t reserved, Budget& budget) {
    struct stat now {};
    if (fstat(file_->descriptor(), &now) != 0) now.st_blocks = static_cast<blkcnt_t>(used_ / 512);
    const std::uint64_t used = static_cast<std::uint64_t>(now.st_blocks) * 512;
    // The parts may wrap around; the sum is right.
    budget.give(reserved + used_ - used);
    used_ = used;
}

}  // namespace helio::backend::memory
