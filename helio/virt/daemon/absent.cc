// What this host has none of: interfaces, devices and filters of its own, checkpoints,
// labels, jobs. Programs that show everything ask for them all the same, and an empty list serves
// them better than a refusal.
#include "helio/virt/daemon/remote_service_internal.h"

namespace helio::virt::daemon {

namespace {

// Nothing, of a domain that must be there.
template <class Returned>
Returned nothing_of(xdr::CallContext& call, const host::Host& host,
                    const remote::remote_nonnull_domain& domain) {
    const auto state = host.domain_state(uuid_of(domain.uuid));
    if (!state) return refused<Returned>(call, domain, state.error());
    return {};
}

// The code is the one that libvirt has for such things that are not there.
template <class Returned>
Returned none_of(xdr::CallContext& call, int code, int domain, std::string words,
                 std::string_view name) {
    words.append(" '").append(name).append("'");
    return fail_call<Returned>(call, {.code = code, .domain = domain, .message = std::move(words)});
}

}  // namespace

remote::remote_node_get_security_model_ret RemoteService::NODE_GET_SECURITY_MODEL(
    xdr::CallContext&) {
    return {};
}
remote::remote_domain_get_security_label_ret RemoteService::DOMAIN_GET_SECURITY_LABEL(
    xdr::CallContext& call, const remote::remote_domain_get_security_label_args& args) {
    return nothing_of<remote::remote_domain_get_security_label_ret>(call, host_, args.dom);
}

remote::remote_domain_get_messages_ret RemoteService::DOMAIN_GET_MESSAGES(
    xdr::CallContext& call, const remote::remote_domain_get_messages_args& args) {
    return nothing_of<remote::remote_domain_get_messages_ret>(call, host_, args.dom);
}

remote::remote_domain_get_job_stats_ret RemoteService::DOMAIN_GET_JOB_STATS(
    xdr::CallContext& call, const remote::remote_domain_get_job_stats_args& args) {
    return nothing_of<remote::remote_domain_get_job_stats_ret>(call, host_, args.dom);
}

remote::remote_domain_get_disk_errors_ret RemoteService::DOMAIN_GET_DISK_ERRORS(
    xdr::CallContext& call, const remote::remote_domain_get_disk_errors_args& args) {
    return nothing_of<remote::remote_domain_get_disk_errors_ret>(call, host_, args.dom);
}

remote::remote_interface_lookup_by_name_ret RemoteService::INTERFACE_LOOKUP_BY_NAME(
    xdr::CallContext& call, const remote::remote_interface_lookup_by_name_args& args) {
    return none_of<remote::remote_interface_lookup_by_name_ret>(
        call, 57, VIR_FROM_INTERFACE, "Interface not found: no interface named", args.name);
}
remote::remote_node_device_lookup_by_name_ret RemoteService::NODE_DEVICE_LOOKUP_BY_NAME(
    xdr::CallContext& call, const remote::remote_node_device_lookup_by_name_args& args) {
    return none_of<remote::remote_node_device_lookup_by_name_ret>(
        call, 53, VIR_FROM_NODEDEV, "Node device not found: no node device with matching name",
        args.name);
}
remote::remote_nwfilter_lookup_by_name_ret RemoteService::NWFILTER_LOOKUP_BY_NAME(
    xdr::CallContext& call, const remote::remote_nwfilter_lookup_by_name_args& args) {
    return none_of<remote::remote_nwfilter_lookup_by_name_ret>(
        call, 62, VIR_FROM_NWFILTER, "Network filter not found: no nwfilter with matching name",
        args.name);
}
remote::remote_connect_list_all_interfaces_ret RemoteService::CONNECT_LIST_ALL_INTERFACES(
    xdr::CallContext&, const remote::remote_connect_list_all_interfaces_args&) {
    return {};
}
remote::remote_connect_list_all_node_devices_ret RemoteService::CONNECT_LIST_ALL_NODE_DEVICES(
    xdr::CallContext&, const remote::remote_connect_list_all_node_devices_args&) {
    return {};
}
remote::remote_connect_list_all_nwfilters_ret RemoteService::CONNECT_LIST_ALL_NWFILTERS(
    xdr::CallContext&, const remote::remote_connect_list_all_nwfilters_args&) {
    return {};
}
remote::remote_connect_list_all_nwfilter_bindings_ret
RemoteService::CONNECT_LIST_ALL_NWFILTER_BINDINGS(
    xdr::CallContext&, const remote::remote_connect_list_all_nwfilter_bindings_args&) {
    return {};
}
remote::remote_connect_num_of_interfaces_ret RemoteService::CONNECT_NUM_OF_INTERFACES(
    xdr::CallContext&) {
    return {};
}
remote::remote_connect_num_of_defined_interfaces_ret
RemoteService::CONNECT_NUM_OF_DEFINED_INTERFACES(xdr::CallContext&) {
    return {};
}
remote::remote_node_num_of_devices_ret RemoteService::NODE_NUM_OF_DEVICES(
    xdr::CallContext&, const remote::remote_node_num_of_devices_args&) {
    return {};
}
remote::remote_connect_num_of_nwfilters_ret RemoteService::CONNECT_NUM_OF_NWFILTERS(
    xdr::CallContext&) {
    return {};
}
remote::remote_connect_get_cpu_model_names_ret RemoteService::CONNECT_GET_CPU_MODEL_NAMES(
    xdr::CallContext&, const remote::remote_connect_get_cpu_model_names_args&) {
    return {};
}
remote::remote_network_list_all_ports_ret RemoteService::NETWORK_LIST_ALL_PORTS(
    xdr::CallContext&, const remote::remote_network_list_all_ports_args&) {
    return {};
}

}  // namespace helio::virt::daemon
