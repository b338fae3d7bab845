#include "helio/transport/rdma/verbs/devices_internal.h"

#include <fmt/format.h>
#include <rdma/rdma_cma.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "helio/transport/rdma/fabric.h"
#include "helio/transport/rdma/verbs/verbs_fabric.h"

namespace helio::transport::rdma {

namespace {

// Registered and deregistered when a device is opened, to learn whether that works at all: it is
// the first thing that fails in a process without rights, and nothing useful can be done with less
// memory.
constexpr std::size_t kProbeBytes = 1u << 20;

class VerbsRegion final : public Region {
 public:
    explicit VerbsRegion(ibv_mr* memory) : memory_(memory) {
        local_key = memory->lkey;
        remote_key = memory->rkey;
    }
    ~VerbsRegion() override { ibv_dereg_mr(memory_); }

 private:
    ibv_mr* memory_;
};

class VerbsRegistrar final : public Registrar {
 public:
    VerbsRegistrar(std::shared_ptr<ProtectionDomain> domain, bool iwarp)
        : domain_(std::move(domain)), iwarp_(iwarp) {}

    std::unique_ptr<Region> add(std::span<std::byte> memory, Purpose purpose) override {
        unsigned access = IBV_ACCESS_LOCAL_WRITE;
        if (purpose == Purpose::shared) access |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
        // iWARP answers a read by writing to the reader's memory by its key (RFC 5040 §5.2), so
        // memory that we read into must allow that. Only those requests contain the key.
        if (iwarp_) access |= IBV_ACCESS_REMOTE_WRITE;
        ibv_mr* const region = ibv_reg_mr(domain_->handle, memory.data(), memory.size(), access);
        if (region == nullptr) return nullptr;
        return std::make_unique<VerbsRegion>(region);
    }

 private:
    const std::shared_ptr<ProtectionDomain> domain_;
    const bool iwarp_;
};

std::string why_not_registered(const std::string& device, int error_number) {
    if (error_number != ENOMEM)
        return fmt::format("cannot register memory with RDMA device {}: {}", device,
                           std::strerror(error_number));
    rlimit limit{};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    return fmt::format(
        "cannot register memory with RDMA device {}: a process of this user may pin {} KiB (ulimit "
        "-l, RLIMIT_MEMLOCK)",
        device, limit.rlim_cur / 1024);
}

// Empty when memory can be registered with the device.
std::string probe_memory(Registrar& registrar, const std::string& device) {
    std::vector<std::byte> memory(kProbeBytes);
    if (registrar.add(memory, Purpose::shared) != nullptr) return {};
    return why_not_registered(device, errno);
}

// Empty when the device can be used.
std::string open_device(const std::shared_ptr<const OpenDevices>& all, ibv_context* verbs,
                        Device& device) {
    device.verbs = verbs;
    device.name = ibv_get_device_name(verbs->device);
    device.iwarp = verbs->device->transport_type == IBV_TRANSPORT_IWARP;
    if (const int error = ibv_query_device(verbs, &device.limits); error != 0)
        return fmt::format("cannot ask RDMA device {} for its limits: {}", device.name,
                           std::strerror(error));
    if (device.limits.max_sge < static_cast<int>(kPiecesMax))
        return fmt::format("RDMA device {} joins {} pieces of memory, {} are needed", device.name,
                           device.limits.max_sge, kPiecesMax);
    device.can_invalidate = (device.limits.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS) != 0;
    device.domain = std::make_shared<ProtectionDomain>(all, verbs);
    if (device.domain->handle == nullptr)
        return fmt::format("RDMA device {} gives no protection domain: {}", device.name,
                           std::strerror(errno));
    auto registrar = make_registrar(device.domain, device.iwarp);
    if (std::string why = probe_memory(*registrar, device.name); !why.empty()) return why;
    device.memory = MemoryPool::make(std::move(registrar));
    return {};
}

}  // namespace

void allow_pinned_memory() {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_MEMLOCK, &limit);
}

OpenDevices::OpenDevices() {
    list_ = rdma_get_devices(&count_);
    if (list_ != nullptr && count_ > 0) return;
    const int error = list_ != nullptr ? ENODEV : errno;
    if (list_ != nullptr) rdma_free_devices(list_);
    if (error == EACCES || error == EPERM)
        throw std::runtime_error(fmt::format(
            "cannot open the RDMA devices under /dev/infiniband: {}", std::strerror(error)));
    std::error_code none;
    if (!std::filesystem::is_empty("/sys/class/infiniband", none) && !none)
        throw std::runtime_error(
            "there is no library for this machine's RDMA devices (Debian: ibverbs-providers)");
    throw std::runtime_error(
        "there is no RDMA device on this machine (rdma link shows what there is)");
}

OpenDevices::~OpenDevices() { rdma_free_devices(list_); }

ProtectionDomain::ProtectionDomain(std::shared_ptr<const OpenDevices> devices, ibv_context* verbs)
    : kept(std::move(devices)), handle(ibv_alloc_pd(verbs)) {}

ProtectionDomain::~ProtectionDomain() {
    if (handle != nullptr) ibv_dealloc_pd(handle);
}

std::unique_ptr<Registrar> make_registrar(std::shared_ptr<ProtectionDomain> domain, bool iwarp) {
    return std::make_unique<VerbsRegistrar>(std::move(domain), iwarp);
}

std::vector<Device> open_devices() {
    allow_pinned_memory();
    const auto all = std::make_shared<const OpenDevices>();
    std::vector<Device> usable;
    std::string why;
    for (ibv_context* const verbs : *all) {
        Device device;
        std::string fault = open_device(all, verbs, device);
        if (fault.empty())
            usable.push_back(std::move(device));
        else
            why = std::move(fault);
    }
    if (usable.empty()) throw std::runtime_error(why);
    return usable;
}

}  // namespace helio::transport::rdma
