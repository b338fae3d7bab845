// A tree as an aligned table for people, one line per word:
//
//     offset  bytes        field   value
//          0  00 00 00 05  file    length: 5 bytes
//          4  01 02 03 04  file    0102030405
//          8  05 00 00 00
//         12  00 00 00 00  offset  65536
//         16  00 01 00 00
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "helio/reflect/tree.h"

namespace helio::reflect {

struct TableOptions {
    std::size_t body_words_max = 8;  // words shown of one body; the others are counted
    std::string_view root;           // first component of paths, and name of a value without fields
};

// Calls `line` for each line, without newline. Accepts a tree with an error: then shows the words
// read, a mark at the wrong word, and the number of bytes not read. Control characters are escaped.
void write_table(const Tree& tree, const TableOptions& options,
                 const std::function<void(std::string_view line)>& line);

}  // namespace helio::reflect
