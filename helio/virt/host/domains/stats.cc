// A domain's statistics. Nothing runs, so they are made up: each domain has a pace derived from its
// uuid, and uses CPU, disks and network at that pace while it runs. They grow like real ones, and
// are reproducible with a test's clock.
#include <algorithm>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

constexpr std::uint64_t kDiskCapacity = std::uint64_t{10} << 30;  // of disks in no pool
constexpr std::uint64_t kRequestBytes = 16 << 10;                 // of an average request
constexpr std::uint64_t kPacketBytes = 600;                       // of an average packet
constexpr std::uint64_t kReadBytesPerSecond = 200'000;            // at full pace, like the others
constexpr std::uint64_t kWriteBytesPerSecond = 100'000;
constexpr std::uint64_t kReceivedBytesPerSecond = 60'000;
constexpr std::uint64_t kSentBytesPerSecond = 40'000;

// 1 to 64 of 100.
std::uint64_t pace_percent(const Uuid& uuid) { return 1 + uuid.bytes[15] % 64; }

std::uint64_t at_pace(std::chrono::nanoseconds time, std::uint64_t per_second,
                      std::uint64_t percent) {
    const auto milliseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
    return milliseconds * per_second / 1000 * percent / 100;
}

}  // namespace

std::chrono::nanoseconds Host::Impl::time_it_ran(const HostedDomain& domain) const {
    return domain.active() ? running_time(domain) : std::chrono::nanoseconds(0);
}

DomainStats Host::Impl::stats(const HostedDomain& domain) const {
    const std::chrono::nanoseconds ran = time_it_ran(domain);
    DomainStats stats = stats_without_devices(domain, ran);
    add_devices(domain, ran, stats);
    return stats;
}

DomainStats Host::Impl::stats_without_devices(const HostedDomain& domain,
                                              std::chrono::nanoseconds ran) const {
    const DomainConfig& config = *domain.live;
    const std::uint64_t pace = pace_percent(config.uuid);
    DomainStats stats;
    stats.key = domain.key();
    stats.state = domain.state;
    stats.vcpus_max = config.vcpus_max;
    stats.vcpu_time_ns = static_cast<std::uint64_t>(ran.count()) / 100 * pace;
    stats.info = {.state = domain.state.state,
                  .memory_max_kib = config.memory_max_kib,
                  .memory_kib = config.memory_kib,
                  .vcpus = config.vcpus,
                  .cpu_time_ns = stats.vcpu_time_ns * config.vcpus};
    stats.memory_rss_kib = domain.active() ? config.memory_kib / 2 : 0;
    return stats;
}

void Host::Impl::add_devices(const HostedDomain& domain, std::chrono::nanoseconds ran,
                             DomainStats& stats) const {
    const DomainConfig& config = *domain.live;
    const std::uint64_t pace = pace_percent(config.uuid);
    for (const DomainDisk& disk : config.disks) {
        DiskStats one{.target = disk.target, .source = disk.source};
        const auto volume_found = volume(disk.source);
        one.capacity = volume_found ? (*volume_found)->content->capacity() : kDiskCapacity;
        one.allocation = one.physical =
            volume_found
                ? std::max((*volume_found)->allocation, (*volume_found)->content->allocation())
                : kDiskCapacity / 4;
        one.read_bytes = at_pace(ran, kReadBytesPerSecond, pace);
        one.read_requests = one.read_bytes / kRequestBytes;
        one.write_bytes = at_pace(ran, kWriteBytesPerSecond, pace);
        one.write_requests = one.write_bytes / kRequestBytes;
        stats.disks.push_back(std::move(one));
    }
    for (const DomainInterface& interface : config.interfaces) {
        InterfaceStats one{
            .name = interface.target, .mac = interface.mac, .network = interface.network};
        one.received_bytes = at_pace(ran, kReceivedBytesPerSecond, pace);
        one.received_packets = one.received_bytes / kPacketBytes;
        one.sent_bytes = at_pace(ran, kSentBytesPerSecond, pace);
        one.sent_packets = one.sent_bytes / kPacketBytes;
        stats.interfaces.push_back(std::move(one));
    }
}

Outcome<DomainInfo> Host::domain_info(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    const HostedDomain& domain = **found;
    const std::chrono::nanoseconds ran = impl_->time_it_ran(domain);
    return DomainInfo{.state = domain.state.state,
                      .memory_max_kib = domain.live->memory_max_kib,
                      .memory_kib = domain.live->memory_kib,
                      .vcpus = domain.live->vcpus,
                      .cpu_time_ns = static_cast<std::uint64_t>(ran.count()) / 100 *
                                     pace_percent(uuid) * domain.live->vcpus};
}

Outcome<DomainStats> Host::domain_stats(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map([&](const HostedDomain* found) { return impl_->stats(*found); });
}

void Host::visit_stats(std::uint32_t list_flags, StatsDetail detail,
                       const std::function<void(const DomainStats&)>& each) const {
    for (const DomainKey& key : domains(list_flags)) {
        // Lock for each domain, so that statistics of thousands do not block others.
        const auto lock = impl_->read_lock();
        const HostedDomain* const domain = impl_->domains.find(key.uuid);
        if (domain == nullptr) continue;
        each(detail == StatsDetail::with_devices
                 ? impl_->stats(*domain)
                 : impl_->stats_without_devices(*domain, impl_->time_it_ran(*domain)));
    }
}

}  // namespace helio::virt::host
