// Words from outside, for people: what a peer sent must not act on a terminal, and what a user
// mistyped is answered with what is near.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helio::reflect {

// As shown to people: hidden characters and bytes that are no UTF-8 become \n, \x1b, \u202e.
std::string escaped(std::string_view text);
void append_escaped(std::string& out, std::string_view text);

// Of `candidates`, the name most like `wanted`, or empty when none is near. Borrows both.
class Nearest {
 public:
    explicit Nearest(std::string_view wanted);
    void offer(std::string_view candidate);
    std::string_view found() const { return found_; }

 private:
    std::string_view wanted_;
    std::string_view found_;
    std::size_t distance_;
};

}  // namespace helio::reflect
