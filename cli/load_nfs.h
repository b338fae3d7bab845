// `helio load nfs`, a subcommand of `helio load`.
#pragma once

#include "cli/command.h"

namespace helio::cli {

void add_load_nfs(Command& load, int& exit_code);

}  // namespace helio::cli
