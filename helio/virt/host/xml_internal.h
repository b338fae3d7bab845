// XML for the host, over pugixml: parses clients' texts with libvirt's errors, and writes libvirt's
// layout. A client's document is limited in size and depth before anything walks it; pugixml knows
// only XML's own entities and loads no external ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "helio/virt/host/types.h"

namespace helio::virt::host {

// Nesting, the same limit as libxml2's: some of pugixml's functions are recursive.
inline constexpr int kXmlDepthMax = 256;

// A client's document. pugixml keeps the names in its own copy of the text.
class XmlText final {
 public:
    // `what` is libvirt's name for such texts, "domain_definition"; `source` is for errors.
    static Outcome<XmlText> read(std::string_view text, std::string_view what, ErrorSource source);
    // Also checks the root element's name.
    static Outcome<XmlText> read(std::string_view text, std::string_view what, ErrorSource source,
                                 std::string_view root);

    pugi::xml_node root() const { return document_->document_element(); }
    pugi::xml_document& document() { return *document_; }

 private:
    std::unique_ptr<pugi::xml_document> document_;
};

// "a & b" → "a &amp; b", for text and for attributes in single quotes.
std::string xml_escaped(std::string_view text);
// `<name>text</name>` with a newline, indented by `level` × 2.
void append_element(std::string& to, int level, std::string_view name, std::string_view text);
// The node with its contents, each line indented from `level` on.
void append_node(std::string& to, int level, const pugi::xml_node& node);
// The node alone, on one line, without a newline.
std::string node_text(const pugi::xml_node& node);
// Text of a child element, trimmed.
std::string child_text(const pugi::xml_node& node, const char* name);

// `<memory unit='MiB'>5</memory>` in bytes; `unit_default` applies if it has no unit. Nothing if
// there is no such child.
Outcome<std::optional<std::uint64_t>> scaled_child(const pugi::xml_node& node, const char* name,
                                                   std::uint64_t unit_default);

// The uuid of `<uuid>`, or else derived from kind and name.
Outcome<Uuid> uuid_child(const pugi::xml_node& node, std::string_view kind, std::string_view name,
                         ErrorSource source);

inline tl::unexpected<Error> refuse(ErrorCode code, ErrorSource source, std::string message) {
    return fail(Error{code, source, std::move(message)});
}

}  // namespace helio::virt::host
