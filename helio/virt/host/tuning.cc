// Shares, limits and rates of domains: stored and returned, without effect.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

// VIR_DOMAIN_MEMORY_PARAM_UNLIMITED
constexpr std::uint64_t kUnlimited = 9007199254740991U;
// Bytes of one text: CPU sets, device weights.
constexpr std::size_t kTuningTextMax = 4096;

// Defaults for a domain without settings.
const std::vector<TuningParam>& tuning_defaults(Tuning kind) {
    constexpr std::uint32_t kNoRate = 0;
    constexpr std::uint64_t kNoLimit = 0;
    static const std::vector<TuningParam> scheduler{{"weight", std::uint32_t{50}}};
    static const std::vector<TuningParam> memory{
        {"hard_limit", kUnlimited}, {"soft_limit", kUnlimited}, {"swap_hard_limit", kUnlimited}};
    static const std::vector<TuningParam> block_weights{{"weight", kNoRate},
                                                        {"device_weight", std::string()},
                                                        {"device_read_iops_sec", std::string()},
                                                        {"device_write_iops_sec", std::string()},
                                                        {"device_read_bytes_sec", std::string()},
                                                        {"device_write_bytes_sec", std::string()}};
    static const std::vector<TuningParam> numa{{"numa_nodeset", std::string()},
                                               {"numa_mode", std::int32_t{0}}};
    static const std::vector<TuningParam> interface {
        {"inbound.average", kNoRate}, {"inbound.peak", kNoRate}, {"inbound.burst", kNoRate},
            {"inbound.floor", kNoRate}, {"outbound.average", kNoRate}, {"outbound.peak", kNoRate}, {
            "outbound.burst", kNoRate
        }
    };
    static const std::vector<TuningParam> disk{
        {"total_bytes_sec", kNoLimit},     {"read_bytes_sec", kNoLimit},
        {"write_bytes_sec", kNoLimit},     {"total_iops_sec", kNoLimit},
        {"read_iops_sec", kNoLimit},       {"write_iops_sec", kNoLimit},
        {"total_bytes_sec_max", kNoLimit}, {"read_bytes_sec_max", kNoLimit},
        {"write_bytes_sec_max", kNoLimit}, {"total_iops_sec_max", kNoLimit},
        {"read_iops_sec_max", kNoLimit},   {"write_iops_sec_max", kNoLimit},
        {"size_iops_sec", kNoLimit},       {"group_name", std::string()}};
    switch (kind) {
        case Tuning::scheduler:
            return scheduler;
        case Tuning::memory:
            return memory;
        case Tuning::block_weights:
            return block_weights;
        case Tuning::numa:
            return numa;
        case Tuning::interface:
            return interface;
        case Tuning::disk:
            return disk;
    }
    return scheduler;
}

tl::unexpected<Error> wrong_tuning(std::string message) {
    return refuse(ErrorCode::invalid_argument, ErrorSource::test,
                  "invalid argument: " + std::move(message));
}

// An interface may also be named by its MAC, a disk by its source.
Outcome<std::string> tuned_device(const HostedDomain& domain, Tuning kind,
                                  std::string_view device) {
    if (kind == Tuning::disk) {
        if (device.empty()) return std::string();  // only their number is wanted
        for (const DomainDisk& one : domain.live->disks)
            if (one.target == device || (one.source == device && !device.empty()))
                return one.target;
        return wrong_tuning(fmt::format("invalid path: {}", device));
    }
    if (kind == Tuning::interface) {
        for (const DomainInterface& one : domain.live->interfaces)
            if (one.target == device || one.mac == device) return one.mac;
        return wrong_tuning(fmt::format("cannot find interface '{}'", device));
    }
    return std::string();
}

}  // namespace

Outcome<std::vector<TuningParam>> Host::tuning(const Uuid& uuid, Tuning kind,
                                               std::string_view device, Impact impact) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    const HostedDomain& domain = **found;
    if (const auto parts = affected(domain, impact); !parts) return fail(parts.error());
    const auto name = tuned_device(domain, kind, device);
    if (!name) return fail(name.error());
    const auto said = domain.tuning.find({kind, *name});
    return said != domain.tuning.end() ? said->second : tuning_defaults(kind);
}

Outcome<void> Host::set_tuning(const Uuid& uuid, Tuning kind, std::string_view device,
                               const std::vector<TuningParam>& params, Impact impact) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (const auto parts = affected(domain, impact); !parts) return fail(parts.error());
    const auto name = tuned_device(domain, kind, device);
    if (!name) return fail(name.error());
    if (kind == Tuning::disk && name->empty()) return wrong_tuning("invalid path: ");
    const auto said = domain.tuning.find({kind, *name});
    std::vector<TuningParam> all =
        said != domain.tuning.end() ? said->second : tuning_defaults(kind);
    for (const TuningParam& one : params) {
        const auto place = std::find_if(all.begin(), all.end(), [&](const TuningParam& known) {
            return known.field == one.field;
        });
        if (place == all.end())
            return wrong_tuning(fmt::format("parameter '{}' not supported", one.field));
        if (place->value.index() != one.value.index())
            return wrong_tuning(fmt::format("parameter '{}' is of another type", one.field));
        if (const auto* const text = std::get_if<std::string>(&one.value);
            text != nullptr && text->size() > kTuningTextMax)
            return wrong_tuning(fmt::format("parameter '{}' is too long", one.field));
        place->value = one.value;
    }
    domain.tuning[{kind, *name}] = std::move(all);
    return {};
}

}  // namespace helio::virt::host
