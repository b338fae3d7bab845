// Where a program is reached: HOST[:PORT] as a user writes it → addresses. Without a port the
// host's rpcbind is asked, and where there is none, programs with a port of their own are looked
// for there. Over RDMA the port is NFS's, since rpcbind is seldom told of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "helio/base/result.h"
#include "helio/transport/client/client.h"

namespace helio::cli {

// How the flags of every verb that calls one program say where it is.
struct TargetFlags {
    std::string host;       // HOST, HOST:PORT, [V6]:PORT, unix:PATH
    std::string unix_path;  // --unix; then there is no host
    bool udp = false;
    std::chrono::milliseconds timeout{0};
    bool rdma = false;
};

struct Target {
    std::vector<transport::Endpoint> servers;
    std::string how;  // " (the port is NFS's own; rpcbind at …)"; empty when the user said the port
    // For ClientOptions: the machine's RDMA devices when they are to be used, else empty.
    std::shared_ptr<transport::rdma::Fabric> fabric;

    // "127.0.0.1:2049 over UDP"
    std::string shown(bool udp) const;
};

// The error says what was tried; it is "could not reach" for the shell. Throws std::runtime_error
// for what is no HOST:PORT.
Result<Target, std::string> find_target(const TargetFlags& flags, std::uint32_t program,
                                        std::uint32_t version);

}  // namespace helio::cli
