// Networks.
#include <fmt/format.h>

#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

remote_connect_list_all_networks_ret connect_list_all_networks(
    Context& context, xdr::CallContext& call, const remote_connect_list_all_networks_args& args) {
    return list_of<remote_connect_list_all_networks_ret>(call, context.host.networks(args.flags),
                                                         args.need_results, "networks",
                                                         REMOTE_NETWORK_LIST_MAX);
}

void network_update(Context& context, xdr::CallContext& call,
                    const remote_network_update_args& args) {
    const auto done = context.host.update_network(object_of(args), args.command, args.section,
                                                  args.parentIndex, args.xml);
    if (!done) refused(call, done.error());
}

remote_network_get_bridge_name_ret network_get_bridge_name(
    Context& context, xdr::CallContext& call, const remote_network_get_bridge_name_args& args) {
    using Ret = remote_network_get_bridge_name_ret;
    const auto info = context.host.network_info(object_of(args));
    if (!info) return refused<Ret>(call, info.error());
    if (info->bridge.empty())
        return fail_call<Ret>(
            call,
            virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_TEST,
                       fmt::format("network '{}' does not have a bridge name.", args.net.name)));
    return {.name = kept(call, info->bridge)};
}

remote_network_get_dhcp_leases_ret network_get_dhcp_leases(
    Context& context, xdr::CallContext& call, const remote_network_get_dhcp_leases_args& args) {
    using Ret = remote_network_get_dhcp_leases_ret;
    const auto leases = context.host.network_leases(object_of(args), text_or_empty(args.mac));
    if (!leases) return refused<Ret>(call, leases.error());
    return list_of<Ret>(call, *leases, args.need_results, "leases", REMOTE_NETWORK_DHCP_LEASES_MAX);
}

}  // namespace

void add_networks(Table& table) {
    using host::NetworkInfo;
    using host::list_networks::kActive, host::list_networks::kInactive;
    table.CONNECT_LIST_ALL_NETWORKS = connect_list_all_networks;
    table.CONNECT_NUM_OF_NETWORKS = list_count<&Host::networks, kActive>;
    table.CONNECT_NUM_OF_DEFINED_NETWORKS = list_count<&Host::networks, kInactive>;
    table.CONNECT_LIST_NETWORKS = list_names<&Host::networks, kActive>;
    table.CONNECT_LIST_DEFINED_NETWORKS = list_names<&Host::networks, kInactive>;
    table.NETWORK_LOOKUP_BY_NAME = forward_to<&Host::network_by_name>;
    table.NETWORK_LOOKUP_BY_UUID = forward_to<&Host::network_by_uuid>;
    table.NETWORK_GET_XML_DESC = forward_to<&Host::network_xml>;
    table.NETWORK_GET_AUTOSTART = forward_to<&Host::network_info, &NetworkInfo::autostart>;
    table.NETWORK_UPDATE = network_update;
    table.NETWORK_SET_AUTOSTART = set_autostart<&Host::set_network_autostart>;
    table.NETWORK_GET_BRIDGE_NAME = network_get_bridge_name;
    table.NETWORK_IS_ACTIVE = forward_to<&Host::network_info, &NetworkInfo::active>;
    table.NETWORK_IS_PERSISTENT = forward_to<&Host::network_info, &NetworkInfo::persistent>;
    table.NETWORK_CREATE = forward_to<&Host::start_network>;
    table.NETWORK_CREATE_XML = forward_to<&Host::create_network>;
    table.NETWORK_DEFINE_XML = forward_to<&Host::define_network>;
    table.NETWORK_DEFINE_XML_FLAGS = forward_to<&Host::define_network>;
    table.NETWORK_DESTROY = forward_to<&Host::destroy_network>;
    table.NETWORK_UNDEFINE = forward_to<&Host::undefine_network>;
    table.NETWORK_GET_DHCP_LEASES = network_get_dhcp_leases;
}

}  // namespace helio::virt::daemon
