// `helio load nfs`, a verb of the verb.
#pragma once

#include <CLI/CLI.hpp>

namespace helio::cli {

void add_load_nfs(CLI::App& load, int& exit_code);

}  // namespace helio::cli
