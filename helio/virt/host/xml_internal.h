// XML as the host needs it, over pugixml: texts of clients in, with libvirt's errors, and texts in
// libvirt's layout out. A document from a client is bounded in size and depth before anything walks
// it; pugixml knows no entities but XML's own and loads nothing from anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "helio/virt/host/types.h"

namespace helio::virt::host {

// Elements inside elements, as many as libxml2 takes: some of pugixml's functions are recursive.
inline constexpr int kXmlDepthMax = 256;

// One document of a client. pugixml keeps the names in its own copy of the text.
class XmlText final {
 public:
    // `what` is what libvirt calls such texts, "domain_definition"; `source` who complains.
    static Outcome<XmlText> read(std::string_view text, std::string_view what, ErrorSource source);
    // Also checks the root element's name.
    static Outcome<XmlText> read(std::string_view text, std::string_view what, ErrorSource source,
                                 std::string_view root);

    pugi::xml_node root() const { return document_->document_element(); }
    pugi::xml_document& document() { return *document_; }

 private:
    std::unique_ptr<pugi::xml_document> document_;
};

// "a & b" → "a &amp; b", for texts and for attributes in single quotes.
std::string xml_escaped(std::string_view text);
// `<name>text</name>` and a line's end, indented by `level` × 2.
void append_element(std::string& to, int level, std::string_view name, std::string_view text);
// The node with all that is in it, each line indented from `level` on.
void append_node(std::string& to, int level, const pugi::xml_node& node);
// The node alone, on one line where it was: no line's end behind it.
std::string node_text(const pugi::xml_node& node);
// Text of a child element, without white space around it.
std::string child_text(const pugi::xml_node& node, const char* name);

// `<memory unit='MiB'>5</memory>`: the number in bytes; `unit_default` holds when none is said.
// Nothing when there is no such child.
Outcome<std::optional<std::uint64_t>> scaled_child(const pugi::xml_node& node, const char* name,
                                                   std::uint64_t unit_default);

// The uuid of `<uuid>` or else of the kind and name.
Outcome<Uuid> uuid_child(const pugi::xml_node& node, std::string_view kind, std::string_view name,
                         ErrorSource source);

inline tl::unexpected<Error> refuse(ErrorCode code, ErrorSource source, std::string message) {
    return fail(Error{code, source, std::move(message)});
}

}  // namespace helio::virt::host
