#include "helio/portmap/registry.h"

#include <algorithm>

#include "helio/portmap/universal_address.h"

namespace helio::portmap {

std::string owner_name(std::uint32_t uid) {
    return uid == 0 ? std::string{kSuperuser} : std::to_string(uid);
}

Result<void, Registry::Why> Registry::set(const Mapping& mapping) {
    const Netid* const netid = find_netid(mapping.netid);
    if (netid == nullptr) return fail(Why{"the netid is none that we know"});
    const auto where = parse_universal_address(netid->family, mapping.address);
    if (!where) return fail(where.error());
    if (!where->is_unix() && where->port() == 0) return fail(Why{"the port is 0"});
    // One spelling for each address, so that equal ones compare equal.
    Mapping kept = mapping;
    kept.address = to_universal_address(*where);

    const std::lock_guard lock{mutex_};
    for (const Mapping& one : mappings_) {
        if (one.program != kept.program || one.version != kept.version || one.netid != kept.netid)
            continue;
        if (one.address == kept.address) return {};
        return fail(Why{"it is registered at another address"});
    }
    if (mappings_.size() >= kMappingsMax) return fail(Why{"the table is full"});
    mappings_.push_back(std::move(kept));
    return {};
}

Result<void, Registry::Why> Registry::unset(std::uint32_t program, std::uint32_t version,
                                            std::initializer_list<std::string_view> netids,
                                            std::string_view owner) {
    const auto meant = [&](const Mapping& one) {
        return one.program == program && one.version == version &&
               (netids.size() == 0 ||
                std::find(netids.begin(), netids.end(), one.netid) != netids.end());
    };
    const auto foreign = [&](const Mapping& one) {
        return meant(one) && owner != kSuperuser && one.owner != owner;
    };
    const std::lock_guard lock{mutex_};
    if (std::any_of(mappings_.begin(), mappings_.end(), foreign))
        return fail(Why{"somebody else registered it"});
    if (std::erase_if(mappings_, meant) == 0) return fail(Why{"it is not registered"});
    return {};
}

std::optional<Mapping> Registry::find(std::uint32_t program, std::uint32_t version,
                                      std::string_view netid, Match match) const {
    const std::lock_guard lock{mutex_};
    const Mapping* found = nullptr;
    for (const Mapping& one : mappings_) {
        if (one.program != program || one.netid != netid) continue;
        if (one.version == version) return one;
        if (match == Match::any_version) found = &one;
    }
    if (found == nullptr) return {};
    return *found;
}

std::vector<Mapping> Registry::all() const {
    const std::lock_guard lock{mutex_};
    return mappings_;
}

}  // namespace helio::portmap
