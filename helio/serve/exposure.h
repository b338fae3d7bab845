// Exposure: which clients can reach which exports, given the addresses that a server listens on and
// the networks of this machine. The warnings of the start text and of --check, and the address to
// mount from, are derived from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helio/serve/config/plan.h"
#include "helio/transport/socket/endpoint.h"

namespace helio::serve {

struct Exposure {
    std::vector<transport::Endpoint> listens;
    std::vector<transport::InterfaceAddress> interfaces;

    // An address at which a client that the export allows can mount it: one of an interface for a
    // wildcard, with the listener's port. Nothing: there is no such client.
    std::optional<transport::Endpoint> mount_address(const PlannedExport& one) const;
    // Sentences about exports that strangers can write to, that are the whole machine, or that
    // nobody can mount.
    std::vector<std::string> warnings(const Plan& plan) const;

 private:
    std::vector<transport::Endpoint> addresses_of(const transport::Endpoint& listen) const;
    // "192.0.2.0/24, 2001:db8::/64"; empty: this machine alone, or networks that are not known
    std::string networks() const;
    bool is_on_network() const;
    std::string nobody_can_mount(const PlannedExport& one) const;
};

}  // namespace helio::serve
