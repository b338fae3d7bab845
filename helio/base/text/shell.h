// Quoting for shells.
#pragma once

#include <string>
#include <string_view>

namespace helio {

// The word as one would type it: in single quotes if it contains characters that are special to a
// shell.
std::string shell_quoted(std::string_view word);

}  // namespace helio
