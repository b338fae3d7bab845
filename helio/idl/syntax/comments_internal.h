// Comments: decides which comment belongs to which declaration. Each comment has one owner: the
// declaration before it on the same line, or else the one that follows it without a blank line
// between.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/schema.h"
#include "helio/idl/syntax/token.h"

namespace helio::idl {

// Tokens in source order, including comments. Adjacent tokens may be separated by lines of a
// skipped #if.
class Comments {
 public:
    Comments(const std::vector<Token>& tokens, std::string_view text)
        : tokens_(tokens), text_(text) {}

    // Adds the comments directly before tokens[first].
    void add_before(std::size_t first, Documented& owner) const;
    // Adds the comments after tokens[last] on its line.
    void add_behind(std::size_t last, Documented& owner) const;

    // The comment that a file begins with, if a blank line separates it from what follows.
    std::string opening() const;

 private:
    std::size_t newlines_before(std::size_t index) const;
    std::size_t end_of_those_behind(std::size_t index) const;

    const std::vector<Token>& tokens_;
    std::string_view text_;
};

bool is_comment(const Token& token);

// Adds a comment's text without its markers; `@word argument` becomes an annotation.
void add_comment(std::string_view comment, Documented& owner);

}  // namespace helio::idl
