// The schemas that come with the binary, as text: "nfs3", "rpc", "remote" … parsed when asked for.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helio/idl/parse.h"

namespace helio::builtin {

struct Text {
    std::string_view name;  // "nfs3"
    std::string_view text;
};

std::span<const Text> texts();

// nullptr schema with a diagnostic when there is none of that name.
idl::Parsed parse(std::string_view name);

}  // namespace helio::builtin
