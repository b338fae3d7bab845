// Lays out tokens as canonical text. Private to format.cc and its tests. It works on any token
// stream, even one that does not parse, so that the branch of an #if that the parser skipped is
// laid out like the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/syntax/token.h"

namespace helio::idl {

inline constexpr std::uint32_t kIndent = 4;
inline constexpr std::uint32_t kLineMax = 100;  // only procedures are wrapped
// The rightmost column at which the later lines of a comment may begin. Otherwise, a comment after
// a line of a megabyte would be indented by a megabyte per line.
inline constexpr std::uint32_t kCommentColumnMax = 200;

std::string lay_out(std::string_view text, const std::vector<Token>& tokens);

// The column after `text` on a terminal when it begins at `column`: tabs advance to the next
// multiple of eight, a UTF-8 sequence counts once.
std::uint32_t advance_column(std::uint32_t column, std::string_view text);

// A block comment that began at `old_column`, rewritten to begin at `new_column`. Later lines move
// along; if all lines of a comment begin with '*', the stars are aligned.
std::string move_comment(std::string_view comment, std::uint32_t old_column,
                         std::uint32_t new_column);

}  // namespace helio::idl
