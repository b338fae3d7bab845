#include "helio/base/text/json_writer.h"

#include <cmath>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"
#include "helio/base/text/utf8.h"

namespace helio {
namespace {

constexpr int kIndent = 2;  // of lines that new_line() begins

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        std::size_t plain = 0;
        while (plain < text.size() && is_plain(text[plain])) ++plain;
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) break;
        const Character c = first_character(text);
        if (c.size == 0) {
            out += "\\ufffd";
            text.remove_prefix(1);
            continue;
        }
        if (c.code == U'"' || c.code == U'\\') {
            out += '\\';
            out += static_cast<char>(c.code);
        } else if (c.code == U'\n') {
            out += "\\n";
        } else if (is_hidden(c.code)) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                           static_cast<std::uint32_t>(c.code));
        } else {
            out += text.substr(0, c.size);
        }
        text.remove_prefix(c.size);
    }
    out += '"';
}

std::string json_string(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

void JsonWriter::open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
}

void JsonWriter::close(char bracket) {
    --depth_;
    if ((lines_ & kNextLine) != 0 || !first_) line();
    out_ += bracket;
    first_ = false;
}

void JsonWriter::element() {
    if (!first_) {
        out_ += ',';
        if (lines_ == 0 && layout_.spaces) out_ += ' ';
    }
    line();
    first_ = false;
}

void JsonWriter::line() {
    if (lines_ == 0) return;
    lines_ &= kAllLines;
    out_ += '\n';
    const int indent = layout_.indent != 0 ? layout_.indent : kIndent;
    out_.append(depth_ * static_cast<std::size_t>(indent), ' ');
}

// Most output is keys on one line: they grow the text once.
void JsonWriter::key(std::string_view name) {
    if (lines_ != 0) {
        element();
    } else if (!first_) {
        out_ += layout_.spaces ? std::string_view{", "} : std::string_view{","};
    }
    first_ = false;
    const std::size_t before = out_.size();
    out_.resize(before + name.size() + (layout_.spaces ? 4 : 3));
    char* to = out_.data() + before;
    *to++ = '"';
    std::memcpy(to, name.data(), name.size());
    to += name.size();
    *to++ = '"';
    *to++ = ':';
    if (layout_.spaces) *to = ' ';
}

void JsonWriter::text_key(std::string_view name) {
    element();
    string(name);
    colon();
}

void JsonWriter::plain(std::string_view text) {
    const std::size_t before = out_.size();
    out_.resize(before + text.size() + 2, '"');
    std::memcpy(out_.data() + before + 1, text.data(), text.size());
}

void JsonWriter::hex(ByteView bytes) {
    out_ += '"';
    append_hex(out_, bytes);
    out_ += '"';
}

void JsonWriter::number(std::int64_t value) {
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
}

void JsonWriter::number(std::uint64_t value) {
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
}

void JsonWriter::fixed(double value, int decimals) {
    if (!std::isfinite(value)) return null();
    fmt::format_to(std::back_inserter(out_), "{:.{}f}", value, decimals);
}

}  // namespace helio
