// ReceiveBuffer: the bytes of one stream that have arrived and are not used up. No I/O. They lie in
// a counted rpc::Buffer, since messages are views that may outlive their turn.
//
// Alone, it keeps a buffer for as long as its stream lives, and starts another one when messages
// still lie in it. With a SharedReceiveBuffer, all streams of a thread receive into the same memory
// and an idle one holds none: keep() moves what is left of an unfinished record out of the way of
// others.
//
// A peer does not choose how much memory it gets. A header may promise megabytes; the buffer only
// grows to some times what has arrived, and with a ReceiveBudget all streams of a server together
// hold no more than that.
//
//     begin <= end <= capacity;  bytes() are those between begin and end
//     without a buffer, begin = end = 0
//     bytes in the shared room are gone when keep() returns
//     a receive that brings nothing leaves no hold on the shared room
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/rpc/memory.h"

namespace helio::transport {

// Memory that a thread's streams receive into by turns.
class SharedReceiveBuffer final {
 public:
    // The pool outlives it.
    explicit SharedReceiveBuffer(rpc::BufferPool& pool) : pool_(pool) {}

    // A buffer whose bytes from `offset` on are free: room for a datagram at least. No buffer:
    // there is no memory.
    struct Space {
        rpc::BufferRef buffer;
        std::size_t offset = 0;
    };
    Space place() {
        // Nobody else holds it: all of it is free again.
        if (buffer_ && buffer_->refs == 1) [[likely]]
            used_ = 0;
        if (!buffer_ || buffer_->capacity - used_ < kSharedBufferFreeMin) [[unlikely]]
            renew();
        return {buffer_, used_};
    }
    // So many bytes there are used, for as long as somebody holds the buffer.
    void use(std::size_t size) { used_ += size; }

 private:
    // With less than this left another buffer is begun: a whole datagram fits.
    static constexpr std::size_t kSharedBufferFreeMin = 64u << 10;
    void renew();

    rpc::BufferPool& pool_;
    rpc::BufferRef buffer_;
    std::size_t used_ = 0;
};

// What all streams of a server may hold for records that have not wholly arrived. Any thread.
class ReceiveBudget final {
 public:
    explicit ReceiveBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}
    std::size_t bytes_max() const { return bytes_max_; }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    void exchange(std::size_t before, std::size_t after) {
        used_.fetch_add(after - before, std::memory_order_relaxed);
    }

 private:
    const std::size_t bytes_max_;
    std::atomic<std::size_t> used_ = 0;
};

class ReceiveBuffer final {
 public:
    struct Options {
        rpc::BufferPool* pool = nullptr;
        SharedReceiveBuffer* shared = nullptr;  // else it has a buffer of its own
        ReceiveBudget* budget = nullptr;        // only with shared
        std::size_t size_min = 0;               // of a buffer of its own
    };
    // What options point to outlives it.
    explicit ReceiveBuffer(const Options& options) : options_(options) {}
    ~ReceiveBuffer() { clear(); }
    ReceiveBuffer(const ReceiveBuffer&) = delete;
    ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

    // Where to receive next, behind bytes(); at least one byte. Empty: there is no memory.
    std::span<std::byte> room();
    void received(std::size_t size) {
        HELIO_ASSERT(size <= buffer_->capacity - end_);
        end_ += size;
        if (is_shared_) options_.shared->use(size);
    }
    // After a receive that failed: what room() gave may be another stream's next.
    void received_nothing() {
        if (is_shared_) let_go();
    }
    // room() and received() in one step, for bytes that were elsewhere. False: there is no memory.
    [[nodiscard]] bool append(ByteView bytes);

    ByteView bytes() const {
        return buffer_ ? ByteView{buffer_->bytes.get() + begin_, end_ - begin_} : ByteView{};
    }
    const rpc::BufferRef& buffer() const { return buffer_; }
    void consume(std::size_t size) {
        HELIO_ASSERT(size <= kept());
        begin_ += size;
    }
    // False while a record is still coming: less is there than the last keep() wanted, and more
    // fits.
    bool is_worth_a_look() const {
        return is_shared_ || kept() >= wanted_ || end_ == buffer_->capacity;
    }

    // After messages were taken out: the rest is `wanted` bytes of a record, as far as that is
    // known, of which `elsewhere` are held by the session already. False: there is no memory.
    [[nodiscard]] bool keep(std::size_t wanted, std::size_t elsewhere = 0) {
        wanted_ = wanted;
        if (options_.shared != nullptr) return keep_apart(elsewhere);
        if (kept() == 0 && buffer_ && buffer_->capacity > kBufferKeptMax) let_go();
        return true;
    }
    // keep() found the budget used up: nothing more should be received until others hold less.
    bool is_over_budget() const { return is_over_budget_; }
    // Everything that arrived is dropped.
    void clear();
    // bytes() lie where others receive next: keep() has to be called.
    bool is_shared() const { return is_shared_; }

    void check_invariants() const;

 private:
    // A buffer of its own that is larger goes back to the pool when the record that needed it is
    // used up: a client that once read a megabyte need not hold it for ever.
    static constexpr std::size_t kBufferKeptMax = 1u << 20;

    std::size_t kept() const { return end_ - begin_; }
    std::size_t target() const;
    bool has_room() const;
    bool move_to_own(std::size_t capacity);
    bool keep_apart(std::size_t elsewhere);
    bool exceeds_budget(std::size_t bytes) const;
    void let_go();
    void hold(std::size_t bytes);

    const Options options_;
    rpc::BufferRef buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t wanted_ = 0;
    std::size_t held_ = 0;    // counted in the budget
    bool is_shared_ = false;  // buffer_ is the shared room's
    bool is_over_budget_ = false;
};

}  // namespace helio::transport
