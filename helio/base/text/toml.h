// TOML for configuration files, using toml++, in a separate library (helio::toml). All code
// includes toml++ through this header, so that the whole program has it with the same assertions:
// some texts make an assertion of toml++ 3.3 fail, and such texts are rejected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/result.h"

namespace helio {
[[noreturn]] void refuse_toml();
}  // namespace helio

#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 0
#define TOML_ASSERT(fact) ((fact) ? static_cast<void>(0) : ::helio::refuse_toml())
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace helio {

struct TomlProblem {
    std::uint32_t line = 0;  // 0: the whole text
    std::uint32_t column = 0;
    std::string reason;
};

Result<toml::table, TomlProblem> parse_toml(std::string_view text);

}  // namespace helio
