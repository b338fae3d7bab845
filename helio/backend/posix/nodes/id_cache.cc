#include "helio/backend/posix/nodes/id_cache_internal.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <new>

#include "helio/backend/posix/nodes/file_id_format_internal.h"
#include "helio/base/hash.h"

namespace helio::backend {

namespace {

constexpr std::uint8_t kXfsInode64Generation = 0x81;

// The positions of inode number and rest in an id.
enum class Layout : std::uint8_t {
    inode32_generation,  // ext4, f2fs, xfs with small inode numbers
    generation_inode64,  // tmpfs
    inode64_generation,  // xfs
    inode_form           // our own, used if the kernel's handle is too long: btrfs
};
constexpr std::uint64_t kLayouts = 4;

template <class Word>
Word word_at(const vfs::FileId& id, std::size_t at) {
    Word word;
    std::memcpy(&word, id.bytes.data() + at, sizeof word);
    return word;
}

std::uint64_t rest_of(Layout layout, const vfs::FileId& id) {
    switch (layout) {
        case Layout::inode32_generation:
            return word_at<std::uint32_t>(id, 6);
        case Layout::generation_inode64:
            return word_at<std::uint32_t>(id, 2);
        case Layout::inode64_generation:
            return word_at<std::uint32_t>(id, 10);
        case Layout::inode_form:
            return word_at<std::uint64_t>(id, 12);
    }
    return 0;
}

vfs::FileId join(Layout layout, std::uint64_t inode, std::uint64_t rest) {
    const auto low = static_cast<std::uint32_t>(inode);
    const auto generation = static_cast<std::uint32_t>(rest);
    std::array<std::byte, 12> handle;
    switch (layout) {
        case Layout::inode32_generation:
            std::memcpy(handle.data(), &low, 4);
            std::memcpy(handle.data() + 4, &generation, 4);
            return kernel_id(kInode32Generation, ByteView{handle}.first(8));
        case Layout::generation_inode64:
            std::memcpy(handle.data(), &generation, 4);
            std::memcpy(handle.data() + 4, &inode, 8);
            return kernel_id(kInode32Generation, handle);
        case Layout::inode64_generation:
            std::memcpy(handle.data(), &inode, 8);
            std::memcpy(handle.data() + 8, &generation, 4);
            return kernel_id(kXfsInode64Generation, handle);
        case Layout::inode_form:
            break;
    }
    return inode_id(0, inode, rest);
}

std::uint64_t hash_of(std::uint64_t inode, const vfs::Time& changed) {
    const auto seconds = static_cast<std::uint64_t>(changed.seconds);
    return mixed(mixed(inode * kGoldenRatio + seconds) + changed.nanoseconds);
}

}  // namespace

IdCache::IdCache() {
    void* const mapped = mmap(nullptr, kIdsCachedMax * sizeof(Slot), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    slots_ = static_cast<Slot*>(mapped);
}

IdCache::~IdCache() { munmap(slots_, kIdsCachedMax * sizeof(Slot)); }

bool IdCache::find(std::uint64_t inode, const vfs::Time& changed, vfs::FileId& out) const {
    Slot& slot = slot_of(inode);
    const std::uint64_t check = std::atomic_ref(slot.check).load(std::memory_order_relaxed);
    const std::uint64_t rest = std::atomic_ref(slot.rest).load(std::memory_order_relaxed);
    const std::uint64_t layout = (check ^ mixed(rest)) - hash_of(inode, changed);
    if (check == 0 || layout >= kLayouts) return false;
    out = join(static_cast<Layout>(layout), inode, rest);
    return true;
}

void IdCache::put(std::uint64_t inode, const vfs::Time& changed, const vfs::FileId& id) {
    for (std::uint64_t i = 0; i < kLayouts; ++i) {
        const auto layout = static_cast<Layout>(i);
        const std::uint64_t rest = rest_of(layout, id);
        if (join(layout, inode, rest) != id) continue;
        Slot& slot = slot_of(inode);
        const std::uint64_t check = (hash_of(inode, changed) + i) ^ mixed(rest);
        std::atomic_ref(slot.check).store(check, std::memory_order_relaxed);
        std::atomic_ref(slot.rest).store(rest, std::memory_order_relaxed);
        return;
    }
}

}  // namespace helio::backend
