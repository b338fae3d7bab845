// The TOML file of `helio serve --config`: the flags' names as keys, and a table per export.
//
//     listen = ["0.0.0.0:2049"]
//     allow = ["10.0.0.0/8"]
//
//     [[export]]
//     name = "data"
//     path = "/srv/data"
//     read-only = true
//
// docs/serve.md lists all of them. Unknown keys and values are errors: a typo must not silently
// drop a rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/serve/config/settings.h"

namespace helio::serve {

// A thousand exports with a dozen networks each are half of this.
inline constexpr std::size_t kConfigSizeMax = 1u << 20;

// "helio.toml:12:3: unknown key 'squish'; did you mean 'squash'?"
std::string to_text(const std::string& file, const ConfigProblem& problem);

// Every problem there is, in the order of the file.
Result<Settings, std::vector<ConfigProblem>> parse_config(std::string_view text,
                                                          const vfs::BackendTable& backends);
// The same from a file; an unreadable one is a problem too.
Result<Settings, std::vector<ConfigProblem>> read_config(const std::string& file,
                                                         const vfs::BackendTable& backends);

}  // namespace helio::serve
