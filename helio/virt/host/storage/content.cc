#include "helio/virt/host/storage/content.h"

#include <algorithm>
#include <cstring>

namespace helio::virt::host {

bool ContentBudget::take(std::uint64_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= max_) return true;
    used_.fetch_sub(bytes);
    return false;
}

VolumeContent::VolumeContent(std::uint64_t capacity, std::shared_ptr<ContentBudget> budget)
    : capacity_(std::min(capacity, kVolumeCapacityMax)), budget_(std::move(budget)) {}

VolumeContent::~VolumeContent() { budget_->give(pages_.size() * kVolumePageSize); }

std::uint64_t VolumeContent::capacity() const {
    const std::lock_guard lock(mutex_);
    return capacity_;
}

std::uint64_t VolumeContent::allocation() const {
    const std::lock_guard lock(mutex_);
    return pages_.size() * kVolumePageSize;
}

void VolumeContent::resize(std::uint64_t capacity) {
    const std::uint64_t size = std::min(capacity, kVolumeCapacityMax);
    const std::uint64_t before = this->capacity();
    // Bytes past the new end must not reappear when the volume grows again.
    if (size < before) punch(size, before - size);
    const std::lock_guard lock(mutex_);
    capacity_ = size;
}

void VolumeContent::clear() {
    const std::lock_guard lock(mutex_);
    budget_->give(pages_.size() * kVolumePageSize);
    pages_.clear();
}

std::size_t VolumeContent::read(std::uint64_t offset, std::span<std::byte> into) const {
    const std::lock_guard lock(mutex_);
    if (offset >= capacity_) return 0;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), capacity_ - offset));
    std::memset(into.data(), 0, size);
    const std::uint64_t end = offset + size;
    for (auto page = pages_.lower_bound(offset / kVolumePageSize);
         page != pages_.end() && page->first * kVolumePageSize < end; ++page) {
        const std::uint64_t begins = page->first * kVolumePageSize;
        const std::uint64_t from = std::max(offset, begins);
        const std::uint64_t to = std::min(end, begins + kVolumePageSize);
        std::memcpy(into.data() + (from - offset), page->second->data() + (from - begins),
                    static_cast<std::size_t>(to - from));
    }
    return size;
}

std::size_t VolumeContent::write(std::uint64_t offset, std::span<const std::byte> from) {
    const std::lock_guard lock(mutex_);
    if (offset >= capacity_) return 0;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(from.size(), capacity_ - offset));
    std::size_t done = 0;
    while (done < size) {
        const std::uint64_t at = offset + done;
        const auto inside = static_cast<std::size_t>(at % kVolumePageSize);
        const std::size_t part = std::min(kVolumePageSize - inside, size - done);
        auto page = pages_.find(at / kVolumePageSize);
        if (page == pages_.end()) {
            if (!budget_->take(kVolumePageSize)) break;
            page = pages_.emplace(at / kVolumePageSize, std::make_unique<Page>()).first;
        }
        std::memcpy(page->second->data() + inside, from.data() + done, part);
        done += part;
    }
    return done;
}

void VolumeContent::punch(std::uint64_t offset, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t end =
        size > capacity_ - std::min(offset, capacity_) ? capacity_ : offset + size;
    auto page = pages_.lower_bound(offset / kVolumePageSize);
    while (page != pages_.end() && page->first * kVolumePageSize < end) {
        const std::uint64_t begins = page->first * kVolumePageSize;
        // Also frees the last page: bytes past the capacity cannot be read.
        const std::uint64_t ends = std::min(begins + kVolumePageSize, capacity_);
        const std::uint64_t from = std::max(offset, begins);
        const std::uint64_t to = std::min(end, ends);
        if (from == begins && to == ends) {
            page = pages_.erase(page);
            budget_->give(kVolumePageSize);
            continue;
        }
        std::memset(page->second->data() + (from - begins), 0, static_cast<std::size_t>(to - from));
        ++page;
    }
}

VolumeContent::Extent VolumeContent::extent(std::uint64_t offset) const {
    const std::lock_guard lock(mutex_);
    if (offset >= capacity_) return {};
    std::uint64_t number = offset / kVolumePageSize;
    auto page = pages_.lower_bound(number);
    if (page == pages_.end()) return {.data = false, .size = capacity_ - offset};
    if (page->first > number)
        return {.data = false, .size = std::min(page->first * kVolumePageSize, capacity_) - offset};
    while (page != pages_.end() && page->first == number) ++page, ++number;
    return {.data = true, .size = std::min(number * kVolumePageSize, capacity_) - offset};
}

}  // namespace helio::virt::host
