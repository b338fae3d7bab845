// What a domain's XML says. The few things the host changes or counts are taken out of it; the rest
// stays text, in libvirt's layout, and is put together again when somebody asks. So a dump costs a
// few copies of strings, and elements that the host knows nothing of survive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "helio/virt/host/types.h"

namespace helio::virt::host {

struct DomainDisk {
    std::string target;
    std::string source;
};
struct DomainInterface {
    std::string mac;
    std::string target;  // empty until it is started, unless the definition says
    std::string network;
};
// One element of <metadata>; such texts belong to other programs.
struct DomainMetadata {
    std::string uri;
    std::string key;    // the prefix of its names
    std::string plain;  // names without the prefix, as it is asked for
    std::string text;   // with it, as it stands in the domain
};

struct DomainConfig {
    std::string type;        // test
    std::string attributes;  // others of the root, " xmlns:x='…'"
    std::string name;
    Uuid uuid;
    bool says_uuid = false;  // else it follows from the name
    std::string title, description;
    std::vector<DomainMetadata> metadata;
    std::uint64_t memory_max_kib = 0;
    std::uint64_t memory_kib = 0;
    unsigned vcpus_max = 1;
    unsigned vcpus = 1;
    std::string os_type;
    std::string body;  // all other elements
    std::vector<DomainDisk> disks;
    std::vector<DomainInterface> interfaces;

    std::shared_ptr<void> charge;  // for its bytes; copies share it

    // What libvirt's test driver wants in a file of its own: begin as, and be gone after.
    State test_state = State::off;
    bool test_transient = false;
    bool test_says_state = false;
};

// Bytes it keeps.
std::uint64_t size_of(const DomainConfig& config);
// `architecture` is the node's, for domains that do not say.
Outcome<DomainConfig> read_domain_config(std::string_view xml, std::string_view architecture);
// Interfaces without a target get one: "vnet" and a number, counted on in `vnet_next`.
void name_interfaces(DomainConfig& config, unsigned& vnet_next);
// Disks and interfaces as the devices element has them; interfaces without a MAC get one there.
void read_devices(pugi::xml_node devices, DomainConfig& config);
// With a device's XML, or by the name of its alias. Live ones get names as above.
Outcome<void> change_devices(DomainConfig& config, std::string_view device_xml,
                             DeviceChange change);
Outcome<void> detach_alias(DomainConfig& config, std::string_view alias);
// id -1: it is off.
std::string domain_config_xml(const DomainConfig& config, int id);

// An element of a client as metadata under `key` and `uri`.
Outcome<DomainMetadata> read_metadata(std::string_view xml, std::string_view key,
                                      std::string_view uri);

}  // namespace helio::virt::host
