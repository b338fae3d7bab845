// The name of an object described by XML, for rules on names. Daemons parse XML with libxml2; this
// accepts only XML that no parser could read differently: UTF-8, no document type, no entity in the
// name, one name directly under the root. Everything else is undecidable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helio::virt::relay {

// For `<domain>…<name>web</name>…</domain>` with root "domain", it is "web".
std::optional<std::string> name_in_xml(std::string_view xml, std::string_view root);

}  // namespace helio::virt::relay
