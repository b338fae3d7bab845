// Replaces the rest of this folder with HELIO_VIRT=OFF.
#include <stdexcept>

#include "cli/command.h"

namespace helio::cli {

void add_virt(Command& app, int&) {
    Command* const verb = app.add_subcommand("virt", "Not available in this build");
    verb->prefix_command();  // takes any arguments
    verb->callback([] {
        throw std::runtime_error(
            "virt: not available: helio was built without it (HELIO_VIRT=OFF)");
    });
}

}  // namespace helio::cli
