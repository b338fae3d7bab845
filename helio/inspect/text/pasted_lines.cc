// Traces, notes and debugger output.
#include <array>

#include "helio/inspect/text/cursor_internal.h"

namespace helio::inspect {
namespace {

// 0x.. numbers up to a closing brace. All have the size of the longest.
bool read_list(Cursor& in, Line& line) {
    const std::size_t begin = in.at();
    std::size_t longest = 0;
    for (bool storing : {false, true}) {
        in.go(begin);
        for (;;) {
            while (is_blank(in.peek()) || in.peek() == ',') in.skip();
            if (!in.prefix()) break;
            const std::string_view digits = in.hex();
            if (digits.size() > kAddressDigitsMax) return false;
            longest = std::max(longest, digits.size());
            if (storing) append_number(line.bytes, value_of(digits, 16), size_for(longest));
        }
    }
    line.group = static_cast<std::uint32_t>(longest);
    return !line.bytes.empty();
}

}  // namespace

// … probe: (function+0x0) raw={0xf1,0x55,…}
bool read_raw(std::string_view text, Line& line) {
    const std::size_t equals = text.find("={0x");
    if (equals == std::string_view::npos) return false;
    std::size_t name = equals;
    while (name > 0 && (is_letter(text[name - 1]) || is_decimal(text[name - 1]))) --name;
    line.label = trimmed(text.substr(0, name));
    Cursor in{text};
    in.go(equals + 2);
    return read_list(in, line);
}

namespace {

// Groups of two digits with one blank between them.
bool read_pairs(Cursor& in, Line& line) {
    for (;;) {
        const std::size_t begin = in.at();
        const std::string_view digits = in.hex();
        const char next = in.peek();
        const bool ends = in.done() || is_blank(next) || next == '|' || next == kBoxBar[0];
        if (digits.size() != 2 || !ends) {
            in.go(begin);
            break;
        }
        append_digits(line.bytes, digits);
        if (line.bytes.size() >= kLineBytesMax) break;
        if (next != ' ' || !is_hex(in.peek(1))) break;
        in.skip();
    }
    line.group = 2;
    return !line.bytes.empty();
}

}  // namespace

// task … function: | 0xffff88810c1e0800 | 8f 0a 71 c7 | what it is |
bool read_columns(std::string_view text, Line& line) {
    for (std::size_t from = 0; (from = text.find("0x", from)) != std::string_view::npos; ++from) {
        const std::string_view before = text.substr(0, from);
        const bool starts = before.empty() || is_blank(before.back()) || before.back() == '|' ||
                            (before.size() >= 3 && before.substr(before.size() - 3) == kBoxBar);
        if (!starts) continue;
        Cursor in{text};
        in.go(from + 2);
        const std::string_view digits = in.hex();
        if (digits.size() < 5 || digits.size() > kAddressDigitsMax) continue;
        if (in.peek() == ':') in.skip();
        const std::size_t after = in.at();
        const bool bar = in.bars();
        if (in.at() == after || !read_pairs(in, line)) continue;
        line.label = before;
        while (!line.label.empty()) {
            const std::string_view shorter = trimmed(line.label);
            const bool box = shorter.size() >= 3 && shorter.substr(shorter.size() - 3) == kBoxBar;
            if (!box && (shorter.empty() || shorter.back() != '|')) {
                line.label = shorter;
                break;
            }
            line.label = shorter.substr(0, shorter.size() - (box ? kBoxBar.size() : 1));
        }
        if (line.label.empty() && !bar) {  // an address and bytes: a dump, not a trace
            line.bytes.clear();
            return false;
        }
        line.address = digits;
        in.bars();
        std::string_view note = trimmed(in.rest());
        while (!note.empty() && note.back() == '|') note = trimmed(note.substr(0, note.size() - 1));
        while (note.size() >= 3 && note.substr(note.size() - 3) == kBoxBar)
            note = trimmed(note.substr(0, note.size() - 3));
        line.note = note;
        return true;
    }
    return false;
}

namespace {

// A line that declares a field: u32 name, u8 [20] name …
bool declares(std::string_view text) {
    static constexpr std::array<std::string_view, 12> kTypes{
        "u8",  "u16", "u32",    "u64",    "s32",    "i32",
        "i64", "int", "string", "opaque", "uint32", "uint64"};
    while (!text.empty() && (is_blank(text.front()) || text.front() == '/')) text.remove_prefix(1);
    std::size_t end = 0;
    while (end < text.size() && (is_letter(text[end]) || is_decimal(text[end]))) ++end;
    return std::find(kTypes.begin(), kTypes.end(), text.substr(0, end)) != kTypes.end();
}

}  // namespace

// u32 flavor : 1 {0x00 00 00 01} // UNIX_AUTH
bool read_note(std::string_view text, Line& line) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close != std::string_view::npos) {
        Cursor in{text.substr(0, close)};
        in.go(open + 1);
        in.blanks();
        in.prefix();
        bool good = true;
        while (good && !in.done()) {
            const std::string_view digits = in.hex();
            good = !digits.empty() && digits.size() % 2 == 0;
            if (good) append_digits(line.bytes, digits);
            line.group = std::max(line.group, static_cast<std::uint32_t>(digits.size()));
            in.blanks();
        }
        if (!good) line.bytes.clear();
        if (!line.bytes.empty()) {
            line.note = trimmed(text.substr(0, open));
            const std::string_view behind = trimmed(text.substr(close + 1));
            if (!line.note.empty() && !behind.empty()) line.note += ' ';
            line.note += behind;
            return true;
        }
    }
    line.hole = declares(text);
    line.ends = trimmed(text) == "}" || trimmed(text) == "};";
    return false;
}

// 0x7ffe1000 <buffer+16>:  0x00000001  0x8f0a71c7
bool read_debugger(std::string_view text, Line& line) {
    Cursor in{text};
    in.blanks();
    if (!in.prefix()) return false;
    line.address = in.hex();
    if (line.address.size() > kAddressDigitsMax) return false;
    in.blanks();
    if (in.peek() == '<') {
        const std::size_t end = in.rest().find('>');
        if (end == std::string_view::npos) return false;
        in.skip(end + 1);
    }
    if (in.peek() != ':') return false;
    in.skip();
    for (in.blanks(); in.prefix(); in.blanks()) {
        const std::string_view digits = in.hex();
        if (digits.size() % 2 != 0 || digits.size() > kAddressDigitsMax) return false;
        append_digits(line.bytes, digits);
        line.group = std::max(line.group, static_cast<std::uint32_t>(digits.size()));
    }
    return !line.bytes.empty() && in.done();
}

void Line::clear() {
    bytes.clear();
    address = label = odd = {};
    note.clear();
    group = 0;
    colon = prefixed = text_column = repeat = ends = hole = false;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

bool read_line(Family family, std::string_view text, LineState& state, Line& line) {
    line.clear();
    bool found = false;
    switch (family) {
        case Family::raw:
            found = read_raw(text, line);
            break;
        case Family::columns:
            found = read_columns(text, line);
            break;
        case Family::notes:
            found = read_note(text, line);
            break;
        case Family::debugger:
            found = read_debugger(text, line);
            break;
        case Family::escaped:
            found = read_escaped(text, line);
            break;
        case Family::array:
            found = read_array(text, state, line);
            break;
        case Family::offset:
            found = read_offset(text, line);
            break;
        case Family::plain:
            found = read_plain(text, line);
            break;
        case Family::octal:
            found = read_octal(text, line);
            break;
        case Family::decimal:
            found = read_decimal(text, line);
            break;
        case Family::base64:
            found = read_base64(text, line);
            break;
    }
    if (!found) line.bytes.clear();
    return found;
}

}  // namespace helio::inspect
