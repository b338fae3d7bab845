// Confinement of helio virt serve and relay.
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "cli/virt/virt.h"

namespace helio::cli {

void confine(const SandboxNeeds& needs, std::span<const std::uint16_t> ports) {
    Sandbox sandbox{needs};
    for (const std::uint16_t port : ports) sandbox.allow_connecting_to(port);
    sandbox.enter();
    fmt::print(stderr, "helio: confined by {}\n", fmt::join(sandbox.confined_by(), "; "));
    for (const std::string& problem : sandbox.problems())
        fmt::print(stderr, "helio: not confined: {}\n", problem);
}

std::string directory_of(const std::string& path) {
    std::error_code error;
    return std::filesystem::absolute(path, error).parent_path().string();
}

}  // namespace helio::cli
