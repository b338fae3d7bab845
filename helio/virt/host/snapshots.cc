// Snapshots of domains: a tree of definitions and states. Disk contents are not kept, because
// nothing runs that could change them.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

// Reasons of states after a revert to a snapshot.
constexpr int kRunningFromSnapshot = 4, kPausedFromSnapshot = 7, kOffFromSnapshot = 7;

Outcome<HostedSnapshots::iterator> find_snapshot(HostedDomain& domain, std::string_view name) {
    const auto found = domain.snapshots.find(name);
    if (found == domain.snapshots.end())
        return refuse(ErrorCode::no_snapshot, ErrorSource::test,
                      fmt::format("Domain snapshot not found: no domain snapshot with matching "
                                  "name '{}'",
                                  name));
    return found;
}

bool has_children(const HostedSnapshots& all, std::string_view name) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& one) { return one.second.parent == name; });
}

// Whether `name` descends from `ancestor`. Parents are older, so the loop ends.
bool descends(const HostedSnapshots& all, std::string_view name, std::string_view ancestor) {
    for (auto at = all.find(name); at != all.end() && !at->second.parent.empty();
         at = all.find(at->second.parent))
        if (at->second.parent == ancestor) return true;
    return false;
}

bool snapshot_listed(const HostedSnapshots& all, const std::string& name,
                     const HostedSnapshot& snapshot, std::uint32_t flags) {
    using namespace list_snapshots;
    const bool leaf = !has_children(all, name);
    const auto group = [&](std::uint32_t bits, std::uint32_t mine) {
        return (flags & bits) == 0 || (flags & mine) != 0;
    };
    const std::uint32_t state =
        snapshot.disk_only ? kDiskOnly : (snapshot.state == State::off ? kInactive : kActive);
    if ((flags & kNoMetadata) != 0 && (flags & 2) == 0) return false;
    return group(kLeaves | kNoLeaves, leaf ? kLeaves : kNoLeaves) &&
           group(kInactive | kActive | kDiskOnly, state) &&
           group(kInternal | kExternal, snapshot.disk_only ? kExternal : kInternal);
}

std::string_view state_word(const HostedSnapshot& snapshot) {
    if (snapshot.disk_only) return "disk-snapshot";
    if (snapshot.state == State::off) return "shutoff";
    return snapshot.state == State::paused ? "paused" : "running";
}

std::string write_snapshot(const std::string& name, const HostedSnapshot& snapshot) {
    std::string text = "<domainsnapshot>\n";
    append_element(text, 1, "name", name);
    if (!snapshot.description.empty()) append_element(text, 1, "description", snapshot.description);
    append_element(text, 1, "state", state_word(snapshot));
    if (!snapshot.parent.empty()) {
        text += "  <parent>\n";
        append_element(text, 2, "name", snapshot.parent);
        text += "  </parent>\n";
    }
    append_element(text, 1, "creationTime", std::to_string(snapshot.created_s));
    const bool memory = snapshot.state != State::off && !snapshot.disk_only;
    text += fmt::format("  <memory snapshot='{}'/>\n", memory ? "internal" : "no");
    if (!snapshot.config->disks.empty()) {
        text += "  <disks>\n";
        for (const DomainDisk& disk : snapshot.config->disks)
            text += fmt::format("    <disk name='{}' snapshot='{}'/>\n", xml_escaped(disk.target),
                                snapshot.disk_only ? "external" : "internal");
        text += "  </disks>\n";
    }
    const std::string domain = domain_config_xml(*snapshot.config, -1);
    for (std::size_t at = 0; at < domain.size();) {
        const std::size_t end = domain.find('\n', at) + 1;
        text += "  ";
        text.append(domain, at, end - at);
        at = end;
    }
    text += "</domainsnapshot>\n";
    return text;
}

std::int64_t seconds_now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

Outcome<std::string> Host::create_snapshot(const Uuid& uuid, std::string_view xml,
                                           const SnapshotWanted& wanted) {
    auto text = XmlText::read(xml, "domain_snapshot", ErrorSource::domain, "domainsnapshot");
    if (!text) return fail(text.error());
    HostedSnapshot snapshot;
    snapshot.created_s = seconds_now();
    snapshot.description = child_text(text->root(), "description");
    std::string name = child_text(text->root(), "name");
    if (name.empty()) name = std::to_string(snapshot.created_s);
    if (name.front() == '.' || name.find('/') != std::string::npos)
        return refuse(ErrorCode::xml_detail, ErrorSource::domain,
                      fmt::format("invalid snapshot name '{}': name can't contain '/' or begin "
                                  "with '.'",
                                  name));
    const std::size_t bytes = sizeof snapshot + 2 * name.size() + snapshot.description.size();
    if (auto charged = impl_->charge(snapshot.charge, bytes); !charged)
        return fail(charged.error());
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (domain.snapshots.contains(name))
        return refuse_failed(ErrorSource::test,
                             fmt::format("domain moment {} already exists", name));
    if (domain.snapshots.size() >= kDomainSnapshotsMax) return refuse_full("snapshots");
    snapshot.config = domain.live;
    snapshot.state = domain.state.state;
    snapshot.disk_only = wanted.disk_only;
    snapshot.number = impl_->snapshot_next++;
    snapshot.parent = domain.snapshot_current;
    if (!wanted.forget) {
        domain.snapshots[name] = std::move(snapshot);
        domain.snapshot_current = name;
    }
    if (wanted.halt && domain.active())
        impl_->stop(domain, kOffFromSnapshot, lifecycle::kStoppedFromSnapshot);
    return name;
}

Outcome<std::vector<std::string>> Host::snapshots(const Uuid& uuid, std::uint32_t list_flags,
                                                  std::optional<std::string_view> of) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    if (of)
        if (auto parent = find_snapshot(**found, *of); !parent) return fail(parent.error());
    const HostedSnapshots& all = (*found)->snapshots;
    std::vector<std::pair<std::uint64_t, std::string>> in_order;
    for (const auto& [name, snapshot] : all) {
        const bool first_bit = (list_flags & list_snapshots::kRoots) != 0;
        bool wanted = !first_bit || snapshot.parent.empty();
        if (of) wanted = first_bit ? descends(all, name, *of) : snapshot.parent == *of;
        if (wanted && snapshot_listed(all, name, snapshot, list_flags))
            in_order.emplace_back(snapshot.number, name);
    }
    std::sort(in_order.begin(), in_order.end());
    std::vector<std::string> names;
    for (auto& [number, name] : in_order) names.push_back(std::move(name));
    return names;
}

Outcome<std::string> Host::snapshot_parent(const Uuid& uuid, std::string_view name) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    return find_snapshot(**found, name).map([](auto at) { return at->second.parent; });
}

Outcome<std::string> Host::current_snapshot(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->domain(uuid).map(
        [](const HostedDomain* domain) { return domain->snapshot_current; });
}

Outcome<std::string> Host::snapshot_xml(const Uuid& uuid, std::string_view name) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    return find_snapshot(**found, name).map([](auto at) {
        return write_snapshot(at->first, at->second);
    });
}

Outcome<void> Host::revert_to_snapshot(const Uuid& uuid, std::string_view name, RevertTo to) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    auto place = find_snapshot(domain, name);
    if (!place) return fail(place.error());
    const HostedSnapshot& snapshot = (*place)->second;
    State state = snapshot.state == State::off || snapshot.state == State::paused ? snapshot.state
                                                                                  : State::running;
    if (to == RevertTo::running) state = State::running;
    if (to == RevertTo::paused) state = State::paused;
    if (state == State::off && !domain.persistent)
        return refuse_operation(ErrorSource::test,
                                "transient domain needs to request run or pause to revert to "
                                "inactive snapshot");
    domain.snapshot_current = (*place)->first;
    const auto config = snapshot.config;
    if (domain.persistent) domain.config = config;
    if (state == State::off) {
        if (domain.active()) impl_->stop(domain, kOffFromSnapshot, lifecycle::kStoppedFromSnapshot);
        domain.live = domain.config;
        domain.state = {State::off, kOffFromSnapshot};
        return {};
    }
    if (!domain.active()) {
        domain.managed_save = false;
        impl_->start(domain, {.as = state == State::paused ? StartAs::paused : StartAs::running,
                              .reason = kRunningFromSnapshot,
                              .detail = lifecycle::kStartedFromSnapshot});
        return {};
    }
    auto live = std::make_shared<DomainConfig>(*config);
    name_interfaces(*live, impl_->vnet_next);
    domain.live = std::move(live);
    const bool ran = domain.state.state == State::running;
    if (state == State::paused) {
        domain.ran = impl_->running_time(domain);
        domain.state = {State::paused, kPausedFromSnapshot};
        impl_->tell_lifecycle(domain, lifecycle::kSuspended, lifecycle::kSuspendedFromSnapshot);
    } else {
        if (!ran) domain.resumed = impl_->now();
        domain.state = {State::running, kRunningFromSnapshot};
        impl_->tell_lifecycle(domain, lifecycle::kResumed, lifecycle::kResumedFromSnapshot);
    }
    return {};
}

Outcome<void> Host::delete_snapshot(const Uuid& uuid, std::string_view name, DeleteWhat what) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    auto place = find_snapshot(domain, name);
    if (!place) return fail(place.error());
    HostedSnapshots& all = domain.snapshots;
    const std::string target = (*place)->first;
    const std::string parent = (*place)->second.parent;
    std::vector<std::string> gone;
    if (what != DeleteWhat::one)
        for (const auto& [other, snapshot] : all)
            if (descends(all, other, target)) gone.push_back(other);
    if (what != DeleteWhat::children_only) gone.push_back(target);
    for (const std::string& one : gone) {
        all.erase(one);
        if (domain.snapshot_current == one)
            domain.snapshot_current = what == DeleteWhat::children_only ? target : parent;
    }
    for (auto& [other, snapshot] : all)
        if (snapshot.parent == target && !all.contains(target)) snapshot.parent = parent;
    return {};
}

}  // namespace helio::virt::host
