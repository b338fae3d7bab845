#include "helio/portmap/registry.h"

#include <algorithm>

#include "helio/portmap/universal_address.h"

namespace helio::portmap {

std::string owner_name(std::uint32_t uid) {
    return uid == 0 ? std::string{kSuperuser} : std::to_string(uid);
}

// A name proves nothing if all unidentified processes share it.
bool Registry::owns(std::string_view owner, Standing standing, const Entry& entry) {
    if (owner == kSuperuser) return true;
    if (entry.mapping.owner != owner) return false;
    return owner != kUnknownOwner || standing == Standing::privileged ||
           entry.standing == Standing::ordinary;
}

Registry::Why Registry::why_not(const Mapping& mapping, std::uint16_t port) const {
    if (mapping.program >= kReservedProgramFirst && mapping.program <= kReservedProgramLast)
        return "only a privileged process may register this program";
    if (port != 0 && port < kReservedPortsEnd)
        return "only a privileged process may register a port below 1024";
    std::size_t of_owner = 0, ordinary = 0;
    for (const Entry& one : entries_) {
        if (one.standing == Standing::privileged && one.mapping.program == mapping.program &&
            !owns(mapping.owner, Standing::ordinary, one))
            return "a privileged process has registered this program";
        if (one.standing != Standing::ordinary) continue;
        ++ordinary;
        if (one.mapping.owner == mapping.owner) ++of_owner;
    }
    if (of_owner >= kMappingsPerOwnerMax) return "its owner has reached the limit of mappings";
    if (ordinary >= kOrdinaryMappingsMax) return "the space for ordinary users is full";
    return {};
}

Result<void, Registry::Why> Registry::set(const Mapping& mapping, Standing standing) {
    const Netid* const netid = find_netid(mapping.netid);
    if (netid == nullptr) return fail(Why{"the netid is unknown"});
    const auto where = parse_universal_address(netid->family, mapping.address);
    if (!where) return fail(where.error());
    const std::uint16_t port = where->is_unix() ? 0 : where->port();
    if (!where->is_unix() && port == 0) return fail(Why{"the port is 0"});
    // Each address has one spelling, so that equal ones compare equal.
    Mapping kept = mapping;
    kept.address = to_universal_address(*where);

    const std::lock_guard lock{mutex_};
    for (const Entry& entry : entries_) {
        const Mapping& one = entry.mapping;
        if (one.program != kept.program || one.version != kept.version || one.netid != kept.netid)
            continue;
        if (one.address == kept.address) return {};
        return fail(Why{"it is registered at another address"});
    }
    if (standing == Standing::ordinary)
        if (const Why why = why_not(kept, port); !why.empty()) return fail(why);
    if (entries_.size() >= kMappingsMax) return fail(Why{"the table is full"});
    entries_.push_back({std::move(kept), standing});
    return {};
}

Result<void, Registry::Why> Registry::unset(std::uint32_t program, std::uint32_t version,
                                            std::initializer_list<std::string_view> netids,
                                            std::string_view owner, Standing standing) {
    const auto meant = [&](const Entry& entry) {
        const Mapping& one = entry.mapping;
        return one.program == program && one.version == version &&
               (netids.size() == 0 ||
                std::find(netids.begin(), netids.end(), one.netid) != netids.end());
    };
    const auto foreign = [&](const Entry& one) {
        return meant(one) && !owns(owner, standing, one);
    };
    const std::lock_guard lock{mutex_};
    if (std::any_of(entries_.begin(), entries_.end(), foreign))
        return fail(Why{"another user registered it"});
    if (std::erase_if(entries_, meant) == 0) return fail(Why{"it is not registered"});
    return {};
}

std::optional<Mapping> Registry::find(std::uint32_t program, std::uint32_t version,
                                      std::string_view netid, Match match) const {
    const std::lock_guard lock{mutex_};
    const Mapping* found = nullptr;
    for (const Entry& entry : entries_) {
        const Mapping& one = entry.mapping;
        if (one.program != program || one.netid != netid) continue;
        if (one.version == version) return one;
        if (match == Match::any_version) found = &one;
    }
    if (found == nullptr) return {};
    return *found;
}

std::vector<Mapping> Registry::all() const {
    const std::lock_guard lock{mutex_};
    std::vector<Mapping> out;
    out.reserve(entries_.size());
    for (const Entry& one : entries_) out.push_back(one.mapping);
    return out;
}

}  // namespace helio::portmap
