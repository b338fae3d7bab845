#include "helio/base/system/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace helio {

namespace {

std::string contents(const std::string& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

// "max" or a number.
std::size_t limit_in(const std::string& path) {
    const std::string text = contents(path);
    std::size_t bytes = SIZE_MAX;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return error == std::errc{} ? bytes : SIZE_MAX;
}

}  // namespace

std::size_t cgroup_memory(const std::string& mounted, const std::string& groups) {
    // "0::/system.slice/helio.service"
    const std::size_t at = groups.starts_with("0::") ? 0 : groups.find("\n0::");
    if (at == std::string::npos) return SIZE_MAX;
    const std::size_t begin = groups.find("::", at) + 2;
    std::string group = groups.substr(begin, groups.find('\n', begin) - begin);
    std::size_t least = SIZE_MAX;
    while (group.starts_with('/')) {
        least = std::min(least, limit_in(mounted + group + "/memory.max"));
        group.resize(group.rfind('/'));
    }
    return least;
}

std::size_t machine_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const std::size_t all = pages > 0 ? static_cast<std::size_t>(pages) *
                                            static_cast<std::size_t>(sysconf(_SC_PAGESIZE))
                                      : SIZE_MAX;
    return std::min(all, cgroup_memory("/sys/fs/cgroup", contents("/proc/self/cgroup")));
}

}  // namespace helio
