// Networks: names of bridges that do not exist, and addresses for the domains connected to them.
#include <fmt/format.h>
#include <chrono>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

constexpr std::chrono::hours kLeaseTime{1};  // dnsmasq's

// "192.168.122.1" → 0xc0a87a01; 0 if the text is no address.
std::uint32_t ipv4_of(std::string_view text) {
    std::uint32_t address = 0;
    int parts = 0;
    while (parts < 4) {
        unsigned part = 0;
        std::size_t digits = 0;
        while (digits < text.size() && digits < 4 && text[digits] >= '0' && text[digits] <= '9')
            part = part * 10 + static_cast<unsigned>(text[digits++] - '0');
        if (digits == 0 || part > 255) return 0;
        address = (address << 8) | part;
        text.remove_prefix(digits);
        if (++parts < 4) {
            if (text.empty() || text.front() != '.') return 0;
            text.remove_prefix(1);
        }
    }
    return text.empty() ? address : 0;
}

std::string ipv4_text(std::uint32_t address) {
    return fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 255, (address >> 8) & 255,
                       address & 255);
}

struct NetworkRead {
    HostedNetwork network;
    bool says_uuid = false;
};

void read_addresses(const pugi::xml_node& root, HostedNetwork& network) {
    for (const pugi::xml_node ip : root.children("ip")) {
        const std::uint32_t address = ipv4_of(ip.attribute("address").value());
        if (address == 0) continue;  // IPv6 addresses are not leased
        network.address = address;
        network.netmask = ipv4_of(ip.attribute("netmask").value());
        if (const pugi::xml_attribute prefix = ip.attribute("prefix");
            prefix.as_uint() > 0 && prefix.as_uint() <= 32)
            network.netmask = ~std::uint32_t{0} << (32 - prefix.as_uint());
        const pugi::xml_node range = ip.child("dhcp").child("range");
        network.range_start = ipv4_of(range.attribute("start").value());
        network.range_end = ipv4_of(range.attribute("end").value());
        return;
    }
}

Outcome<NetworkRead> read_network(std::string_view xml) {
    auto text = XmlText::read(xml, "network_definition", ErrorSource::network, "network");
    if (!text) return fail(text.error());
    const pugi::xml_node root = text->root();
    NetworkRead read;
    HostedNetwork& network = read.network;
    network.name = child_text(root, "name");
    if (network.name.empty())
        return refuse(ErrorCode::no_name, ErrorSource::network, "missing name information");
    if (network.name.find_first_of("/\n") != std::string::npos)
        return refuse(ErrorCode::xml_error, ErrorSource::network,
                      fmt::format("XML error: name {} cannot contain '/'", network.name));
    const auto uuid = uuid_child(root, "network", network.name, ErrorSource::network);
    if (!uuid) return fail(uuid.error());
    network.uuid = *uuid;
    read.says_uuid = static_cast<bool>(root.child("uuid"));
    network.bridge = root.child("bridge").attribute("name").value();
    read_addresses(root, network);
    for (const pugi::xml_node child : root.children()) {
        const std::string_view name = child.name();
        if (child.type() == pugi::node_element && name != "name" && name != "uuid")
            append_node(network.body, 1, child);
    }
    return read;
}

// Adds the network, or changes the definition of an existing one.
Outcome<HostedNetwork*> place_network(HostIndex<HostedNetwork>& networks, NetworkRead read) {
    HostedNetwork& wanted = read.network;
    const auto place = find_defined(networks, "network", ErrorSource::network, wanted.name,
                                    wanted.uuid, read.says_uuid);
    if (!place) return fail(place.error());
    HostedNetwork* const existing = *place;
    if (existing == nullptr) {
        if (networks.full()) return refuse_full("networks");
        const Uuid uuid = wanted.uuid;
        const std::string name = wanted.name;
        return &networks.add(name, uuid, std::make_unique<HostedNetwork>(std::move(wanted)));
    }
    wanted.active = existing->active;
    wanted.autostart = existing->autostart;
    wanted.persistent = existing->persistent;
    *existing = std::move(wanted);
    return existing;
}

}  // namespace

Outcome<HostedNetwork*> Host::Impl::network(const Uuid& uuid) const {
    HostedNetwork* const found = networks.find(uuid);
    if (found == nullptr)
        return refuse(
            ErrorCode::no_network, ErrorSource::test,
            fmt::format("Network not found: no network with matching uuid '{}'", to_text(uuid)));
    return found;
}

void Host::Impl::tell_network(const HostedNetwork& network, int what) const {
    notify({.kind = Event::Kind::network_lifecycle,
            .what = what,
            .name = network.name,
            .uuid = network.uuid,
            .text = {}});
}

void Host::Impl::lease_addresses(const DomainConfig& config) {
    for (const DomainInterface& interface : config.interfaces) {
        HostedNetwork* const network = networks.find(interface.network);
        if (network == nullptr || network->range_start == 0) continue;
        if (network->leases.contains(interface.mac)) continue;
        const std::uint64_t next = std::uint64_t{network->range_start} + network->leases.size();
        if (next <= network->range_end)
            network->leases.emplace(interface.mac, static_cast<std::uint32_t>(next));
    }
}

std::vector<NetworkKey> Host::networks(std::uint32_t list_flags) const {
    const auto lock = impl_->read_lock();
    std::vector<NetworkKey> keys;
    for (const auto& [name, network] : impl_->networks.by_name)
        if (groups_match(*network, list_flags)) keys.push_back(network->key());
    return keys;
}

Outcome<NetworkKey> Host::network_by_name(std::string_view name) const {
    const auto lock = impl_->read_lock();
    const HostedNetwork* const found = impl_->networks.find(name);
    if (found == nullptr)
        return refuse(ErrorCode::no_network, ErrorSource::test,
                      fmt::format("Network not found: no network with matching name '{}'", name));
    return found->key();
}

Outcome<NetworkKey> Host::network_by_uuid(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->network(uuid).map([](const HostedNetwork* found) { return found->key(); });
}

Outcome<NetworkInfo> Host::network_info(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->network(uuid).map([](const HostedNetwork* found) {
        return NetworkInfo{found->active, found->persistent, found->autostart, found->bridge};
    });
}

Outcome<std::string> Host::network_xml(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return impl_->network(uuid).map([](const HostedNetwork* found) {
        std::string xml = "<network>\n";
        append_element(xml, 1, "name", found->name);
        append_element(xml, 1, "uuid", to_text(found->uuid));
        xml += found->body;
        xml += "</network>\n";
        return xml;
    });
}

Outcome<std::vector<Lease>> Host::network_leases(const Uuid& uuid, std::string_view mac) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->network(uuid);
    if (!found) return fail(found.error());
    const HostedNetwork& network = **found;
    unsigned prefix = 0;
    for (std::uint32_t mask = network.netmask; mask != 0; mask <<= 1) ++prefix;
    // A guest renews its lease all the time.
    const std::int64_t expires_s =
        std::chrono::duration_cast<std::chrono::seconds>(
            (std::chrono::system_clock::now() + kLeaseTime).time_since_epoch())
            .count();
    std::vector<Lease> leases;
    for (const auto& [id, domain] : impl_->domains_by_id)
        for (const DomainInterface& interface : domain->live->interfaces) {
            const auto lease = network.leases.find(interface.mac);
            if (interface.network != network.name || lease == network.leases.end()) continue;
            if (!mac.empty() && mac != interface.mac) continue;
            leases.push_back({.mac = interface.mac,
                              .address = ipv4_text(lease->second),
                              .hostname = domain->name(),
                              .interface_name = network.bridge,
                              .prefix = prefix,
                              .expires_s = expires_s});
        }
    return leases;
}

Outcome<NetworkKey> Host::define_network(std::string_view xml) {
    auto read = read_network(xml);
    if (!read) return fail(read.error());
    if (auto charged = impl_->charge(read->network.charge, read->network.body.size()); !charged)
        return fail(charged.error());
    const auto lock = impl_->write_lock();
    auto network = place_network(impl_->networks, std::move(*read));
    if (!network) return fail(network.error());
    (*network)->persistent = true;
    impl_->tell_network(**network, object_lifecycle::kDefined);
    return (*network)->key();
}

Outcome<NetworkKey> Host::create_network(std::string_view xml) {
    auto read = read_network(xml);
    if (!read) return fail(read.error());
    if (auto charged = impl_->charge(read->network.charge, read->network.body.size()); !charged)
        return fail(charged.error());
    const auto lock = impl_->write_lock();
    if (const HostedNetwork* const there = impl_->networks.find(read->network.name);
        there != nullptr && there->active)
        return refuse_operation(ErrorSource::network,
                                fmt::format("network is already active as '{}'", there->name));
    auto network = place_network(impl_->networks, std::move(*read));
    if (!network) return fail(network.error());
    (*network)->active = true;
    impl_->tell_network(**network, object_lifecycle::kStarted);
    return (*network)->key();
}

Outcome<void> Host::start_network(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->network(uuid);
    if (!found) return fail(found.error());
    if ((*found)->active)
        return refuse_operation(ErrorSource::test,
                                fmt::format("Network '{}' is already running", (*found)->name));
    (*found)->active = true;
    impl_->tell_network(**found, object_lifecycle::kStarted);
    return {};
}

Outcome<void> Host::destroy_network(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->network(uuid);
    if (!found) return fail(found.error());
    HostedNetwork& network = **found;
    // Like the test driver, accept a network that is already stopped.
    network.active = false;
    impl_->tell_network(network, object_lifecycle::kStopped);
    if (!network.persistent) impl_->networks.remove(std::string(network.name), Uuid(uuid));
    return {};
}

Outcome<void> Host::undefine_network(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    auto found = impl_->network(uuid);
    if (!found) return fail(found.error());
    HostedNetwork& network = **found;
    if (network.active)
        return refuse_operation(ErrorSource::test,
                                fmt::format("Network '{}' is still running", network.name));
    impl_->tell_network(network, object_lifecycle::kUndefined);
    impl_->networks.remove(std::string(network.name), Uuid(uuid));
    return {};
}

Outcome<void> Host::set_network_autostart(const Uuid& uuid, bool autostart) {
    const auto lock = impl_->write_lock();
    auto found = impl_->network(uuid);
    if (!found) return fail(found.error());
    (*found)->autostart = autostart;
    return {};
}

}  // namespace helio::virt::host
