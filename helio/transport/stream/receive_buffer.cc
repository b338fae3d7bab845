#include "helio/transport/stream/receive_buffer.h"

#include <algorithm>
#include <cstring>

namespace helio::transport {

namespace {

// Size of one receive; the messages of several streams share one buffer.
constexpr std::size_t kSharedBufferBytes = 256u << 10;
// A record's buffer may be this many times larger than what has arrived: a header that promises
// megabytes costs kilobytes.
constexpr std::size_t kGrowthMax = 8;

}  // namespace

void SharedReceiveBuffer::renew() {
    buffer_ = pool_.take(kSharedBufferBytes);
    used_ = 0;
}

// How many bytes from begin_ on there should be room for.
std::size_t ReceiveBuffer::target() const {
    const std::size_t grown = std::max(options_.size_min, kept() * kGrowthMax);
    return std::max(kept(), std::min(wanted_, grown));
}

bool ReceiveBuffer::has_room() const {
    if (!buffer_ || end_ == buffer_->capacity) return false;
    if (is_shared_) return true;
    if (end_ == 0) return true;
    // Moving the bytes to the front of a buffer pays only if the receive would otherwise be tiny.
    return buffer_->capacity - begin_ >= target() &&
           (begin_ == 0 || buffer_->capacity - end_ >= options_.size_min / 4);
}

bool ReceiveBuffer::move_to_own(std::size_t capacity) {
    rpc::BufferRef own = options_.pool->take(capacity);
    if (!own) return false;
    const ByteView rest = bytes();
    if (!rest.empty()) std::memcpy(own->bytes.get(), rest.data(), rest.size());
    buffer_ = std::move(own);
    begin_ = 0;
    end_ = rest.size();
    is_shared_ = false;
    return true;
}

void ReceiveBuffer::let_go() {
    buffer_ = {};
    begin_ = end_ = 0;
    is_shared_ = false;
}

std::span<std::byte> ReceiveBuffer::room() {
    if (begin_ == end_ && !is_shared_) [[likely]] {
        if (!buffer_ && options_.shared != nullptr) {
            SharedReceiveBuffer::Space place = options_.shared->place();
            if (!place.buffer) return {};
            buffer_ = std::move(place.buffer);
            begin_ = end_ = place.offset;
            is_shared_ = true;
            // Short for connections that hold much, since what arrives may have to be kept. Others
            // receive whole records, which need not be kept.
            const bool is_short = !may_use_reserve_ && exceeds_budget(0);
            const std::size_t free = buffer_->capacity - end_;
            return {buffer_->bytes.get() + end_, is_short ? options_.size_min : free};
        }
        // It holds no messages any more: all of it is free again.
        if (buffer_ && buffer_->refs == 1) begin_ = end_ = 0;
    }
    if (!has_room()) {
        // Doubled if the size to come is unknown.
        const std::size_t needed = target() > kept() ? target() : 2 * kept();
        if (!move_to_own(std::max(options_.size_min, needed))) return {};
    }
    return {buffer_->bytes.get() + end_, buffer_->capacity - end_};
}

bool ReceiveBuffer::append(ByteView more) {
    while (!more.empty()) {
        const std::span<std::byte> to = room();
        if (to.empty()) return false;
        const ByteView piece = more.first(std::min(to.size(), more.size()));
        std::memcpy(to.data(), piece.data(), piece.size());
        received(piece.size());
        more = more.subspan(piece.size());
    }
    return true;
}

// Moves an unfinished record out of the way of other streams.
bool ReceiveBuffer::keep_apart(std::size_t elsewhere) {
    count_elsewhere(elsewhere);
    if (kept() == 0) [[likely]] {
        is_over_budget_ = elsewhere > 0 && exceeds_budget(0);
        held_ = elsewhere;
        let_go();
        return true;
    }
    const bool stays = !is_shared_ && buffer_->capacity - begin_ >= target();
    const std::size_t capacity = stays ? buffer_->capacity : std::max(options_.size_min, target());
    is_over_budget_ = !stays && exceeds_budget(capacity);
    // The bytes here need a place; more have to wait.
    if (is_shared_ || (!stays && !is_over_budget_)) {
        if (!move_to_own(is_over_budget_ ? kept() : capacity)) return false;
    }
    held_ = elsewhere + buffer_->capacity;
    return true;
}

bool ReceiveBuffer::exceeds_budget(std::size_t more) const {
    const MemoryBudget* const budget = options_.budget;
    return budget != nullptr &&
           budget->used() + more > (may_use_reserve_ ? budget->bytes_max() : budget->tight());
}

void ReceiveBuffer::count_elsewhere(std::size_t bytes) {
    if (bytes == elsewhere_ || options_.budget == nullptr) [[likely]]
        return;
    options_.budget->add(bytes - elsewhere_);  // may be negative, modulo 2^64
    elsewhere_ = bytes;
}

void ReceiveBuffer::clear() {
    let_go();
    count_elsewhere(0);
    held_ = 0;
    wanted_ = 0;
    is_over_budget_ = false;
}

void ReceiveBuffer::check_invariants() const {
    HELIO_ASSERT(begin_ <= end_);
    HELIO_ASSERT(buffer_ ? end_ <= buffer_->capacity : end_ == 0 && !is_shared_);
    HELIO_ASSERT(options_.budget != nullptr || !is_over_budget_);
}

}  // namespace helio::transport
