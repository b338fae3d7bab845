// What this host has none of: interfaces, devices and filters of its own, checkpoints,
// labels, jobs. Programs that show everything ask for them all the same, and an empty list serves
// them better than a refusal.
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// Nothing, of a domain that must be there.
template <class Returned>
Returned nothing_of(xdr::CallContext& call, const host::Host& host,
                    const remote_nonnull_domain& domain) {
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

remote_node_get_security_model_ret node_get_security_model(Context&, xdr::CallContext&) {
    return {};
}
remote_domain_get_security_label_ret domain_get_security_label(
    Context& context, xdr::CallContext& call, const remote_domain_get_security_label_args& args) {
    return nothing_of<remote_domain_get_security_label_ret>(call, context.host, args.dom);
}

remote_domain_get_messages_ret domain_get_messages(Context& context, xdr::CallContext& call,
                                                   const remote_domain_get_messages_args& args) {
    return nothing_of<remote_domain_get_messages_ret>(call, context.host, args.dom);
}

remote_domain_get_job_stats_ret domain_get_job_stats(Context& context, xdr::CallContext& call,
                                                     const remote_domain_get_job_stats_args& args) {
    return nothing_of<remote_domain_get_job_stats_ret>(call, context.host, args.dom);
}

remote_domain_get_disk_errors_ret domain_get_disk_errors(
    Context& context, xdr::CallContext& call, const remote_domain_get_disk_errors_args& args) {
    return nothing_of<remote_domain_get_disk_errors_ret>(call, context.host, args.dom);
}

remote_interface_lookup_by_name_ret interface_lookup_by_name(
    Context&, xdr::CallContext& call, const remote_interface_lookup_by_name_args& args) {
    return none_of<remote_interface_lookup_by_name_ret>(
        call, 57, VIR_FROM_INTERFACE, "Interface not found: no interface named", args.name);
}
remote_node_device_lookup_by_name_ret node_device_lookup_by_name(
    Context&, xdr::CallContext& call, const remote_node_device_lookup_by_name_args& args) {
    return none_of<remote_node_device_lookup_by_name_ret>(
        call, 53, VIR_FROM_NODEDEV, "Node device not found: no node device with matching name",
        args.name);
}
remote_nwfilter_lookup_by_name_ret nwfilter_lookup_by_name(
    Context&, xdr::CallContext& call, const remote_nwfilter_lookup_by_name_args& args) {
    return none_of<remote_nwfilter_lookup_by_name_ret>(
        call, 62, VIR_FROM_NWFILTER, "Network filter not found: no nwfilter with matching name",
        args.name);
}
remote_connect_list_all_interfaces_ret connect_list_all_interfaces(
    Context&, xdr::CallContext&, const remote_connect_list_all_interfaces_args&) {
    return {};
}
remote_connect_list_all_node_devices_ret connect_list_all_node_devices(
    Context&, xdr::CallContext&, const remote_connect_list_all_node_devices_args&) {
    return {};
}
remote_connect_list_all_nwfilters_ret connect_list_all_nwfilters(
    Context&, xdr::CallContext&, const remote_connect_list_all_nwfilters_args&) {
    return {};
}
remote_connect_list_all_nwfilter_bindings_ret connect_list_all_nwfilter_bindings(
    Context&, xdr::CallContext&, const remote_connect_list_all_nwfilter_bindings_args&) {
    return {};
}
remote_connect_num_of_interfaces_ret connect_num_of_interfaces(Context&, xdr::CallContext&) {
    return {};
}
remote_connect_num_of_defined_interfaces_ret connect_num_of_defined_interfaces(Context&,
                                                                               xdr::CallContext&) {
    return {};
}
remote_node_num_of_devices_ret node_num_of_devices(Context&, xdr::CallContext&,
                                                   const remote_node_num_of_devices_args&) {
    return {};
}
remote_connect_num_of_nwfilters_ret connect_num_of_nwfilters(Context&, xdr::CallContext&) {
    return {};
}
remote_connect_get_cpu_model_names_ret connect_get_cpu_model_names(
    Context&, xdr::CallContext&, const remote_connect_get_cpu_model_names_args&) {
    return {};
}
remote_network_list_all_ports_ret network_list_all_ports(
    Context&, xdr::CallContext&, const remote_network_list_all_ports_args&) {
    return {};
}

}  // namespace

void add_absent(Table& table) {
    table.NODE_GET_SECURITY_MODEL = node_get_security_model;
    table.DOMAIN_GET_SECURITY_LABEL = domain_get_security_label;
    table.DOMAIN_GET_MESSAGES = domain_get_messages;
    table.DOMAIN_GET_JOB_STATS = domain_get_job_stats;
    table.DOMAIN_GET_DISK_ERRORS = domain_get_disk_errors;
    table.INTERFACE_LOOKUP_BY_NAME = interface_lookup_by_name;
    table.NODE_DEVICE_LOOKUP_BY_NAME = node_device_lookup_by_name;
    table.NWFILTER_LOOKUP_BY_NAME = nwfilter_lookup_by_name;
    table.CONNECT_LIST_ALL_INTERFACES = connect_list_all_interfaces;
    table.CONNECT_LIST_ALL_NODE_DEVICES = connect_list_all_node_devices;
    table.CONNECT_LIST_ALL_NWFILTERS = connect_list_all_nwfilters;
    table.CONNECT_LIST_ALL_NWFILTER_BINDINGS = connect_list_all_nwfilter_bindings;
    table.CONNECT_NUM_OF_INTERFACES = connect_num_of_interfaces;
    table.CONNECT_NUM_OF_DEFINED_INTERFACES = connect_num_of_defined_interfaces;
    table.NODE_NUM_OF_DEVICES = node_num_of_devices;
    table.CONNECT_NUM_OF_NWFILTERS = connect_num_of_nwfilters;
    table.CONNECT_GET_CPU_MODEL_NAMES = connect_get_cpu_model_names;
    table.NETWORK_LIST_ALL_PORTS = network_list_all_ports;
}

}  // namespace helio::virt::daemon
