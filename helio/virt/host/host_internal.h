// The state of a Host, and the steps that its functions share. One lock guards all of it; functions
// here expect it to be held.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "helio/virt/host/domains/domain_config_internal.h"
#include "helio/virt/host/host.h"
#include "helio/virt/host/xml_internal.h"

namespace helio::virt::host {

// The state of a domain at one time.
struct HostedSnapshot {
    std::string parent;  // empty: none
    std::string description;
    std::shared_ptr<const DomainConfig> config;
    State state = State::off;
    bool disk_only = false;
    std::int64_t created_s = 0;
    std::uint64_t number = 0;  // increases with each snapshot
    std::shared_ptr<void> charge;
};
using HostedSnapshots = std::map<std::string, HostedSnapshot, std::less<>>;

struct HostedDomain {
    std::shared_ptr<const DomainConfig>
        live;  // of the running domain; the definition while it is off
    std::shared_ptr<const DomainConfig> config;  // of a persistent domain: used at the next start
    int id = -1;
    DomainState state;
    bool persistent = false;
    bool autostart = false;
    bool managed_save = false;
    std::chrono::nanoseconds ran{0};      // running time up to the last stop or pause
    std::chrono::nanoseconds resumed{0};  // start or last resume, while it is running
    HostedSnapshots snapshots;
    std::string snapshot_current;  // empty: none
    std::map<unsigned, std::vector<std::byte>> pins;
    // By kind and device. Missing entries have their defaults.
    std::map<std::pair<Tuning, std::string>, std::vector<TuningParam>> tuning;

    bool active() const { return id >= 0; }
    const std::string& name() const { return live->name; }
    const Uuid& uuid() const { return live->uuid; }
    DomainKey key() const { return {live->name, live->uuid, id}; }
};

struct SavedDomain {
    std::shared_ptr<const DomainConfig> config;
    StartAs as = StartAs::running;  // state after restoring
};

struct HostedNetwork {
    std::string name;
    Uuid uuid;
    std::string body;  // the other elements
    std::string bridge;
    std::uint32_t address = 0, netmask = 0, range_start = 0, range_end = 0;  // IPv4; 0 is none
    bool active = false, persistent = false, autostart = false;
    std::shared_ptr<void> charge;                              // for the body's bytes
    std::map<std::string, std::uint32_t, std::less<>> leases;  // by MAC; a lease never ends

    NetworkKey key() const { return {name, uuid}; }
};

struct HostedSecret {
    SecretKey key;
    std::string description;
    bool ephemeral = false, is_private = false;
    std::optional<std::vector<std::byte>> value;
    std::shared_ptr<void> charge;
};

struct HostedVolume {
    std::string name;
    std::string key;
    std::string format;
    std::string backing;  // the volume it is an overlay of, or empty
    std::uint64_t allocation = 0;
    std::shared_ptr<VolumeContent> content;
};

struct HostedPool {
    std::string name;
    Uuid uuid;
    std::string type;
    std::string path;
    std::string source;  // the whole element, or empty
    std::uint64_t capacity = 0;
    std::uint64_t declared = 0;  // sum of the allocations that its volumes declare
    bool active = false, persistent = false, autostart = false;
    std::shared_ptr<void> charge;  // for xml_size()
    std::map<std::string, HostedVolume, std::less<>> volumes;

    PoolKey key() const { return {name, uuid}; }
    std::uint64_t xml_size() const { return source.size() + path.size(); }
    std::uint64_t allocation() const;
};

// Objects by name, in order, and by uuid.
template <class Object>
struct HostIndex {
    std::map<std::string, std::unique_ptr<Object>, std::less<>> by_name;
    std::unordered_map<Uuid, Object*, UuidHash> by_uuid;

    Object* find(std::string_view name) const {
        const auto found = by_name.find(name);
        return found == by_name.end() ? nullptr : found->second.get();
    }
    Object* find(const Uuid& uuid) const {
        const auto found = by_uuid.find(uuid);
        return found == by_uuid.end() ? nullptr : found->second;
    }
    // For an object whose XML has no uuid. A renamed object may still have the uuid of its old
    // name.
    Uuid unused_uuid(std::string_view kind, std::string_view name) const {
        Uuid uuid = uuid_of_name(kind, name);
        for (unsigned more = 2; find(uuid) != nullptr; ++more)
            uuid = uuid_of_name(kind, std::string(name) + '#' + std::to_string(more));
        return uuid;
    }
    Object& add(std::string_view name, const Uuid& uuid, std::unique_ptr<Object> object) {
        Object& added = *object;
        by_uuid[uuid] = &added;
        by_name.emplace(name, std::move(object));
        return added;
    }
    void remove(const std::string& name, const Uuid& uuid) {
        by_uuid.erase(uuid);
        by_name.erase(by_name.find(name));
    }
    bool full() const { return by_name.size() >= kHostObjectsMax; }
};

struct Host::Impl {
    mutable std::shared_mutex mutex;
    HostOptions options;
    EventSink sink;
    std::shared_ptr<ContentBudget> budget;
    std::shared_ptr<ContentBudget> xml_budget;

    HostIndex<HostedDomain> domains;
    std::unordered_map<int, HostedDomain*> domains_by_id;
    int id_next = 1;
    unsigned vnet_next = 0;
    std::uint64_t snapshot_next = 1;
    std::map<std::string, SavedDomain, std::less<>> saved;  // by path
    HostIndex<HostedNetwork> networks;
    HostIndex<HostedPool> pools;
    std::map<Uuid, HostedSecret> secrets;
    // The pool and name of each volume, by key.
    std::map<std::string, std::pair<HostedPool*, std::string>, std::less<>> volume_keys;

    auto read_lock() const { return std::shared_lock(mutex); }
    auto write_lock() const { return std::unique_lock(mutex); }
    std::chrono::nanoseconds now() const { return options.clock(); }

    // Reserves room for XML of this size, for as long as `room` is held.
    Outcome<void> charge(std::shared_ptr<void>& room, std::uint64_t bytes) const;
    // The domain, or libvirt's error.
    Outcome<HostedDomain*> domain(const Uuid& uuid) const;
    // The same, but it must be running or paused.
    Outcome<HostedDomain*> active_domain(const Uuid& uuid) const;
    Outcome<HostedNetwork*> network(const Uuid& uuid) const;
    Outcome<HostedPool*> pool(const Uuid& uuid) const;
    Outcome<HostedPool*> active_pool(const Uuid& uuid) const;
    Outcome<HostedPool*> inactive_pool(const Uuid& uuid) const;
    Outcome<HostedVolume*> volume(std::string_view key) const;

    void notify(Event event) const {
        if (sink) sink(event);
    }
    void tell_lifecycle(const HostedDomain& domain, int what, int detail) const;
    void tell_network(const HostedNetwork& network, int what) const;
    void tell_pool(const HostedPool& pool, int what) const;
    std::chrono::nanoseconds running_time(const HostedDomain& domain) const;

    // How a domain starts: virDomainRunningReason, and the detail of its event.
    struct Start {
        StartAs as = StartAs::running;
        int reason = 1;
        int detail = lifecycle::kStartedBooted;
    };
    void start(HostedDomain& domain, const Start& how);
    Outcome<DomainKey> create(DomainConfig config, const Start& how);
    // `reason` is a virDomainShutoffReason. A transient domain is removed.
    void stop(HostedDomain& domain, int reason, int detail);
    void remove_pool(HostedPool& pool);
    void lease_addresses(const DomainConfig& config);
    DomainStats stats(const HostedDomain& domain) const;
    void add_devices(const HostedDomain& domain, std::chrono::nanoseconds ran,
                     DomainStats& stats) const;
    DomainStats stats_without_devices(const HostedDomain& domain,
                                      std::chrono::nanoseconds ran) const;
    std::chrono::nanoseconds time_it_ran(const HostedDomain& domain) const;
};

// ---- Shared by several files ----

struct Affected {
    bool live = false;
    bool config = false;
};
// virDomainModificationImpact, where "current" means live if the domain runs.
Outcome<Affected> affected(const HostedDomain& domain, Impact impact);

// Changes copies, and installs them if all changes succeed.
template <class Change>
Outcome<void> change_domain(HostedDomain& domain, Impact impact, const Change& change) {
    const auto parts = affected(domain, impact);
    if (!parts) return fail(parts.error());
    std::shared_ptr<DomainConfig> live, config;
    if (parts->live) {
        live = std::make_shared<DomainConfig>(*domain.live);
        if (Outcome<void> done = change(*live); !done) return done;
    }
    if (parts->config) {
        config = std::make_shared<DomainConfig>(*domain.config);
        if (Outcome<void> done = change(*config); !done) return done;
    }
    if (live) domain.live = std::move(live);
    if (config) {
        domain.config = std::move(config);
        if (!domain.active()) domain.live = domain.config;
    }
    return {};
}

tl::unexpected<Error> refuse_operation(ErrorSource source, std::string_view why);
tl::unexpected<Error> refuse_internal(std::string_view why);
tl::unexpected<Error> refuse_failed(ErrorSource source, std::string_view why);
tl::unexpected<Error> refuse_full(std::string_view what);

// Whether list flags select an object: a group has two bits, of which none is set or the one that
// applies to the object.
inline bool group_matches(std::uint32_t flags, std::uint32_t yes_bit, std::uint32_t no_bit,
                          bool yes) {
    return (flags & (yes_bit | no_bit)) == 0 || (flags & (yes ? yes_bit : no_bit)) != 0;
}
// The same for all groups that networks and pools have in common.
template <class Object>
bool groups_match(const Object& object, std::uint32_t flags) {
    using namespace list_networks;
    return group_matches(flags, kActive, kInactive, object.active) &&
           group_matches(flags, kPersistent, kTransient, object.persistent) &&
           group_matches(flags, kAutostart, kNoAutostart, object.autostart);
}

// The object that a definition changes, or null if it is a new one. A new object whose definition
// has no uuid gets one; to change an object, a definition needs its name and its uuid.
template <class Object>
Outcome<Object*> find_defined(const HostIndex<Object>& objects, std::string_view kind,
                              ErrorSource source, const std::string& name, Uuid& uuid,
                              bool says_uuid) {
    const Object* const same_name = objects.find(name);
    if (!says_uuid && same_name == nullptr) uuid = objects.unused_uuid(kind, name);
    Object* const same_uuid = objects.find(uuid);
    if (same_uuid != nullptr && same_uuid->key().name != name)
        return refuse_failed(source, fmt::format("{} '{}' is already defined with uuid {}", kind,
                                                 same_uuid->key().name, to_text(uuid)));
    if (same_name != nullptr && (same_uuid == nullptr || !says_uuid))
        return refuse_failed(source, fmt::format("{} '{}' already exists with uuid {}", kind, name,
                                                 to_text(same_name->key().uuid)));
    return same_uuid;
}

}  // namespace helio::virt::host
