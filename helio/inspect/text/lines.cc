#include <algorithm>
#include <array>

#include "helio/inspect/text/lines_internal.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kLineBytesMax = 64;      // of one line of a dump with addresses
constexpr std::size_t kAddressDigitsMax = 16;  // 64 bits
constexpr std::string_view kBlanks = " \t\r\f\v";
// U+2502, which some use for `|`.
constexpr std::string_view kBoxBar = "\xe2\x94\x82";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}
bool is_hex(char c) { return digit_of(c) >= 0; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// A place in a line that moves on.
class Cursor {
 public:
    explicit Cursor(std::string_view text) : text_(text) {}

    bool done() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void skip(std::size_t count = 1) { at_ = std::min(text_.size(), at_ + count); }
    std::size_t at() const { return at_; }
    void go(std::size_t at) { at_ = at; }
    std::string_view rest() const { return text_.substr(at_); }
    std::string_view before() const { return text_.substr(0, at_); }

    std::size_t blanks() {
        const std::size_t from = at_;
        while (!done() && is_blank(peek())) ++at_;
        return at_ - from;
    }
    bool prefix() {  // 0x
        if (peek() != '0' || (peek(1) != 'x' && peek(1) != 'X') || !is_hex(peek(2))) return false;
        skip(2);
        return true;
    }
    std::string_view hex() {
        const std::size_t from = at_;
        while (!done() && is_hex(peek())) ++at_;
        return text_.substr(from, at_ - from);
    }
    // | or the box-drawing character, as many as there are, and blanks.
    bool bars() {
        bool found = false;
        for (;;) {
            blanks();
            if (peek() == '|') {
                skip();
            } else if (rest().substr(0, kBoxBar.size()) == kBoxBar) {
                skip(kBoxBar.size());
            } else {
                return found;
            }
            found = true;
        }
    }

 private:
    std::string_view text_;
    std::size_t at_ = 0;
};

void append_digits(std::vector<std::byte>& out, std::string_view digits) {
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        out.push_back(static_cast<std::byte>(digit_of(digits[i]) << 4 | digit_of(digits[i + 1])));
}

void append_number(std::vector<std::byte>& out, std::uint64_t value, std::uint32_t size) {
    for (std::uint32_t i = size; i-- > 0;) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

std::uint64_t value_of(std::string_view digits, unsigned base) {
    std::uint64_t value = 0;
    for (const char c : digits) value = value * base + static_cast<unsigned>(digit_of(c));
    return value;
}

// What somebody wrote behind the bytes: from a comment sign on.
std::string_view comment_in(std::string_view rest) {
    std::size_t best = std::string_view::npos;
    std::size_t skip = 0;
    for (const std::string_view mark : {"//", "--", "/*", "#", ";"}) {
        const std::size_t found = rest.find(mark);
        if (found >= best) continue;
        best = found;
        skip = mark.size();
    }
    if (best == std::string_view::npos) return {};
    std::string_view out = trimmed(rest.substr(best + skip));
    if (out.size() >= 2 && out.substr(out.size() - 2) == "*/") out.remove_suffix(2);
    return trimmed(out);
}

std::uint32_t size_for(std::size_t digits) {
    return digits <= 2 ? 1 : digits <= 4 ? 2 : digits <= 8 ? 4 : 8;
}

// 0x.. numbers up to a closing brace. All have the size that the longest needs.
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

// One character of C inside quotes, from its backslash on.
bool read_escape(Cursor& in, std::vector<std::byte>& out) {
    static constexpr std::string_view kNames = "abfnrtv0\\\"'";
    static constexpr std::string_view kValues{"\a\b\f\n\r\t\v\0\\\"'", 11};
    in.skip();
    if (in.peek() == 'x' && is_hex(in.peek(1))) {
        in.skip();
        int value = digit_of(in.peek());
        in.skip();
        if (is_hex(in.peek())) {
            value = value << 4 | digit_of(in.peek());
            in.skip();
        }
        out.push_back(static_cast<std::byte>(value));
        return true;
    }
    if (in.peek() >= '0' && in.peek() <= '7') {
        int value = 0;
        for (int i = 0; i < 3 && in.peek() >= '0' && in.peek() <= '7'; ++i, in.skip())
            value = value * 8 + (in.peek() - '0');
        out.push_back(static_cast<std::byte>(value));
        return true;
    }
    const std::size_t known = kNames.find(in.peek());
    if (in.done() || known == std::string_view::npos) return false;
    out.push_back(static_cast<std::byte>(kValues[known]));
    in.skip();
    return true;
}

// "\x8f\x0a…" and \x8f\x0a without quotes, as Wireshark, strace and Python write them.
bool read_escaped(std::string_view text, Line& line) {
    if (text.find('\\') == std::string_view::npos) return false;
    const std::size_t quote = text.find_first_of("\"'");
    Cursor in{text};
    bool escapes = false;
    if (quote == std::string_view::npos) {
        const std::size_t first = text.find("\\x");
        if (first == std::string_view::npos) return false;
        in.go(first);
        while (in.peek() == '\\' && in.peek(1) == 'x' && read_escape(in, line.bytes)) {
        }
        return !line.bytes.empty();
    }
    in.go(quote + 1);
    while (!in.done() && in.peek() != text[quote]) {
        if (in.peek() == '\\') {
            const bool good = read_escape(in, line.bytes);
            escapes = escapes || good;
            if (!good) in.skip();
        } else {
            line.bytes.push_back(static_cast<std::byte>(in.peek()));
            in.skip();
        }
    }
    if (!escapes) line.bytes.clear();
    return escapes;
}

// Types that say how large the elements are.
void look_at_declaration(std::string_view text, LineState& state) {
    for (const std::string_view word :
         {"uint32_t", "u_int32_t", "u32 ", "__be32", "unsigned int", "u32;"})
        if (text.find(word) != std::string_view::npos) state.element_size = 4;
    for (const std::string_view byte :
         {"uint8_t", "u_int8_t", "unsigned char", "char ", "u8 ", "[]byte", "u8;"})
        if (text.find(byte) != std::string_view::npos) state.element_size = 1;
}

// 0x8f, 0x0a, … with or without the declaration around them.
bool read_array(std::string_view text, LineState& state, Line& line) {
    if (const std::size_t comment = std::min(text.find("//"), text.find("/*"));
        comment != std::string_view::npos) {
        line.note = comment_in(text);
        text = text.substr(0, comment);
    }
    const std::size_t open = text.rfind('{');
    if (open != std::string_view::npos) {
        look_at_declaration(text.substr(0, open), state);
        state.inside_braces = true;
        text = text.substr(open + 1);
    }
    const std::size_t close = text.find('}');
    line.ends = close != std::string_view::npos;
    if (line.ends) text = text.substr(0, close);
    const std::uint32_t size = state.element_size != 0 ? state.element_size : state.usual_size;
    Cursor in{text};
    bool prefixed = false;
    for (;;) {
        while (is_blank(in.peek()) || in.peek() == ',' || in.peek() == '(' || in.peek() == ')')
            in.skip();
        if (in.done()) break;
        std::string_view digits;
        unsigned base = 16;
        if (in.prefix()) {
            prefixed = true;
            digits = in.hex();
        } else if (state.inside_braces && is_decimal(in.peek())) {
            base = 10;
            const std::size_t from = in.at();
            while (is_decimal(in.peek())) in.skip();
            digits = text.substr(from, std::min<std::size_t>(in.at() - from, 20));
        } else if (is_letter(in.peek())) {  // htonl, cpu_to_be32: what is in their brackets counts
            const std::size_t from = in.at();
            while (is_letter(in.peek()) || is_decimal(in.peek())) in.skip();
            if (in.peek() != '(' || in.at() - from > 32) return false;
            continue;
        } else {
            return false;
        }
        while (in.peek() == 'u' || in.peek() == 'U' || in.peek() == 'l' || in.peek() == 'L')
            in.skip();
        if (is_letter(in.peek()) || digits.size() > 20) return false;
        const std::uint32_t wide = base == 16 ? size_for(digits.size()) : 1;
        append_number(line.bytes, value_of(digits, base), size != 0 ? size : wide);
        line.group = std::max(line.group, 2 * wide);
    }
    if (line.ends) {
        state.inside_braces = false;
        state.element_size = 0;
    }
    line.prefixed = prefixed;
    return !line.bytes.empty();
}

// 00000010: 6c6f 6361 … and its relatives: an offset or address, groups of digits, perhaps text.
bool read_offset(std::string_view text, Line& line) {
    if (trimmed(text) == "*") {
        line.repeat = true;
        return true;
    }
    Cursor in{text};
    in.blanks();
    line.prefixed = in.prefix();
    line.address = in.hex();
    if (line.address.empty() || line.address.size() > kAddressDigitsMax) return false;
    line.colon = in.peek() == ':';
    if (line.colon) in.skip();
    if (in.blanks() == 0 && !in.done()) return false;
    std::size_t width = 0;
    for (;;) {
        const std::size_t begin = in.at();
        const std::string_view digits = in.hex();
        const bool whole = digits.size() >= 2 && digits.size() % 2 == 0 && digits.size() <= 16 &&
                           (in.done() || is_blank(in.peek()));
        if (!whole || (width != 0 && digits.size() > width)) {
            in.go(begin);
            break;
        }
        const bool last = width != 0 && digits.size() < width;
        width = std::max(width, digits.size());
        append_digits(line.bytes, digits);
        const std::size_t gap = in.blanks();
        if (last || line.bytes.size() >= kLineBytesMax) break;
        const bool middle = width == 2 && line.bytes.size() == 8 && gap == 2;
        if (gap > 1 && !middle) break;
    }
    line.group = static_cast<std::uint32_t>(width);
    line.text_column = in.peek() == '|';
    line.note = comment_in(in.rest());
    line.ends = line.bytes.empty() && trimmed(in.rest()).empty();
    return !line.bytes.empty() || line.ends;
}

// Words or bytes and nothing else, but for a comment.
bool read_plain(std::string_view text, Line& line) {
    if (const std::size_t comment =
            std::min({text.find("//"), text.find("/*"), text.find('#'), text.find("--")});
        comment != std::string_view::npos) {
        line.note = comment_in(text.substr(comment));
        text = text.substr(0, comment);
    }
    Cursor in{text};
    std::size_t narrowest = ~std::size_t{0};
    bool decimal = false;
    for (;;) {
        while (is_blank(in.peek()) || in.peek() == ',' || in.peek() == ';') in.skip();
        if (in.done()) break;
        in.prefix();
        const std::string_view digits = in.hex();
        if (digits.empty()) return false;
        const bool joined = in.peek() == ':' || in.peek() == '-';
        if (joined && !is_hex(in.peek(1))) return false;
        if (!joined && !in.done() && !is_blank(in.peek()) && in.peek() != ',' && in.peek() != ';')
            return false;
        if (joined) in.skip();
        for (const char c : digits) decimal = decimal || is_decimal(c);
        if (digits.size() % 2 != 0) {
            line.odd = digits;
            return false;
        }
        line.group = std::max(line.group,
                              static_cast<std::uint32_t>(std::min<std::size_t>(digits.size(), 64)));
        narrowest = std::min(narrowest, digits.size());
        append_digits(line.bytes, digits);
    }
    if (narrowest != 8) line.group = 2;  // not all of them words
    return decimal || line.bytes.size() >= 4;
}

}  // namespace

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
    }
    if (!found) line.bytes.clear();
    return found;
}

}  // namespace helio::inspect
