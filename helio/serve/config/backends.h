// The back ends linked into this server, and the parts of its messages that depend on them.
#pragma once

#include <string>
#include <string_view>

#include "helio/vfs/backend.h"

namespace helio::serve {

// Add a new back end here.
const vfs::BackendTable& linked_backends();

// "DIR, NAME=DIR, memory: or NAME=memory:"
std::string source_usage(const vfs::BackendTable& backends);
// "a directory, or 'memory:'", with quotes around literal text.
std::string source_nouns(const vfs::BackendTable& backends, std::string_view quote);
// "is neither an absolute path nor 'memory:'"
std::string not_a_source(const vfs::BackendTable& backends);
// For --help: one line per setting of each back end; empty if there are none.
std::string settings_help(const vfs::BackendTable& backends);

}  // namespace helio::serve
