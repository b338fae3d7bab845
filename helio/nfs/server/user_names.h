// UserNames: users and groups by name, as NFS version 4 sends them: "ada@example.com" (RFC 8881
// §5.9). What knows the names may be slow (LDAP), so nothing here waits unless it is told to.
// Implementations are used by all threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "helio/vfs/status.h"

namespace helio::nfs {

// A longer owner is sent as a number. Linux's client refuses names from 128 bytes on.
inline constexpr std::size_t kOwnerTextMax = 127;

class UserNames {
 public:
    enum class Kind : std::uint8_t { user, group };
    enum class Wait : std::uint8_t { no, yes };

    virtual ~UserNames() = default;
    // What to send for an id: its name with the domain, or the number if it has no name.
    // would_block: not known yet, and it may not wait.
    virtual vfs::Status text_of(Kind kind, std::uint32_t id, Wait wait, std::string& out) = 0;
    // The id that a client means. invalid: there is no such user or group, or it is of another
    // domain. busy: it cannot be found out now. would_block: as above.
    virtual vfs::Status id_of(Kind kind, std::string_view text, Wait wait, std::uint32_t& out) = 0;
};

// An owner that is a number: decimal digits without leading zeros. False: it is none.
bool parse_number(std::string_view text, std::uint32_t& out);

}  // namespace helio::nfs
