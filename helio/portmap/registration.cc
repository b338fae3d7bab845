#include "helio/portmap/registration.h"

#include <fmt/format.h>

#include "helio/portmap/universal_address.h"
#include "helio/portmap/version_mismatch_internal.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/transport/client/client.h"
#include "schema/rpcb_service.h"

namespace helio::portmap {

namespace {

rpcb::rpcb to_wire(const Mapping& one) {
    return {one.program, one.version, one.netid, one.address, one.owner};
}

// Version 2, for a portmapper without newer ones; it has TCP and UDP over IPv4.
rpcb::mapping to_wire_v2(const Mapping& one) {
    const Netid* const netid = find_netid(one.netid);
    const auto where = parse_universal_address(one.address);
    return {one.program, one.version, netid ? netid->protocol : 0,
            where ? where->port() : std::uint32_t{0}};
}

// False: another mapping is in the way, or version 2 cannot express it.
Result<bool, xdr::CallError> set(xdr::Channel& channel, const Mapping& mapping) {
    const auto v4 = rpcb::RPCBVERS4::Client{channel}.SET(to_wire(mapping));
    if (v4 || !speaks_other_versions(v4.error())) return v4;
    const auto v3 = rpcb::RPCBVERS::Client{channel}.SET(to_wire(mapping));
    if (v3 || !speaks_other_versions(v3.error())) return v3;
    const rpcb::mapping v2 = to_wire_v2(mapping);
    if (v2.prot == 0) return false;
    return rpcb::PMAP_VERS::Client{channel}.SET(v2);
}

Result<bool, xdr::CallError> unset(xdr::Channel& channel, const Mapping& mapping) {
    const auto v4 = rpcb::RPCBVERS4::Client{channel}.UNSET(to_wire(mapping));
    if (v4 || !speaks_other_versions(v4.error())) return v4;
    const auto v3 = rpcb::RPCBVERS::Client{channel}.UNSET(to_wire(mapping));
    if (v3 || !speaks_other_versions(v3.error())) return v3;
    const rpcb::mapping v2 = to_wire_v2(mapping);
    if (v2.prot == 0) return false;
    return rpcb::PMAP_VERS::Client{channel}.UNSET(v2);
}

// The registered address for the same program, version and netid. It is taken from the whole list:
// GETADDR of Debian's rpcbind uses the transport of the call, whatever netid is named.
std::string standing_at(xdr::Channel& channel, const Mapping& mapping) {
    const auto list = rpcb::RPCBVERS::Client{channel}.DUMP();
    if (!list) return {};
    for (const auto* one = *list; one != nullptr; one = one->rpcb_next)
        if (one->rpcb_map.r_prog == mapping.program && one->rpcb_map.r_vers == mapping.version &&
            one->rpcb_map.r_netid == mapping.netid &&
            one->rpcb_map.r_addr.size() <= kUniversalAddressMax)
            return std::string{one->rpcb_map.r_addr};
    return {};
}

std::string describe(const Mapping& one) {
    return fmt::format("program {} version {} on {} at {}", one.program, one.version, one.netid,
                       one.address);
}

}  // namespace

Registration::Registration(const rpc::Server& programs, const transport::Server& server,
                           RegistrationOptions options)
    : options_(std::move(options)) {
    const auto channel = connect();
    if (!channel) return;
    for (const Mapping& one : mappings_of(programs, server))
        if (one.program != rpcb::PMAP_VERS::program) add(*channel, one);
}

Registration::~Registration() {
    if (registered_.empty()) return;
    const auto channel = connect();
    if (!channel) return;  // rpcbind ended before us, and its table with it
    for (const Mapping& one : registered_) (void)unset(*channel, one);
}

std::unique_ptr<xdr::Channel> Registration::connect() {
    std::string why;
    const auto attempt = [&](const transport::Endpoint& where,
                             bool udp) -> std::unique_ptr<xdr::Channel> {
        transport::ClientOptions client_options;
        client_options.udp = udp;
        client_options.reserved_port = true;
        client_options.reconnect = false;
        client_options.call_timeout = options_.timeout;
        auto client = std::make_unique<transport::Client>(std::vector{where}, client_options);
        const auto answer = rpcb::PMAP_VERS::Client{*client}.NULL_();
        if (answer || speaks_other_versions(answer.error())) return client;
        why += fmt::format("{}{}{}: {}", why.empty() ? "" : "; ", transport::to_text(where),
                           udp ? " over UDP" : "", rpc::to_text(answer.error()));
        return nullptr;
    };
    if (!options_.socket.empty())
        if (const auto where = parse_universal_address(AF_UNIX, options_.socket))
            if (auto client = attempt(*where, false)) return client;
    if (!options_.host.empty())
        if (const auto where = transport::resolve(options_.host, options_.port))
            for (const bool udp : {false, true})
                if (auto client = attempt(where->front(), udp)) return client;
    problems_.push_back(fmt::format("rpcbind is not running on this machine ({})", why));
    return nullptr;
}

void Registration::add(xdr::Channel& channel, const Mapping& mapping) {
    auto done = set(channel, mapping);
    std::string standing;
    if (done && !*done) {
        standing = standing_at(channel, mapping);
        if (!standing.empty() && is_stale(standing, mapping)) {
            (void)unset(channel, mapping);
            done = set(channel, mapping);
        }
    }
    if (!done)
        problems_.push_back(fmt::format("rpcbind did not register {}: {}", describe(mapping),
                                        rpc::to_text(done.error())));
    else if (*done)
        registered_.push_back(mapping);
    else if (standing.empty())
        problems_.push_back(fmt::format("rpcbind refused to register {}", describe(mapping)));
    else
        problems_.push_back(
            fmt::format("rpcbind refused to register {}: another server is registered at {}",
                        describe(mapping), standing));
}

// Servers that died leave their mappings. A server that answers at all, even with an error, is
// alive; so is one that we cannot reach to ask.
bool Registration::is_stale(const std::string& address, const Mapping& mapping) const {
    const Netid* const netid = find_netid(mapping.netid);
    if (netid == nullptr || (netid->protocol_name != "tcp" && netid->protocol_name != "udp" &&
                             netid->family != AF_UNIX))
        return false;
    const auto registered = parse_universal_address(netid->family, address);
    if (!registered) return false;
    transport::ClientOptions client_options;
    client_options.udp = netid->protocol_name == "udp";
    client_options.reconnect = false;
    client_options.call_timeout = options_.timeout;
    transport::Client client{std::vector{transport::to_loopback(*registered)}, client_options};
    const auto answer = client.call(mapping.program, mapping.version, 0, {});
    return !answer && answer.error().outcome == xdr::Outcome::unreachable;
}

}  // namespace helio::portmap
