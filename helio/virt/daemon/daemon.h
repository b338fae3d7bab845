// Daemon: libvirt's programs on top of a simulated host, ready to be served: the remote program,
// and qemu's and lxc's, all of whose procedures are refused.
//
//     host::Host host;
//     host.add_default();
//     daemon::Daemon daemon{host};
//     rpc::Server programs;
//     daemon.add_to(programs);
//     server::SessionFactory full{{}}, watching{{.read_only = true}};
//     transport::Server server{programs};
//     server.listen_unix("libvirt-sock", &full);
//     server.listen_unix("libvirt-sock-ro", &watching);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "helio/rpc/server/server.h"
#include "helio/virt/daemon/faults.h"
#include "helio/virt/host/host.h"

namespace helio::virt::daemon {

struct DaemonOptions {
    std::vector<Fault> faults;
    // A file of saslpasswd2 with the users of sockets that require authentication. One for the
    // process.
    std::string sasl_passwords = {};
};

class Daemon final {
 public:
    // The host outlives it and sends its events only to this daemon. Throws std::runtime_error if a
    // fault names no procedure, or SASL does not start.
    explicit Daemon(host::Host& host, const DaemonOptions& options = {});
    ~Daemon();
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    // The server must not outlive the daemon.
    void add_to(rpc::Server& server);

 private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace helio::virt::daemon
