// Evaluates the expressions of #if lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace helio::idl {

// Names defined by #define; nullopt for a name without a numeric value.
using Macros = std::unordered_map<std::string_view, std::optional<std::int64_t>>;

// How to treat a name that is unknown or has no number.
enum class UnknownName : std::uint8_t { zero, fault };  // as in #if; as in a #define's value

// Evaluates integers, names, defined(NAME), ! - + * / % << >> & | comparisons, && || and
// parentheses. nullopt if the text is not such an expression, divides by zero or nests too deeply.
std::optional<std::int64_t> evaluate_condition(std::string_view text, const Macros& macros,
                                               UnknownName unknown = UnknownName::zero);

}  // namespace helio::idl
