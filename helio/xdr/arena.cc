#include "helio/xdr/arena.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace helio::xdr {

namespace {
constexpr std::size_t kBlockSizeMax = 4u << 20;  // growth doubles up to here
}  // namespace

struct alignas(std::max_align_t) Arena::Block {
    Block* next;
    std::size_t size;  // of the storage after this header
    std::byte* storage() { return reinterpret_cast<std::byte*>(this + 1); }
};

Arena::~Arena() {
    end_reservation();
    for (Block* block = first_; block != nullptr;) {
        Block* const next = block->next;
        release(block);
        block = next;
    }
}

void Arena::release(Block* block) {
    if (budget_ != nullptr) budget_->remove(block->size);
    ::operator delete(block);
}

void* Arena::allocate_slow(std::size_t size) {
    // Prefer an existing block that is large enough; smaller ones in between stay unused until
    // reset.
    for (Block* block = current_ != nullptr ? current_->next : first_; block != nullptr;
         block = block->next) {
        if (block->size < size) continue;
        current_ = block;
        at_ = block->storage() + size;
        end_ = block->storage() + block->size;
        return block->storage();
    }
    const std::size_t last_size = current_ != nullptr ? current_->size : kFirstBlockSize / 2;
    const std::size_t wanted = std::max(size, std::min(last_size * 2, kBlockSizeMax));
    const std::size_t room = bytes_max_ - std::min(bytes_max_, bytes_held_);
    const std::size_t block_size = std::min(wanted, room & ~(kAlignment - 1));
    if (block_size < size) return nullptr;
    void* const memory = ::operator new(sizeof(Block) + block_size, std::nothrow);
    if (memory == nullptr) return nullptr;

    Block** tail = current_ != nullptr ? &current_->next : &first_;
    auto* const block = new (memory) Block{*tail, block_size};
    *tail = block;
    bytes_held_ += block_size;
    const std::size_t from_reserve = std::min(reserved_, block_size);
    reserved_ -= from_reserve;
    if (budget_ != nullptr) budget_->add(block_size - from_reserve);
    current_ = block;
    at_ = block->storage() + size;
    end_ = block->storage() + block_size;
    if (block == first_) {
        first_begin_ = block->storage();
        first_end_ = end_;
    }
    return block->storage();
}

void Arena::reset_slow(std::size_t bytes_kept) {
    std::size_t kept = 0;
    Block** link = &first_;
    while (Block* const block = *link) {
        if (kept + block->size > bytes_kept) {
            *link = block->next;
            release(block);
            continue;
        }
        kept += block->size;
#ifdef HELIO_POISON
        std::memset(block->storage(), 0xdb, block->size);
#endif
        link = &block->next;
    }
    bytes_held_ = kept;
    current_ = first_;
    at_ = first_begin_ = first_ != nullptr ? first_->storage() : &nowhere_;
    end_ = first_end_ = first_ != nullptr ? at_ + first_->size : &nowhere_;
}

}  // namespace helio::xdr
