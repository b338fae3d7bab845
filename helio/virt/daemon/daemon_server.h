// DaemonServer: a Daemon with the same sockets as libvirtd: one for full access, one read-only, one
// for virt-admin, and TCP; and the limits that all of them share.
//
//     host::Host host;
//     host.add_default();
//     daemon::DaemonServer server{host, {.socket = "/tmp/virt-sock"}};
//     server.start();
//     …
//     server.stop();
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/transport/socket/endpoint.h"
#include "helio/virt/daemon/admin.h"
#include "helio/virt/daemon/daemon.h"
#include "helio/virt/host/host.h"
#include "helio/virt/server/client_list.h"
#include "helio/virt/server/server_client.h"
#include "helio/virt/server/workers.h"

namespace helio::virt::daemon {

struct DaemonServerOptions {
    DaemonOptions daemon = {};
    // Paths of AF_UNIX sockets; empty: there is none.
    std::string socket = {};
    std::string socket_read_only = {};
    std::string socket_admin = {};
    transport::HostPort listen = {};  // TCP, with full access; an empty host: none
    std::chrono::milliseconds keepalive_interval = server::kKeepaliveInterval;  // 0: never
    unsigned threads = 0;                                                       // 0: one per core
    unsigned workers = server::kWorkersMax;
    unsigned priority_workers = server::kPriorityWorkersMax;
    std::size_t client_requests = kVirnetCallsInFlightMax;
    server::ClientList::Limits clients = {};
    // Called for each refused call or broken connection, which are warnings; from any thread.
    std::function<void(std::string_view)> log = {};
    unsigned log_level = kLogWarning;  // virt-admin can change it
};

class DaemonServer final {
 public:
    // Listens. Throws std::runtime_error if a socket or the daemon cannot be made. The host
    // outlives it.
    DaemonServer(host::Host& host, const DaemonServerOptions& options);
    ~DaemonServer();
    DaemonServer(const DaemonServer&) = delete;
    DaemonServer& operator=(const DaemonServer&) = delete;

    // "unix /tmp/virt-sock", "unix /tmp/virt-sock-ro read-only", "tcp 127.0.0.1:16509"
    const std::vector<std::string>& listening() const;
    void start();
    // Runs until SIGTERM or SIGINT, then stops. Call transport::Server::block_signals() first.
    void wait_for_signal();
    void stop();

 private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace helio::virt::daemon
