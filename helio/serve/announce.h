// The start text of `helio serve`: what is exported, to whom, as which user, its guarantees, and
// the mount command for each system.
#pragma once

#include <string>
#include <vector>

#include "helio/serve/config/plan.h"
#include "helio/serve/exposure.h"
#include "helio/transport/socket/socket.h"

namespace helio::serve {

struct Announcement {
    explicit Announcement(const Plan& what) : plan(what) {}

    const Plan& plan;
    Versions versions = {};
    std::vector<transport::Endpoint> listens;             // TCP; UDP has the same
    std::vector<transport::Endpoint> rdma;                // over RDMA; empty: not
    std::vector<transport::InterfaceAddress> interfaces;  // of this machine
    bool on_port_111 = false;    // our portmapper, or another one that knows us
    bool asked_for_111 = false;  // --portmap
    std::string state_directory;
    std::string state_problem;  // not empty: handles become invalid when this process ends
    std::vector<std::string>
        without_state;  // sources whose handles may become invalid when it ends
    std::vector<std::string> confined_by;
    std::vector<std::string> not_confined;
    std::string metrics;  // "http://127.0.0.1:9049"; empty: off
    std::vector<std::string> notes;

    Exposure exposure() const { return {listens, interfaces}; }
};
std::string to_text(const Announcement& said);

// What a client needs to know about a server.
struct MountTarget {
    transport::Endpoint where;
    Versions versions = {};
    bool on_port_111 = false;
};
// One line per client, "Linux    sudo mount …", for a path on a server. Version 4 needs one port
// and nothing else. With version 3, FreeBSD asks port 111 for MOUNT whatever its port= says, and
// Windows and QEMU have no option for ports: they are listed only if that port answers. libnfs
// needs no root.
std::vector<std::string> mount_lines(const MountTarget& server, const std::string& path);
// The part of the start text that describes the plan, for --check.
std::string to_text(const Plan& plan);

}  // namespace helio::serve
