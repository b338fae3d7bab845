// Tokens → canonical text. Private to format.cc and its tests: works on any token stream, also on
// one that does not parse, so that the branch of an #if the parser skipped is laid out like the
// other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/syntax/token.h"

namespace helio::idl {

inline constexpr std::uint32_t kIndent = 4;
inline constexpr std::uint32_t kLineMax = 100;  // procedures alone are wrapped
// Where the later lines of a comment may begin at most. A comment behind a line of a megabyte would
// otherwise be indented by a megabyte per line.
inline constexpr std::uint32_t kCommentColumnMax = 200;

std::string lay_out(std::string_view text, const std::vector<Token>& tokens);

// Characters `text` takes on a terminal when it begins at `column`: tabs go to the next multiple of
// eight, a UTF-8 sequence counts once.
std::uint32_t advance_column(std::uint32_t column, std::string_view text);

// A block comment that began at `old_column` as it reads when it begins at `new_column`. Later
// lines move along; a comment whose lines all begin with '*' gets its stars in one column.
std::string move_comment(std::string_view comment, std::uint32_t old_column,
                         std::uint32_t new_column);

}  // namespace helio::idl
