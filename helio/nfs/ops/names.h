// Which names and texts may come from a client, and what is answered to the others.
#pragma once

#include <string_view>

#include "helio/vfs/status.h"
#include "helio/vfs/types.h"

namespace helio::nfs::ops {

// What Linux and nearly every other system have (NAME_MAX).
inline constexpr std::size_t kNameBytesMax = 255;
// The text of a symbolic link: what Linux takes (PATH_MAX, less the NUL behind it).
inline constexpr std::size_t kLinkTextBytesMax = 4095;

// What is to be done with the name.
enum class NameFor : std::uint8_t { lookup, make, remove, remove_directory, rename };

// ok, or what the operation is answered with. Bytes that can be in no name are access_denied: of
// the errors that could say it, the one that every procedure of versions 2 and 3 may give.
vfs::Status check_name(std::string_view name, NameFor what);
vfs::Status check_link_text(std::string_view text);
// Nanoseconds, ids; cuts the mode to its permissions.
vfs::Status check_changes(vfs::Changes& changes);

}  // namespace helio::nfs::ops
