// The memory that calls and replies live in. A Buffer holds received bytes, a Batch the replies
// written since the last send, in one arena. Both are reference-counted: code that still needs the
// bytes holds a Ref, and the last Ref returns them to the thread's pool. A Batch has two counts: a
// BatchRef is for code that writes or sends the replies, a MemoryRef for a call that only uses its
// arena, perhaps long after they were sent. One thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "helio/base/fd.h"
#include "helio/base/memory_budget.h"
#include "helio/xdr/arena.h"
#include "helio/xdr/writer.h"

namespace helio::rpc {

// Buffers a thread keeps for the next record: enough for one large WRITE per busy connection.
inline constexpr std::size_t kBufferBytesKeptMax = 16u << 20;
// Buffers kept: they are searched linearly.
inline constexpr std::size_t kBuffersKeptMax = 256;
// Batches a thread keeps; the memory of each is bounded by xdr::kArenaBytesKept.
inline constexpr std::size_t kBatchesKeptMax = 16;

// A pointer to something with `refs` that a pool takes back.
template <class T>
class Ref final {
 public:
    Ref() = default;
    explicit Ref(T* object) : object_(object) {
        if (object_ != nullptr) ++object_->refs;
    }
    Ref(const Ref& other) : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_ != nullptr && --object_->refs == 0) object_->release();
    }

    T* get() const { return object_; }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }
    explicit operator bool() const { return object_ != nullptr; }
    bool operator==(const Ref&) const = default;

 private:
    T* object_ = nullptr;
};

class BufferPool;

struct Buffer {
    std::uint32_t refs = 0;
    std::size_t capacity = 0;
    std::unique_ptr<std::byte[]> bytes;
    BufferPool* pool = nullptr;
    std::shared_ptr<const void> owner;  // of external bytes; `bytes` is empty then

    void release();
};
using BufferRef = Ref<Buffer>;

class BufferPool final {
 public:
    // All of its memory counts in `budget`, if there is one, which must outlive it.
    explicit BufferPool(MemoryBudget* budget = nullptr) : budget_(budget) {}
    ~BufferPool();
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    // With at least this capacity; nothing if there is no memory.
    BufferRef take(std::size_t capacity);
    // For external bytes that stay while `owner` lives: counted like others.
    BufferRef adopt(std::shared_ptr<const void> owner);
    // Frees what was not needed since the last call of trim(), or everything kept if memory is
    // short. Returns the bytes freed.
    std::size_t trim();
    // Frees everything kept.
    std::size_t clear() { return free_up_to(bytes_kept_); }

 private:
    friend struct Buffer;
    std::size_t free_up_to(std::size_t bytes);
    void give_back(Buffer* buffer);
    void destroy(Buffer* buffer);

    MemoryBudget* const budget_;
    std::vector<Buffer*> free_;
    std::vector<Buffer*> free_adopted_;  // those without their own bytes
    std::size_t bytes_kept_ = 0;
    std::size_t bytes_unused_ = 0;  // the least that was kept since the last trim()
};

class BatchPool;

struct Batch {
    // The arena alone.
    struct Memory {
        explicit Memory(Batch& whole) : batch(&whole) {}
        void release();

        std::uint32_t refs = 0;
        Batch* batch;
    };

    Batch(BatchPool& owner, MemoryBudget* budget)
        : memory(*this), pool(&owner), arena(xdr::kArenaBytesMax, budget) {
        writer.emplace(arena);
    }

    // The replies will never be sent: frees what they needed, and the arena too unless a call lives
    // in it. Otherwise a chain of batches could grow, each kept alive by the next because of one
    // call.
    void release();

    std::uint32_t refs = 0;
    Memory memory;
    BatchPool* pool;
    xdr::Arena arena;
    std::optional<xdr::Writer> writer;
    std::size_t bytes = 0;  // of complete replies
    // What the replies point to, kept until they are sent.
    std::vector<BufferRef> buffers;
    std::vector<Ref<Memory>> memories;
    std::vector<std::shared_ptr<const void>> owners;
    // Descriptors that travel with a byte of the batch each (AF_UNIX), in order.
    struct Descriptor {
        std::size_t offset;  // of the byte
        Fd fd;
    };
    std::vector<Descriptor> descriptors;

    void keep(const BufferRef& buffer) {
        if (buffer && (buffers.empty() || buffers.back() != buffer)) buffers.push_back(buffer);
    }
    void keep(const Ref<Memory>& other) {
        if (other && other.get() != &memory && (memories.empty() || memories.back() != other))
            memories.push_back(other);
    }
};
using BatchRef = Ref<Batch>;
using MemoryRef = Ref<Batch::Memory>;

class BatchPool final {
 public:
    // The arenas of its batches count in `budget`, as in BufferPool.
    explicit BatchPool(MemoryBudget* budget = nullptr) : budget_(budget) {}
    ~BatchPool();
    BatchPool(const BatchPool&) = delete;
    BatchPool& operator=(const BatchPool&) = delete;

    BatchRef take();
    // As in BufferPool.
    std::size_t trim();
    std::size_t clear() { return free_oldest(free_.size()); }

 private:
    friend struct Batch;
    std::size_t free_oldest(std::size_t count);
    void give_back(Batch* batch);

    MemoryBudget* const budget_;
    std::vector<Batch*> free_;  // used from its end
    std::size_t unused_ = 0;    // the fewest that were free since the last trim()
};

}  // namespace helio::rpc
