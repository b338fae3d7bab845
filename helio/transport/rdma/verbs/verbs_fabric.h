// VerbsFabric: the RDMA devices of this machine, by librdmacm and libibverbs: InfiniBand, RoCE and
// iWARP, of hardware or of software (rdma_rxe, siw).
//
// Everything that needs a file or a library of the system is opened when the fabric is made, so
// that a process which then confines itself can go on listening and connecting. Devices that are
// added later are not seen.
//
// The fabric has one thread, which takes what the connection manager reports and hands it to the
// event loops of the links; completions go to the loops directly. It outlives its links and
// listeners. The memory of its devices may stay longer than the fabric.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "helio/transport/rdma/fabric.h"

namespace helio::transport::rdma {

// Connections that ask at a time and have not been taken on; the kernel refuses more.
inline constexpr int kAskingMax = 128;
// Reads of the other side's memory under way at a time on one link; more wait in the queue. As many
// as most devices can do: of InfiniBand's adapters 16, of software more.
inline constexpr unsigned kReadsUnderWayMax = 16;
// Completions that a link hands on in one go; whatever else the loop has to do comes before the
// rest.
inline constexpr unsigned kCompletionsPerTurnMax = 512;

// Memory that devices use is pinned, and counted; siw minds the limit even where the kernel itself
// would let root pass. This raises it as far as the process may: a VerbsFabric does so, and whoever
// gives up privileges before it makes one does so first.
void allow_pinned_memory();

class VerbsFabric final : public Fabric {
 public:
    // Throws std::runtime_error with a sentence: there are no devices, or they cannot be used.
    VerbsFabric();
    ~VerbsFabric() override;

    std::unique_ptr<Listener> listen(const Endpoint& where, const LinkLimits& limits,
                                     Arrival arrival) override;
    std::unique_ptr<Link> connect(const Endpoint& where, const LinkLimits& limits, EventLoop& loop,
                                  Link::Owner& owner) override;

    // "rxe0", "mlx5_0", …
    std::vector<std::string> devices() const;

 private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace helio::transport::rdma
