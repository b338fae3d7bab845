#include "helio/serve/exposure.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "helio/base/text/escape.h"

namespace helio::serve {
namespace {

using nfs::Network;
using transport::Endpoint;
using transport::InterfaceAddress;

constexpr unsigned kIpv4Prefix = 96;  // nfs::Network keeps IPv4 as the IPv6 address it maps to

bool overlap(const Network& a, const Network& b) {
    return a.prefix_bits <= b.prefix_bits ? a.contains(b.address) : b.contains(a.address);
}

const std::array<Network, 2>& loopback_networks() {
    static const std::array<Network, 2> both{*Network::parse("127.0.0.0/8"),
                                             *Network::parse("::1")};
    return both;
}

bool is_loopback(const Network& one) {
    return std::ranges::any_of(loopback_networks(), [&](const Network& outer) {
        return outer.prefix_bits <= one.prefix_bits && outer.contains(one.address);
    });
}

bool reaches_loopback(const Network& one) {
    return std::ranges::any_of(loopback_networks(),
                               [&](const Network& other) { return overlap(one, other); });
}

Network network_of(const InterfaceAddress& one) {
    Network out;
    out.address = transport::address_bytes(one.address);
    out.prefix_bits = one.prefix_bits + (one.address.is_ipv4() ? kIpv4Prefix : 0);
    for (unsigned bit = out.prefix_bits; bit < 128; ++bit)
        out.address[bit / 8] &= ~(std::byte{0x80} >> (bit % 8));
    return out;
}

bool is_of_the_network(const InterfaceAddress& one) {
    return !one.address.is_loopback() && !one.address.is_link_local();
}

// Can a client in one of the allowed networks reach this address? Clients that reach a loopback
// address also have one.
bool can_come(const std::vector<Network>& allowed, const Endpoint& address) {
    if (allowed.empty()) return true;
    return address.is_loopback() ? std::any_of(allowed.begin(), allowed.end(), reaches_loopback)
                                 : !std::all_of(allowed.begin(), allowed.end(), is_loopback);
}

// "as uid 1001", "as any user except root"
std::string as_whom(const PlannedExport& one) {
    if (!one.source.acts_as_callers || one.rules.squash == nfs::Squash::all)
        return fmt::format("as uid {}", one.rules.anonymous_uid);
    return one.rules.squash == nfs::Squash::root ? "as any user except root"
                                                 : "as any user, including root";
}

// The warning about an export of "/".
std::string whole_machine(const PlannedExport& one) {
    return fmt::format(
        "{} exports the whole file system of this machine, including /etc and home directories. "
        "Clients can {} it {}. Export a subdirectory instead{}.",
        printable(one.path), one.rules.read_only ? "read" : "change", as_whom(one),
        one.rules.read_only ? "" : ", or use --ro");
}

}  // namespace

std::vector<Endpoint> Exposure::addresses_of(const Endpoint& listen) const {
    if (!listen.is_wildcard()) return {listen};
    std::vector<Endpoint> out;
    const auto add = [&](bool of_the_network, bool v6) {
        for (const InterfaceAddress& one : interfaces) {
            if (is_of_the_network(one) != of_the_network || one.address.is_ipv6() != v6) continue;
            if (one.address.is_link_local() || (v6 && listen.is_ipv4())) continue;
            out.push_back(one.address);
            out.back().set_port(listen.port());
        }
    };
    for (const bool of_the_network : {true, false})
        for (const bool v6 : {false, true}) add(of_the_network, v6);
    if (out.empty()) out.push_back(transport::to_loopback(listen));
    return out;
}

std::optional<Endpoint> Exposure::mount_address(const PlannedExport& one) const {
    const auto& allowed = one.rules.allowed;
    std::vector<Endpoint> all;
    for (const Endpoint& listen : listens)
        for (const Endpoint& address : addresses_of(listen))
            if (can_come(allowed, address)) all.push_back(address);
    // Prefer an address in an allowed network.
    const auto is_near = [&](const Endpoint& address) {
        return std::any_of(interfaces.begin(), interfaces.end(), [&](const InterfaceAddress& face) {
            return transport::address_bytes(face.address) == transport::address_bytes(address) &&
                   std::any_of(allowed.begin(), allowed.end(), [&](const Network& network) {
                       return overlap(network, network_of(face));
                   });
        });
    };
    const auto near = std::find_if(all.begin(), all.end(), is_near);
    if (near != all.end()) return *near;
    return all.empty() ? std::nullopt : std::optional{all.front()};
}

bool Exposure::is_on_network() const {
    return std::any_of(listens.begin(), listens.end(),
                       [](const Endpoint& one) { return !one.is_loopback(); });
}

std::string Exposure::networks() const {
    std::set<std::string> seen;
    std::string text;
    for (const Endpoint& listen : listens)
        for (const InterfaceAddress& one : interfaces) {
            if (!is_of_the_network(one)) continue;
            const bool is_here = listen.is_wildcard() ? listen.is_ipv6() || one.address.is_ipv4()
                                                      : transport::address_bytes(one.address) ==
                                                            transport::address_bytes(listen);
            const std::string name = nfs::to_text(network_of(one));
            if (is_here && seen.insert(name).second) text += (text.empty() ? "" : ", ") + name;
        }
    return text;
}

std::string Exposure::nobody_can_mount(const PlannedExport& one) const {
    std::string where;
    for (const Endpoint& listen : listens)
        where += (where.empty() ? "" : ", ") + transport::to_text(listen);
    std::string remedy = "--listen ADDRESS";
    for (const InterfaceAddress& face : interfaces)
        for (const Network& network : one.rules.allowed)
            if (overlap(network, network_of(face)) && !face.address.is_link_local())
                remedy = "--listen " + face.address.ip_text();
    return fmt::format(
        "no client can mount {}: only {} may use it, but the server listens on {}, which they "
        "cannot reach. Use {}, or change --allow.",
        printable(one.path), who_may(one), where, remedy);
}

std::vector<std::string> Exposure::warnings(const Plan& plan) const {
    std::vector<std::string> out;
    const std::string near = networks();
    const std::string who =
        near.empty() ? "anyone who can reach this machine" : "anyone on " + near;
    for (const PlannedExport& one : plan) {
        if (one.source.source == "/" && one.source.acts_as_callers)
            out.push_back(whole_machine(one));
        if (is_on_network() && one.rules.allowed.empty() && !one.rules.read_only)
            out.push_back(
                fmt::format("{} can change the files in {} {}. Restrict clients with --allow "
                            "NETWORK, or export read-only with --ro.",
                            who, printable(one.path), as_whom(one)));
        if (!listens.empty() && !mount_address(one)) out.push_back(nobody_can_mount(one));
    }
    return out;
}

}  // namespace helio::serve
