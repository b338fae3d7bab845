#include "cli/target.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/portmap/client.h"
#include "helio/transport/rdma/verbs/verbs_fabric.h"

namespace helio::cli {
namespace {

// Programs with a well-known port.
struct OwnPort {
    std::uint32_t program;
    std::uint16_t port;
    std::string_view whose;
};
constexpr std::array<OwnPort, 3> kOwnPorts{
    {{100000, 111, "the portmapper's"}, {100003, 2049, "NFS's"}, {100227, 2049, "NFS's"}}};
constexpr std::uint32_t kPortmapper = 100000;

constexpr std::string_view kUnix = "unix:";

Result<std::vector<transport::Endpoint>, std::string> resolved(const transport::HostPort& where,
                                                               std::uint16_t port) {
    return transport::resolve(where.host.empty() ? "localhost" : where.host, port);
}

transport::HostPort parsed(const std::string& host) {
    auto out = transport::parse_host_port(host);
    if (!out) throw std::runtime_error(out.error());
    return std::move(*out);
}

}  // namespace

std::string Target::shown(bool udp) const {
    return fmt::format("{}{}{}", transport::to_text(servers.front()),
                       fabric ? " over RDMA"
                       : udp  ? " over UDP"
                              : "",
                       how);
}

namespace {

// The host's address with the program's well-known port, or the one that the user gave.
Result<Target, std::string> at_port(const transport::HostPort& where, std::uint16_t port,
                                    std::string how) {
    auto servers = resolved(where, port);
    if (!servers) return fail(servers.error());
    return Target{std::move(*servers), std::move(how), nullptr};
}

Result<Target, std::string> over_rdma(const transport::HostPort& where) {
    auto target = at_port(where, where.port != 0 ? where.port : transport::rdma::kRdmaPort, "");
    if (!target) return target;
    try {
        target->fabric = std::make_shared<transport::rdma::VerbsFabric>();
    } catch (const std::runtime_error& error) {
        return fail(error.what());
    }
    return target;
}

}  // namespace

Result<Target, std::string> find_target(const TargetFlags& flags, std::uint32_t program,
                                        std::uint32_t version) {
    const bool unix_host = flags.host.starts_with(kUnix);
    if (!flags.unix_path.empty() || unix_host) {
        if (flags.rdma) throw std::runtime_error("RDMA does not work over AF_UNIX sockets");
        const auto path = unix_host ? flags.host.substr(kUnix.size()) : flags.unix_path;
        return Target{{transport::Endpoint::unix_path(path)}, "", nullptr};
    }
    const auto where = parsed(flags.host);
    if (flags.rdma) return over_rdma(where);
    if (where.port != 0) return at_port(where, where.port, "");
    const auto* const own =
        std::find_if(kOwnPorts.begin(), kOwnPorts.end(),
                     [&](const OwnPort& one) { return one.program == program; });
    if (program == kPortmapper) return at_port(where, own->port, "");

    const std::string host = where.host.empty() ? "localhost" : where.host;
    portmap::AskOptions options;
    options.timeout = std::min(options.timeout, flags.timeout);
    const auto found = portmap::lookup(
        host, program, version, flags.udp ? rpc::Transport::udp : rpc::Transport::tcp, options);
    if (found) return Target{{*found}, " (its rpcbind named the port)", nullptr};
    if (own == kOwnPorts.end())
        return fail(fmt::format("{}; use HOST:PORT if you know the port", found.error()));
    return at_port(where, own->port,
                   fmt::format(" (the port is {} own, since: {})", own->whose, found.error()));
}

}  // namespace helio::cli
