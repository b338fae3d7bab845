#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/utf8.h"
#include "helio/virt/host/host.h"
#include "helio/virt/host/xml_internal.h"

namespace helio::virt::host {

namespace {

// libvirt's format: position, problem, the line, and an arrow to the place.
std::string parse_complaint(std::string_view text, std::string_view what, std::size_t offset,
                            std::string_view why) {
    offset = std::min(offset, text.size());
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t begins =
        before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const std::size_t ends = std::min(text.find('\n', offset), text.size());
    // Show some context, not a whole document on one line.
    constexpr std::size_t kShown = 80;
    const std::size_t from = offset - begins > kShown ? offset - kShown : begins;
    const std::string_view shown = text.substr(from, std::min(ends - from, kShown));
    return fmt::format("({}):{}: {}\n{}\n{:->{}}^", what, line, why, shown, "",
                       std::min(offset - from, kShown));
}

// XML's Char: allowed in a document, directly or as a reference.
bool is_xml_character(std::uint32_t c) {
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return c <= 0xd7ff || (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c <= 0x10ffff);
}

// The character for a reference such as "&#4;" at the front; 0 if it is none.
std::uint32_t referenced_character(std::string_view text) {
    const bool hexadecimal = text.starts_with("&#x");
    text.remove_prefix(hexadecimal ? 3 : 2);
    std::uint32_t character = 0;
    const auto [end, wrong] =
        std::from_chars(text.data(), text.data() + text.size(), character, hexadecimal ? 16 : 10);
    return wrong == std::errc() && end != text.data() + text.size() && *end == ';' ? character : 0;
}

struct BadCharacter {
    std::size_t offset = 0;
    std::string_view why;
};
// pugixml accepts any byte as a character; libvirt's parser and its clients do not.
std::optional<BadCharacter> find_bad_character(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto [character, size] = first_character(text.substr(at));
        if (size == 0) return BadCharacter{at, "Input is not proper UTF-8, indicate encoding !"};
        if (!is_xml_character(character)) return BadCharacter{at, "PCDATA invalid Char value"};
        if (text.substr(at).starts_with("&#") &&
            !is_xml_character(referenced_character(text.substr(at))))
            return BadCharacter{at, "xmlParseCharRef: invalid xmlChar value"};
        at += size;
    }
    return std::nullopt;
}

bool too_deep(const pugi::xml_node& root) {
    int depth = 0;
    pugi::xml_node at = root;
    while (true) {
        if (at.first_child()) {
            if (++depth > kXmlDepthMax) return true;
            at = at.first_child();
            continue;
        }
        while (at != root && !at.next_sibling()) {
            at = at.parent();
            --depth;
        }
        if (at == root) return false;
        at = at.next_sibling();
    }
}

std::uint64_t unit_size(std::string_view unit) {
    struct Unit {
        std::string_view name;
        std::uint64_t size;
    };
    constexpr Unit kUnits[] = {
        {"b", 1},
        {"bytes", 1},
        {"k", 1ULL << 10},
        {"KiB", 1ULL << 10},
        {"KB", 1000},
        {"M", 1ULL << 20},
        {"MiB", 1ULL << 20},
        {"MB", 1000000},
        {"G", 1ULL << 30},
        {"GiB", 1ULL << 30},
        {"GB", 1000000000},
        {"T", 1ULL << 40},
        {"TiB", 1ULL << 40},
        {"TB", 1000000000000},
        {"P", 1ULL << 50},
        {"PiB", 1ULL << 50},
        {"PB", 1000000000000000},
        {"E", 1ULL << 60},
        {"EiB", 1ULL << 60},
        {"EB", 1000000000000000000},
    };
    for (const Unit& one : kUnits)
        if (one.name == unit) return one.size;
    return 0;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t from = text.find_first_not_of(kSpace);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

struct StringWriter final : pugi::xml_writer {
    std::string text;
    void write(const void* data, std::size_t size) override {
        text.append(static_cast<const char*>(data), size);
    }
};

}  // namespace

Outcome<XmlText> XmlText::read(std::string_view text, std::string_view what, ErrorSource source) {
    text = text.substr(0, text.find('\0'));
    if (text.size() > kHostXmlBytesMax)
        return refuse(ErrorCode::xml_detail, source,
                      fmt::format("({}):1: internal error: Huge input lookup", what));
    if (const auto bad = find_bad_character(text))
        return refuse(ErrorCode::xml_detail, source,
                      parse_complaint(text, what, bad->offset, bad->why));
    XmlText read;
    read.document_ = std::make_unique<pugi::xml_document>();
    const pugi::xml_parse_result result = read.document_->load_buffer(
        text.data(), text.size(), pugi::parse_default | pugi::parse_trim_pcdata,
        pugi::encoding_utf8);
    if (!result) {
        const bool empty = result.status == pugi::status_no_document_element;
        return refuse(ErrorCode::xml_detail, source,
                      parse_complaint(text, what, static_cast<std::size_t>(result.offset),
                                      empty ? "Document is empty" : result.description()));
    }
    const pugi::xml_node root = read.root();
    for (pugi::xml_node more = root.next_sibling(); more; more = more.next_sibling())
        if (more.type() == pugi::node_element)
            return refuse(ErrorCode::xml_detail, source,
                          parse_complaint(text, what, static_cast<std::size_t>(more.offset_debug()),
                                          "Extra content at the end of the document"));
    if (too_deep(root))
        return refuse(ErrorCode::xml_detail, source,
                      fmt::format("({}):1: Excessive depth in document: {}", what, kXmlDepthMax));
    return read;
}

Outcome<XmlText> XmlText::read(std::string_view text, std::string_view what, ErrorSource source,
                               std::string_view root) {
    auto read = XmlText::read(text, what, source);
    if (read && read->root().name() != root)
        return refuse(ErrorCode::xml_error, ErrorSource::xml,
                      fmt::format("XML error: expecting root element of '{}', not '{}'", root,
                                  read->root().name()));
    return read;
}

std::string xml_escaped(std::string_view text) { return html_escaped(text); }

void append_element(std::string& to, int level, std::string_view name, std::string_view text) {
    to += fmt::format("{:{}}<{}>{}</{}>\n", "", 2 * level, name, xml_escaped(text), name);
}

void append_node(std::string& to, int level, const pugi::xml_node& node) {
    StringWriter writer;
    node.print(writer, "  ", pugi::format_indent | pugi::format_attribute_single_quote,
               pugi::encoding_utf8, static_cast<unsigned>(level));
    // pugixml writes a blank before the end of an empty element, libvirt does not. Each search
    // begins where the last one ended, so that a client's text is searched once, however many
    // elements it has.
    constexpr std::string_view kEnd = " />", kSection = "<![CDATA[", kSectionEnd = "]]>";
    const std::string_view all = writer.text;
    std::size_t blank = all.find(kEnd);
    std::size_t section = all.find(kSection);
    std::size_t at = 0;
    while (at < all.size()) {
        const std::size_t end = std::min({blank, section, all.size()});
        to += all.substr(at, end - at);
        at = end;
        if (at == section) {  // unchanged
            const std::size_t after = std::min(all.find(kSectionEnd, at), all.size());
            to += all.substr(at, after - at);
            at = after;
            section = all.find(kSection, at);
            if (blank < at) blank = all.find(kEnd, at);
        } else if (at == blank) {
            ++at;
            blank = all.find(kEnd, at);
        }
    }
}

std::string node_text(const pugi::xml_node& node) {
    StringWriter writer;
    node.print(writer, "", pugi::format_raw, pugi::encoding_utf8);
    return std::move(writer.text);
}

std::string child_text(const pugi::xml_node& node, const char* name) {
    return std::string(trimmed(node.child(name).text().get()));
}

Outcome<std::optional<std::uint64_t>> scaled_child(const pugi::xml_node& node, const char* name,
                                                   std::uint64_t unit_default) {
    const pugi::xml_node child = node.child(name);
    if (!child) return std::nullopt;
    const std::string text = child_text(node, name);
    std::uint64_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong == std::errc::result_out_of_range)
        return refuse(ErrorCode::overflow, ErrorSource::none,
                      fmt::format("numerical overflow: value too large: {}", text));
    if (wrong != std::errc() || end != text.data() + text.size())
        return refuse(
            ErrorCode::xml_error, ErrorSource::xml,
            fmt::format("XML error: Invalid value '{}' for element or attribute './{}[1]'", text,
                        name));
    std::uint64_t unit = unit_default;
    if (const std::string_view said = child.attribute("unit").value(); !said.empty()) {
        unit = unit_size(said);
        if (unit == 0)
            return refuse(ErrorCode::invalid_argument, ErrorSource::none,
                          fmt::format("invalid argument: unknown suffix '{}'", said));
    }
    if (number > std::numeric_limits<std::int64_t>::max() / unit)
        return refuse(ErrorCode::overflow, ErrorSource::none,
                      fmt::format("numerical overflow: value too large: {}{}", number,
                                  child.attribute("unit").value()));
    return number * unit;
}

Outcome<Uuid> uuid_child(const pugi::xml_node& node, std::string_view kind, std::string_view name,
                         ErrorSource source) {
    if (!node.child("uuid")) return uuid_of_name(kind, name);
    const auto uuid = uuid_from_text(child_text(node, "uuid"));
    if (!uuid)
        return refuse(ErrorCode::internal_error, source, "internal error: malformed uuid element");
    return *uuid;
}

}  // namespace helio::virt::host
