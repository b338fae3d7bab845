// The control socket of a server: where it is, and how it is found. Servers may share a directory:
// the first has "control.sock", the next "control-2.sock". A socket that a dead server left behind
// is replaced.
#pragma once

#include <string>
#include <vector>

#include "helio/transport/server/server.h"

namespace helio::serve {

// Servers that share a directory: more than one user runs at a time.
inline constexpr std::size_t kControlSocketsMax = 16;

// Connections to one of them: an administrator at a time, and a few scripts.
inline constexpr std::size_t kControlConnectionsMax = 16;
// Memory for their calls: a page with its rows for each.
inline constexpr std::size_t kControlMemoryMax = 16u << 20;

// "/var/lib/heliograph/control-2.sock" is number 1.
std::string control_path(const std::string& directory, std::size_t number);

// $XDG_RUNTIME_DIR, for servers whose state directory cannot have a socket; empty if there is none.
std::string runtime_directory();

// While the process starts: listens on the first free socket of the directory, with mode 0600, and
// returns its path. Throws
// std::runtime_error with a sentence if that is impossible.
std::string listen_for_control(transport::Server& server, const std::string& directory);

}  // namespace helio::serve
