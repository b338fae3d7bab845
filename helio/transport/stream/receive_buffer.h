// ReceiveBuffer: bytes of one stream that were received and not used yet. No I/O. They are in a
// counted rpc::Buffer, since messages are views that may outlive their turn.
//
// By itself, it keeps a buffer as long as its stream lives, and starts another one while messages
// still use it. With a SharedReceiveBuffer, all streams of a thread receive into the same memory
// and an idle stream holds none: keep() moves the rest of an unfinished record out of it.
//
// A peer cannot choose how much memory it gets. A header may promise megabytes, but the buffer
// grows only to a multiple of what has arrived. When the server's MemoryBudget is used up, no
// buffer grows, and the streams of clients that hold much receive just enough for a short call.
//
//     begin <= end <= capacity;  bytes() are those between begin and end
//     without a buffer, begin = end = 0
//     bytes in the shared room are gone when keep() returns
//     a receive that brings nothing leaves no hold on the shared room
#pragma once

#include <cstddef>
#include <span>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/base/memory_budget.h"
#include "helio/rpc/memory.h"

namespace helio::transport {

// Memory that a thread's streams take turns receiving into.
class SharedReceiveBuffer final {
 public:
    // The pool outlives it.
    explicit SharedReceiveBuffer(rpc::BufferPool& pool) : pool_(pool) {}

    // A buffer whose bytes from `offset` on are free: room for at least one datagram. No buffer: no
    // memory.
    struct Space {
        rpc::BufferRef buffer;
        std::size_t offset = 0;
    };
    Space place() {
        // Nothing else holds it: all of it is free again.
        if (buffer_ && buffer_->refs == 1) [[likely]]
            used_ = 0;
        if (!buffer_ || buffer_->capacity - used_ < kSharedBufferFreeMin) [[unlikely]]
            renew();
        return {buffer_, used_};
    }
    // Marks `size` bytes as used, for as long as the buffer is held.
    void use(std::size_t size) { used_ += size; }

 private:
    // If less than this is left, another buffer is begun: a whole datagram must fit.
    static constexpr std::size_t kSharedBufferFreeMin = 64u << 10;
    void renew();

    rpc::BufferPool& pool_;
    rpc::BufferRef buffer_;
    std::size_t used_ = 0;
};

class ReceiveBuffer final {
 public:
    struct Options {
        rpc::BufferPool* pool = nullptr;
        SharedReceiveBuffer* shared = nullptr;  // otherwise it has its own buffer
        MemoryBudget* budget = nullptr;         // of the pool; only with shared
        std::size_t size_min = 0;               // of its own buffer
    };
    // Objects that options point to must outlive it.
    explicit ReceiveBuffer(const Options& options) : options_(options) {}
    ~ReceiveBuffer() { clear(); }
    ReceiveBuffer(const ReceiveBuffer&) = delete;
    ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

    // Where to receive next, after bytes(); at least one byte. Empty: no memory.
    std::span<std::byte> room();
    void received(std::size_t size) {
        HELIO_ASSERT(size <= buffer_->capacity - end_);
        end_ += size;
        if (is_shared_) options_.shared->use(size);
    }
    // After a failed receive: another stream may use the memory of room() next.
    void received_nothing() {
        if (is_shared_) let_go();
    }
    // room() and received() in one step, for bytes from elsewhere. False: no memory.
    [[nodiscard]] bool append(ByteView bytes);

    ByteView bytes() const {
        return buffer_ ? ByteView{buffer_->bytes.get() + begin_, end_ - begin_} : ByteView{};
    }
    const rpc::BufferRef& buffer() const { return buffer_; }
    void consume(std::size_t size) {
        HELIO_ASSERT(size <= kept());
        begin_ += size;
    }
    // False while a record is incomplete: there are fewer bytes than the last keep() wanted, and
    // more fit.
    bool is_worth_a_look() const {
        return is_shared_ || kept() >= wanted_ || end_ == buffer_->capacity;
    }

    // Call after taking messages: the rest is part of a record of `wanted` bytes, as far as known,
    // of which the session already holds `elsewhere`. False: no memory.
    [[nodiscard]] bool keep(std::size_t wanted, std::size_t elsewhere = 0) {
        wanted_ = wanted;
        if (options_.shared != nullptr) return keep_apart(elsewhere);
        if (kept() == 0 && buffer_ && buffer_->capacity > kBufferKeptMax) let_go();
        return true;
    }
    // Whether records may use the last part of the budget, above its `tight` line. True at first.
    void use_reserve(bool may) { may_use_reserve_ = may; }
    // keep() found the budget used up: nothing more should be received until others hold less.
    bool is_over_budget() const { return is_over_budget_; }
    // Memory of a record that has not wholly arrived.
    std::size_t held() const { return held_; }
    // Drops everything that has arrived.
    void clear();
    // bytes() are in memory that others will receive into next: keep() has to be called.
    bool is_shared() const { return is_shared_; }

    void check_invariants() const;

 private:
    // Its own buffer, if larger, goes back to the pool when the record that needed it is used: a
    // client that once read a megabyte need not hold it forever.
    static constexpr std::size_t kBufferKeptMax = 1u << 20;

    std::size_t kept() const { return end_ - begin_; }
    std::size_t target() const;
    bool has_room() const;
    bool move_to_own(std::size_t capacity);
    bool keep_apart(std::size_t elsewhere);
    // Whether the budget has no room for this many bytes more.
    bool exceeds_budget(std::size_t more) const;
    void let_go();
    void count_elsewhere(std::size_t bytes);

    const Options options_;
    rpc::BufferRef buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t wanted_ = 0;
    std::size_t held_ = 0;
    std::size_t elsewhere_ = 0;  // bytes that the session holds, counted in the budget here
    bool is_shared_ = false;     // buffer_ is the shared room's
    bool is_over_budget_ = false;
    bool may_use_reserve_ = true;
};

}  // namespace helio::transport
