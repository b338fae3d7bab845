// Words for a shell.
#pragma once

#include <string>
#include <string_view>

namespace helio {

// The word as one would type it: in single quotes if it has characters that mean something to a
// shell.
std::string shell_quoted(std::string_view word);

}  // namespace helio
