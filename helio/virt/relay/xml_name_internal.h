// The name of an object that a client describes by XML, for rules on names. Daemons read XML by
// libxml2; here only what nobody could read in another way is read at all: UTF-8, no document type,
// no entity in the name, one name directly under the root. Of everything else it cannot be told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helio::virt::relay {

// Of `<domain>…<name>web</name>…</domain>` with root "domain", it is "web".
std::optional<std::string> name_in_xml(std::string_view xml, std::string_view root);

}  // namespace helio::virt::relay
