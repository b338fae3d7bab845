// Changes to parts of a network, such as a guest's address or a DNS name. Programs such as
// Terraform's provider make them one by one.
#include <array>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

// One kind of part: its place, its element, and the attributes that identify it. The first that is
// present counts.
struct NetworkSection {
    std::uint32_t number;  // virNetworkUpdateSection
    const char* outer;     // "": the network itself
    const char* inner;     // "": none
    const char* element;
    std::array<const char*, 3> names;
    std::string_view words;
};
constexpr std::array<NetworkSection, 7> kNetworkSections{{
    {4, "ip", "dhcp", "host", {"mac", "name", "ip"}, "dhcp host"},
    {5, "ip", "dhcp", "range", {"start", "", ""}, "dhcp range"},
    {7, "forward", "", "interface", {"dev", "", ""}, "forward interface"},
    {9, "", "", "portgroup", {"name", "", ""}, "portgroup"},
    {10, "dns", "", "host", {"ip", "", ""}, "DNS HOST"},
    {11, "dns", "", "txt", {"name", "", ""}, "DNS TXT"},
    {12, "dns", "", "srv", {"service", "", ""}, "DNS SRV"},
}};

// virNetworkUpdateCommand
[[maybe_unused]] constexpr std::uint32_t kModify = 1, kDelete = 2, kAddLast = 3, kAddFirst = 4;

pugi::xml_node place_in(pugi::xml_node root, const NetworkSection& section, int index) {
    pugi::xml_node at = root;
    if (*section.outer != '\0') {
        int number = 0;
        at = {};
        for (const pugi::xml_node one : root.children(section.outer))
            if (number++ == std::max(index, 0)) at = one;
        if (!at && index <= 0) at = root.append_child(section.outer);
    }
    if (!at || *section.inner == '\0') return at;
    const pugi::xml_node inner = at.child(section.inner);
    return inner ? inner : at.append_child(section.inner);
}

pugi::xml_node find_part(const pugi::xml_node& place, const NetworkSection& section,
                         const pugi::xml_node& wanted) {
    for (const char* const name : section.names) {
        const std::string_view value = wanted.attribute(name).value();
        if (value.empty()) continue;
        for (const pugi::xml_node one : place.children(section.element))
            if (one.attribute(name).value() == value) return one;
        return {};
    }
    return {};
}

Outcome<void> change_part(pugi::xml_node place, const NetworkSection& section,
                          const pugi::xml_node& part, std::uint32_t command,
                          std::string_view network) {
    pugi::xml_node same = find_part(place, section, part);
    const bool adds = command == kAddFirst || command == kAddLast;
    if (adds && same)
        return refuse_operation(
            ErrorSource::network,
            fmt::format("there is an existing {} entry in network '{}' that matches \"{}\"",
                        section.words, network, node_text(part)));
    if (!adds && !same)
        return refuse_operation(ErrorSource::network,
                                fmt::format("couldn't locate a matching {} entry in network '{}'",
                                            section.words, network));
    if (command == kAddFirst) place.prepend_copy(part);
    if (command == kAddLast) place.append_copy(part);
    if (command == kModify) place.insert_copy_after(part, same);
    if (!adds) place.remove_child(same);
    return {};
}

}  // namespace

Outcome<void> Host::update_network(const Uuid& uuid, std::uint32_t command, std::uint32_t section,
                                   int index, std::string_view xml) {
    auto text = XmlText::read(xml, "network_update_xml", ErrorSource::network);
    if (!text) return fail(text.error());
    const auto lock = impl_->write_lock();
    auto found = impl_->network(uuid);
    if (!found) return fail(found.error());
    HostedNetwork& network = **found;
    const NetworkSection* kind = nullptr;
    for (const NetworkSection& one : kNetworkSections)
        if (one.number == section) kind = &one;
    if (kind == nullptr || command < kModify || command > kAddFirst)
        return refuse(ErrorCode::no_support, ErrorSource::network,
                      fmt::format("this function is not supported by the connection driver: can't "
                                  "update section {} of network '{}'",
                                  section, network.name));
    const pugi::xml_node part = text->root();
    if (std::string_view(part.name()) != kind->element)
        return refuse(ErrorCode::xml_error, ErrorSource::network,
                      fmt::format("XML error: unexpected element <{}>, expecting <{}>, while "
                                  "parsing network update",
                                  part.name(), kind->element));
    // The body was written by us, so parsing cannot fail.
    pugi::xml_document document;
    document.load_string(("<network>" + network.body + "</network>").c_str());
    pugi::xml_node root = document.document_element();
    const pugi::xml_node place = place_in(root, *kind, index);
    if (!place)
        return refuse_operation(ErrorSource::network,
                                fmt::format("couldn't locate the <{}> element to update in network "
                                            "'{}'",
                                            kind->outer, network.name));
    if (auto done = change_part(place, *kind, part, command, network.name); !done) return done;
    std::string body;
    for (const pugi::xml_node child : root.children()) append_node(body, 1, child);
    if (body.size() > kHostXmlBytesMax) return refuse_full("parts of the network");
    if (auto charged = impl_->charge(network.charge, body.size()); !charged)
        return fail(charged.error());
    network.body = std::move(body);
    return {};
}

}  // namespace helio::virt::host
