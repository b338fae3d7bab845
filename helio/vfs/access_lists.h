// Access control lists, an optional part of a FileSystem: those of POSIX draft 1003.1e, as in Linux
// and the NFSACL protocol. A list extends the mode and is kept in step with it: the rights of the
// owner, the mask (or the owning group, if there is no mask) and others are the nine permission
// bits, and chmod changes them.
//
// A valid list has exactly one entry for owner, owning group and others, at most one per named user
// and group, and a mask if it names any. A FileSystem returns lists sorted by tag, then by id.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "helio/vfs/file_system.h"

namespace helio::vfs {

// Linux's limit for NFSACL (NFS_ACL_MAX_ENTRIES). File systems on disk have room for fewer.
inline constexpr std::size_t kAclEntriesMax = 1'024;

enum class AclTag : std::uint8_t { owner, user, owning_group, group, mask, other };

// As in the last three bits of a mode.
inline constexpr std::uint8_t kAclRead = 4;
inline constexpr std::uint8_t kAclWrite = 2;
inline constexpr std::uint8_t kAclExecute = 1;

struct AclEntry {
    AclTag tag = AclTag::other;
    std::uint32_t id = 0;  // of a named user or group
    std::uint8_t rights = 0;
    auto operator<=>(const AclEntry&) const = default;
};
using Acl = std::vector<AclEntry>;

enum class AclKind : std::uint8_t {
    access,    // who may do what with the file
    inherited  // of directories: the initial list of new files in it; POSIX calls it the default
               // ACL
};

class AccessLists {
 public:
    virtual ~AccessLists() = default;
    // If a file has no access list, returns the three entries equivalent to its mode. If there is
    // no inherited list, returns an empty one.
    virtual Status get(const Caller& caller, const FileId& file, AclKind kind, Acl& out) = 0;
    // An empty list removes the list and leaves the mode. invalid: the list is not valid.
    // not_permitted: only the owner and the superuser may. not_a_directory: only directories have
    // an inherited list.
    virtual Status set(const Caller& caller, const FileId& file, AclKind kind,
                       std::span<const AclEntry> list) = 0;
};

// For back ends, and for protocols with another form of access lists:

// Sorts the list and tells whether it is valid.
bool make_valid(Acl& list);
// Equivalent to a mode.
bool is_minimal(const Acl& list);
Acl acl_from_mode(std::uint32_t mode);
// The permission bits of a valid list.
std::uint32_t mode_of(const Acl& list);
// The effect of chmod on a valid list.
void apply_mode(Acl& list, std::uint32_t mode);
// The access list of a file that is created with `mode` in a directory with this inherited list.
Acl inherit(const Acl& inherited, std::uint32_t mode);
// Whether a valid list grants all of `rights`. The superuser gets no special treatment here.
bool grants(const Acl& list, const Caller& caller, std::uint32_t owner_uid, std::uint32_t owner_gid,
            std::uint8_t rights);

}  // namespace helio::vfs
