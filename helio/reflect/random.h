// Random values of any type, as bytes that a strict decoder accepts: for property tests and
// fuzzers. The same seed gives the same bytes on every machine. Edge cases are frequent: empty and
// full, extreme integers, NaN and -0, every arm, long lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "helio/idl/schema.h"

namespace helio::reflect {

struct RandomOptions {
    std::size_t size_soft_max = 4096;     // beyond it only minimal values are added
    std::size_t size_hard_max = 1 << 20;  // types whose smallest value is larger give nullopt
    std::uint32_t depth_max = 16;         // levels of recursive types
};

std::optional<std::vector<std::byte>> random_bytes(const idl::Type& type, std::uint64_t seed,
                                                   const RandomOptions& options = {});

}  // namespace helio::reflect
