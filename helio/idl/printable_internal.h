// Text of a stranger made fit for a terminal: what could move the cursor, change colours or reorder
// the line is written as an escape.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helio::idl {

// One character as it is shown. A tab stays a tab.
struct Glyph {
    std::string text;
    std::size_t columns = 1;
};

// Well-formed UTF-8 passes, except control characters and the marks that change writing direction
// ("Trojan Source", CVE-2021-42574); every other byte becomes \xNN, a direction mark \uNNNN.
std::vector<Glyph> glyphs(std::string_view text);

// The same as one string, tabs escaped too: for names and messages, which stay on one line.
std::string printable(std::string_view text);

}  // namespace helio::idl
