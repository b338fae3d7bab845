// Domains: lists, lookups, questions.
#include "helio/virt/daemon/remote_service_internal.h"

namespace helio::virt::daemon {

namespace {

// virDomainXMLFlags.
constexpr std::uint32_t kXmlSecure = 1, kXmlInactive = 2;
// virDomainVcpuFlags.
constexpr std::uint32_t kVcpuMaximum = 4, kVcpuGuest = 8;
constexpr std::uint32_t kImpactMask = 3;

host::Impact impact_of(std::uint32_t flags) {
    return static_cast<host::Impact>(flags & kImpactMask);
}

}  // namespace

remote::remote_connect_list_all_domains_ret RemoteService::CONNECT_LIST_ALL_DOMAINS(
    xdr::CallContext& call, const remote::remote_connect_list_all_domains_args& args) {
    using Ret = remote::remote_connect_list_all_domains_ret;
    if (args.need_results == 0)
        return {.domains = {}, .ret = static_cast<std::uint32_t>(host_.domain_count(args.flags))};
    std::vector<remote::remote_nonnull_domain> all;
    all.reserve(64);
    host_.visit_domains(args.flags, [&](std::string_view name, const host::Uuid& uuid, int id) {
        all.push_back({.name = kept(call, name), .uuid = to_wire(uuid), .id = id});
    });
    if (all.size() > remote::REMOTE_DOMAIN_LIST_MAX)
        return refused_too_many<Ret>(call, "domains", all.size(), remote::REMOTE_DOMAIN_LIST_MAX);
    return {.domains = kept(call, all), .ret = static_cast<std::uint32_t>(all.size())};
}

remote::remote_connect_num_of_domains_ret RemoteService::CONNECT_NUM_OF_DOMAINS(xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(host_.domain_count(host::list_domains::kActive))};
}

remote::remote_connect_num_of_defined_domains_ret RemoteService::CONNECT_NUM_OF_DEFINED_DOMAINS(
    xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(host_.domain_count(host::list_domains::kInactive))};
}

remote::remote_connect_list_domains_ret RemoteService::CONNECT_LIST_DOMAINS(
    xdr::CallContext& call, const remote::remote_connect_list_domains_args& args) {
    const auto most = static_cast<std::size_t>(std::max(args.maxids, 0));
    std::vector<std::int32_t> ids;
    host_.visit_domains(host::list_domains::kActive,
                        [&](std::string_view, const host::Uuid&, int id) {
                            if (ids.size() < most) ids.push_back(id);
                        });
    return {.ids = kept(call, ids)};
}

remote::remote_connect_list_defined_domains_ret RemoteService::CONNECT_LIST_DEFINED_DOMAINS(
    xdr::CallContext& call, const remote::remote_connect_list_defined_domains_args& args) {
    const auto most = static_cast<std::size_t>(std::max(args.maxnames, 0));
    std::vector<remote::remote_nonnull_string> names;
    host_.visit_domains(host::list_domains::kInactive,
                        [&](std::string_view name, const host::Uuid&, int) {
                            if (names.size() < most) names.push_back(kept(call, name));
                        });
    return {.names = kept(call, names)};
}

remote::remote_domain_lookup_by_id_ret RemoteService::DOMAIN_LOOKUP_BY_ID(
    xdr::CallContext& call, const remote::remote_domain_lookup_by_id_args& args) {
    const auto key = host_.domain_by_id(args.id);
    if (!key) return refused<remote::remote_domain_lookup_by_id_ret>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

remote::remote_domain_lookup_by_name_ret RemoteService::DOMAIN_LOOKUP_BY_NAME(
    xdr::CallContext& call, const remote::remote_domain_lookup_by_name_args& args) {
    const auto key = host_.domain_by_name(args.name);
    if (!key) return refused<remote::remote_domain_lookup_by_name_ret>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

remote::remote_domain_lookup_by_uuid_ret RemoteService::DOMAIN_LOOKUP_BY_UUID(
    xdr::CallContext& call, const remote::remote_domain_lookup_by_uuid_args& args) {
    const auto key = host_.domain_by_uuid(uuid_of(args.uuid));
    if (!key) return refused<remote::remote_domain_lookup_by_uuid_ret>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

remote::remote_domain_get_info_ret RemoteService::DOMAIN_GET_INFO(
    xdr::CallContext& call, const remote::remote_domain_get_info_args& args) {
    const auto info = host_.domain_info(uuid_of(args.dom.uuid));
    if (!info) return refused<remote::remote_domain_get_info_ret>(call, args.dom, info.error());
    return {.state = static_cast<std::uint8_t>(info->state),
            .maxMem = info->memory_max_kib,
            .memory = info->memory_kib,
            .nrVirtCpu = static_cast<std::uint16_t>(info->vcpus),
            .cpuTime = info->cpu_time_ns};
}

remote::remote_domain_get_state_ret RemoteService::DOMAIN_GET_STATE(
    xdr::CallContext& call, const remote::remote_domain_get_state_args& args) {
    const auto state = host_.domain_state(uuid_of(args.dom.uuid));
    if (!state) return refused<remote::remote_domain_get_state_ret>(call, args.dom, state.error());
    return {.state = static_cast<std::int32_t>(state->state), .reason = state->reason};
}

remote::remote_domain_get_xml_desc_ret RemoteService::DOMAIN_GET_XML_DESC(
    xdr::CallContext& call, const remote::remote_domain_get_xml_desc_args& args) {
    using Ret = remote::remote_domain_get_xml_desc_ret;
    server::Connection& client = server::connection_of(call);
    if ((args.flags & kXmlSecure) != 0 && client.is_read_only())
        return client.deny<Ret>(rpc::call_of(call));
    const auto xml = host_.domain_xml(uuid_of(args.dom.uuid), (args.flags & kXmlInactive) != 0);
    if (!xml) return refused<Ret>(call, args.dom, xml.error());
    return {.xml = kept(call, *xml)};
}

remote::remote_domain_get_os_type_ret RemoteService::DOMAIN_GET_OS_TYPE(
    xdr::CallContext& call, const remote::remote_domain_get_os_type_args& args) {
    const auto type = host_.domain_os_type(uuid_of(args.dom.uuid));
    if (!type) return refused<remote::remote_domain_get_os_type_ret>(call, args.dom, type.error());
    return {.type = kept(call, *type)};
}

remote::remote_domain_get_max_memory_ret RemoteService::DOMAIN_GET_MAX_MEMORY(
    xdr::CallContext& call, const remote::remote_domain_get_max_memory_args& args) {
    const auto kib = host_.domain_memory_max(uuid_of(args.dom.uuid));
    if (!kib) return refused<remote::remote_domain_get_max_memory_ret>(call, args.dom, kib.error());
    return {.memory = *kib};
}

remote::remote_domain_get_max_vcpus_ret RemoteService::DOMAIN_GET_MAX_VCPUS(
    xdr::CallContext& call, const remote::remote_domain_get_max_vcpus_args& args) {
    const auto count = host_.domain_vcpus(uuid_of(args.dom.uuid), host::Impact::current, true);
    if (!count)
        return refused<remote::remote_domain_get_max_vcpus_ret>(call, args.dom, count.error());
    return {.num = static_cast<std::int32_t>(*count)};
}

remote::remote_domain_get_vcpus_flags_ret RemoteService::DOMAIN_GET_VCPUS_FLAGS(
    xdr::CallContext& call, const remote::remote_domain_get_vcpus_flags_args& args) {
    using Ret = remote::remote_domain_get_vcpus_flags_ret;
    server::Connection& client = server::connection_of(call);
    if ((args.flags & kVcpuGuest) != 0 && client.is_read_only())
        return client.deny<Ret>(rpc::call_of(call));
    const auto count = host_.domain_vcpus(uuid_of(args.dom.uuid), impact_of(args.flags),
                                          (args.flags & kVcpuMaximum) != 0);
    if (!count) return refused<Ret>(call, args.dom, count.error());
    return {.num = static_cast<std::int32_t>(*count)};
}

remote::remote_domain_get_vcpus_ret RemoteService::DOMAIN_GET_VCPUS(
    xdr::CallContext& call, const remote::remote_domain_get_vcpus_args& args) {
    using Ret = remote::remote_domain_get_vcpus_ret;
    const auto stats = host_.domain_stats(uuid_of(args.dom.uuid));
    if (!stats) return refused<Ret>(call, args.dom, stats.error());
    if (stats->key.id < 0)
        return refused<Ret>(call, {host::ErrorCode::operation_invalid, host::ErrorSource::test,
                                   "Requested operation is not valid: cannot list vcpus for an "
                                   "inactive domain"});
    const unsigned count =
        std::min(stats->info.vcpus, static_cast<unsigned>(std::max(args.maxinfo, 0)));
    const unsigned cpus = std::max(host_.node().cpus, 1U);
    const auto map_size = static_cast<std::size_t>(std::clamp(args.maplen, 0, 1 << 13));
    if (map_size * count > remote::REMOTE_CPUMAPS_MAX)
        return refused_too_many<Ret>(call, "maps", map_size * count, remote::REMOTE_CPUMAPS_MAX);
    std::vector<remote::remote_vcpu_info> info;
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

remote::remote_domain_is_active_ret RemoteService::DOMAIN_IS_ACTIVE(
    xdr::CallContext& call, const remote::remote_domain_is_active_args& args) {
    const auto key = host_.domain_state(uuid_of(args.dom.uuid));
    if (!key) return refused<remote::remote_domain_is_active_ret>(call, args.dom, key.error());
    return {.active = key->state == host::State::off ? 0 : 1};
}

remote::remote_domain_is_persistent_ret RemoteService::DOMAIN_IS_PERSISTENT(
    xdr::CallContext& call, const remote::remote_domain_is_persistent_args& args) {
    const auto yes = host_.domain_persistent(uuid_of(args.dom.uuid));
    if (!yes) return refused<remote::remote_domain_is_persistent_ret>(call, args.dom, yes.error());
    return {.persistent = *yes};
}

remote::remote_domain_is_updated_ret RemoteService::DOMAIN_IS_UPDATED(
    xdr::CallContext& call, const remote::remote_domain_is_updated_args& args) {
    const auto yes = host_.domain_updated(uuid_of(args.dom.uuid));
    if (!yes) return refused<remote::remote_domain_is_updated_ret>(call, args.dom, yes.error());
    return {.updated = *yes};
}

remote::remote_domain_get_autostart_ret RemoteService::DOMAIN_GET_AUTOSTART(
    xdr::CallContext& call, const remote::remote_domain_get_autostart_args& args) {
    const auto yes = host_.domain_autostart(uuid_of(args.dom.uuid));
    if (!yes) return refused<remote::remote_domain_get_autostart_ret>(call, args.dom, yes.error());
    return {.autostart = *yes};
}

remote::remote_domain_has_managed_save_image_ret RemoteService::DOMAIN_HAS_MANAGED_SAVE_IMAGE(
    xdr::CallContext& call, const remote::remote_domain_has_managed_save_image_args& args) {
    const auto yes = host_.domain_has_managed_save(uuid_of(args.dom.uuid));
    if (!yes)
        return refused<remote::remote_domain_has_managed_save_image_ret>(call, args.dom,
                                                                         yes.error());
    return {.result = *yes};
}

remote::remote_domain_get_metadata_ret RemoteService::DOMAIN_GET_METADATA(
    xdr::CallContext& call, const remote::remote_domain_get_metadata_args& args) {
    using Ret = remote::remote_domain_get_metadata_ret;
    if (args.type < 0 || args.type > static_cast<int>(host::Metadata::element))
        return fail_call<Ret>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_DOMAIN, "unknown metadata type"));
    const auto text = host_.domain_metadata(
        uuid_of(args.dom.uuid), static_cast<host::Metadata>(args.type),
        args.uri != nullptr ? *args.uri : std::string_view(), impact_of(args.flags));
    if (!text) return refused<Ret>(call, args.dom, text.error());
    return {.metadata = kept(call, *text)};
}

remote::remote_domain_get_scheduler_type_ret RemoteService::DOMAIN_GET_SCHEDULER_TYPE(
    xdr::CallContext&, const remote::remote_domain_get_scheduler_type_args&) {
    return {.type = "fair", .nparams = 1};  // its weight
}

remote::remote_domain_get_control_info_ret RemoteService::DOMAIN_GET_CONTROL_INFO(
    xdr::CallContext& call, const remote::remote_domain_get_control_info_args& args) {
    using Ret = remote::remote_domain_get_control_info_ret;
    const auto state = host_.domain_state(uuid_of(args.dom.uuid));
    if (!state) return refused<Ret>(call, args.dom, state.error());
    if (state->state == host::State::off)
        return refused<Ret>(call, {host::ErrorCode::operation_invalid, host::ErrorSource::domain,
                                   "Requested operation is not valid: domain is not running"});
    return {.state = 0, .details = 0, .stateTime = 0};  // VIR_DOMAIN_CONTROL_OK
}

remote::remote_domain_get_job_info_ret RemoteService::DOMAIN_GET_JOB_INFO(
    xdr::CallContext& call, const remote::remote_domain_get_job_info_args& args) {
    const auto state = host_.domain_state(uuid_of(args.dom.uuid));
    if (!state)
        return refused<remote::remote_domain_get_job_info_ret>(call, args.dom, state.error());
    return {};  // VIR_DOMAIN_JOB_NONE
}

remote::remote_domain_get_hostname_ret RemoteService::DOMAIN_GET_HOSTNAME(
    xdr::CallContext& call, const remote::remote_domain_get_hostname_args& args) {
    const auto key = host_.domain_by_uuid(uuid_of(args.dom.uuid));
    if (!key) return refused<remote::remote_domain_get_hostname_ret>(call, args.dom, key.error());
    return {.hostname = kept(call, key->name)};
}

remote::remote_domain_list_all_checkpoints_ret RemoteService::DOMAIN_LIST_ALL_CHECKPOINTS(
    xdr::CallContext& call, const remote::remote_domain_list_all_checkpoints_args& args) {
    const auto state = host_.domain_state(uuid_of(args.dom.uuid));
    if (!state)
        return refused<remote::remote_domain_list_all_checkpoints_ret>(call, args.dom,
                                                                       state.error());
    return {};
}

}  // namespace helio::virt::daemon
