// Queries a portmapper: where a program listens, and which programs there are. Both functions
// block; both try rpcbind version 4, then 3, then portmap version 2, over TCP and then UDP.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/portmap/portmapper.h"
#include "helio/portmap/registry.h"
#include "helio/rpc/call.h"
#include "helio/transport/socket/socket.h"

namespace helio::portmap {

// One query over one transport. A portmapper answers at once; longer waits mean a firewall.
inline constexpr std::chrono::milliseconds kAnswerTimeMax{5'000};

struct AskOptions {
    std::uint16_t port = kWellKnownPort;  // of the portmapper, if none is named
    std::chrono::milliseconds timeout = kAnswerTimeMax;
};

// The host's address with the port that its portmapper returns. Only the port is used: an address
// from there could be behind NAT, or a lie. The error is a sentence.
Result<transport::Endpoint, std::string> lookup(const std::string& host, std::uint32_t program,
                                                std::uint32_t version, rpc::Transport transport,
                                                const AskOptions& options = {});

// Everything registered at the portmapper at "host", "host:port" or "unix:/path". Unprintable
// characters become '?'.
Result<std::vector<Mapping>, std::string> dump(std::string_view where,
                                               const AskOptions& options = {});

}  // namespace helio::portmap
