#include "helio/portmap/client.h"

#include <fmt/format.h>

#include <algorithm>

#include "helio/portmap/universal_address.h"
#include "helio/portmap/version_mismatch_internal.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/transport/client/client.h"
#include "schema/rpcb_service.h"

namespace helio::portmap {

bool speaks_other_versions(const xdr::CallError& error) {
    return error.outcome == xdr::Outcome::version_mismatch ||
           error.outcome == xdr::Outcome::procedure_unavailable;
}

namespace {

// 0: it is not registered.
std::uint16_t port_in(std::string_view address) {
    const auto where = parse_universal_address(address);
    return where ? where->port() : std::uint16_t{0};
}

// For the netid of the transport that the query uses.
Result<std::uint16_t, xdr::CallError> ask_for_own(xdr::Channel& channel, std::uint32_t program,
                                                  std::uint32_t version, const Netid& netid) {
    const rpcb::rpcb asked{program, version, netid.name, "", ""};
    const auto v4 = rpcb::RPCBVERS4::Client{channel}.GETADDR(asked);
    if (v4) return port_in(*v4);
    if (!speaks_other_versions(v4.error())) return fail(v4.error());
    const auto v3 = rpcb::RPCBVERS::Client{channel}.GETADDR(asked);
    if (v3) return port_in(*v3);
    return fail(v3.error());
}

// For any other netid: by RFC 1833 §2.2.1 GETADDR answers for the transport of the call, whatever
// netid is named, and Debian's rpcbind does that. The list has netids.
Result<std::uint16_t, xdr::CallError> ask_for_other(xdr::Channel& channel, std::uint32_t program,
                                                    std::uint32_t version, const Netid& netid) {
    const auto list = rpcb::RPCBVERS4::Client{channel}.GETADDRLIST({program, version, "", "", ""});
    if (!list) return fail(list.error());
    for (const auto* one = *list; one != nullptr; one = one->rpcb_entry_next)
        if (one->rpcb_entry_map.r_nc_netid == netid.name)
            return port_in(one->rpcb_entry_map.r_maddr);
    return std::uint16_t{0};
}

Result<std::uint16_t, xdr::CallError> ask_for_port(xdr::Channel& channel, bool own,
                                                   std::uint32_t program, std::uint32_t version,
                                                   const Netid& netid) {
    const auto port = own ? ask_for_own(channel, program, version, netid)
                          : ask_for_other(channel, program, version, netid);
    if (port && (*port != 0 || own)) return port;
    if (!port && !speaks_other_versions(port.error())) return port;
    if (netid.protocol == 0) return std::uint16_t{0};  // version 2 has only IPv4
    const auto v2 = rpcb::PMAP_VERS::Client{channel}.GETPORT({program, version, netid.protocol, 0});
    if (!v2) return fail(v2.error());
    return static_cast<std::uint16_t>(*v2 <= 65535 ? *v2 : 0);
}

// The text goes to terminals and files, and the other side may send anything.
std::string cleaned(std::string_view text) {
    std::string out{text.substr(0, kUniversalAddressMax)};
    for (char& c : out)
        if (c < ' ' || c > '~') c = '?';
    return out;
}

std::vector<Mapping> to_mappings(rpcb::rpcblist_ptr list) {
    std::vector<Mapping> out;
    for (; list != nullptr; list = list->rpcb_next) {
        const rpcb::rpcb& one = list->rpcb_map;
        out.push_back({one.r_prog, one.r_vers, cleaned(one.r_netid), cleaned(one.r_addr),
                       cleaned(one.r_owner)});
    }
    return out;
}

std::vector<Mapping> to_mappings(rpcb::pmaplist_ptr list) {
    std::vector<Mapping> out;
    for (; list != nullptr; list = list->next) {
        const rpcb::mapping& one = list->map;
        const Netid* const netid = find_netid(one.prot);
        out.push_back({one.prog, one.vers,
                       netid ? std::string{netid->name} : fmt::format("protocol {}", one.prot),
                       fmt::format("0.0.0.0.{}.{}", one.port >> 8, one.port & 255), ""});
    }
    return out;
}

Result<std::vector<Mapping>, xdr::CallError> ask_for_all(xdr::Channel& channel) {
    const auto v4 = rpcb::RPCBVERS4::Client{channel}.DUMP();
    if (v4) return to_mappings(*v4);
    if (!speaks_other_versions(v4.error())) return fail(v4.error());
    const auto v3 = rpcb::RPCBVERS::Client{channel}.DUMP();
    if (v3) return to_mappings(*v3);
    if (!speaks_other_versions(v3.error())) return fail(v3.error());
    const auto v2 = rpcb::PMAP_VERS::Client{channel}.DUMP();
    if (v2) return to_mappings(*v2);
    return fail(v2.error());
}

// Tries one endpoint and transport after the other, until one answers.
template <class Ask>
auto ask_each(const std::vector<transport::Endpoint>& endpoints, const AskOptions& options, Ask ask)
    -> Result<typename decltype(ask(std::declval<xdr::Channel&>(), endpoints.front(),
                                    false))::value_type,
              std::string> {
    std::string problems;
    for (const transport::Endpoint& one : endpoints)
        for (const bool udp : {false, true}) {
            if (udp && one.is_unix()) continue;
            transport::ClientOptions client_options;
            client_options.udp = udp;
            client_options.reconnect = false;
            client_options.call_timeout = options.timeout;
            transport::Client client{std::vector{one}, client_options};
            auto answer = ask(client, one, udp);
            if (answer) return std::move(*answer);
            problems +=
                fmt::format("{}{}{}: {}", problems.empty() ? "" : "; ", transport::to_text(one),
                            udp ? " over UDP" : "", rpc::to_text(answer.error()));
        }
    return fail(fmt::format("no portmapper answered ({})", problems));
}

}  // namespace

Result<transport::Endpoint, std::string> lookup(const std::string& host, std::uint32_t program,
                                                std::uint32_t version, rpc::Transport transport,
                                                const AskOptions& options) {
    const auto endpoints = transport::resolve(host.empty() ? "localhost" : host, options.port);
    if (!endpoints) return fail(endpoints.error());
    std::string name;
    const auto ask = [&](xdr::Channel& channel, const transport::Endpoint& from,
                         bool udp) -> Result<transport::Endpoint, xdr::CallError> {
        const Netid* const netid = find_netid(transport, from.family());
        if (netid == nullptr) return transport::Endpoint{};
        name = netid->name;
        const auto port = ask_for_port(channel, udp == (transport == rpc::Transport::udp), program,
                                       version, *netid);
        if (!port) return fail(port.error());
        transport::Endpoint out = from;
        out.set_port(*port);
        return out;
    };
    // "localhost" is two addresses, and a program may be registered for one of them only.
    for (const transport::Endpoint& one : *endpoints) {
        const auto found = ask_each({one}, options, ask);
        if (found && found->port() != 0) return *found;
        if (&one != &endpoints->back()) continue;
        if (!found) return fail(fmt::format("{}: {}", host, found.error()));
    }
    return fail(fmt::format("{}: program {} version {} is not registered for {}", host, program,
                            version, name));
}

Result<std::vector<Mapping>, std::string> dump(std::string_view where, const AskOptions& options) {
    std::vector<transport::Endpoint> endpoints;
    if (where.starts_with("unix:")) {
        const auto path = parse_universal_address(AF_UNIX, where.substr(5));
        if (!path) return fail(fmt::format("'{}': {}", where, path.error()));
        endpoints.push_back(*path);
    } else {
        const auto parsed = transport::parse_host_port(where);
        if (!parsed) return fail(parsed.error());
        auto found = transport::resolve(parsed->host.empty() ? "localhost" : parsed->host,
                                        parsed->port != 0 ? parsed->port : options.port);
        if (!found) return fail(found.error());
        endpoints = std::move(*found);
    }
    const auto ask = [](xdr::Channel& channel, const transport::Endpoint&, bool) {
        return ask_for_all(channel);
    };
    auto answer = ask_each(endpoints, options, ask);
    if (!answer) return fail(fmt::format("{}: {}", where, answer.error()));
    return answer;
}

}  // namespace helio::portmap
