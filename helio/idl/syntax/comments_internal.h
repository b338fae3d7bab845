// Which comment belongs to what. Each comment has one owner: the thing it stands behind on the same
// line, else the thing that follows it without a blank line between.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/schema.h"
#include "helio/idl/syntax/token.h"

namespace helio::idl {

// Tokens in source order; comments among them. Neighbours may have lines of an unused #if between.
class Comments {
 public:
    Comments(const std::vector<Token>& tokens, std::string_view text)
        : tokens_(tokens), text_(text) {}

    // Adds the comments directly before tokens[first].
    void add_before(std::size_t first, Documented& owner) const;
    // Adds those behind tokens[last] on its line.
    void add_behind(std::size_t last, Documented& owner) const;

    // The comment a file opens with, when a blank line sets it apart from what follows.
    std::string opening() const;

 private:
    std::size_t newlines_before(std::size_t index) const;
    std::size_t end_of_those_behind(std::size_t index) const;

    const std::vector<Token>& tokens_;
    std::string_view text_;
};

bool is_comment(const Token& token);

// One comment's words without its markers; `@word argument` go to the annotations.
void add_comment(std::string_view comment, Documented& owner);

}  // namespace helio::idl
