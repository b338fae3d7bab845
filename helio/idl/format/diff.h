// The difference of two texts as a unified diff, the format that `patch` and reviewers read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helio::idl {

// Lines that may be inserted or deleted before the search gives up and shows the rest as replaced:
// Myers' algorithm takes time and memory proportional to the square of this.
inline constexpr std::size_t kDiffEditsMax = 2000;

// Empty when the texts are the same. `path` names both sides, as a/path and b/path.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace helio::idl
