// Checks names and texts from clients, and chooses the error for invalid ones.
#pragma once

#include <string_view>

#include "helio/vfs/status.h"
#include "helio/vfs/types.h"

namespace helio::nfs::ops {

// NAME_MAX of Linux and nearly every other system.
inline constexpr std::size_t kNameBytesMax = 255;
// The text of a symbolic link: Linux's PATH_MAX, less the final NUL.
inline constexpr std::size_t kLinkTextBytesMax = 4095;

// The intended operation.
enum class NameFor : std::uint8_t { lookup, make, remove, remove_directory, rename };

// ok, or the operation's error. Invalid bytes are access_denied: the only suitable error that every
// procedure of versions 2 and 3 may return.
vfs::Status check_name(std::string_view name, NameFor what);
vfs::Status check_link_text(std::string_view text);
// Checks nanoseconds and ids; reduces the mode to its permission bits.
vfs::Status check_changes(vfs::Changes& changes);

}  // namespace helio::nfs::ops
