// The inside of MemoryFabric: shared state and queue pairs. MemoryCore::mutex guards everything
// here unless noted; while it is held, only an event loop's own mutex may be taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "testing/transport/rdma/memory_fabric.h"

namespace helio::transport::rdma {

using MemorySide = MemoryFabric::Side;
using MemoryFault = MemoryFabric::Fault;

constexpr std::size_t side_index(MemorySide side) { return static_cast<std::size_t>(side); }
constexpr MemorySide other_side(MemorySide side) {
    return side == MemorySide::asking ? MemorySide::answering : MemorySide::asking;
}

// The registrations of one device. A key consists of the device, a number that is never reused, and
// whether it is local or remote: a key of the wrong kind or side is invalid.
class MemoryKeys final {
 public:
    explicit MemoryKeys(MemorySide side)
        : device_(side == MemorySide::asking ? 1u << 28 : 2u << 28) {}

    std::uint32_t add(std::span<std::byte> memory, Purpose purpose);
    void remove(std::uint32_t slot) { entries_[slot] = {}; }
    std::uint32_t local_key(std::uint32_t slot) const { return device_ | slot << 4 | kLocal; }
    std::uint32_t remote_key(std::uint32_t slot) const { return device_ | slot << 4 | kRemote; }

    bool is_local(const Piece& piece) const;
    // The memory, if the other side may use it.
    std::byte* remote(std::uint32_t key, std::uint64_t address, std::uint64_t size) const;
    bool invalidate(std::uint32_t key);
    bool is_valid(std::uint32_t key) const;

 private:
    struct Entry {
        std::byte* begin = nullptr;
        std::size_t size = 0;
        bool shared = false;
        bool remote_valid = false;
    };
    static constexpr std::uint32_t kLocal = 0x5;
    static constexpr std::uint32_t kRemote = 0xa;

    const Entry* find(std::uint32_t key, std::uint32_t kind) const;

    std::uint32_t device_;
    std::vector<Entry> entries_;
};

struct MemoryListening {
    LinkLimits limits;
    Fabric::Arrival arrival;
    std::mutex calling;   // held while `arrival` is called; taken without MemoryCore::mutex
    bool closed = false;  // of `calling`
};

class MemoryQueue;

struct MemoryCore {
    std::mutex mutex;
    std::array<MemoryKeys, 2> keys{MemoryKeys{MemorySide::asking},
                                   MemoryKeys{MemorySide::answering}};
    std::array<MemoryFabric::Counters, 2> counters;
    std::map<std::uint16_t, std::shared_ptr<MemoryListening>> listening;
    std::vector<MemoryQueue*> queues;
    std::uint16_t next_port = 49152;  // RFC 6335 §6: the dynamic ones begin here

    std::function<MemoryFault(MemorySide, const Work&)> decide;
    std::function<void(MemorySide, ByteView)> see;
    std::uint64_t works_until_fault = 0;  // 0: no fault is planned
    MemoryFault planned_fault = MemoryFault::none;
    std::array<bool, 2> held{};
    bool connects_late = false;
    int refusing = 0;  // an errno

    std::uint16_t pick_port();
    MemoryFault fault_for(MemorySide from, const Work& work);
};

// One queue pair. Belongs to its MemoryLink, which outlives everything here except deliver().
class MemoryQueue final : public EventLoop::Posted,
                          public std::enable_shared_from_this<MemoryQueue> {
 public:
    enum class State : std::uint8_t { made, asked, connected, lost };

    MemoryQueue(std::shared_ptr<MemoryCore> core, MemorySide side, const LinkLimits& limits);

    // With the mutex not held.
    bool post_receive(std::uint64_t id, const Piece& into);
    bool post(std::span<const Work> works);
    void close();  // the link goes

    // With the mutex held.
    void attach(EventLoop& loop, Link::Owner& owner);
    void tell_ready();
    void tell_connected();
    void lose(int error_number, std::string_view why);
    void lose_both(int error_number, std::string_view why);
    void release();
    void notify();

    const std::shared_ptr<MemoryCore> core;
    const MemorySide side;
    const LinkLimits limits;
    State state = State::made;
    MemoryQueue* peer = nullptr;  // from when the link of the answering side is made
    std::array<std::byte, kPrivateDataMax> heard{};
    bool has_heard = false;

 private:
    struct Receive {
        std::uint64_t id;
        Piece into;
    };
    struct HeldWork {
        enum class Why : std::uint8_t { delayed, dropped, done };
        Why why;
        Work work;  // its pieces are these:
        std::array<Piece, kPiecesMax> pieces;
    };

    void deliver();
    void take(const Work& work);
    void hold(HeldWork::Why why, const Work& work);
    bool is_held_up() const;       // by delayed work other than a read
    bool completes_later() const;  // after delayed work
    // Empty, or what went wrong.
    std::string_view carry_out(const Work& work);
    std::string_view send(const Work& work, std::uint64_t size);
    void fail(const Work& work, std::string_view what);
    void complete(const Work& work);
    void flush(const Work& work, std::string_view what);
    bool is_connected_late() const;

    EventLoop* loop_ = nullptr;
    Link::Owner* owner_ = nullptr;  // changes on the loop's thread only
    bool posted_ = false;
    bool ready_ = false, connected_ = false, lost_ = false;  // to be reported
    int error_number_ = 0;
    std::string_view why_;

    std::vector<Receive> receives_;  // a ring
    std::size_t first_receive_ = 0, receive_count_ = 0;
    std::vector<HeldWork> held_;
    std::vector<Completion> pending_;
    std::vector<Completion> spare_;  // empty, for its storage; only for the loop's thread
    // In flight until the owner has been notified; the second ones are in pending_.
    std::uint32_t receives_under_way_ = 0, receives_to_tell_ = 0;
    std::uint32_t works_under_way_ = 0, works_to_tell_ = 0;
    std::uint32_t unsignaled_ = 0;      // done, and reported with the next completion
    std::string_view receive_failure_;  // of the first receive, when the link is lost
};

}  // namespace helio::transport::rdma
