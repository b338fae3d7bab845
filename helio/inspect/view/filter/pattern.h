// Pattern: a regular expression in RE2's syntax, searched in time linear in the text: no pattern
// and no text can make it slow.
//
// It matches bytes, not characters: '.' is any byte. Groups and counts are accepted.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "helio/base/result.h"

namespace re2 {
class RE2;
}

namespace helio::inspect {

inline constexpr std::size_t kPatternSizeMax = 512;  // bytes; ten times what people type
// Memory for the compiled pattern and its automaton. With less than it needs, RE2 becomes slower,
// not wrong; a pattern that does not fit at all is rejected.
inline constexpr std::size_t kPatternMemoryMax = 1u << 20;

struct PatternError {
    std::size_t position = 0;
    std::string problem;
};

class Pattern final {
 public:
    static Result<Pattern, PatternError> make(std::string_view text);

    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

    bool found_in(std::string_view text) const;

 private:
    Pattern();

    std::string literal_;  // for a pattern without operators: std::string_view::find is faster
    std::unique_ptr<re2::RE2> expression_;  // nullptr: literal_
};

}  // namespace helio::inspect
