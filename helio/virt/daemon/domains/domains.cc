// Domains: lists, lookups, questions.
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// virDomainXMLFlags.
constexpr std::uint32_t kXmlSecure = 1, kXmlInactive = 2;
// virDomainVcpuFlags.
constexpr std::uint32_t kVcpuMaximum = 4, kVcpuGuest = 8;
constexpr std::uint32_t kImpactMask = 3;

host::Impact impact_of(std::uint32_t flags) {
    return static_cast<host::Impact>(flags & kImpactMask);
}

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

remote_connect_num_of_domains_ret connect_num_of_domains(Context& context, xdr::CallContext&) {
    return {.num =
                static_cast<std::int32_t>(context.host.domain_count(host::list_domains::kActive))};
}

remote_connect_num_of_defined_domains_ret connect_num_of_defined_domains(Context& context,
                                                                         xdr::CallContext&) {
    return {
        .num = static_cast<std::int32_t>(context.host.domain_count(host::list_domains::kInactive))};
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

remote_domain_lookup_by_id_ret domain_lookup_by_id(Context& context, xdr::CallContext& call,
                                                   const remote_domain_lookup_by_id_args& args) {
    const auto key = context.host.domain_by_id(args.id);
    if (!key) return refused<remote_domain_lookup_by_id_ret>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

remote_domain_lookup_by_name_ret domain_lookup_by_name(
    Context& context, xdr::CallContext& call, const remote_domain_lookup_by_name_args& args) {
    const auto key = context.host.domain_by_name(args.name);
    if (!key) return refused<remote_domain_lookup_by_name_ret>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

remote_domain_lookup_by_uuid_ret domain_lookup_by_uuid(
    Context& context, xdr::CallContext& call, const remote_domain_lookup_by_uuid_args& args) {
    const auto key = context.host.domain_by_uuid(uuid_of(args.uuid));
    if (!key) return refused<remote_domain_lookup_by_uuid_ret>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

remote_domain_get_info_ret domain_get_info(Context& context, xdr::CallContext& call,
                                           const remote_domain_get_info_args& args) {
    const auto info = context.host.domain_info(uuid_of(args.dom.uuid));
    if (!info) return refused<remote_domain_get_info_ret>(call, args.dom, info.error());
    return {.state = static_cast<std::uint8_t>(info->state),
            .maxMem = info->memory_max_kib,
            .memory = info->memory_kib,
            .nrVirtCpu = static_cast<std::uint16_t>(info->vcpus),
            .cpuTime = info->cpu_time_ns};
}

remote_domain_get_state_ret domain_get_state(Context& context, xdr::CallContext& call,
                                             const remote_domain_get_state_args& args) {
    const auto state = context.host.domain_state(uuid_of(args.dom.uuid));
    if (!state) return refused<remote_domain_get_state_ret>(call, args.dom, state.error());
    return {.state = static_cast<std::int32_t>(state->state), .reason = state->reason};
}

remote_domain_get_xml_desc_ret domain_get_xml_desc(Context& context, xdr::CallContext& call,
                                                   const remote_domain_get_xml_desc_args& args) {
    using Ret = remote_domain_get_xml_desc_ret;
    server::ServerClient& client = server::client_of(call);
    if ((args.flags & kXmlSecure) != 0 && client.is_read_only())
        return client.deny<Ret>(rpc::call_of(call));
    const auto xml = context.host.domain_xml(
        uuid_of(args.dom.uuid),
        (args.flags & kXmlInactive) != 0 ? host::Definition::inactive : host::Definition::current);
    if (!xml) return refused<Ret>(call, args.dom, xml.error());
    return {.xml = kept(call, *xml)};
}

remote_domain_get_os_type_ret domain_get_os_type(Context& context, xdr::CallContext& call,
                                                 const remote_domain_get_os_type_args& args) {
    const auto type = context.host.domain_os_type(uuid_of(args.dom.uuid));
    if (!type) return refused<remote_domain_get_os_type_ret>(call, args.dom, type.error());
    return {.type = kept(call, *type)};
}

remote_domain_get_max_memory_ret domain_get_max_memory(
    Context& context, xdr::CallContext& call, const remote_domain_get_max_memory_args& args) {
    const auto kib = context.host.domain_memory_max(uuid_of(args.dom.uuid));
    if (!kib) return refused<remote_domain_get_max_memory_ret>(call, args.dom, kib.error());
    return {.memory = *kib};
}

remote_domain_get_max_vcpus_ret domain_get_max_vcpus(Context& context, xdr::CallContext& call,
                                                     const remote_domain_get_max_vcpus_args& args) {
    const auto count = context.host.domain_vcpus(uuid_of(args.dom.uuid), host::Impact::current,
                                                 host::VcpuCount::maximum);
    if (!count) return refused<remote_domain_get_max_vcpus_ret>(call, args.dom, count.error());
    return {.num = static_cast<std::int32_t>(*count)};
}

remote_domain_get_vcpus_flags_ret domain_get_vcpus_flags(
    Context& context, xdr::CallContext& call, const remote_domain_get_vcpus_flags_args& args) {
    using Ret = remote_domain_get_vcpus_flags_ret;
    server::ServerClient& client = server::client_of(call);
    if ((args.flags & kVcpuGuest) != 0 && client.is_read_only())
        return client.deny<Ret>(rpc::call_of(call));
    const auto count = context.host.domain_vcpus(
        uuid_of(args.dom.uuid), impact_of(args.flags),
        (args.flags & kVcpuMaximum) != 0 ? host::VcpuCount::maximum : host::VcpuCount::current);
    if (!count) return refused<Ret>(call, args.dom, count.error());
    return {.num = static_cast<std::int32_t>(*count)};
}

remote_domain_get_vcpus_ret domain_get_vcpus(Context& context, xdr::CallContext& call,
                                             const remote_domain_get_vcpus_args& args) {
    using Ret = remote_domain_get_vcpus_ret;
    const auto stats = context.host.domain_stats(uuid_of(args.dom.uuid));
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
    const xdr::Array<std::byte> bytes = kept(call, maps);
    return {.info = kept(call, info), .cpumaps = ByteView(bytes.data(), bytes.size())};
}

remote_domain_is_active_ret domain_is_active(Context& context, xdr::CallContext& call,
                                             const remote_domain_is_active_args& args) {
    const auto key = context.host.domain_state(uuid_of(args.dom.uuid));
    if (!key) return refused<remote_domain_is_active_ret>(call, args.dom, key.error());
    return {.active = key->state == host::State::off ? 0 : 1};
}

remote_domain_is_persistent_ret domain_is_persistent(Context& context, xdr::CallContext& call,
                                                     const remote_domain_is_persistent_args& args) {
    const auto yes = context.host.domain_persistent(uuid_of(args.dom.uuid));
    if (!yes) return refused<remote_domain_is_persistent_ret>(call, args.dom, yes.error());
    return {.persistent = *yes};
}

remote_domain_is_updated_ret domain_is_updated(Context& context, xdr::CallContext& call,
                                               const remote_domain_is_updated_args& args) {
    const auto yes = context.host.domain_updated(uuid_of(args.dom.uuid));
    if (!yes) return refused<remote_domain_is_updated_ret>(call, args.dom, yes.error());
    return {.updated = *yes};
}

remote_domain_get_autostart_ret domain_get_autostart(Context& context, xdr::CallContext& call,
                                                     const remote_domain_get_autostart_args& args) {
    const auto yes = context.host.domain_autostart(uuid_of(args.dom.uuid));
    if (!yes) return refused<remote_domain_get_autostart_ret>(call, args.dom, yes.error());
    return {.autostart = *yes};
}

remote_domain_has_managed_save_image_ret domain_has_managed_save_image(
    Context& context, xdr::CallContext& call,
    const remote_domain_has_managed_save_image_args& args) {
    const auto yes = context.host.domain_has_managed_save(uuid_of(args.dom.uuid));
    if (!yes) return refused<remote_domain_has_managed_save_image_ret>(call, args.dom, yes.error());
    return {.result = *yes};
}

remote_domain_get_metadata_ret domain_get_metadata(Context& context, xdr::CallContext& call,
                                                   const remote_domain_get_metadata_args& args) {
    using Ret = remote_domain_get_metadata_ret;
    if (args.type < 0 || args.type > static_cast<int>(host::Metadata::element))
        return fail_call<Ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_DOMAIN, "unknown metadata type"));
    const auto text = context.host.domain_metadata(
        uuid_of(args.dom.uuid), static_cast<host::Metadata>(args.type),
        args.uri != nullptr ? *args.uri : std::string_view(), impact_of(args.flags));
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
    const auto state = context.host.domain_state(uuid_of(args.dom.uuid));
    if (!state) return refused<Ret>(call, args.dom, state.error());
    if (state->state == host::State::off)
        return refused<Ret>(call, {host::ErrorCode::operation_invalid, host::ErrorSource::domain,
                                   "Requested operation is not valid: domain is not running"});
    return {.state = 0, .details = 0, .stateTime = 0};  // VIR_DOMAIN_CONTROL_OK
}

remote_domain_get_job_info_ret domain_get_job_info(Context& context, xdr::CallContext& call,
                                                   const remote_domain_get_job_info_args& args) {
    const auto state = context.host.domain_state(uuid_of(args.dom.uuid));
    if (!state) return refused<remote_domain_get_job_info_ret>(call, args.dom, state.error());
    return {};  // VIR_DOMAIN_JOB_NONE
}

remote_domain_get_hostname_ret domain_get_hostname(Context& context, xdr::CallContext& call,
                                                   const remote_domain_get_hostname_args& args) {
    const auto key = context.host.domain_by_uuid(uuid_of(args.dom.uuid));
    if (!key) return refused<remote_domain_get_hostname_ret>(call, args.dom, key.error());
    return {.hostname = kept(call, key->name)};
}

remote_domain_list_all_checkpoints_ret domain_list_all_checkpoints(
    Context& context, xdr::CallContext& call, const remote_domain_list_all_checkpoints_args& args) {
    const auto state = context.host.domain_state(uuid_of(args.dom.uuid));
    if (!state)
        return refused<remote_domain_list_all_checkpoints_ret>(call, args.dom, state.error());
    return {};
}

}  // namespace

void add_domains(Table& table) {
    table.CONNECT_LIST_ALL_DOMAINS = connect_list_all_domains;
    table.CONNECT_NUM_OF_DOMAINS = connect_num_of_domains;
    table.CONNECT_NUM_OF_DEFINED_DOMAINS = connect_num_of_defined_domains;
    table.CONNECT_LIST_DOMAINS = connect_list_domains;
    table.CONNECT_LIST_DEFINED_DOMAINS = connect_list_defined_domains;
    table.DOMAIN_LOOKUP_BY_ID = domain_lookup_by_id;
    table.DOMAIN_LOOKUP_BY_NAME = domain_lookup_by_name;
    table.DOMAIN_LOOKUP_BY_UUID = domain_lookup_by_uuid;
    table.DOMAIN_GET_INFO = domain_get_info;
    table.DOMAIN_GET_STATE = domain_get_state;
    table.DOMAIN_GET_XML_DESC = domain_get_xml_desc;
    table.DOMAIN_GET_OS_TYPE = domain_get_os_type;
    table.DOMAIN_GET_MAX_MEMORY = domain_get_max_memory;
    table.DOMAIN_GET_MAX_VCPUS = domain_get_max_vcpus;
    table.DOMAIN_GET_VCPUS_FLAGS = domain_get_vcpus_flags;
    table.DOMAIN_GET_VCPUS = domain_get_vcpus;
    table.DOMAIN_IS_ACTIVE = domain_is_active;
    table.DOMAIN_IS_PERSISTENT = domain_is_persistent;
    table.DOMAIN_IS_UPDATED = domain_is_updated;
    table.DOMAIN_GET_AUTOSTART = domain_get_autostart;
    table.DOMAIN_HAS_MANAGED_SAVE_IMAGE = domain_has_managed_save_image;
    table.DOMAIN_GET_METADATA = domain_get_metadata;
    table.DOMAIN_GET_SCHEDULER_TYPE = domain_get_scheduler_type;
    table.DOMAIN_GET_CONTROL_INFO = domain_get_control_info;
    table.DOMAIN_GET_JOB_INFO = domain_get_job_info;
    table.DOMAIN_GET_HOSTNAME = domain_get_hostname;
    table.DOMAIN_LIST_ALL_CHECKPOINTS = domain_list_all_checkpoints;
}

}  // namespace helio::virt::daemon
