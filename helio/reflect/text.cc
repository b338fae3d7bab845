#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "helio/reflect/text_internal.h"

namespace helio::reflect {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::size_t kNameSizeMax = 256;  // longer ones are not compared: the work is quadratic

std::uint8_t byte_at(std::string_view text, std::size_t i) {
    return static_cast<std::uint8_t>(text[i]);
}

void append_code(std::string& out, char32_t code) {
    if (code == U'\n') {
        out += "\\n";
    } else if (code == U'\t') {
        out += "\\t";
    } else if (code < 0x100) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<std::uint32_t>(code));
    } else {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
    }
}

// Levenshtein, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

Character first_character(std::string_view text) {
    const std::uint8_t lead = byte_at(text, 0);
    if (lead < 0x80) return {lead, 1};
    const std::uint32_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
    char32_t code = lead & (0xffu >> (size + 1));
    for (std::uint32_t i = 1; i < size; ++i) {
        const std::uint8_t next = byte_at(text, i);
        if ((next & 0xc0) != 0x80) return {};
        code = code << 6 | (next & 0x3f);
    }
    const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (overlong || surrogate || code > 0x10ffff) return {};
    return {code, size};
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const auto ascii = [](char c) { return static_cast<signed char>(c) >= 0; };
        const auto other = std::find_if_not(text.begin(), text.end(), ascii);
        text.remove_prefix(static_cast<std::size_t>(other - text.begin()));
        if (text.empty()) return true;
        const Character c = first_character(text);
        if (c.size == 0) return false;
        text.remove_prefix(c.size);
    }
    return true;
}

bool is_hidden(char32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x2069) || code == 0xfeff;
}

void append_escaped(std::string& out, std::string_view text) {
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    while (!text.empty()) {
        const auto end = std::find_if_not(text.begin(), text.end(), plain);
        const auto size = static_cast<std::size_t>(end - text.begin());
        out += text.substr(0, size);
        text.remove_prefix(size);
        if (text.empty()) return;
        const Character c = first_character(text);
        if (c.size == 0) {
            append_code(out, byte_at(text, 0));
            text.remove_prefix(1);
            continue;
        }
        if (is_hidden(c.code)) {
            append_code(out, c.code);
        } else {
            if (c.code == U'\\' || c.code == U'"') out += '\\';
            out += text.substr(0, c.size);
        }
        text.remove_prefix(c.size);
    }
}

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append_escaped(out, text);
    return out;
}

void append_hex(std::string& out, ByteView bytes) {
    const std::size_t before = out.size();
    out.resize(before + 2 * bytes.size());
    char* to = out.data() + before;
    for (const std::byte b : bytes) {
        const auto value = std::to_integer<unsigned>(b);
        *to++ = kHexDigits[value >> 4];
        *to++ = kHexDigits[value & 15];
    }
}

void append_base64(std::string& out, ByteView bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t there = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8 | (j < there ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            out += j <= there ? kBase64Digits[group >> (18 - 6 * j) & 63] : '=';
        }
    }
}

Nearest::Nearest(std::string_view wanted)
    : wanted_(wanted), distance_(std::min<std::size_t>(wanted.size() / 3 + 2, 4)) {}

void Nearest::offer(std::string_view candidate) {
    if (candidate.size() > kNameSizeMax || wanted_.size() > kNameSizeMax) return;
    const std::size_t longer = std::max(candidate.size(), wanted_.size());
    if (longer - std::min(candidate.size(), wanted_.size()) >= distance_) return;
    if (const std::size_t d = distance(wanted_, candidate); d < distance_) {
        distance_ = d;
        found_ = candidate;
    }
}

}  // namespace helio::reflect
