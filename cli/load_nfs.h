// `helio load nfs`, a verb of the verb.
#pragma once

#include "cli/command.h"

namespace helio::cli {

void add_load_nfs(Command& load, int& exit_code);

}  // namespace helio::cli
