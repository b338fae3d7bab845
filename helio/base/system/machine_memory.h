// The memory that this process may use: the machine's, or the limit of its control group.
#pragma once

#include <cstddef>
#include <string>

namespace helio {

std::size_t machine_memory();

// The lowest limit of a control group (version 2) and its ancestors; SIZE_MAX if there is none.
// `mounted` is where the control groups are mounted, `groups` the text of /proc/self/cgroup.
std::size_t cgroup_memory(const std::string& mounted, const std::string& groups);

}  // namespace helio
