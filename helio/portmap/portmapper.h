// Portmapper: portmap version 2 and rpcbind versions 3 and 4 (RFC 1833) as services of our own, so
// that clients find the other programs of a server without anybody else's help. Add it to the
// programs before the transport starts, register what it should tell when the ports are known:
//
//     portmap::Portmapper portmapper;
//     portmapper.add_to(programs);
//     transport::Server server{programs};
//     server.listen("", 2049);
//     if (const auto well_known = portmap::listen_on_111(server); !well_known) warn(…);
//     portmapper.register_programs(programs, server);
//     server.start();
//
// docs/portmap.md says what it does otherwise than rpcbind, and why.
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
// Programs of which GETSTAT tells how often they were asked for, in each version. Anybody may ask
// for programs that do not exist.
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

// Every program of the server with each of its endpoints. A dual-stack socket is two of them, IPv6
// and IPv4. Of several ports on one transport a program has the first; the portmapper itself has
// 111 if that is among them, and others have it only if there is nothing else.
std::vector<Mapping> mappings_of(const rpc::Server& programs, const transport::Server& server);

// Where portmappers are looked for, besides the server's own port.
struct WellKnown {
    std::string host;  // empty: every address
    std::uint16_t port = kWellKnownPort;
    // Only for the superuser, and only when nothing is there. Empty: not at all.
    std::string socket = kRpcbindSocket;
};
// Listens there too, before start(). An error says what could not be had and why: no privilege, or
// a rpcbind is running. What could be had, TCP without UDP for instance, is kept.
Result<void, std::string> listen_on_111(transport::Server& server, const WellKnown& where = {});

}  // namespace helio::portmap
