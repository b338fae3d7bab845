// Domains: lists, lookups and queries.
#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// virDomainXMLFlags.
constexpr std::uint32_t kXmlSecure = 1, kXmlInactive = 2;
// virDomainVcpuFlags.
constexpr std::uint32_t kVcpuMaximum = 4, kVcpuGuest = 8;

remote_connect_list_all_domains_ret connect_list_all_domains(
    Context& context, xdr::CallContext& call, const remote_connect_list_all_domains_args& args) {
    using Ret = remote_connect_list_all_domains_ret;
    if (args.need_results == 0)
        return {.domains = {},
                .ret = static_cast<std::uint32_t>(context.host.domain_count(args.flags))};
    std::vector<remote_nonnull_domain> all;
    all.reserve(64);
    context.host.visit_domains(
        args.flags, [&](std::string_view name, const host::Uuid& uuid, int id) {
            all.push_back({.name = kept(call, name), .uuid = to_wire(uuid), .id = id});
        });
    if (all.size() > REMOTE_DOMAIN_LIST_MAX)
        return refused_too_many<Ret>(call, "domains", all.size(), REMOTE_DOMAIN_LIST_MAX);
    return {.domains = kept(call, all), .ret = static_cast<std::uint32_t>(all.size())};
}

template <std::uint32_t Flags, Results Ret>
Ret count_domains(Context& context, xdr::CallContext&) {
    return {static_cast<std::int32_t>(context.host.domain_count(Flags))};
}

remote_connect_list_domains_ret connect_list_domains(Context& context, xdr::CallContext& call,
                                                     const remote_connect_list_domains_args& args) {
    const auto most = static_cast<std::size_t>(std::max(args.maxids, 0));
    std::vector<std::int32_t> ids;
    context.host.visit_domains(host::list_domains::kActive,
                               [&](std::string_view, const host::Uuid&, int id) {
                                   if (ids.size() < most) ids.push_back(id);
                               });
    return {.ids = kept(call, ids)};
}

remote_connect_list_defined_domains_ret connect_list_defined_domains(
    Context& context, xdr::CallContext& call,
    const remote_connect_list_defined_domains_args& args) {
    const auto most = static_cast<std::size_t>(std::max(args.maxnames, 0));
    std::vector<remote_nonnull_string> names;
    context.host.visit_domains(host::list_domains::kInactive,
                               [&](std::string_view name, const host::Uuid&, int) {
                                   if (names.size() < most) names.push_back(kept(call, name));
                               });
    return {.names = kept(call, names)};
}

remote_domain_get_info_ret domain_get_info(Context& context, xdr::CallContext& call,
                                           const remote_domain_get_info_args& args) {
    const auto info = context.host.domain_info(object_of(args));
    if (!info) return refused<remote_domain_get_info_ret>(call, args.dom, info.error());
    return {.state = static_cast<std::uint8_t>(info->state),
            .maxMem = info->memory_max_kib,
            .memory = info->memory_kib,
            .nrVirtCpu = static_cast<std::uint16_t>(info->vcpus),
            .cpuTime = info->cpu_time_ns};
}

remote_domain_get_state_ret domain_get_state(Context& context, xdr::CallContext& call,
                                             const remote_domain_get_state_args& args) {
    const auto state = context.host.domain_state(object_of(args));
    if (!state) return refused<remote_domain_get_state_ret>(call, args.dom, state.error());
    return {.state = static_cast<std::int32_t>(state->state), .reason = state->reason};
}

remote_domain_get_xml_desc_ret domain_get_xml_desc(Context& context, xdr::CallContext& call,
                                                   const remote_domain_get_xml_desc_args& args) {
    using Ret = remote_domain_get_xml_desc_ret;
    if ((args.flags & kXmlSecure) != 0 && is_read_only(call)) return denied<Ret>(call);
    const auto xml = context.host.domain_xml(object_of(args), (args.flags & kXmlInactive) != 0
                                                                  ? host::Definition::inactive
                                                                  : host::Definition::current);
    if (!xml) return refused<Ret>(call, args.dom, xml.error());
    return {.xml = kept(call, *xml)};
}

remote_domain_get_max_vcpus_ret domain_get_max_vcpus(Context& context, xdr::CallContext& call,
                                                     const remote_domain_get_max_vcpus_args& args) {
    const auto count =
        context.host.domain_vcpus(object_of(args), host::Impact::current, host::VcpuCount::maximum);
    if (!count) return refused<remote_domain_get_max_vcpus_ret>(call, args.dom, count.error());
    return {.num = static_cast<std::int32_t>(*count)};
}

remote_domain_get_vcpus_flags_ret domain_get_vcpus_flags(
    Context& context, xdr::CallContext& call, const remote_domain_get_vcpus_flags_args& args) {
    using Ret = remote_domain_get_vcpus_flags_ret;
    if ((args.flags & kVcpuGuest) != 0 && is_read_only(call)) return denied<Ret>(call);
    const auto count = context.host.domain_vcpus(
        object_of(args), impact_of(args),
        (args.flags & kVcpuMaximum) != 0 ? host::VcpuCount::maximum : host::VcpuCount::current);
    if (!count) return refused<Ret>(call, args.dom, count.error());
    return {.num = static_cast<std::int32_t>(*count)};
}

remote_domain_get_vcpus_ret domain_get_vcpus(Context& context, xdr::CallContext& call,
                                             const remote_domain_get_vcpus_args& args) {
    using Ret = remote_domain_get_vcpus_ret;
    const auto stats = context.host.domain_stats(object_of(args));
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    if (stats->key.id < 0)
        return refused<Ret>(call, {host::ErrorCode::operation_invalid, host::ErrorSource::test,
                                   "Requested operation is not valid: cannot list vcpus for an "
                                   "inactive domain"});
    const unsigned count =
        std::min(stats->info.vcpus, static_cast<unsigned>(std::max(args.maxinfo, 0)));
    const unsigned cpus = std::max(context.host.node().cpus, 1U);
    const auto map_size = static_cast<std::size_t>(std::clamp(args.maplen, 0, 1 << 13));
    if (map_size * count > REMOTE_CPUMAPS_MAX)
        return refused_too_many<Ret>(call, "maps", map_size * count, REMOTE_CPUMAPS_MAX);
    std::vector<remote_vcpu_info> info;
    std::vector<std::byte> maps(map_size * count);
    for (unsigned i = 0; i < count; ++i) {
        info.push_back({.number = i,
                        .state = 1,
                        .cpu_time = stats->vcpu_time_ns,
                        .cpu = static_cast<std::int32_t>(i % cpus)});
        for (unsigned cpu = 0; cpu < cpus && cpu / 8 < map_size; ++cpu)
            maps[map_size * i + cpu / 8] |= std::byte{1} << (cpu % 8);
    }
    return {.info = kept(call, info), .cpumaps = kept_bytes(call, maps)};
}

bool is_active(const host::DomainState& state) { return state.state != host::State::off; }

remote_domain_get_metadata_ret domain_get_metadata(Context& context, xdr::CallContext& call,
                                                   const remote_domain_get_metadata_args& args) {
    using Ret = remote_domain_get_metadata_ret;
    if (args.type < 0 || args.type > static_cast<int>(host::Metadata::element))
        return fail_call<Ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_DOMAIN, "unknown metadata type"));
    const auto text =
        context.host.domain_metadata(object_of(args), static_cast<host::Metadata>(args.type),
                                     text_or_empty(args.uri), impact_of(args));
    if (!text) return refused<Ret>(call, args.dom, text.error());
    return {.metadata = kept(call, *text)};
}

remote_domain_get_scheduler_type_ret domain_get_scheduler_type(
    Context&, xdr::CallContext&, const remote_domain_get_scheduler_type_args&) {
    return {.type = "fair", .nparams = 1};  // its weight
}

remote_domain_get_control_info_ret domain_get_control_info(
    Context& context, xdr::CallContext& call, const remote_domain_get_control_info_args& args) {
    using Ret = remote_domain_get_control_info_ret;
    const auto state = context.host.domain_state(object_of(args));
    if (!state) return refused<Ret>(call, args.dom, state.error());
    if (!is_active(*state))
        return refused<Ret>(call, {host::ErrorCode::operation_invalid, host::ErrorSource::domain,
                                   "Requested operation is not valid: domain is not running"});
    return {.state = 0, .details = 0, .stateTime = 0};  // VIR_DOMAIN_CONTROL_OK
}

}  // namespace

void add_domains(Table& table) {
    table.CONNECT_LIST_ALL_DOMAINS = connect_list_all_domains;
    table.CONNECT_NUM_OF_DOMAINS = count_domains<host::list_domains::kActive>;
    table.CONNECT_NUM_OF_DEFINED_DOMAINS = count_domains<host::list_domains::kInactive>;
    table.CONNECT_LIST_DOMAINS = connect_list_domains;
    table.CONNECT_LIST_DEFINED_DOMAINS = connect_list_defined_domains;
    table.DOMAIN_LOOKUP_BY_ID = forward_to<&Host::domain_by_id>;
    table.DOMAIN_LOOKUP_BY_NAME = forward_to<&Host::domain_by_name>;
    table.DOMAIN_LOOKUP_BY_UUID = forward_to<&Host::domain_by_uuid>;
    table.DOMAIN_GET_INFO = domain_get_info;
    table.DOMAIN_GET_STATE = domain_get_state;
    table.DOMAIN_GET_XML_DESC = domain_get_xml_desc;
    table.DOMAIN_GET_OS_TYPE = forward_to<&Host::domain_os_type>;
    table.DOMAIN_GET_MAX_MEMORY = forward_to<&Host::domain_memory_max>;
    table.DOMAIN_GET_MAX_VCPUS = domain_get_max_vcpus;
    table.DOMAIN_GET_VCPUS_FLAGS = domain_get_vcpus_flags;
    table.DOMAIN_GET_VCPUS = domain_get_vcpus;
    table.DOMAIN_IS_ACTIVE = forward_to<&Host::domain_state, is_active>;
    table.DOMAIN_IS_PERSISTENT = forward_to<&Host::domain_persistent>;
    table.DOMAIN_IS_UPDATED = forward_to<&Host::domain_updated>;
    table.DOMAIN_GET_AUTOSTART = forward_to<&Host::domain_autostart>;
    table.DOMAIN_HAS_MANAGED_SAVE_IMAGE = forward_to<&Host::domain_has_managed_save>;
    table.DOMAIN_GET_METADATA = domain_get_metadata;
    table.DOMAIN_GET_SCHEDULER_TYPE = domain_get_scheduler_type;
    table.DOMAIN_GET_CONTROL_INFO = domain_get_control_info;
    table.DOMAIN_GET_HOSTNAME = forward_to<&Host::domain_by_uuid, &host::DomainKey::name>;
}

}  // namespace helio::virt::daemon
