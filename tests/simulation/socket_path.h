// Paths of a simulation's listeners: in a directory of this process alone.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "helio/base/assert.h"

namespace helio::simulation {

inline std::string socket_path(const char* name) {
    struct Holder {
        char path[32] = "/tmp/helio-simulation-XXXXXX";
        Holder() { HELIO_ASSERT(mkdtemp(path) != nullptr); }
        ~Holder() { rmdir(path); }
    };
    static const Holder holder;
    return std::string(holder.path) + "/" + name;
}

}  // namespace helio::simulation
