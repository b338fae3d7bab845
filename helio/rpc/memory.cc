#include "helio/rpc/memory.h"

#include <algorithm>
#include <new>

namespace helio::rpc {

void Buffer::release() { pool->give_back(this); }

void BufferPool::destroy(Buffer* buffer) {
    if (budget_ != nullptr) budget_->remove(buffer->capacity);
    delete buffer;
}

BufferPool::~BufferPool() {
    for (Buffer* const one : free_) destroy(one);
    for (Buffer* const one : free_adopted_) delete one;
}

BufferRef BufferPool::take(std::size_t capacity) {
    // The smallest one that is large enough; there are few.
    std::size_t best = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i)
        if (free_[i]->capacity >= capacity &&
            (best == free_.size() || free_[i]->capacity < free_[best]->capacity))
            best = i;
    // Leave one that is much too large for a larger request.
    if (best < free_.size() && free_[best]->capacity / 4 <= capacity) {
        Buffer* const found = free_[best];
        free_[best] = free_.back();
        free_.pop_back();
        bytes_kept_ -= found->capacity;
        bytes_unused_ = std::min(bytes_unused_, bytes_kept_);
        return BufferRef{found};
    }
    std::unique_ptr<std::byte[]> bytes{new (std::nothrow) std::byte[capacity]};
    auto* const buffer = bytes ? new (std::nothrow) Buffer : nullptr;
    if (buffer == nullptr) return {};
    buffer->capacity = capacity;
    buffer->bytes = std::move(bytes);
    buffer->pool = this;
    if (budget_ != nullptr) budget_->add(capacity);
    return BufferRef{buffer};
}

std::size_t BufferPool::trim() {
    const bool may_keep = budget_ == nullptr || budget_->may_keep();
    return may_keep ? free_up_to(bytes_unused_) : clear();
}

std::size_t BufferPool::free_up_to(std::size_t bytes) {
    std::size_t freed = 0;
    while (!free_.empty() && freed + free_.back()->capacity <= bytes) {
        freed += free_.back()->capacity;
        destroy(free_.back());
        free_.pop_back();
    }
    bytes_kept_ -= freed;
    bytes_unused_ = bytes_kept_;
    return freed;
}

BufferRef BufferPool::adopt(std::shared_ptr<const void> owner) {
    Buffer* buffer = nullptr;
    if (free_adopted_.empty()) {
        buffer = new (std::nothrow) Buffer;
        if (buffer == nullptr) return {};
        buffer->pool = this;
    } else {
        buffer = free_adopted_.back();
        free_adopted_.pop_back();
    }
    buffer->owner = std::move(owner);
    return BufferRef{buffer};
}

void BufferPool::give_back(Buffer* buffer) {
    if (buffer->owner != nullptr) {
        buffer->owner.reset();
        if (free_adopted_.size() < kBuffersKeptMax)
            free_adopted_.push_back(buffer);
        else
            delete buffer;
        return;
    }
    if (bytes_kept_ + buffer->capacity > kBufferBytesKeptMax || free_.size() >= kBuffersKeptMax ||
        (budget_ != nullptr && !budget_->may_keep()))
        return destroy(buffer);
#ifdef HELIO_POISON
    std::fill_n(buffer->bytes.get(), buffer->capacity, std::byte{0xdb});
#endif
    bytes_kept_ += buffer->capacity;
    free_.push_back(buffer);
}

void Batch::release() {
    const MemoryRef pin{&memory};  // its end frees everything, if it is the last
    bytes = 0;
    buffers.clear();
    memories.clear();
    owners.clear();
    descriptors.clear();
}

void Batch::Memory::release() {
    if (batch->refs == 0) batch->pool->give_back(batch);
}

BatchPool::~BatchPool() {
    for (Batch* const one : free_) delete one;
}

BatchRef BatchPool::take() {
    if (free_.empty()) return BatchRef{new Batch{*this, budget_}};
    Batch* const found = free_.back();
    free_.pop_back();
    unused_ = std::min(unused_, free_.size());
    return BatchRef{found};
}

std::size_t BatchPool::trim() {
    const bool may_keep = budget_ == nullptr || budget_->may_keep();
    return may_keep ? free_oldest(unused_) : clear();
}

std::size_t BatchPool::free_oldest(std::size_t count) {
    std::size_t freed = 0;
    for (std::size_t i = 0; i < count; ++i) {
        freed += free_[i]->arena.bytes_held();
        delete free_[i];
    }
    free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(count));
    unused_ = free_.size();
    return freed;
}

namespace {
// Out of line, so that returning a batch stays cheap.
[[gnu::noinline]] void destroy(Batch* batch) { delete batch; }
}  // namespace

void BatchPool::give_back(Batch* batch) {
    if (free_.size() >= kBatchesKeptMax) [[unlikely]]
        return destroy(batch);
    if (budget_ != nullptr && !budget_->may_keep()) [[unlikely]]
        batch->arena.shrink();
    else
        batch->arena.reset();
    batch->writer.emplace(batch->arena);
    free_.push_back(batch);
}

}  // namespace helio::rpc
