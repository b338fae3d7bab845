#include "helio/base/text/escape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "helio/base/text/utf8.h"

namespace helio {
namespace {

void append_byte(std::string& out, char byte) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<std::uint8_t>(byte));
}

void append_hidden(std::string& out, char32_t code) {
    if (code == U'\n') {
        out += "\\n";
    } else if (code == U'\t') {
        out += "\\t";
    } else if (code < 0x80) {
        append_byte(out, static_cast<char>(code));
    } else {  // \x9b would be a byte that is not UTF-8
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
    }
}

template <bool kQuotes>
void append(std::string& out, std::string_view text) {
    const auto plain = [](char c) {
        return c >= 0x20 && c < 0x7f && (!kQuotes || (c != '"' && c != '\\'));
    };
    while (!text.empty()) {
        const auto end = std::find_if_not(text.begin(), text.end(), plain);
        const auto size = static_cast<std::size_t>(end - text.begin());
        out += text.substr(0, size);
        text.remove_prefix(size);
        if (text.empty()) return;
        const Character c = first_character(text);
        if (c.size == 0) {
            append_byte(out, text.front());
            text.remove_prefix(1);
            continue;
        }
        if (is_hidden(c.code)) {
            append_hidden(out, c.code);
        } else {
            if (kQuotes && c.size == 1) out += '\\';
            out += text.substr(0, c.size);
        }
        text.remove_prefix(c.size);
    }
}

}  // namespace

void append_printable(std::string& out, std::string_view text) { append<false>(out, text); }
void append_escaped(std::string& out, std::string_view text) { append<true>(out, text); }

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append_printable(out, text);
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append_escaped(out, text);
    return out;
}

void append_html(std::string& out, std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&apos;";
                break;
            default:
                if (static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' || c == '\r')
                    out += c;
        }
    }
}

std::string html_escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append_html(out, text);
    return out;
}

}  // namespace helio
