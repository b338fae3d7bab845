// Devices: the machine's RDMA devices, open, each with a protection domain and a pool of memory
// registered with it. All links of a fabric share them.
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <string>
#include <vector>

#include "helio/transport/rdma/memory_pool.h"

namespace helio::transport::rdma {

// Devices opened by librdmacm, whose connections use the same contexts. Everything made with a
// device holds this, because closing a device destroys it.
class OpenDevices final {
 public:
    OpenDevices();  // throws std::runtime_error if there are none
    ~OpenDevices();
    OpenDevices(const OpenDevices&) = delete;
    OpenDevices& operator=(const OpenDevices&) = delete;

    ibv_context* const* begin() const { return list_; }
    ibv_context* const* end() const { return list_ + count_; }

 private:
    ibv_context** list_ = nullptr;
    int count_ = 0;
};

struct ProtectionDomain final {
    ProtectionDomain(std::shared_ptr<const OpenDevices> devices, ibv_context* verbs);
    ~ProtectionDomain();
    ProtectionDomain(const ProtectionDomain&) = delete;
    ProtectionDomain& operator=(const ProtectionDomain&) = delete;

    const std::shared_ptr<const OpenDevices> kept;
    ibv_pd* const handle;  // nullptr, and errno, when the device refused
};

struct Device {
    ibv_context* verbs = nullptr;
    std::string name;
    ibv_device_attr limits{};
    bool iwarp = false;
    bool can_invalidate = false;  // a send may invalidate a key of the receiver's
    std::shared_ptr<ProtectionDomain> domain;
    std::shared_ptr<MemoryPool> memory;
};

// Every usable device. Throws std::runtime_error with a sentence if there is none.
std::vector<Device> open_devices();

// Registers memory with a device. Keeps the domain.
std::unique_ptr<Registrar> make_registrar(std::shared_ptr<ProtectionDomain> domain, bool iwarp);

}  // namespace helio::transport::rdma
