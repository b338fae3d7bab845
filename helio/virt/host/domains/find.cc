// Lookups and queries of domains.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

tl::unexpected<Error> no_such_domain() {
    return refuse(ErrorCode::no_domain, ErrorSource::test, "Domain not found");
}

bool listed(const HostedDomain& domain, std::uint32_t flags) {
    using namespace list_domains;
    if (flags == 0 || flags == (kActive | kInactive)) return true;
    std::uint32_t state = kOther;
    if (domain.state.state == State::running) state = kRunning;
    if (domain.state.state == State::paused) state = kPaused;
    if (domain.state.state == State::off) state = kShutOff;
    constexpr std::uint32_t kStates = kRunning | kPaused | kShutOff | kOther;
    return group_matches(flags, kActive, kInactive, domain.active()) &&
           group_matches(flags, kPersistent, kTransient, domain.persistent) &&
           ((flags & kStates) == 0 || (flags & state) != 0) &&
           group_matches(flags, kManagedSave, kNoManagedSave, domain.managed_save) &&
           group_matches(flags, kAutostart, kNoAutostart, domain.autostart) &&
           group_matches(flags, kHasSnapshot, kNoSnapshot, !domain.snapshots.empty()) &&
           group_matches(flags, kHasCheckpoint, kNoCheckpoint, false);
}

}  // namespace

Outcome<HostedDomain*> Host::Impl::domain(const Uuid& uuid) const {
    HostedDomain* const found = domains.find(uuid);
    if (found == nullptr)
        return refuse(
            ErrorCode::no_domain, ErrorSource::test,
            fmt::format("Domain not found: no domain with matching uuid '{}'", to_text(uuid)));
    return found;
}

Outcome<HostedDomain*> Host::Impl::active_domain(const Uuid& uuid) const {
    auto found = domain(uuid);
    if (found && !(*found)->active())
        return refuse_operation(ErrorSource::domain, "domain is not running");
    return found;
}

std::vector<DomainKey> Host::domains(std::uint32_t list_flags) const {
    const auto lock = impl_->read_lock();
    std::vector<DomainKey> keys;
    for (const auto& [name, domain] : impl_->domains.by_name)
        if (listed(*domain, list_flags)) keys.push_back(domain->key());
    return keys;
}

void Host::visit_domains(
    std::uint32_t list_flags,
    const std::function<void(std::string_view name, const Uuid& uuid, int id)>& each) const {
    const auto lock = impl_->read_lock();
    for (const auto& [name, domain] : impl_->domains.by_name)
        if (listed(*domain, list_flags)) each(name, domain->uuid(), domain->id);
}

std::size_t Host::domain_count(std::uint32_t list_flags) const {
    const auto lock = impl_->read_lock();
    std::size_t count = 0;
    for (const auto& [name, domain] : impl_->domains.by_name) count += listed(*domain, list_flags);
    return count;
}

Outcome<DomainKey> Host::domain_by_name(std::string_view name) const {
    const auto lock = impl_->read_lock();
    const HostedDomain* const found = impl_->domains.find(name);
    if (found == nullptr) return no_such_domain();
    return found->key();
}

Outcome<DomainKey> Host::domain_by_uuid(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    const HostedDomain* const found = impl_->domains.find(uuid);
    if (found == nullptr) return no_such_domain();
    return found->key();
}

Outcome<DomainKey> Host::domain_by_id(int id) const {
    const auto lock = impl_->read_lock();
    const auto found = impl_->domains_by_id.find(id);
    if (found == impl_->domains_by_id.end()) return no_such_domain();
    return found->second->key();
}

Outcome<DomainState> Host::domain_state(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map([](const HostedDomain* found) { return found->state; });
}

Outcome<std::string> Host::domain_xml(const Uuid& uuid, Definition which) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map([&](const HostedDomain* found) {
        if (which == Definition::inactive || !found->active())
            return domain_config_xml(found->config ? *found->config : *found->live, -1);
        return domain_config_xml(*found->live, found->id);
    });
}

Outcome<std::string> Host::domain_os_type(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map([](const HostedDomain* found) { return found->live->os_type; });
}

Outcome<bool> Host::domain_persistent(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map([](const HostedDomain* found) { return found->persistent; });
}

Outcome<bool> Host::domain_updated(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    // libvirt means a definition that a running domain does not use yet. Its test driver returns
    // false.
    return impl_->domain(uuid).map([](const HostedDomain*) { return false; });
}

Outcome<bool> Host::domain_autostart(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map([](const HostedDomain* found) { return found->autostart; });
}

Outcome<bool> Host::domain_has_managed_save(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map([](const HostedDomain* found) { return found->managed_save; });
}

Outcome<std::uint64_t> Host::domain_memory_max(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map(
        [](const HostedDomain* found) { return found->live->memory_max_kib; });
}

Outcome<std::string> Host::domain_console_greeting(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->active_domain(uuid).map([&](const HostedDomain* found) {
        return fmt::format("{} on {}, a simulated machine. Input is echoed.\r\n", found->name(),
                           impl_->options.hostname);
    });
}

}  // namespace helio::virt::host
