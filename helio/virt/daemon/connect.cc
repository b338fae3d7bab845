// The connection itself, and the node.
#include <chrono>

#include <fmt/format.h>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

constexpr std::uint64_t kLibraryVersion = 12'006'000;  // of the schema: 12.6.0
constexpr std::uint64_t kDriverVersion = 1'000'000;
constexpr std::uint32_t kConnectReadOnly = 1;  // VIR_CONNECT_RO

// virDrvFeature: the supported features.
constexpr int kFeatureFdPassing = 8, kFeatureTypedParamString = 9, kFeatureKeepalive = 10,
              kFeatureEventCallback = 14, kFeatureCloseCallback = 15,
              kFeatureNetworkUpdateOrder = 16;

std::string scheme_of(std::string_view uri) {
    std::string scheme(uri.substr(0, uri.find_first_of(":+")));
    for (char& c : scheme)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return scheme;
}

void connect_open(Context&, xdr::CallContext& call, const remote_connect_open_args& args) {
    server::ServerClient& client = server::client_of(call);
    if (client.is_open())
        return fail_call<void>(
            call, virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_RPC, "connection already open"));
    // Accept any driver: tools that insist on qemu:///system work, too.
    if (args.name != nullptr && !args.name->empty()) {
        if (args.name->find(':') == std::string_view::npos)
            return fail_call<void>(call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_NONE,
                                                    fmt::format("'{}' is not a URI", *args.name)));
        client_state(client).uri = *args.name;
    }
    if ((args.flags & kConnectReadOnly) != 0) client.make_read_only();
    client.set_open(true);
}

void connect_close(Context&, xdr::CallContext& call) {
    server::ServerClient& client = server::client_of(call);
    client.set_open(false);
    client_state(client).callbacks.clear();
    client.close_after_reply();
}

remote_connect_get_type_ret connect_get_type(Context&, xdr::CallContext& call) {
    return {.type = kept(call, scheme_of(client_state(server::client_of(call)).uri))};
}

remote_connect_get_version_ret connect_get_version(Context&, xdr::CallContext&) {
    return {.hv_ver = kDriverVersion};
}

remote_connect_get_lib_version_ret connect_get_lib_version(Context&, xdr::CallContext&) {
    return {.lib_ver = kLibraryVersion};
}

remote_connect_get_max_vcpus_ret connect_get_max_vcpus(Context& context, xdr::CallContext&,
                                                       const remote_connect_get_max_vcpus_args&) {
    return {.max_vcpus = static_cast<std::int32_t>(context.host.vcpus_max())};
}

remote_node_get_info_ret node_get_info(Context& context, xdr::CallContext&) {
    const host::NodeInfo node = context.host.node();
    remote_node_get_info_ret info{};
    const std::size_t size = std::min(node.model.size(), info.model.size() - 1);
    std::memcpy(info.model.data(), node.model.data(), size);
    info.memory = node.memory_kib;
    info.cpus = static_cast<std::int32_t>(node.cpus);
    info.mhz = static_cast<std::int32_t>(node.mhz);
    info.nodes = static_cast<std::int32_t>(node.numa_nodes);
    info.sockets = static_cast<std::int32_t>(node.sockets);
    info.cores = static_cast<std::int32_t>(node.cores);
    info.threads = static_cast<std::int32_t>(node.threads);
    return info;
}

remote_connect_get_capabilities_ret connect_get_capabilities(Context& context,
                                                             xdr::CallContext& call) {
    return {.capabilities = kept(call, context.host.capabilities_xml())};
}

remote_connect_get_domain_capabilities_ret connect_get_domain_capabilities(
    Context& context, xdr::CallContext& call, const remote_connect_get_domain_capabilities_args&) {
    return {.capabilities = kept(call, context.host.domain_capabilities_xml())};
}

remote_connect_get_hostname_ret connect_get_hostname(Context& context, xdr::CallContext& call) {
    return {.hostname = kept(call, context.host.hostname())};
}

remote_connect_get_uri_ret connect_get_uri(Context&, xdr::CallContext& call) {
    return {.uri = kept(call, client_state(server::client_of(call)).uri)};
}

remote_connect_get_sysinfo_ret connect_get_sysinfo(Context&, xdr::CallContext&,
                                                   const remote_connect_get_sysinfo_args&) {
    return {.sysinfo =
                "<sysinfo type='smbios'>\n"
                "  <system>\n"
                "    <entry name='manufacturer'>Heliograph</entry>\n"
                "    <entry name='product'>Simulated host</entry>\n"
                "  </system>\n"
                "</sysinfo>\n"};
}

remote_connect_supports_feature_ret connect_supports_feature(
    Context&, xdr::CallContext& call, const remote_connect_supports_feature_args& args) {
    if (args.feature == kFeatureKeepalive) server::client_of(call).start_keepalive();
    const bool supported =
        args.feature == kFeatureFdPassing || args.feature == kFeatureTypedParamString ||
        args.feature == kFeatureKeepalive || args.feature == kFeatureEventCallback ||
        args.feature == kFeatureCloseCallback || args.feature == kFeatureNetworkUpdateOrder;
    return {.supported = supported ? 1 : 0};
}

remote_connect_is_secure_ret connect_is_secure(Context&, xdr::CallContext& call) {
    const auto transport = server::client_of(call).peer().transport;
    return {.secure = transport == rpc::Transport::local ? 1 : 0};
}

// The host outlives its clients' connections, so a close callback is never called.
void ignore_close_callback(Context&, xdr::CallContext&) {}

remote_node_get_free_memory_ret node_get_free_memory(Context& context, xdr::CallContext&) {
    return {.freeMem = context.host.free_memory()};
}

remote_node_get_cells_free_memory_ret node_get_cells_free_memory(
    Context& context, xdr::CallContext& call, const remote_node_get_cells_free_memory_args& args) {
    const unsigned cells = std::max(context.host.node().numa_nodes, 1U);
    if (args.startCell < 0 || args.maxcells <= 0 || static_cast<unsigned>(args.startCell) >= cells)
        return fail_call<remote_node_get_cells_free_memory_ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_TEST, "Range exceeds available cells"));
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(args.maxcells),
                                                    cells - static_cast<unsigned>(args.startCell));
    return {.cells =
                kept(call, std::vector<std::uint64_t>(count, context.host.free_memory() / cells))};
}

remote_node_get_cpu_stats_ret node_get_cpu_stats(Context& context, xdr::CallContext& call,
                                                 const remote_node_get_cpu_stats_args& args) {
    const host::NodeInfo node = context.host.node();
    if (args.cpuNum >= 0 && static_cast<unsigned>(args.cpuNum) >= node.cpus)
        return fail_call<remote_node_get_cpu_stats_ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_NONE, "Invalid cpuNum"));
    if (args.nparams == 0) return {.params = {}, .nparams = 4};
    const auto up =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    const std::uint64_t all = args.cpuNum < 0 ? up * node.cpus : up;
    const std::vector<remote_node_get_cpu_stats> stats{
        {"kernel", all / 50}, {"user", all / 10}, {"idle", all / 100 * 87}, {"iowait", all / 100}};
    return {.params = kept(call, stats), .nparams = 0};
}

remote_node_get_memory_stats_ret node_get_memory_stats(
    Context& context, xdr::CallContext& call, const remote_node_get_memory_stats_args& args) {
    if (args.nparams == 0) return {.params = {}, .nparams = 4};
    const std::vector<remote_node_get_memory_stats> stats{
        {"total", context.host.node().memory_kib},
        {"free", context.host.free_memory() / 1024},
        {"buffers", 0},
        {"cached", 0}};
    return {.params = kept(call, stats), .nparams = 0};
}

remote_node_get_cpu_map_ret node_get_cpu_map(Context& context, xdr::CallContext& call,
                                             const remote_node_get_cpu_map_args& args) {
    const unsigned cpus = context.host.node().cpus;
    return {.cpumap = args.need_map != 0 ? kept_bytes(call, all_cpus(cpus)) : ByteView(),
            .online = args.need_online != 0 ? cpus : 0,
            .ret = static_cast<std::int32_t>(cpus)};
}

}  // namespace

void add_connect(Table& table) {
    table.CONNECT_OPEN = connect_open;
    table.CONNECT_CLOSE = connect_close;
    table.CONNECT_GET_TYPE = connect_get_type;
    table.CONNECT_GET_VERSION = connect_get_version;
    table.CONNECT_GET_LIB_VERSION = connect_get_lib_version;
    table.CONNECT_GET_MAX_VCPUS = connect_get_max_vcpus;
    table.NODE_GET_INFO = node_get_info;
    table.CONNECT_GET_CAPABILITIES = connect_get_capabilities;
    table.CONNECT_GET_DOMAIN_CAPABILITIES = connect_get_domain_capabilities;
    table.CONNECT_GET_HOSTNAME = connect_get_hostname;
    table.CONNECT_GET_URI = connect_get_uri;
    table.CONNECT_GET_SYSINFO = connect_get_sysinfo;
    table.CONNECT_SUPPORTS_FEATURE = connect_supports_feature;
    table.CONNECT_IS_SECURE = connect_is_secure;
    table.CONNECT_REGISTER_CLOSE_CALLBACK = ignore_close_callback;
    table.CONNECT_UNREGISTER_CLOSE_CALLBACK = ignore_close_callback;
    table.NODE_GET_FREE_MEMORY = node_get_free_memory;
    table.NODE_GET_CELLS_FREE_MEMORY = node_get_cells_free_memory;
    table.NODE_GET_CPU_STATS = node_get_cpu_stats;
    table.NODE_GET_MEMORY_STATS = node_get_memory_stats;
    table.NODE_GET_CPU_MAP = node_get_cpu_map;
}

}  // namespace helio::virt::daemon
