// The life cycle of domains.
#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

// Reasons of states: virDomainRunningReason, virDomainPausedReason, virDomainShutoffReason.
constexpr int kRunningBooted = 1, kRunningRestored = 3, kRunningUnpaused = 5;
constexpr int kPausedUser = 1;
constexpr int kOffShutdown = 1, kOffDestroyed = 2, kOffSaved = 5;

// The domain that a definition changes, or null if it is a new one.
Outcome<HostedDomain*> place_for(const HostIndex<HostedDomain>& domains, DomainConfig& config) {
    auto place = find_defined(domains, "domain", ErrorSource::domain, config.name, config.uuid,
                              config.says_uuid);
    if (place && *place == nullptr && domains.full()) return refuse_full("domains");
    return place;
}

}  // namespace

void Host::Impl::tell_lifecycle(const HostedDomain& domain, int what, int detail) const {
    notify({.kind = Event::Kind::domain_lifecycle,
            .what = what,
            .detail = detail,
            .number = 0,
            .name = domain.name(),
            .uuid = domain.uuid(),
            .id = domain.id,
            .text = {}});
}

std::chrono::nanoseconds Host::Impl::running_time(const HostedDomain& domain) const {
    if (domain.state.state != State::running) return domain.ran;
    return domain.ran + (now() - domain.resumed);
}

void Host::Impl::start(HostedDomain& domain, const Start& how) {
    auto live = std::make_shared<DomainConfig>(domain.config ? *domain.config : *domain.live);
    name_interfaces(*live, vnet_next);
    domain.live = std::move(live);
    domain.id = id_next++;
    domains_by_id[domain.id] = &domain;
    domain.ran = std::chrono::nanoseconds(0);
    domain.resumed = now();
    lease_addresses(*domain.live);
    const bool restored = std::exchange(domain.managed_save, false);
    domain.state = {State::running, restored ? kRunningRestored : how.reason};
    tell_lifecycle(domain, lifecycle::kStarted,
                   restored ? lifecycle::kStartedRestored : how.detail);
    if (how.as == StartAs::paused) {
        domain.state = {State::paused, kPausedUser};
        tell_lifecycle(domain, lifecycle::kSuspended, lifecycle::kSuspendedPaused);
    }
}

void Host::Impl::stop(HostedDomain& domain, int reason, int detail) {
    domain.ran = running_time(domain);
    domain.state = {State::off, reason};
    // libvirt's event has the id that the domain no longer has.
    domains_by_id.erase(domain.id);
    domain.id = -1;
    tell_lifecycle(domain, lifecycle::kStopped, detail);
    if (!domain.persistent)
        domains.remove(std::string(domain.name()), Uuid(domain.uuid()));
    else
        domain.live = domain.config;
}

Outcome<DomainKey> Host::define_domain(std::string_view xml) {
    auto config = read_domain_config(xml, node().model);
    if (!config) return fail(config.error());
    if (auto charged = impl_->charge(config->charge, size_of(*config)); !charged)
        return fail(charged.error());
    const auto lock = impl_->write_lock();
    auto place = place_for(impl_->domains, *config);
    if (!place) return fail(place.error());
    HostedDomain* domain = *place;
    const bool known = domain != nullptr && domain->persistent;
    const auto shared = std::make_shared<const DomainConfig>(std::move(*config));
    if (domain == nullptr) {
        auto made = std::make_unique<HostedDomain>();
        made->live = shared;
        domain = &impl_->domains.add(shared->name, shared->uuid, std::move(made));
    }
    domain->config = shared;
    domain->persistent = true;
    if (!domain->active()) domain->live = shared;
    impl_->tell_lifecycle(*domain, lifecycle::kDefined,
                          known ? lifecycle::kDefinedUpdated : lifecycle::kDefinedAdded);
    return domain->key();
}

Outcome<DomainKey> Host::create_domain(std::string_view xml, StartAs how) {
    auto config = read_domain_config(xml, node().model);
    if (!config) return fail(config.error());
    if (auto charged = impl_->charge(config->charge, size_of(*config)); !charged)
        return fail(charged.error());
    const auto lock = impl_->write_lock();
    return impl_->create(std::move(*config), {.as = how});
}

Outcome<DomainKey> Host::Impl::create(DomainConfig config, const Start& how) {
    auto place = place_for(domains, config);
    if (!place) return fail(place.error());
    HostedDomain* domain = *place;
    if (domain != nullptr && domain->active())
        return refuse_operation(ErrorSource::domain,
                                fmt::format("domain '{}' is already active", config.name));
    const auto shared = std::make_shared<const DomainConfig>(std::move(config));
    if (domain == nullptr) {
        auto made = std::make_unique<HostedDomain>();
        made->live = shared;
        domain = &domains.add(shared->name, shared->uuid, std::move(made));
    }
    // A defined domain runs with this configuration once, and keeps its definition.
    const auto kept = std::exchange(domain->config, nullptr);
    domain->live = shared;
    start(*domain, how);
    domain->config = kept;
    return domain->key();
}

Outcome<DomainKey> Host::start_domain(const Uuid& uuid, StartAs how) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (domain.active())
        return refuse_internal(fmt::format("Domain '{}' is already running", domain.name()));
    impl_->start(domain, {.as = how});
    return domain.key();
}

Outcome<void> Host::shutdown_domain(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    if (!(*found)->active())
        return refuse_internal(fmt::format("domain '{}' not running", (*found)->name()));
    impl_->stop(**found, kOffShutdown, lifecycle::kStoppedShutdown);
    return {};
}

Outcome<void> Host::destroy_domain(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->active_domain(uuid);
    if (!found) return fail(found.error());
    impl_->stop(**found, kOffDestroyed, lifecycle::kStoppedDestroyed);
    return {};
}

Outcome<void> Host::suspend_domain(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (domain.state.state != State::running)
        return refuse_internal(fmt::format("domain '{}' not running", domain.name()));
    domain.ran = impl_->running_time(domain);
    domain.state = {State::paused, kPausedUser};
    impl_->tell_lifecycle(domain, lifecycle::kSuspended, lifecycle::kSuspendedPaused);
    return {};
}

Outcome<void> Host::resume_domain(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (domain.state.state != State::paused)
        return refuse_internal(fmt::format("domain '{}' not paused", domain.name()));
    domain.state = {State::running, kRunningUnpaused};
    domain.resumed = impl_->now();
    impl_->tell_lifecycle(domain, lifecycle::kResumed, lifecycle::kResumedUnpaused);
    return {};
}

Outcome<void> Host::reboot_domain(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->active_domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (domain.state.state == State::paused) domain.resumed = impl_->now();
    domain.state = {State::running, kRunningBooted};
    impl_->notify({.kind = Event::Kind::domain_reboot,
                   .name = domain.name(),
                   .uuid = domain.uuid(),
                   .id = domain.id,
                   .text = {}});
    return {};
}

Outcome<void> Host::reset_domain(const Uuid& uuid) { return reboot_domain(uuid); }

Outcome<void> Host::undefine_domain(const Uuid& uuid, UndefineAlso also) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (domain.managed_save && !also.managed_save)
        return refuse_operation(ErrorSource::test,
                                "Refusing to undefine while domain managed save image exists");
    if (!domain.active() && !domain.snapshots.empty() && !also.snapshots)
        return refuse_operation(ErrorSource::test,
                                fmt::format("cannot delete inactive domain with {} snapshots",
                                            domain.snapshots.size()));
    domain.managed_save = false;
    domain.persistent = false;
    domain.autostart = false;
    domain.config = nullptr;
    impl_->tell_lifecycle(domain, lifecycle::kUndefined, lifecycle::kUndefinedRemoved);
    // A running domain is removed when it stops.
    if (!domain.active()) impl_->domains.remove(std::string(domain.name()), Uuid(domain.uuid()));
    return {};
}

Outcome<void> Host::managed_save_domain(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->active_domain(uuid);
    if (!found) return fail(found.error());
    if (!(*found)->persistent)
        return refuse_operation(ErrorSource::test, "cannot do managed save for transient domain");
    impl_->stop(**found, kOffSaved, lifecycle::kStoppedSaved);
    (*found)->managed_save = true;
    return {};
}

Outcome<void> Host::remove_managed_save(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    (*found)->managed_save = false;
    return {};
}

Outcome<void> Host::rename_domain(const Uuid& uuid, std::string_view name) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (domain.active()) return refuse_operation(ErrorSource::test, "cannot rename active domain");
    if (!domain.snapshots.empty())
        return refuse_operation(ErrorSource::test, "cannot rename domain with snapshots");
    if (name.empty() || name.find_first_of("/\n") != std::string_view::npos)
        return refuse(ErrorCode::xml_error, ErrorSource::test,
                      fmt::format("XML error: name {} cannot contain '/'", name));
    if (impl_->domains.find(name) != nullptr)
        return refuse_operation(ErrorSource::domain,
                                fmt::format("domain with name '{}' already exists", name));
    impl_->tell_lifecycle(domain, lifecycle::kUndefined, lifecycle::kUndefinedRenamed);
    auto renamed = std::make_shared<DomainConfig>(*domain.config);
    renamed->name = name;
    auto place = impl_->domains.by_name.extract(std::string(domain.name()));
    place.key() = std::string(name);
    domain.live = domain.config = std::move(renamed);
    impl_->domains.by_name.insert(std::move(place));
    impl_->tell_lifecycle(domain, lifecycle::kDefined, lifecycle::kDefinedRenamed);
    return {};
}

}  // namespace helio::virt::host
