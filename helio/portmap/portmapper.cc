#include "helio/portmap/portmapper.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>

#include "helio/base/ip_address.h"
#include "helio/portmap/services_internal.h"
#include "helio/portmap/universal_address.h"
#include "schema/rpcb_service.h"

namespace helio::portmap {

struct Portmapper::Services {
    std::array<std::unique_ptr<xdr::ServiceBase>, 3> all;
};

Portmapper::Portmapper()
    : policy_(std::make_unique<Policy>(registry_)), services_(std::make_unique<Services>()) {
    // The newest first, the order in which rpcbind lists itself.
    services_->all = {make_rpcbind_v4(*policy_), make_rpcbind_v3(*policy_),
                      make_portmap_v2(*policy_)};
}

Portmapper::~Portmapper() = default;

void Portmapper::add_to(rpc::Server& programs) {
    policy_->set_log(programs.options().log);
    for (const auto& service : services_->all) programs.add(*service);
}

std::vector<std::string> Portmapper::register_programs(const rpc::Server& programs,
                                                       const transport::Server& server) {
    std::vector<std::string> problems;
    for (const Mapping& one : mappings_of(programs, server))
        if (const auto done = registry_.set(one); !done)
            problems.push_back(fmt::format("cannot register program {} version {} on {} at {}: {}",
                                           one.program, one.version, one.netid, one.address,
                                           done.error()));
    return problems;
}

namespace {

struct Place {
    std::string_view netid;
    transport::Endpoint endpoint;
    rpc::Transport transport;
};

std::vector<Place> places_of(const transport::Server& server) {
    std::vector<Place> out;
    for (const auto transport : {rpc::Transport::tcp, rpc::Transport::udp, rpc::Transport::local})
        for (const transport::Endpoint& one : server.endpoints(transport)) {
            const Netid* const netid = find_netid(transport, one.family());
            if (netid == nullptr) continue;
            out.push_back({netid->name, one, transport});
            if (one.is_ipv6() && one.is_wildcard())
                out.push_back({find_netid(transport, AF_INET)->name,
                               transport::Endpoint::ipv4(Ipv4Bytes{}, one.port()), transport});
        }
    return out;
}

}  // namespace

std::vector<Mapping> mappings_of(const rpc::Server& programs, const transport::Server& server) {
    const std::vector<Place> places = places_of(server);
    const std::string owner = owner_name(geteuid());
    std::vector<Mapping> out;
    for (const rpc::Server::Entry& program : programs.programs()) {
        const bool portmapper = program.info->program == rpcb::PMAP_VERS::program;
        const auto fits = [&](const Place& one) {
            return (one.endpoint.port() == kWellKnownPort) == portmapper;
        };
        std::vector<Place> wanted = places;
        std::stable_partition(wanted.begin(), wanted.end(), fits);
        std::vector<std::string_view> taken;
        for (const Place& one : wanted) {
            if (!program.is_served_over(one.transport)) continue;
            if (std::find(taken.begin(), taken.end(), one.netid) != taken.end()) continue;
            taken.push_back(one.netid);
            out.push_back({program.info->program, program.info->version, std::string{one.netid},
                           to_universal_address(one.endpoint), owner});
        }
    }
    return out;
}

Result<void, std::string> listen_on_111(transport::Server& server, const WellKnown& where) {
    std::string problems;
    const auto attempt = [&](auto&& listen) {
        try {
            listen();
        } catch (const std::exception& error) {
            problems += problems.empty() ? "" : "; ";
            problems += error.what();
        }
    };
    attempt([&] { server.listen_tcp(where.host, where.port); });
    attempt([&] { server.listen_udp(where.host, where.port); });
    struct stat status {};
    const bool wanted = !where.socket.empty() && geteuid() == 0;
    if (wanted && lstat(where.socket.c_str(), &status) == 0) {
        // Even without a process: systemd may hold it for a rpcbind that starts on demand.
        problems += problems.empty() ? "" : "; ";
        problems += fmt::format("{} already exists", where.socket);
    } else if (wanted) {
        attempt([&] { server.listen_unix(where.socket); });
        // Everybody may connect, as with rpcbind's own socket.
        chmod(where.socket.c_str(), 0666);
    }
    if (!problems.empty()) return fail(problems);
    return {};
}

}  // namespace helio::portmap
