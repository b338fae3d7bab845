// Parses one line of pasted text in one family of notations. dump.cc decides which family a text
// belongs to and how its lines fit together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helio::inspect {

// In order of preference if two families match equally many lines. The last three are tried only
// when a text was read otherwise and showed no message.
enum class Family : std::uint8_t {
    raw,
    columns,
    notes,
    debugger,
    escaped,
    array,
    offset,
    plain,
    octal,
    decimal,
    base64,
};
inline constexpr std::size_t kFamilies = 11;
// Do its lines begin with an offset, in most tools?
constexpr bool has_offsets(Family family) {
    return family == Family::offset || family == Family::octal || family == Family::decimal;
}

struct Line {
    std::vector<std::byte> bytes;
    std::string_view address;  // its digits, without 0x; empty: none
    std::string_view label;    // text before the bytes
    std::string note;          // text after them
    std::uint32_t group = 0;   // digits of the widest group
    bool colon = false;        // after the address
    bool prefixed = false;     // 0x before the address, or before the groups of an array
    bool text_column = false;  // hexdump -C's |…|
    bool repeat = false;       // `*`: repeats the previous line up to the next address
    bool ends = false;         // the run ends with this line
    bool hole = false;         // a field without bytes
    std::string_view odd;      // digits that are not whole bytes

    void clear();
};

// State from line to line: C arrays span lines.
struct LineState {
    bool inside_braces = false;
    std::uint32_t element_size = 0;  // of this array, in bytes, by its declaration; 0: none
    std::uint32_t usual_size = 0;    // of arrays without declaration; 0: as written
};

// False: the line has nothing of that family (`ends` and `hole` may still be set).
bool read_line(Family family, std::string_view text, LineState& state, Line& line);

// One function per family; see read_line.
bool read_raw(std::string_view text, Line& line);
bool read_columns(std::string_view text, Line& line);
bool read_note(std::string_view text, Line& line);
bool read_debugger(std::string_view text, Line& line);
bool read_escaped(std::string_view text, Line& line);
bool read_array(std::string_view text, LineState& state, Line& line);
bool read_offset(std::string_view text, Line& line);
bool read_plain(std::string_view text, Line& line);
bool read_octal(std::string_view text, Line& line);
bool read_decimal(std::string_view text, Line& line);
bool read_base64(std::string_view text, Line& line);

// Without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace helio::inspect
