// The addresses of a program, from HOST[:PORT] as a user writes it. Without a port, the host's
// rpcbind is asked; if it does not answer, programs with a well-known port are tried there. Over
// RDMA the default is NFS's port, since servers seldom register RDMA with rpcbind.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "helio/base/result.h"
#include "helio/transport/client/client.h"

namespace helio::cli {

// The flags of every verb that calls one program.
struct TargetFlags {
    std::string host;       // HOST, HOST:PORT, [V6]:PORT, unix:PATH
    std::string unix_path;  // --unix; then there is no host
    bool udp = false;
    std::chrono::milliseconds timeout{0};
    bool rdma = false;
};

struct Target {
    std::vector<transport::Endpoint> servers;
    std::string how;  // " (the port is NFS's own; rpcbind at …)"; empty if the user gave it
    // For ClientOptions: the RDMA devices of this machine if they are wanted, otherwise empty.
    std::shared_ptr<transport::rdma::Fabric> fabric;

    // "127.0.0.1:2049 over UDP"
    std::string shown(bool udp) const;
};

// The error says what was tried; the exit code is then kUnreachable. Throws std::runtime_error if
// the text is not HOST:PORT.
Result<Target, std::string> find_target(const TargetFlags& flags, std::uint32_t program,
                                        std::uint32_t version);

}  // namespace helio::cli
