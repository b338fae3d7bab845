// VerbsFabric: this machine's RDMA devices, through librdmacm and libibverbs: InfiniBand, RoCE and
// iWARP, in hardware or software (rdma_rxe, siw).
//
// Everything that needs a system file or library is opened in the constructor, so that a process
// which then confines itself can still listen and connect. Devices added later are not seen.
//
// The fabric has one thread, which passes the connection manager's events to the event loops of the
// links; completions go to the loops directly. It must outlive its links and listeners. The memory
// of its devices may outlive the fabric.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "helio/transport/rdma/fabric.h"

namespace helio::transport::rdma {

// Connection requests that have not been accepted yet; the kernel refuses more.
inline constexpr int kAskingMax = 128;
// RDMA Reads in flight on one link; more wait in the queue. As many as most devices support:
// InfiniBand adapters 16, software more.
inline constexpr unsigned kReadsUnderWayMax = 16;
// Completions that a link delivers at once; the loop's other work comes before the rest.
inline constexpr unsigned kCompletionsPerTurnMax = 512;

// Device memory is pinned and counted; siw enforces the limit even where the kernel would exempt
// root. This raises it as far as allowed. VerbsFabric calls it; call it yourself before dropping
// privileges if the fabric is made later.
void allow_pinned_memory();

class VerbsFabric final : public Fabric {
 public:
    // Throws std::runtime_error with a sentence if there are no usable devices.
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
