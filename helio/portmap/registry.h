// Registry: a portmapper's table of programs and where they listen (RFC 1833). Thread-safe. All it
// knows about callers is the owner's name, which the services determine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"

namespace helio::portmap {

// Mappings of one table. A host that serves NFS in every version on every transport has about a
// hundred; ten times that is an attack.
inline constexpr std::size_t kMappingsMax = 1024;

// Mappings of one ordinary owner; all local processes that cannot be told apart count as one. A
// server with ten programs on every transport fits.
inline constexpr std::size_t kMappingsPerOwnerMax = 64;
// Mappings of all ordinary owners together: the rest is reserved for privileged ones, however many
// uids there are.
inline constexpr std::size_t kOrdinaryMappingsMax = kMappingsMax / 2;

// Programs that only privileged processes may register: those of Sun's services, among them NFS,
// MOUNT, NLM and the port mapper (RFC 5531 §8.3). Clients on other machines trust whatever answers
// for them.
inline constexpr std::uint32_t kReservedProgramFirst = 100'000;
inline constexpr std::uint32_t kReservedProgramLast = 100'999;
// Ports below this are reserved for privileged processes, so only they may register them.
inline constexpr std::uint16_t kReservedPortsEnd = 1024;

// Owners with a name; others are shown as the uid that registered.
inline constexpr std::string_view kSuperuser = "superuser";
// A local process, over a transport that does not identify it.
inline constexpr std::string_view kUnknownOwner = "unknown";
std::string owner_name(std::uint32_t uid);

// One program version at one address.
struct Mapping {
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::string netid;
    std::string address;  // a universal address
    std::string owner;

    bool operator==(const Mapping&) const = default;
};

// What the registering process may do, as far as the kernel can tell. Privileged: the superuser,
// this server and its user, and callers from a reserved port of this machine.
enum class Standing : std::uint8_t { privileged, ordinary };

// Whether the version must match. Portmapper clients that do not know the version accept any, and
// learn from the program itself which ones it has.
enum class Match : std::uint8_t { exact, any_version };

class Registry final {
 public:
    // Why it failed, as the second half of a sentence; lives forever.
    using Why = std::string_view;

    Registry() = default;
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    // Rejects malformed mappings, and a program, version and netid that has another address
    // already. Setting it again to the same address is fine. An ordinary process has a share of the
    // table, and may not register reserved programs and ports, nor another version of a program
    // that a privileged one has registered.
    Result<void, Why> set(const Mapping& mapping, Standing standing = Standing::privileged);
    // Removes program and version on these netids, or on all if there are none. Only its owner and
    // the superuser may: if one mapping belongs to another owner, all of them stay.
    Result<void, Why> unset(std::uint32_t program, std::uint32_t version,
                            std::initializer_list<std::string_view> netids, std::string_view owner,
                            Standing standing = Standing::privileged);

    std::optional<Mapping> find(std::uint32_t program, std::uint32_t version,
                                std::string_view netid, Match match) const;
    // In the order in which they were set.
    std::vector<Mapping> all() const;

 private:
    struct Entry {
        Mapping mapping;
        Standing standing = Standing::privileged;
    };
    // May this owner change or replace the entry?
    static bool owns(std::string_view owner, Standing standing, const Entry& entry);
    // Empty, or why an ordinary process may not register this.
    Why why_not(const Mapping& mapping, std::uint16_t port) const;

    mutable std::mutex mutex_;
    std::vector<Entry> entries_;
};

}  // namespace helio::portmap
