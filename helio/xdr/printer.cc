#include "helio/xdr/printer.h"

#include <fmt/format.h>

#include <iterator>

#include "helio/base/text/byte_text.h"
#include "helio/base/text/escape.h"

namespace helio::xdr {

void Printer::line() {
    text_ += '\n';
    text_.append(depth_ * 4, ' ');
}

void Printer::open(std::string_view type_name) {
    text_ += type_name;
    text_ += " {";
    ++depth_;
}

void Printer::close() {
    --depth_;
    line();
    text_ += '}';
}

void Printer::field(std::string_view name) {
    line();
    text_ += name;
    text_ += ": ";
}

void Printer::number(std::int64_t value) { fmt::format_to(std::back_inserter(text_), "{}", value); }
void Printer::number(std::uint64_t value) {
    fmt::format_to(std::back_inserter(text_), "{}", value);
}
void Printer::real(double value) { fmt::format_to(std::back_inserter(text_), "{}", value); }
void Printer::word(std::string_view plain) { text_ += plain; }

void Printer::string(std::string_view value) {
    text_ += '"';
    append_escaped(text_, value);
    text_ += '"';
}

void Printer::bytes(const Payload& value) {
    if (value.is_file()) {
        fmt::format_to(std::back_inserter(text_), "({} bytes of a file)", value.size());
        return;
    }
    append_hex(text_, value.bytes().first(std::min(value.size(), kShownMax)));
    if (value.size() > kShownMax)
        fmt::format_to(std::back_inserter(text_), "… ({} bytes)", value.size());
    if (value.empty()) text_ += "(empty)";
}

void Printer::open_list(std::size_t) {
    text_ += '[';
    ++depth_;
}

void Printer::begin_item() { line(); }

void Printer::close_list(std::size_t count) {
    if (count > kShownMax) {
        line();
        fmt::format_to(std::back_inserter(text_), "… ({} in all)", count);
    }
    --depth_;
    if (count != 0) line();
    text_ += ']';
}

}  // namespace helio::xdr
