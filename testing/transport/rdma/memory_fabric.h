// MemoryFabric: queue pairs inside the process, for tests and for measuring the transport's own
// cost. Keys, ranges and rights are checked as by a device, and faults can be injected.
//
// There are two devices, one for the connecting and one for the accepting side, each with its own
// memory and keys: a key of one is invalid for the other. The posting thread copies the data, under
// the fabric's one mutex; owners are called from their event loops, never from within a call. Both
// ends may be on one loop, or on two threads.
//
// As with a device: failed work, and all work in flight then, is reported whether signaled or not;
// completions of one link are in the order of posting; private data is padded with zeros (RoCE).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "helio/transport/rdma/fabric.h"

namespace helio::transport::rdma {

struct MemoryCore;

class MemoryFabric final : public Fabric {
 public:
    enum class Side : std::uint8_t { asking, answering };
    // What happens to one work request instead.
    enum class Fault : std::uint8_t {
        none,
        access_error,  // "remote access error": both sides lose the link
        drop,          // not executed, and no completion unless the link breaks
        lose,          // reported as successful, but the other side never sees it
        delay,         // until release(); later work waits too, except after a read
        disconnect,    // both sides lose the link, in an orderly way
    };
    struct Counters {
        std::uint64_t sends = 0;
        std::uint64_t reads = 0;
        std::uint64_t writes = 0;
        std::uint64_t receives = 0;       // posted
        std::uint64_t invalidations = 0;  // requested with a send
        std::uint64_t bytes_sent = 0;
        std::uint64_t bytes_read = 0;
        std::uint64_t bytes_written = 0;
    };

    explicit MemoryFabric(std::size_t pool_bytes_max = kRegisteredBytesMax);
    ~MemoryFabric() override;

    // A port is enough to find a listener: all addresses are this process. 0 picks one. Arrivals
    // are called on the thread where the asking side establishes, without a lock of the fabric's;
    // only the listener itself must not be destroyed from within.
    std::unique_ptr<Listener> listen(const Endpoint& where, const LinkLimits& limits,
                                     Arrival arrival) override;
    // If there is no listener, establish() after on_ready fails with ECONNREFUSED.
    std::unique_ptr<Link> connect(const Endpoint& where, const LinkLimits& limits, EventLoop& loop,
                                  Link::Owner& owner) override;

    // The memory of each side's device.
    const std::shared_ptr<MemoryPool>& memory(Side side) const { return pools_[index(side)]; }
    // A registration in addition to the pool's, for instance of a single page. Destroy it before
    // the memory.
    std::unique_ptr<Region> add(Side side, std::span<std::byte> memory, Purpose purpose);
    // False: unknown, invalidated by a send, or deregistered.
    bool is_valid(std::uint32_t key) const;
    // 0, or the errno with which all registrations fail from now on.
    void refuse_registrations(int error_number);

    // Called for each work request under the fabric's mutex, so it must not call the fabric.
    void on_work(std::function<Fault(Side from, const Work& work)> decide);
    // Injects this fault into the work after the next `count`.
    void fail_after(std::uint64_t count, Fault fault = Fault::access_error);
    // Executes delayed work.
    void release();
    // While held, completions (and the loss that follows them) stay in the fabric.
    void hold_completions(bool held);
    void hold_completions(Side side, bool held);
    // The accepting side's on_connected is called after the first message.
    void connect_late(bool late);
    // Breaks all links.
    void break_all();
    // Called for each message on arrival, under the fabric's mutex.
    void watch(std::function<void(Side from, ByteView message)> see);

    // Counts executed work posted by this side.
    Counters counters(Side side) const;
    // The number of links that exist; both ends of a connection count.
    std::size_t links() const;

 private:
    static std::size_t index(Side side) { return static_cast<std::size_t>(side); }

    const std::shared_ptr<MemoryCore> core_;  // links and regions may outlive the fabric
    std::array<std::shared_ptr<MemoryPool>, 2> pools_;
};

}  // namespace helio::transport::rdma
