#include "helio/transport/rdma/verbs/verbs_fabric.h"

#include <fmt/format.h>
#include <rdma/rdma_cma.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "helio/transport/rdma/verbs/connection_manager_internal.h"
#include "helio/transport/rdma/verbs/devices_internal.h"
#include "helio/transport/rdma/verbs/verbs_link_internal.h"

namespace helio::transport::rdma {

struct VerbsFabric::Parts {
    const std::vector<Device> devices = open_devices();
    ConnectionManager manager{devices};

    const Device* device_of(const rdma_cm_id& id) const {
        const auto found =
            std::find_if(devices.begin(), devices.end(),
                         [&id](const Device& device) { return device.verbs == id.verbs; });
        return found != devices.end() ? &*found : nullptr;
    }
};

namespace {

class VerbsListener final : public Listener {
 public:
    VerbsListener(ConnectionManager& manager, rdma_cm_id* id, const Endpoint& where,
                  std::shared_ptr<ArrivalDesk> desk)
        : manager_(manager), id_(id), where_(where), desk_(std::move(desk)) {}

    ~VerbsListener() override {
        manager_.forget(id_);
        rdma_destroy_id(id_);
        // Somebody may be arriving right now, on the manager's thread — which may be this one.
        if (manager_.is_this_thread()) {
            desk_->closed = true;
        } else {
            const std::lock_guard lock{desk_->mutex};
            desk_->closed = true;
        }
    }

    Endpoint where() const override { return where_; }

 private:
    ConnectionManager& manager_;
    rdma_cm_id* const id_;
    const Endpoint where_;
    const std::shared_ptr<ArrivalDesk> desk_;
};

// A connection that is destroyed unless it is released.
struct Destroy {
    void operator()(rdma_cm_id* id) const { rdma_destroy_id(id); }
};
using OwnedId = std::unique_ptr<rdma_cm_id, Destroy>;

[[noreturn]] void cannot_listen(const Endpoint& where, int error_number) {
    std::string why = std::strerror(error_number);
    if (error_number == ENODEV || error_number == EADDRNOTAVAIL)
        why = "no RDMA device has this address";
    if (error_number == EADDRINUSE) why = "somebody else does";
    throw std::runtime_error(fmt::format("cannot listen for RDMA on {}: {}", to_text(where), why));
}

OwnedId bind_and_listen(rdma_event_channel* channel, const Endpoint& where) {
    rdma_cm_id* made = nullptr;
    if (rdma_create_id(channel, &made, nullptr, RDMA_PS_TCP) != 0) cannot_listen(where, errno);
    OwnedId id{made};
    // Connections of a server that ended a moment ago hold the port for a while.
    int yes = 1;
    rdma_set_option(made, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof yes);
    Endpoint address = where;  // librdmacm wants to be able to write to it
    if (rdma_bind_addr(made, const_cast<sockaddr*>(address.address())) != 0)
        cannot_listen(where, errno);
    return id;
}

}  // namespace

VerbsFabric::VerbsFabric() : parts_(std::make_unique<Parts>()) {}
VerbsFabric::~VerbsFabric() = default;

std::vector<std::string> VerbsFabric::devices() const {
    std::vector<std::string> names;
    for (const Device& device : parts_->devices) names.push_back(device.name);
    return names;
}

std::unique_ptr<Listener> VerbsFabric::listen(const Endpoint& where, const LinkLimits& limits,
                                              Arrival arrival) {
    ConnectionManager& manager = parts_->manager;
    OwnedId id = bind_and_listen(manager.channel(), where);
    auto desk = std::make_shared<ArrivalDesk>();
    desk->arrive = [parts = parts_.get(), limits, arrival = std::move(arrival)](
                       rdma_cm_id* asking, const CmEvent& request) {
        OwnedId asks{asking};
        const Device* const device = parts->device_of(*asking);
        if (device == nullptr) return;  // one that cannot be used
        arrival(
            std::make_unique<VerbsLink>(parts->manager, *device, limits, asks.release(), request));
    };
    manager.watch(id.get(), desk);
    if (rdma_listen(id.get(), kAskingMax) != 0) {
        const int error = errno;
        manager.forget(id.get());
        cannot_listen(where, error);
    }
    Endpoint bound = where;
    bound.set_port(ntohs(rdma_get_src_port(id.get())));
    return std::make_unique<VerbsListener>(manager, id.release(), bound, std::move(desk));
}

std::unique_ptr<Link> VerbsFabric::connect(const Endpoint& where, const LinkLimits& limits,
                                           EventLoop& loop, Link::Owner& owner) {
    return std::make_unique<VerbsLink>(parts_->manager, parts_->devices, limits, where, loop,
                                       owner);
}

}  // namespace helio::transport::rdma
