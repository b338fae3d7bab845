// One line of pasted text, read as one family of notations has it. Which family a text is of, and
// what its lines are together, is decided in dump.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helio::inspect {

// In the order of preference when two read equally many lines.
enum class Family : std::uint8_t { raw, columns, notes, debugger, escaped, array, offset, plain };
inline constexpr std::size_t kFamilies = 8;

struct Line {
    std::vector<std::byte> bytes;
    std::string_view address;  // its digits, without 0x; empty: none
    std::string_view label;    // what stands before the bytes
    std::string note;          // what stands beside them
    std::uint32_t group = 0;   // digits of the widest group
    bool colon = false;        // behind the address
    bool prefixed = false;     // 0x before the address, or before the groups of an array
    bool text_column = false;  // hexdump -C's |…|
    bool repeat = false;       // `*`: as the line before, up to the next address
    bool ends = false;         // no bytes of this run behind this line
    bool hole = false;         // a field whose bytes were left out
    std::string_view odd;      // digits that are no whole bytes

    void clear();
};

// What a reader of lines has to remember: C arrays go on from line to line.
struct LineState {
    bool inside_braces = false;
    std::uint32_t element_size = 0;  // of this array, in bytes, by its declaration; 0: none
    std::uint32_t usual_size = 0;    // of arrays without declaration; 0: as each element is written
};

// False: nothing of that family in the line (`ends` and `hole` may be set all the same).
bool read_line(Family family, std::string_view text, LineState& state, Line& line);

// The families, one by one; see read_line.
bool read_raw(std::string_view text, Line& line);
bool read_columns(std::string_view text, Line& line);
bool read_note(std::string_view text, Line& line);
bool read_debugger(std::string_view text, Line& line);
bool read_escaped(std::string_view text, Line& line);
bool read_array(std::string_view text, LineState& state, Line& line);
bool read_offset(std::string_view text, Line& line);
bool read_plain(std::string_view text, Line& line);

// Without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace helio::inspect
