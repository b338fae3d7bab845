#include "helio/transport/rdma/verbs/verbs_fabric.h"

#include <fmt/format.h>
#include <netinet/in.h>
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

// librdmacm's object, destroyed with this.
struct Destroy {
    void operator()(rdma_cm_id* id) const { rdma_destroy_id(id); }
};
using OwnedId = std::unique_ptr<rdma_cm_id, Destroy>;

class VerbsListener final : public Listener {
 public:
    VerbsListener(ConnectionManager& manager, std::shared_ptr<ArrivalSink> sink)
        : manager_(manager), sink_(std::move(sink)) {}

    ~VerbsListener() override {
        for (const OwnedId& id : ids_) manager_.forget(id.get());
        ids_.clear();
        // A connection may be arriving right now, on the manager's thread, which may be this one.
        if (manager_.is_this_thread()) {
            sink_->closed = true;
        } else {
            const std::lock_guard lock{sink_->mutex};
            sink_->closed = true;
        }
    }

    // Throws std::runtime_error. where() returns the first address, with the port chosen.
    void add(const Endpoint& where);
    Endpoint where() const override { return where_; }

 private:
    ConnectionManager& manager_;
    const std::shared_ptr<ArrivalSink> sink_;
    std::vector<OwnedId> ids_;
    Endpoint where_;
};

[[noreturn]] void cannot_listen(const Endpoint& where, int error_number) {
    std::string why = std::strerror(error_number);
    if (error_number == ENODEV || error_number == EADDRNOTAVAIL)
        why = "no RDMA device has this address";
    if (error_number == EADDRINUSE) why = "somebody else does";
    throw std::runtime_error(fmt::format("cannot listen for RDMA on {}: {}", to_text(where), why));
}

void VerbsListener::add(const Endpoint& where) {
    rdma_cm_id* id = nullptr;
    if (rdma_create_id(manager_.channel(), &id, nullptr, RDMA_PS_TCP) != 0)
        cannot_listen(where, errno);
    ids_.emplace_back(id);
    // Connections of a server that ended a moment ago keep the port in use for a while.
    int yes = 1;
    rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof yes);
    rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &yes, sizeof yes);
    Endpoint address = where;  // librdmacm needs it writable
    if (rdma_bind_addr(id, const_cast<sockaddr*>(address.address())) != 0)
        cannot_listen(where, errno);
    manager_.watch(id, sink_);
    if (rdma_listen(id, kAskingMax) != 0) cannot_listen(where, errno);
    if (ids_.size() > 1) return;
    where_ = where;
    where_.set_port(ntohs(rdma_get_src_port(id)));
}

bool is_any_v6(const Endpoint& where) {
    if (where.family() != AF_INET6) return false;
    const auto& address = *reinterpret_cast<const sockaddr_in6*>(where.address());
    return IN6_IS_ADDR_UNSPECIFIED(&address.sin6_addr);
}

Endpoint any_v4(std::uint16_t port) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_port = htons(port);
    return {reinterpret_cast<const sockaddr*>(&any), sizeof any};
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
    auto sink = std::make_shared<ArrivalSink>();
    sink->arrive = [parts = parts_.get(), limits, arrival = std::move(arrival)](
                       rdma_cm_id* id, const CmEvent& request) {
        OwnedId asks{id};
        const Device* const device = parts->device_of(*id);
        if (device == nullptr) return;  // one that is not usable
        arrival(
            std::make_unique<VerbsLink>(parts->manager, *device, limits, asks.release(), request));
    };
    auto listener = std::make_unique<VerbsListener>(parts_->manager, std::move(sink));
    listener->add(where);
    // The kernel would accept IPv4 on the same socket, but siw then refuses the connection.
    if (is_any_v6(where)) listener->add(any_v4(listener->where().port()));
    return listener;
}

std::unique_ptr<Link> VerbsFabric::connect(const Endpoint& where, const LinkLimits& limits,
                                           EventLoop& loop, Link::Owner& owner) {
    return std::make_unique<VerbsLink>(parts_->manager, parts_->devices, limits, where, loop,
                                       owner);
}

}  // namespace helio::transport::rdma
