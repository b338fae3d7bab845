// The remote program on top of a simulated host: each of libvirt's procedures converts wire types
// to the host's types and back. All threads call them at once; the state of one client is in its
// ClientState. Procedures without a row are answered as unsupported by the driver.
#pragma once

#include <memory>

#include "helio/virt/daemon/event_hub_internal.h"
#include "helio/virt/daemon/wire_internal.h"
#include "helio/virt/host/host.h"
#include "schema/remote_service.h"

namespace helio::virt::daemon {

// The objects that the procedures work on.
struct Context {
    host::Host& host;
    EventHub& events;
};

using Table = remote::REMOTE_PROTOCOL_VERSION::Table<Context>;

// Each fills in the rows of the procedures in its file.
void add_absent(Table& table);
void add_auth(Table& table);
void add_connect(Table& table);
void add_console(Table& table);
void add_domain_devices(Table& table);
void add_domain_guest(Table& table);
void add_domain_lifecycle(Table& table);
void add_domain_stats(Table& table);
void add_domain_tuning(Table& table);
void add_domains(Table& table);
void add_events(Table& table);
void add_networks(Table& table);
void add_pools(Table& table);
void add_secrets(Table& table);
void add_snapshots(Table& table);
void add_volumes(Table& table);

// All of them. The context outlives the service.
std::unique_ptr<xdr::ServiceBase> make_remote_service(Context& context);

}  // namespace helio::virt::daemon
