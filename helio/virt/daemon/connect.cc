// The connection itself, and the node.
#include <chrono>

#include <fmt/format.h>

#include "helio/virt/daemon/remote_service_internal.h"

namespace helio::virt::daemon {

namespace {

constexpr std::uint64_t kLibraryVersion = 12'006'000;  // of the schema: 12.6.0
constexpr std::uint64_t kDriverVersion = 1'000'000;
constexpr std::uint32_t kConnectReadOnly = 1;  // VIR_CONNECT_RO

// virDrvFeature: what we say yes to.
constexpr int kFeatureFdPassing = 8, kFeatureTypedParamString = 9, kFeatureKeepalive = 10,
              kFeatureEventCallback = 14, kFeatureCloseCallback = 15,
              kFeatureNetworkUpdateOrder = 16;

std::string scheme_of(std::string_view uri) {
    std::string scheme(uri.substr(0, uri.find_first_of(":+")));
    for (char& c : scheme)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return scheme;
}

}  // namespace

void RemoteService::CONNECT_OPEN(xdr::CallContext& call,
                                 const remote::remote_connect_open_args& args) {
    server::Connection& client = server::connection_of(call);
    if (client.is_open())
        return fail_call<void>(
            call, virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_RPC, "connection already open"));
    // Any driver will do: tools that insist on qemu:///system find one.
    if (args.name != nullptr && !args.name->empty()) {
        if (args.name->find(':') == std::string_view::npos)
            return fail_call<void>(call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_NONE,
                                                    fmt::format("'{}' is no URI", *args.name)));
        client_state(client).uri = *args.name;
    }
    if ((args.flags & kConnectReadOnly) != 0) client.make_read_only();
    client.set_open(true);
}

void RemoteService::CONNECT_CLOSE(xdr::CallContext& call) {
    server::Connection& client = server::connection_of(call);
    client.set_open(false);
    client_state(client).callbacks.clear();
    client.close_after_reply();
}

remote::remote_connect_get_type_ret RemoteService::CONNECT_GET_TYPE(xdr::CallContext& call) {
    return {.type = kept(call, scheme_of(client_state(server::connection_of(call)).uri))};
}

remote::remote_connect_get_version_ret RemoteService::CONNECT_GET_VERSION(xdr::CallContext&) {
    return {.hv_ver = kDriverVersion};
}

remote::remote_connect_get_lib_version_ret RemoteService::CONNECT_GET_LIB_VERSION(
    xdr::CallContext&) {
    return {.lib_ver = kLibraryVersion};
}

remote::remote_connect_get_max_vcpus_ret RemoteService::CONNECT_GET_MAX_VCPUS(
    xdr::CallContext&, const remote::remote_connect_get_max_vcpus_args&) {
    return {.max_vcpus = static_cast<std::int32_t>(host_.vcpus_max())};
}

remote::remote_node_get_info_ret RemoteService::NODE_GET_INFO(xdr::CallContext&) {
    const host::NodeInfo node = host_.node();
    remote::remote_node_get_info_ret info{};
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

remote::remote_connect_get_capabilities_ret RemoteService::CONNECT_GET_CAPABILITIES(
    xdr::CallContext& call) {
    return {.capabilities = kept(call, host_.capabilities_xml())};
}

remote::remote_connect_get_domain_capabilities_ret RemoteService::CONNECT_GET_DOMAIN_CAPABILITIES(
    xdr::CallContext& call, const remote::remote_connect_get_domain_capabilities_args&) {
    return {.capabilities = kept(call, host_.domain_capabilities_xml())};
}

remote::remote_connect_get_hostname_ret RemoteService::CONNECT_GET_HOSTNAME(
    xdr::CallContext& call) {
    return {.hostname = kept(call, host_.hostname())};
}

remote::remote_connect_get_uri_ret RemoteService::CONNECT_GET_URI(xdr::CallContext& call) {
    return {.uri = kept(call, client_state(server::connection_of(call)).uri)};
}

remote::remote_connect_get_sysinfo_ret RemoteService::CONNECT_GET_SYSINFO(
    xdr::CallContext&, const remote::remote_connect_get_sysinfo_args&) {
    return {.sysinfo =
                "<sysinfo type='smbios'>\n"
                "  <system>\n"
                "    <entry name='manufacturer'>Heliograph</entry>\n"
                "    <entry name='product'>Simulated host</entry>\n"
                "  </system>\n"
                "</sysinfo>\n"};
}

remote::remote_connect_supports_feature_ret RemoteService::CONNECT_SUPPORTS_FEATURE(
    xdr::CallContext& call, const remote::remote_connect_supports_feature_args& args) {
    if (args.feature == kFeatureKeepalive) server::connection_of(call).start_keepalive();
    const bool supported =
        args.feature == kFeatureFdPassing || args.feature == kFeatureTypedParamString ||
        args.feature == kFeatureKeepalive || args.feature == kFeatureEventCallback ||
        args.feature == kFeatureCloseCallback || args.feature == kFeatureNetworkUpdateOrder;
    return {.supported = supported ? 1 : 0};
}

remote::remote_connect_is_secure_ret RemoteService::CONNECT_IS_SECURE(xdr::CallContext& call) {
    const auto transport = server::connection_of(call).peer().transport;
    return {.secure = transport == rpc::Transport::local ? 1 : 0};
}

// The host never goes away before its clients: nothing will ever be called.
void RemoteService::CONNECT_REGISTER_CLOSE_CALLBACK(xdr::CallContext&) {}
void RemoteService::CONNECT_UNREGISTER_CLOSE_CALLBACK(xdr::CallContext&) {}

remote::remote_node_get_free_memory_ret RemoteService::NODE_GET_FREE_MEMORY(xdr::CallContext&) {
    return {.freeMem = host_.free_memory()};
}

remote::remote_node_get_cells_free_memory_ret RemoteService::NODE_GET_CELLS_FREE_MEMORY(
    xdr::CallContext& call, const remote::remote_node_get_cells_free_memory_args& args) {
    const unsigned cells = std::max(host_.node().numa_nodes, 1U);
    if (args.startCell < 0 || args.maxcells <= 0 || static_cast<unsigned>(args.startCell) >= cells)
        return fail_call<remote::remote_node_get_cells_free_memory_ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_TEST, "Range exceeds available cells"));
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(args.maxcells),
                                                    cells - static_cast<unsigned>(args.startCell));
    return {.cells = kept(call, std::vector<std::uint64_t>(count, host_.free_memory() / cells))};
}

remote::remote_node_get_cpu_stats_ret RemoteService::NODE_GET_CPU_STATS(
    xdr::CallContext& call, const remote::remote_node_get_cpu_stats_args& args) {
    const host::NodeInfo node = host_.node();
    if (args.cpuNum >= 0 && static_cast<unsigned>(args.cpuNum) >= node.cpus)
        return fail_call<remote::remote_node_get_cpu_stats_ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_NONE, "Invalid cpuNum"));
    if (args.nparams == 0) return {.params = {}, .nparams = 4};
    const auto up =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    const std::uint64_t all = args.cpuNum < 0 ? up * node.cpus : up;
    const std::vector<remote::remote_node_get_cpu_stats> stats{
        {"kernel", all / 50}, {"user", all / 10}, {"idle", all / 100 * 87}, {"iowait", all / 100}};
    return {.params = kept(call, stats), .nparams = 0};
}

remote::remote_node_get_memory_stats_ret RemoteService::NODE_GET_MEMORY_STATS(
    xdr::CallContext& call, const remote::remote_node_get_memory_stats_args& args) {
    if (args.nparams == 0) return {.params = {}, .nparams = 4};
    const std::vector<remote::remote_node_get_memory_stats> stats{
        {"total", host_.node().memory_kib},
        {"free", host_.free_memory() / 1024},
        {"buffers", 0},
        {"cached", 0}};
    return {.params = kept(call, stats), .nparams = 0};
}

remote::remote_node_get_cpu_map_ret RemoteService::NODE_GET_CPU_MAP(
    xdr::CallContext& call, const remote::remote_node_get_cpu_map_args& args) {
    const unsigned cpus = host_.node().cpus;
    std::vector<std::byte> map((cpus + 7) / 8);
    for (unsigned i = 0; i < cpus; ++i) map[i / 8] |= std::byte{1} << (i % 8);
    const xdr::Array<std::byte> bytes = kept(call, map);
    return {.cpumap = args.need_map != 0 ? ByteView(bytes.data(), bytes.size()) : ByteView(),
            .online = args.need_online != 0 ? cpus : 0,
            .ret = static_cast<std::int32_t>(cpus)};
}

}  // namespace helio::virt::daemon
