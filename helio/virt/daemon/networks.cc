// Networks.
#include <fmt/format.h>

#include "helio/virt/daemon/remote_service_internal.h"

namespace helio::virt::daemon {

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
    std::vector<remote::remote_nonnull_string> names;
    for (const host::NetworkKey& key : host.networks(flags)) {
        if (names.size() >= static_cast<std::size_t>(std::max(most, 0))) break;
        names.push_back(kept(call, key.name));
    }
    return {.names = kept(call, names)};
}

}  // namespace

remote::remote_connect_list_all_networks_ret RemoteService::CONNECT_LIST_ALL_NETWORKS(
    xdr::CallContext& call, const remote::remote_connect_list_all_networks_args& args) {
    const auto keys = host_.networks(args.flags);
    const auto count = static_cast<std::uint32_t>(keys.size());
    if (args.need_results == 0) return {.nets = {}, .ret = count};
    if (keys.size() > remote::REMOTE_NETWORK_LIST_MAX)
        return refused_too_many<remote::remote_connect_list_all_networks_ret>(
            call, "networks", keys.size(), remote::REMOTE_NETWORK_LIST_MAX);
    std::vector<remote::remote_nonnull_network> all;
    for (const host::NetworkKey& key : keys) all.push_back(to_wire(call, key));
    return {.nets = kept(call, all), .ret = count};
}

remote::remote_connect_num_of_networks_ret RemoteService::CONNECT_NUM_OF_NETWORKS(
    xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(host_.networks(host::list_networks::kActive).size())};
}

remote::remote_connect_num_of_defined_networks_ret RemoteService::CONNECT_NUM_OF_DEFINED_NETWORKS(
    xdr::CallContext&) {
    return {.num =
                static_cast<std::int32_t>(host_.networks(host::list_networks::kInactive).size())};
}

remote::remote_connect_list_networks_ret RemoteService::CONNECT_LIST_NETWORKS(
    xdr::CallContext& call, const remote::remote_connect_list_networks_args& args) {
    return network_names<remote::remote_connect_list_networks_ret>(
        call, host_, host::list_networks::kActive, args.maxnames);
}

remote::remote_connect_list_defined_networks_ret RemoteService::CONNECT_LIST_DEFINED_NETWORKS(
    xdr::CallContext& call, const remote::remote_connect_list_defined_networks_args& args) {
    return network_names<remote::remote_connect_list_defined_networks_ret>(
        call, host_, host::list_networks::kInactive, args.maxnames);
}

remote::remote_network_lookup_by_name_ret RemoteService::NETWORK_LOOKUP_BY_NAME(
    xdr::CallContext& call, const remote::remote_network_lookup_by_name_args& args) {
    return give_network<remote::remote_network_lookup_by_name_ret>(
        call, host_.network_by_name(args.name));
}

remote::remote_network_lookup_by_uuid_ret RemoteService::NETWORK_LOOKUP_BY_UUID(
    xdr::CallContext& call, const remote::remote_network_lookup_by_uuid_args& args) {
    return give_network<remote::remote_network_lookup_by_uuid_ret>(
        call, host_.network_by_uuid(uuid_of(args.uuid)));
}

remote::remote_network_get_xml_desc_ret RemoteService::NETWORK_GET_XML_DESC(
    xdr::CallContext& call, const remote::remote_network_get_xml_desc_args& args) {
    const auto xml = host_.network_xml(uuid_of(args.net.uuid));
    if (!xml) return refused<remote::remote_network_get_xml_desc_ret>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

remote::remote_network_get_autostart_ret RemoteService::NETWORK_GET_AUTOSTART(
    xdr::CallContext& call, const remote::remote_network_get_autostart_args& args) {
    const auto info = host_.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<remote::remote_network_get_autostart_ret>(call, info.error());
    return {.autostart = info->autostart};
}

void RemoteService::NETWORK_UPDATE(xdr::CallContext& call,
                                   const remote::remote_network_update_args& args) {
    const auto done = host_.update_network(uuid_of(args.net.uuid), args.command, args.section,
                                           args.parentIndex, args.xml);
    if (!done) refused(call, done.error());
}

void RemoteService::NETWORK_SET_AUTOSTART(xdr::CallContext& call,
                                          const remote::remote_network_set_autostart_args& args) {
    settle_network(call, host_.set_network_autostart(uuid_of(args.net.uuid), args.autostart != 0));
}

remote::remote_network_get_bridge_name_ret RemoteService::NETWORK_GET_BRIDGE_NAME(
    xdr::CallContext& call, const remote::remote_network_get_bridge_name_args& args) {
    using Ret = remote::remote_network_get_bridge_name_ret;
    const auto info = host_.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<Ret>(call, info.error());
    if (info->bridge.empty())
        return fail_call<Ret>(
            call,
            virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_TEST,
                       fmt::format("network '{}' does not have a bridge name.", args.net.name)));
    return {.name = kept(call, info->bridge)};
}

remote::remote_network_is_active_ret RemoteService::NETWORK_IS_ACTIVE(
    xdr::CallContext& call, const remote::remote_network_is_active_args& args) {
    const auto info = host_.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<remote::remote_network_is_active_ret>(call, info.error());
    return {.active = info->active};
}

remote::remote_network_is_persistent_ret RemoteService::NETWORK_IS_PERSISTENT(
    xdr::CallContext& call, const remote::remote_network_is_persistent_args& args) {
    const auto info = host_.network_info(uuid_of(args.net.uuid));
    if (!info) return refused<remote::remote_network_is_persistent_ret>(call, info.error());
    return {.persistent = info->persistent};
}

void RemoteService::NETWORK_CREATE(xdr::CallContext& call,
                                   const remote::remote_network_create_args& args) {
    settle_network(call, host_.start_network(uuid_of(args.net.uuid)));
}

remote::remote_network_create_xml_ret RemoteService::NETWORK_CREATE_XML(
    xdr::CallContext& call, const remote::remote_network_create_xml_args& args) {
    return give_network<remote::remote_network_create_xml_ret>(call,
                                                               host_.create_network(args.xml));
}

remote::remote_network_define_xml_ret RemoteService::NETWORK_DEFINE_XML(
    xdr::CallContext& call, const remote::remote_network_define_xml_args& args) {
    return give_network<remote::remote_network_define_xml_ret>(call,
                                                               host_.define_network(args.xml));
}

remote::remote_network_define_xml_flags_ret RemoteService::NETWORK_DEFINE_XML_FLAGS(
    xdr::CallContext& call, const remote::remote_network_define_xml_flags_args& args) {
    return give_network<remote::remote_network_define_xml_flags_ret>(
        call, host_.define_network(args.xml));
}

void RemoteService::NETWORK_DESTROY(xdr::CallContext& call,
                                    const remote::remote_network_destroy_args& args) {
    settle_network(call, host_.destroy_network(uuid_of(args.net.uuid)));
}

void RemoteService::NETWORK_UNDEFINE(xdr::CallContext& call,
                                     const remote::remote_network_undefine_args& args) {
    settle_network(call, host_.undefine_network(uuid_of(args.net.uuid)));
}

remote::remote_network_get_dhcp_leases_ret RemoteService::NETWORK_GET_DHCP_LEASES(
    xdr::CallContext& call, const remote::remote_network_get_dhcp_leases_args& args) {
    using Ret = remote::remote_network_get_dhcp_leases_ret;
    const auto leases = host_.network_leases(uuid_of(args.net.uuid),
                                             args.mac != nullptr ? *args.mac : std::string_view());
    if (!leases) return refused<Ret>(call, leases.error());
    const auto count = static_cast<std::uint32_t>(leases->size());
    if (args.need_results == 0) return {.leases = {}, .ret = count};
    if (leases->size() > remote::REMOTE_NETWORK_DHCP_LEASES_MAX)
        return refused_too_many<Ret>(call, "leases", leases->size(),
                                     remote::REMOTE_NETWORK_DHCP_LEASES_MAX);
    std::vector<remote::remote_network_dhcp_lease> all;
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

}  // namespace helio::virt::daemon
