// Source code, dumps with offsets, and bare digits.
#include "helio/inspect/text/cursor_internal.h"

namespace helio::inspect {
namespace {

// A C escape sequence, from its backslash on.
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

}  // namespace

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

namespace {

// Types that determine the size of the elements.
void look_at_declaration(std::string_view text, LineState& state) {
    for (const std::string_view word :
         {"uint32_t", "u_int32_t", "u32 ", "__be32", "unsigned int", "u32;"})
        if (text.find(word) != std::string_view::npos) state.element_size = 4;
    for (const std::string_view byte :
         {"uint8_t", "u_int8_t", "unsigned char", "char ", "u8 ", "[]byte", "u8;"})
        if (text.find(byte) != std::string_view::npos) state.element_size = 1;
}

}  // namespace

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
        } else if (is_letter(in.peek())) {  // htonl, cpu_to_be32: their argument counts
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

// 00000010: 6c6f 6361 … and similar: an offset or address, groups of digits, perhaps text.
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

// Only words or bytes, and perhaps a comment.
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
        const bool joined = in.peek() == ':' || in.peek() == '-';
        const bool ends = in.done() || is_blank(in.peek()) || in.peek() == ',' || in.peek() == ';';
        if (digits.empty() || (joined ? !is_hex(in.peek(1)) : !ends)) {
            line.odd = {};  // prose, whose digits are no bytes anyway
            return false;
        }
        if (joined) in.skip();
        for (const char c : digits) decimal = decimal || is_decimal(c);
        if (digits.size() % 2 != 0) {
            if (line.odd.empty()) line.odd = digits;
            continue;
        }
        line.group = std::max(line.group,
                              static_cast<std::uint32_t>(std::min<std::size_t>(digits.size(), 64)));
        narrowest = std::min(narrowest, digits.size());
        append_digits(line.bytes, digits);
    }
    if (!line.odd.empty()) return false;
    if (narrowest != 8) line.group = 2;  // not all of them words
    return decimal || line.bytes.size() >= 4;
}

}  // namespace helio::inspect
