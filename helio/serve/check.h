// `helio serve --check`: reports what would go wrong on this machine, without starting the server:
// addresses that do not exist here, ports that are not permitted, a state directory that cannot be
// used.
#pragma once

#include <string>
#include <vector>

#include "helio/serve/config/plan.h"
#include "helio/serve/config/settings.h"
#include "helio/transport/socket/endpoint.h"

namespace helio::serve {

// A running server, or systemd's socket, may hold the ports of the settings that are checked.
enum class BusyPorts { are_fine, are_problems };

struct StartCheck {
    std::vector<std::string> problems;  // the server would not start
    std::vector<std::string> notes;     // it would start, and print this
};
StartCheck check_start(const Settings& settings, const Plan& plan, BusyPorts busy);

}  // namespace helio::serve
