// MemoryFabric: queue pairs inside the process, for tests and for measuring what the transport
// itself costs. Keys, ranges and rights are checked as a device checks them, and it can be told to
// fail.
//
// There are two devices, one for whoever asks for connections and one for whoever answers, each
// with its own memory and keys: no key of one means anything to the other. Copying is done by the
// thread that posts, under the fabric's one mutex; owners are told from their event loops, never
// from within a call. Both ends may be on one loop, or on two threads.
//
// As with a device: work that failed, and all work that was under way then, is told of whether
// it was signaled or not; completions of one link's works are in the order of posting; private
// data are filled up with zeros (RoCE).
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
    // What becomes of one work instead of being carried out.
    enum class Fault : std::uint8_t {
        none,
        access_error,  // "remote access error": both sides lose the link
        drop,          // not carried out, and no completion unless the link breaks
        lose,          // completes well, but the other side never sees it
        delay,         // until release(); what follows waits too, except behind a read
        disconnect,    // both sides lose the link in good order
    };
    struct Counters {
        std::uint64_t sends = 0;
        std::uint64_t reads = 0;
        std::uint64_t writes = 0;
        std::uint64_t receives = 0;       // posted
        std::uint64_t invalidations = 0;  // asked for with a send
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
    // Where nobody listens, establish() after on_ready is answered with ECONNREFUSED.
    std::unique_ptr<Link> connect(const Endpoint& where, const LinkLimits& limits, EventLoop& loop,
                                  Link::Owner& owner) override;

    // The memory of each side's device.
    const std::shared_ptr<MemoryPool>& memory(Side side) const { return pools_[index(side)]; }
    // A registration beside the pool's, for instance of a single page. Goes before the memory.
    std::unique_ptr<Region> add(Side side, std::span<std::byte> memory, Purpose purpose);
    // False: of no region, or of one that was invalidated by a send or has gone.
    bool is_valid(std::uint32_t key) const;
    // 0, or the errno with which all registrations fail from now on.
    void refuse_registrations(int error_number);

    // Asked for each work; called under the fabric's mutex, so it must not call the fabric.
    void on_work(std::function<Fault(Side from, const Work& work)> decide);
    // The work after the next `count` meets with this fault.
    void fail_after(std::uint64_t count, Fault fault = Fault::access_error);
    // Carries out what was delayed.
    void release();
    // While held, completions (and the loss that follows them) stay in the fabric.
    void hold_completions(bool held);
    void hold_completions(Side side, bool held);
    // The answering side's on_connected comes behind the first message.
    void connect_late(bool late);
    // All links break.
    void break_all();
    // Sees each message that is sent, where it has arrived; called under the fabric's mutex.
    void watch(std::function<void(Side from, ByteView message)> see);

    // Of works carried out that were posted by this side.
    Counters counters(Side side) const;
    // That exist, both ends of a connection counted.
    std::size_t links() const;

 private:
    static std::size_t index(Side side) { return static_cast<std::size_t>(side); }

    const std::shared_ptr<MemoryCore> core_;  // links and regions may outlive the fabric
    std::array<std::shared_ptr<MemoryPool>, 2> pools_;
};

}  // namespace helio::transport::rdma
