// DomainConfig: a domain's parsed XML. The few values that the host changes or counts are
// extracted; the rest stays text, in libvirt's layout, and is joined again on request. So a dump
// costs a few string copies, and elements unknown to the host survive.
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
    std::string target;  // empty until started, unless defined
    std::string network;
};
// One element of <metadata>, which belongs to another program.
struct DomainMetadata {
    std::string uri;
    std::string key;    // the prefix of its names
    std::string plain;  // names without the prefix, as clients get it
    std::string text;   // with the prefix, as in the domain's XML
};

struct DomainConfig {
    std::string type;        // test
    std::string attributes;  // other attributes of the root, " xmlns:x='…'"
    std::string name;
    Uuid uuid;
    bool says_uuid = false;  // otherwise derived from the name
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

    std::shared_ptr<void> charge;  // accounts for its bytes; shared by copies

    // For files of libvirt's test driver: its initial state, and whether it is transient.
    State test_state = State::off;
    bool test_transient = false;
    bool test_says_state = false;
};

// Bytes it uses.
std::uint64_t size_of(const DomainConfig& config);
// `architecture` is the node's, for domains without one.
Outcome<DomainConfig> read_domain_config(std::string_view xml, std::string_view architecture);
// Gives interfaces without a target one: "vnet" and a number from `vnet_next`.
void name_interfaces(DomainConfig& config, unsigned& vnet_next);
// Disks and interfaces of the devices element; interfaces without a MAC get one there.
void read_devices(pugi::xml_node devices, DomainConfig& config);
// Selects a device by its XML, or by its alias. Live ones get names as above.
Outcome<void> change_devices(DomainConfig& config, std::string_view device_xml,
                             DeviceChange change);
Outcome<void> detach_alias(DomainConfig& config, std::string_view alias);
// id -1: it is off.
std::string domain_config_xml(const DomainConfig& config, int id);

// A client's element as metadata under `key` and `uri`.
Outcome<DomainMetadata> read_metadata(std::string_view xml, std::string_view key,
                                      std::string_view uri);

}  // namespace helio::virt::host
