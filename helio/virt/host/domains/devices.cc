// Attaching and detaching devices, and pinning of virtual processors.
#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

// Devices of one domain. A real domain runs out of PCI slots first.
constexpr std::size_t kDevicesBytesMax = 1u << 20;

}  // namespace

Outcome<void> Host::change_device(const Uuid& uuid, std::string_view device_xml,
                                  DeviceChange change, Impact impact) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    const auto parts = affected(domain, impact);
    if (!parts) return fail(parts.error());
    auto done = change_domain(domain, impact, [&](DomainConfig& config) -> Outcome<void> {
        if (auto changed = change_devices(config, device_xml, change); !changed) return changed;
        if (config.body.size() > kDevicesBytesMax) return refuse_full("devices of the domain");
        if (auto charged = impl_->charge(config.charge, size_of(config)); !charged)
            return fail(charged.error());
        return {};
    });
    if (!done || !parts->live) return done;
    auto live = std::make_shared<DomainConfig>(*domain.live);
    name_interfaces(*live, impl_->vnet_next);
    domain.live = std::move(live);
    impl_->lease_addresses(*domain.live);
    return {};
}

Outcome<void> Host::detach_device_alias(const Uuid& uuid, std::string_view alias, Impact impact) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    return change_domain(**found, impact, [&](DomainConfig& config) -> Outcome<void> {
        return detach_alias(config, alias);
    });
}

Outcome<void> Host::pin_vcpu(const Uuid& uuid, unsigned vcpu, std::vector<std::byte> cpus,
                             Impact impact) {
    const unsigned node_cpus = node().cpus;
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (const auto parts = affected(domain, impact); !parts) return fail(parts.error());
    if (vcpu >= domain.live->vcpus_max)
        return refuse(ErrorCode::invalid_argument, ErrorSource::test,
                      fmt::format("invalid argument: requested vcpu '{}' is not present in the "
                                  "domain",
                                  vcpu));
    cpus.resize((node_cpus + 7) / 8);
    bool any = false;
    for (unsigned i = 0; i < node_cpus; ++i)
        any = any || (cpus[i / 8] & (std::byte{1} << (i % 8))) != std::byte{0};
    if (!any)
        return refuse(ErrorCode::invalid_argument, ErrorSource::test,
                      "invalid argument: Empty cpu list for pinning");
    domain.pins[vcpu] = std::move(cpus);
    return {};
}

Outcome<std::vector<std::vector<std::byte>>> Host::vcpu_pins(const Uuid& uuid) const {
    const unsigned node_cpus = node().cpus;
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    const HostedDomain& domain = **found;
    std::vector<std::byte> all((node_cpus + 7) / 8);
    for (unsigned i = 0; i < node_cpus; ++i) all[i / 8] |= std::byte{1} << (i % 8);
    std::vector<std::vector<std::byte>> pins(domain.live->vcpus_max, all);
    for (const auto& [vcpu, cpus] : domain.pins)
        if (vcpu < pins.size()) pins[vcpu] = cpus;
    return pins;
}

}  // namespace helio::virt::host
