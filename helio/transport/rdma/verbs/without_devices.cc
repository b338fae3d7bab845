// Replaces the rest of this folder with HELIO_RDMA=OFF: no fabric can be made.
#include <stdexcept>

#include "helio/transport/rdma/verbs/verbs_fabric.h"

namespace helio::transport::rdma {

void allow_pinned_memory() {}

struct VerbsFabric::Parts {};

VerbsFabric::VerbsFabric() {
    throw std::runtime_error("RDMA: this helio was built without it (HELIO_RDMA=OFF)");
}
VerbsFabric::~VerbsFabric() = default;

std::unique_ptr<Listener> VerbsFabric::listen(const Endpoint&, const LinkLimits&, Arrival) {
    return nullptr;
}
std::unique_ptr<Link> VerbsFabric::connect(const Endpoint&, const LinkLimits&, EventLoop&,
                                           Link::Owner&) {
    return nullptr;
}
std::vector<std::string> VerbsFabric::devices() const { return {}; }

}  // namespace helio::transport::rdma
