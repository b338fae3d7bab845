// Asking a portmapper: where a program listens, and what there is. Both wait for the answer; both
// speak rpcbind version 4, then 3, then portmap version 2, whichever the other side has, over TCP
// and then UDP.
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
    std::uint16_t port = kWellKnownPort;  // of the portmapper, where none is named
    std::chrono::milliseconds timeout = kAnswerTimeMax;
};

// Where the program listens: the host's address with the port that its portmapper names. Only the
// port is believed: an address from there could be behind a translation, or a lie. The error is a
// sentence.
Result<transport::Endpoint, std::string> lookup(const std::string& host, std::uint32_t program,
                                                std::uint32_t version, rpc::Transport transport,
                                                const AskOptions& options = {});

// Everything the portmapper at "host", "host:port" or "unix:/path" knows. What is not printable in
// it has become '?'.
Result<std::vector<Mapping>, std::string> dump(std::string_view where,
                                               const AskOptions& options = {});

}  // namespace helio::portmap
