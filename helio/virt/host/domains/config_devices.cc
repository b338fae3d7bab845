// The devices of a domain's definition, and how to attach and detach them.
#include <fmt/format.h>

#include "helio/virt/host/domains/domain_config_internal.h"
#include "helio/virt/host/xml_internal.h"

namespace helio::virt::host {

namespace {

std::string mac_of(const DomainConfig& config, std::size_t index) {
    const Uuid hash = uuid_of_name("interface", fmt::format("{}/{}", to_text(config.uuid), index));
    return fmt::format("52:54:00:{:02x}:{:02x}:{:02x}", hash.bytes[0], hash.bytes[1],
                       hash.bytes[2]);
}

// The definition's other elements, as a document. It is our own text: it parses.
pugi::xml_node load_body(pugi::xml_document& document, const DomainConfig& config) {
    document.load_string(("<domain>" + config.body + "</domain>").c_str());
    return document.document_element();
}
void store_body(const pugi::xml_node& root, DomainConfig& config) {
    config.body.clear();
    for (const pugi::xml_node child : root.children()) append_node(config.body, 1, child);
}

// What identifies it among its kind: a disk's target, an interface's MAC. Empty: nothing.
std::string identity_of(const pugi::xml_node& device) {
    const std::string_view kind = device.name();
    if (kind == "disk") return device.child("target").attribute("dev").value();
    if (kind == "interface") return device.child("mac").attribute("address").value();
    return {};
}

pugi::xml_node find_device(const pugi::xml_node& devices, const pugi::xml_node& wanted) {
    const std::string identity = identity_of(wanted);
    const std::string text = node_text(wanted);
    for (const pugi::xml_node one : devices.children(wanted.name()))
        if (identity.empty() ? node_text(one) == text : identity_of(one) == identity) return one;
    return {};
}

tl::unexpected<Error> no_such_device(const pugi::xml_node& device) {
    const std::string identity = identity_of(device);
    return refuse(ErrorCode::device_missing, ErrorSource::domain,
                  fmt::format("device not found: {} {} not found", device.name(),
                              identity.empty() ? "of this description" : identity));
}

tl::unexpected<Error> wrong_device(std::string_view why) {
    return refuse(ErrorCode::xml_error, ErrorSource::domain, fmt::format("XML error: {}", why));
}

// A device that is looked up by its identity must have one.
Outcome<void> check_device(const pugi::xml_node& device) {
    if (std::string_view(device.name()) == "disk" && identity_of(device).empty())
        return wrong_device("missing target information for disk");
    return {};
}

void settle_devices(const pugi::xml_node& root, DomainConfig& config) {
    config.disks.clear();
    config.interfaces.clear();
    read_devices(root.child("devices"), config);
    store_body(root, config);
}

}  // namespace

void read_devices(pugi::xml_node devices, DomainConfig& config) {
    for (const pugi::xml_node disk : devices.children("disk")) {
        DomainDisk one{.target = disk.child("target").attribute("dev").value(), .source = {}};
        for (const char* const word : {"file", "dev", "dir", "name", "volume"}) {
            one.source = disk.child("source").attribute(word).value();
            if (!one.source.empty()) break;
        }
        config.disks.push_back(std::move(one));
    }
    for (pugi::xml_node interface : devices.children("interface")) {
        DomainInterface one{.mac = interface.child("mac").attribute("address").value(),
                            .target = interface.child("target").attribute("dev").value(),
                            .network = interface.child("source").attribute("network").value()};
        if (one.mac.empty()) {
            one.mac = mac_of(config, config.interfaces.size());
            interface.prepend_child("mac").append_attribute("address").set_value(one.mac.c_str());
        }
        config.interfaces.push_back(std::move(one));
    }
}

void name_interfaces(DomainConfig& config, unsigned& vnet_next) {
    bool all_named = true;
    for (const DomainInterface& one : config.interfaces)
        all_named = all_named && !one.target.empty();
    if (all_named) return;
    pugi::xml_document document;
    pugi::xml_node root = load_body(document, config);
    std::size_t index = 0;
    for (pugi::xml_node interface : root.child("devices").children("interface")) {
        DomainInterface& one = config.interfaces[index++];
        if (!one.target.empty()) continue;
        one.target = fmt::format("vnet{}", vnet_next++);
        interface.remove_child("target");
        const pugi::xml_node source = interface.child("source");
        pugi::xml_node target = source ? interface.insert_child_after("target", source)
                                       : interface.append_child("target");
        target.append_attribute("dev").set_value(one.target.c_str());
    }
    store_body(root, config);
}

Outcome<void> change_devices(DomainConfig& config, std::string_view device_xml,
                             DeviceChange change) {
    auto text = XmlText::read(device_xml, "device_definition", ErrorSource::domain);
    if (!text) return fail(text.error());
    const pugi::xml_node device = text->root();
    if (auto good = check_device(device); !good) return good;
    pugi::xml_document document;
    pugi::xml_node root = load_body(document, config);
    pugi::xml_node devices = root.child("devices");
    pugi::xml_node same = find_device(devices, device);
    const bool known = same && !identity_of(device).empty();
    switch (change) {
        case DeviceChange::attach:
            if (known)
                return refuse(ErrorCode::operation_failed, ErrorSource::domain,
                              fmt::format("operation failed: {} {} already exists",
                                          std::string_view(device.name()) == "disk" ? "target"
                                                                                    : "MAC address",
                                          identity_of(device)));
            devices.append_copy(device);
            break;
        case DeviceChange::detach:
            if (!same) return no_such_device(device);
            devices.remove_child(same);
            break;
        case DeviceChange::update:
            if (!known) return no_such_device(device);
            devices.insert_copy_after(device, same);
            devices.remove_child(same);
            break;
    }
    settle_devices(root, config);
    return {};
}

Outcome<void> detach_alias(DomainConfig& config, std::string_view alias) {
    pugi::xml_document document;
    pugi::xml_node root = load_body(document, config);
    pugi::xml_node devices = root.child("devices");
    for (const pugi::xml_node one : devices.children()) {
        if (one.child("alias").attribute("name").value() != alias) continue;
        devices.remove_child(one);
        settle_devices(root, config);
        return {};
    }
    return refuse(ErrorCode::device_missing, ErrorSource::domain,
                  fmt::format("device not found: no device found with alias {}", alias));
}

}  // namespace helio::virt::host
