// Portmapper: portmap version 2 and rpcbind versions 3 and 4 (RFC 1833) as services of our own, so
// that clients find the other programs of a server without rpcbind. Add it to the programs before
// the transport starts, and register programs when the ports are known:
//
//     portmap::Portmapper portmapper;
//     portmapper.add_to(programs);
//     transport::Server server{programs};
//     server.listen("", 2049);
//     if (const auto well_known = portmap::listen_on_111(server); !well_known) warn(…);
//     portmapper.register_programs(programs, server);
//     server.start();
//
// docs/portmap.md lists the differences from rpcbind, and the reasons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "helio/base/result.h"
#include "helio/portmap/registry.h"
#include "helio/rpc/server/server.h"
#include "helio/transport/server/server.h"

namespace helio::portmap {

inline constexpr std::uint16_t kWellKnownPort = 111;
inline constexpr const char* kRpcbindSocket = "/run/rpcbind.sock";

// How many times longer than the call a reply over UDP may be when the caller is not on this
// machine; DUMP, GETSTAT and GETADDRLIST keep silent beyond it. The address such a call came from
// may be forged; three is what QUIC grants one that has not been proven (RFC 9000 §8.1).
inline constexpr std::size_t kUdpAmplificationMax = 3;
// Programs that GETSTAT counts individually, in each version. Anybody may ask for programs that do
// not exist.
inline constexpr std::size_t kProgramsCountedMax = 64;

class Policy;

class Portmapper final {
 public:
    Portmapper();
    ~Portmapper();  // after the server
    Portmapper(const Portmapper&) = delete;
    Portmapper& operator=(const Portmapper&) = delete;

    // All three versions. Refused registrations go to the server's log.
    void add_to(rpc::Server& programs);
    // Every program on every endpoint of the server, the portmapper included; owned by this
    // process's user. Call it again after listening on more. Returns what could not be registered
    // and why.
    std::vector<std::string> register_programs(const rpc::Server& programs,
                                               const transport::Server& server);

    Registry& registry() { return registry_; }

 private:
    struct Services;

    Registry registry_;
    std::unique_ptr<Policy> policy_;
    std::unique_ptr<Services> services_;
};

// Every program of the server with each of its endpoints. A dual-stack socket counts as two, IPv6
// and IPv4. If there are several ports on one transport, a program has the first; the portmapper
// itself has 111 if possible, and others have it only if there is nothing else.
std::vector<Mapping> mappings_of(const rpc::Server& programs, const transport::Server& server);

// Where clients look for a portmapper, besides the server's own port.
struct WellKnown {
    std::string host;  // empty: every address
    std::uint16_t port = kWellKnownPort;
    // Only for the superuser, and only if nothing is there. Empty: no socket.
    std::string socket = kRpcbindSocket;
};
// Listens there too, before start(). An error says what failed and why: no privilege, or a running
// rpcbind. What succeeded, for instance TCP without UDP, is kept.
Result<void, std::string> listen_on_111(transport::Server& server, const WellKnown& where = {});

}  // namespace helio::portmap
