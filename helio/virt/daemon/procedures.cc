#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

std::unique_ptr<xdr::ServiceBase> make_remote_service(Context& context) {
    Table table;
    for (const auto add :
         {add_absent, add_auth, add_connect, add_console, add_domain_devices, add_domain_guest,
          add_domain_lifecycle, add_domain_stats, add_domain_tuning, add_domains, add_events,
          add_networks, add_pools, add_secrets, add_snapshots, add_volumes})
        add(table);
    return std::make_unique<remote::REMOTE_PROTOCOL_VERSION::TableService<Context>>(context, table);
}

}  // namespace helio::virt::daemon
