#include "helio/vfs/access_lists.h"

#include <algorithm>

#include "helio/base/assert.h"

namespace helio::vfs {

namespace {

constexpr std::uint8_t kAllRights = kAclRead | kAclWrite | kAclExecute;

bool is_named(const AclEntry& entry) {
    return entry.tag == AclTag::user || entry.tag == AclTag::group;
}

AclEntry* find(Acl& list, AclTag tag) {
    const auto at = std::find_if(list.begin(), list.end(),
                                 [tag](const AclEntry& entry) { return entry.tag == tag; });
    return at == list.end() ? nullptr : &*at;
}

// The entry that the group bits of the mode stand for.
AclEntry& group_class(Acl& list) {
    AclEntry* const mask = find(list, AclTag::mask);
    AclEntry* const entry = mask ? mask : find(list, AclTag::owning_group);
    HELIO_ASSERT(entry != nullptr);
    return *entry;
}

std::uint8_t digit(std::uint32_t mode, unsigned shift) {
    return static_cast<std::uint8_t>(mode >> shift & kAllRights);
}

bool is_member(const Caller& caller, std::uint32_t gid) {
    return caller.gid == gid ||
           std::find(caller.groups.begin(), caller.groups.end(), gid) != caller.groups.end();
}

}  // namespace

bool make_valid(Acl& list) {
    if (list.size() > kAclEntriesMax) return false;
    std::sort(list.begin(), list.end());
    std::size_t single[6] = {};
    bool named = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        AclEntry& entry = list[i];
        if (entry.rights > kAllRights || entry.tag > AclTag::other) return false;
        if (is_named(entry)) {
            named = true;
            if (i > 0 && list[i - 1].tag == entry.tag && list[i - 1].id == entry.id) return false;
        } else {
            entry.id = 0;
            ++single[static_cast<std::size_t>(entry.tag)];
        }
    }
    const auto count = [&single](AclTag tag) { return single[static_cast<std::size_t>(tag)]; };
    return count(AclTag::owner) == 1 && count(AclTag::owning_group) == 1 &&
           count(AclTag::other) == 1 && count(AclTag::mask) <= 1 &&
           (!named || count(AclTag::mask) == 1);
}

bool is_minimal(const Acl& list) { return list.size() == 3; }

Acl acl_from_mode(std::uint32_t mode) {
    return {{AclTag::owner, 0, digit(mode, 6)},
            {AclTag::owning_group, 0, digit(mode, 3)},
            {AclTag::other, 0, digit(mode, 0)}};
}

std::uint32_t mode_of(const Acl& list) {
    std::uint32_t mode = 0;
    for (const AclEntry& entry : list) {
        if (entry.tag == AclTag::owner) mode |= std::uint32_t{entry.rights} << 6;
        if (entry.tag == AclTag::owning_group) mode |= std::uint32_t{entry.rights} << 3;
        // Sorted after the owning group, which it overrides.
        if (entry.tag == AclTag::mask) mode = (mode & ~070u) | std::uint32_t{entry.rights} << 3;
        if (entry.tag == AclTag::other) mode |= entry.rights;
    }
    return mode;
}

void apply_mode(Acl& list, std::uint32_t mode) {
    find(list, AclTag::owner)->rights = digit(mode, 6);
    group_class(list).rights = digit(mode, 3);
    find(list, AclTag::other)->rights = digit(mode, 0);
}

Acl inherit(const Acl& inherited, std::uint32_t mode) {
    Acl list = inherited;
    apply_mode(list, mode_of(list) & mode);
    return list;
}

bool grants(const Acl& list, const Caller& caller, std::uint32_t owner_uid, std::uint32_t owner_gid,
            std::uint8_t rights) {
    std::uint8_t mask = kAllRights;
    for (const AclEntry& entry : list)
        if (entry.tag == AclTag::mask) mask = entry.rights;
    const auto has = [rights](std::uint8_t granted) { return (rights & ~granted) == 0; };
    // Entries are sorted in the order in which POSIX evaluates them.
    bool in_group = false;
    for (const AclEntry& entry : list) {
        switch (entry.tag) {
            case AclTag::owner:
                if (caller.uid == owner_uid) return has(entry.rights);
                break;
            case AclTag::user:
                if (caller.uid == entry.id) return has(entry.rights & mask);
                break;
            case AclTag::owning_group:
            case AclTag::group:
                // Any matching group may grant access, but a single entry must have all of the
                // rights.
                if (!is_member(caller, entry.tag == AclTag::group ? entry.id : owner_gid)) break;
                in_group = true;
                if (has(entry.rights & mask)) return true;
                break;
            case AclTag::mask:
                break;
            case AclTag::other:
                return !in_group && has(entry.rights);
        }
    }
    return false;
}

}  // namespace helio::vfs
