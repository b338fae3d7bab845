// Networks.
#include <fmt/format.h>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

void settle_network(xdr::CallContext& call, const host::Outcome<void>& outcome) {
    if (!outcome) refused(call, outcome.error());
}

template <class Returned>
Returned give_network(xdr::CallContext& call, const host::Outcome<host::NetworkKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.net = to_wire(call, *key)};
}

template <class Returned>
Returned network_names(xdr::CallContext& call, const host::Host& host, std::uint32_t flags,
                       std::int32_t most) {
    std::vector<remote_nonnull_string> names;
    for (const host::NetworkKey& key : host.networks(flags)) {
        if (names.size() >= static_cast<std::size_t>(std::max(most, 0))) break;
        names.push_back(kept(call, key.name));
    }
    return {.names = kept(call, names)};
}

remote_connect_list_all_networks_ret connect_list_all_networks(
    Context& context, xdr::CallContext& call, const remote_connect_list_all_networks_args& args) {
    const auto keys = context.host.networks(args.flags);
    const auto count = static_cast<std::uint32_t>(keys.size());
    if (args.need_results == 0) return {.nets = {}, .ret = count};
    if (keys.size() > REMOTE_NETWORK_LIST_MAX)
        return refused_too_many<remote_connect_list_all_networks_ret>(call, "networks", keys.size(),
                                                                      REMOTE_NETWORK_LIST_MAX);
    std::vector<remote_nonnull_network> all;
    for (const host::NetworkKey& key : keys) all.push_back(to_wire(call, key));
    return {.nets = kept(call, all), .ret = count};
}

remote_connect_num_of_networks_ret connect_num_of_networks(Context& context, xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(
                context.host.networks(host::list_networks::kActive).size())};
}

remote_connect_num_of_defined_networks_ret connect_num_of_defined_networks(Context& context,
                                                                           xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(
                context.host.networks(host::list_networks::kInactive).size())};
}

remote_connect_list_networks_ret connect_list_networks(
    Context& context, xdr::CallContext& call, const remote_connect_list_networks_args& args) {
    return network_names<remote_connect_list_networks_ret>(
        call, context.host, host::list_networks::kActive, args.maxnames);
}

remote_connect_list_defined_networks_ret connect_list_defined_networks(
    Context& context, xdr::CallContext& call,
    const remote_connect_list_defined_networks_args& args) {
    return network_names<remote_connect_list_defined_networks_ret>(
        call, context.host, host::list_networks::kInactive, args.maxnames);
}

remote_network_lookup_by_name_ret network_lookup_by_name(
    Context& context, xdr::CallContext& call, const remote_network_lookup_by_name_args& args) {
    return give_network<remote_network_lookup_by_name_ret>(call,
                                                           context.host.network_by_name(args.name));
}

remote_network_lookup_by_uuid_ret network_lookup_by_uuid(
    Context& context, xdr::CallContext& call, const remote_network_lookup_by_uuid_args& args) {
    return give_network<remote_network_lookup_by_uuid_ret>(
        call, context.host.network_by_uuid(uuid_of(args.uuid)));
}

remote_network_get_xml_desc_ret network_get_xml_desc(Context& context, xdr::CallContext& call,
                                                     const remote_network_get_xml_desc_args& args) {
    const auto xml = context.host.network_xml(uuid_of(args.net.uuid));
    if (!xml) return refused<remote_network_get_xml_desc_ret>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

remote_network_get_autostart_ret network_get_autostart(
    Context& context, xdr::CallContext& call, const remote_network_get_autostart_args& args) {
    const auto info = context.host.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<remote_network_get_autostart_ret>(call, info.error());
    return {.autostart = info->autostart};
}

void network_update(Context& context, xdr::CallContext& call,
                    const remote_network_update_args& args) {
    const auto done = context.host.update_network(uuid_of(args.net.uuid), args.command,
                                                  args.section, args.parentIndex, args.xml);
    if (!done) refused(call, done.error());
}

void network_set_autostart(Context& context, xdr::CallContext& call,
                           const remote_network_set_autostart_args& args) {
    settle_network(call,
                   context.host.set_network_autostart(uuid_of(args.net.uuid), args.autostart != 0));
}

remote_network_get_bridge_name_ret network_get_bridge_name(
    Context& context, xdr::CallContext& call, const remote_network_get_bridge_name_args& args) {
    using Ret = remote_network_get_bridge_name_ret;
    const auto info = context.host.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<Ret>(call, info.error());
    if (info->bridge.empty())
        return fail_call<Ret>(
            call,
            virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_TEST,
                       fmt::format("network '{}' does not have a bridge name.", args.net.name)));
    return {.name = kept(call, info->bridge)};
}

remote_network_is_active_ret network_is_active(Context& context, xdr::CallContext& call,
                                               const remote_network_is_active_args& args) {
    const auto info = context.host.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<remote_network_is_active_ret>(call, info.error());
    return {.active = info->active};
}

remote_network_is_persistent_ret network_is_persistent(
    Context& context, xdr::CallContext& call, const remote_network_is_persistent_args& args) {
    const auto info = context.host.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<remote_network_is_persistent_ret>(call, info.error());
    return {.persistent = info->persistent};
}

void network_create(Context& context, xdr::CallContext& call,
                    const remote_network_create_args& args) {
    settle_network(call, context.host.start_network(uuid_of(args.net.uuid)));
}

remote_network_create_xml_ret network_create_xml(Context& context, xdr::CallContext& call,
                                                 const remote_network_create_xml_args& args) {
    return give_network<remote_network_create_xml_ret>(call, context.host.create_network(args.xml));
}

remote_network_define_xml_ret network_define_xml(Context& context, xdr::CallContext& call,
                                                 const remote_network_define_xml_args& args) {
    return give_network<remote_network_define_xml_ret>(call, context.host.define_network(args.xml));
}

remote_network_define_xml_flags_ret network_define_xml_flags(
    Context& context, xdr::CallContext& call, const remote_network_define_xml_flags_args& args) {
    return give_network<remote_network_define_xml_flags_ret>(call,
                                                             context.host.define_network(args.xml));
}

void network_destroy(Context& context, xdr::CallContext& call,
                     const remote_network_destroy_args& args) {
    settle_network(call, context.host.destroy_network(uuid_of(args.net.uuid)));
}

void network_undefine(Context& context, xdr::CallContext& call,
                      const remote_network_undefine_args& args) {
    settle_network(call, context.host.undefine_network(uuid_of(args.net.uuid)));
}

remote_network_get_dhcp_leases_ret network_get_dhcp_leases(
    Context& context, xdr::CallContext& call, const remote_network_get_dhcp_leases_args& args) {
    using Ret = remote_network_get_dhcp_leases_ret;
    const auto leases = context.host.network_leases(
        uuid_of(args.net.uuid), args.mac != nullptr ? *args.mac : std::string_view());
    if (!leases) return refused<Ret>(call, leases.error());
    const auto count = static_cast<std::uint32_t>(leases->size());
    if (args.need_results == 0) return {.leases = {}, .ret = count};
    if (leases->size() > REMOTE_NETWORK_DHCP_LEASES_MAX)
        return refused_too_many<Ret>(call, "leases", leases->size(),
                                     REMOTE_NETWORK_DHCP_LEASES_MAX);
    std::vector<remote_network_dhcp_lease> all;
    for (const host::Lease& one : *leases)
        all.push_back({.iface = kept(call, one.interface_name),
                       .expirytime = one.expires_s,
                       .type = 0,
                       .mac = kept_string(call, one.mac),
                       .iaid = nullptr,
                       .ipaddr = kept(call, one.address),
                       .prefix = one.prefix,
                       .hostname = kept_string(call, one.hostname),
                       .clientid = nullptr});
    return {.leases = kept(call, all), .ret = count};
}

}  // namespace

void add_networks(Table& table) {
    table.CONNECT_LIST_ALL_NETWORKS = connect_list_all_networks;
    table.CONNECT_NUM_OF_NETWORKS = connect_num_of_networks;
    table.CONNECT_NUM_OF_DEFINED_NETWORKS = connect_num_of_defined_networks;
    table.CONNECT_LIST_NETWORKS = connect_list_networks;
    table.CONNECT_LIST_DEFINED_NETWORKS = connect_list_defined_networks;
    table.NETWORK_LOOKUP_BY_NAME = network_lookup_by_name;
    table.NETWORK_LOOKUP_BY_UUID = network_lookup_by_uuid;
    table.NETWORK_GET_XML_DESC = network_get_xml_desc;
    table.NETWORK_GET_AUTOSTART = network_get_autostart;
    table.NETWORK_UPDATE = network_update;
    table.NETWORK_SET_AUTOSTART = network_set_autostart;
    table.NETWORK_GET_BRIDGE_NAME = network_get_bridge_name;
    table.NETWORK_IS_ACTIVE = network_is_active;
    table.NETWORK_IS_PERSISTENT = network_is_persistent;
    table.NETWORK_CREATE = network_create;
    table.NETWORK_CREATE_XML = network_create_xml;
    table.NETWORK_DEFINE_XML = network_define_xml;
    table.NETWORK_DEFINE_XML_FLAGS = network_define_xml_flags;
    table.NETWORK_DESTROY = network_destroy;
    table.NETWORK_UNDEFINE = network_undefine;
    table.NETWORK_GET_DHCP_LEASES = network_get_dhcp_leases;
}

}  // namespace helio::virt::daemon
