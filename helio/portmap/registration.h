// Registration: registers our programs with this machine's running rpcbind, as long as the object
// lives. It uses rpcbind's socket, over which rpcbind can identify this process, or else loopback,
// where rpcbind trusts a reserved port if it was started with `rpcbind -i`.
//
//     portmap::Registration registration{programs, server};
//     for (const auto& problem : registration.problems()) warn(problem);
//
// If another mapping is in our place, it is removed if its server is gone, and left alone if that
// server answers. Blocks; not for use in an event loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/portmap/client.h"
#include "helio/portmap/portmapper.h"
#include "helio/portmap/registry.h"
#include "helio/rpc/server/server.h"
#include "helio/transport/server/server.h"
#include "helio/xdr/program.h"

namespace helio::portmap {

struct RegistrationOptions {
    std::string socket = kRpcbindSocket;  // empty: not over a socket
    std::string host = "127.0.0.1";       // empty: not over loopback
    std::uint16_t port = kWellKnownPort;
    std::chrono::milliseconds timeout = kAnswerTimeMax;
};

class Registration final {
 public:
    // Every program on every endpoint, except the portmapper itself. A missing rpcbind is not an
    // exception: problems() has it.
    Registration(const rpc::Server& programs, const transport::Server& server,
                 RegistrationOptions options = {});
    // Removes what it registered.
    ~Registration();
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

    const std::vector<Mapping>& registered() const { return registered_; }
    // Sentences: what is not registered and why. Empty: everything is registered.
    const std::vector<std::string>& problems() const { return problems_; }

 private:
    std::unique_ptr<xdr::Channel> connect();
    void add(xdr::Channel& channel, const Mapping& mapping);
    bool is_stale(const std::string& address, const Mapping& mapping) const;

    RegistrationOptions options_;
    std::vector<Mapping> registered_;
    std::vector<std::string> problems_;
};

}  // namespace helio::portmap
