// Storage pools.
#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

remote_connect_list_all_storage_pools_ret connect_list_all_storage_pools(
    Context& context, xdr::CallContext& call,
    const remote_connect_list_all_storage_pools_args& args) {
    return list_of<remote_connect_list_all_storage_pools_ret>(call, context.host.pools(args.flags),
                                                              args.need_results, "storage pools",
                                                              REMOTE_STORAGE_POOL_LIST_MAX);
}

remote_storage_pool_lookup_by_volume_ret storage_pool_lookup_by_volume(
    Context& context, xdr::CallContext& call,
    const remote_storage_pool_lookup_by_volume_args& args) {
    const auto key = context.host.pool_by_name(args.vol.pool);
    if (!key) return refused<remote_storage_pool_lookup_by_volume_ret>(call, key.error());
    return {.pool = to_wire(call, *key)};
}

remote_storage_pool_get_info_ret storage_pool_get_info(
    Context& context, xdr::CallContext& call, const remote_storage_pool_get_info_args& args) {
    const auto info = context.host.pool_info(object_of(args));
    if (!info) return refused<remote_storage_pool_get_info_ret>(call, info.error());
    return {.state = static_cast<std::uint8_t>(info->state),
            .capacity = info->capacity,
            .allocation = info->allocation,
            .available = info->available};
}

std::int32_t volume_count(const std::vector<host::VolumeKey>& keys) {
    return static_cast<std::int32_t>(keys.size());
}

remote_storage_pool_list_volumes_ret storage_pool_list_volumes(
    Context& context, xdr::CallContext& call, const remote_storage_pool_list_volumes_args& args) {
    const auto keys = context.host.volumes(object_of(args));
    if (!keys) return refused<remote_storage_pool_list_volumes_ret>(call, keys.error());
    return {.names = names_of(call, *keys, args.maxnames, &host::VolumeKey::name)};
}

remote_storage_pool_list_all_volumes_ret storage_pool_list_all_volumes(
    Context& context, xdr::CallContext& call,
    const remote_storage_pool_list_all_volumes_args& args) {
    using Ret = remote_storage_pool_list_all_volumes_ret;
    const auto keys = context.host.volumes(object_of(args));
    if (!keys) return refused<Ret>(call, keys.error());
    return list_of<Ret>(call, *keys, args.need_results, "volumes", REMOTE_STORAGE_VOL_LIST_MAX);
}

}  // namespace

void add_pools(Table& table) {
    using host::PoolInfo;
    using host::list_networks::kActive, host::list_networks::kInactive;
    table.CONNECT_LIST_ALL_STORAGE_POOLS = connect_list_all_storage_pools;
    table.CONNECT_NUM_OF_STORAGE_POOLS = list_count<&Host::pools, kActive>;
    table.CONNECT_NUM_OF_DEFINED_STORAGE_POOLS = list_count<&Host::pools, kInactive>;
    table.CONNECT_LIST_STORAGE_POOLS = list_names<&Host::pools, kActive>;
    table.CONNECT_LIST_DEFINED_STORAGE_POOLS = list_names<&Host::pools, kInactive>;
    table.STORAGE_POOL_LOOKUP_BY_NAME = forward_to<&Host::pool_by_name>;
    table.STORAGE_POOL_LOOKUP_BY_UUID = forward_to<&Host::pool_by_uuid>;
    table.STORAGE_POOL_LOOKUP_BY_VOLUME = storage_pool_lookup_by_volume;
    table.STORAGE_POOL_LOOKUP_BY_TARGET_PATH = forward_to<&Host::pool_by_path>;
    table.STORAGE_POOL_GET_XML_DESC = forward_to<&Host::pool_xml>;
    table.STORAGE_POOL_GET_INFO = storage_pool_get_info;
    table.STORAGE_POOL_IS_ACTIVE = forward_to<&Host::pool_info, &PoolInfo::active>;
    table.STORAGE_POOL_IS_PERSISTENT = forward_to<&Host::pool_info, &PoolInfo::persistent>;
    table.STORAGE_POOL_GET_AUTOSTART = forward_to<&Host::pool_info, &PoolInfo::autostart>;
    table.STORAGE_POOL_SET_AUTOSTART = set_autostart<&Host::set_pool_autostart>;
    table.STORAGE_POOL_CREATE = forward_to<&Host::start_pool>;
    table.STORAGE_POOL_CREATE_XML = forward_to<&Host::create_pool>;
    table.STORAGE_POOL_DEFINE_XML = forward_to<&Host::define_pool>;
    table.STORAGE_POOL_DESTROY = forward_to<&Host::destroy_pool>;
    table.STORAGE_POOL_UNDEFINE = forward_to<&Host::undefine_pool>;
    table.STORAGE_POOL_BUILD = forward_to<&Host::build_pool>;
    table.STORAGE_POOL_DELETE = forward_to<&Host::delete_pool>;
    table.STORAGE_POOL_REFRESH = forward_to<&Host::refresh_pool>;
    table.STORAGE_POOL_NUM_OF_VOLUMES = forward_to<&Host::volumes, volume_count>;
    table.STORAGE_POOL_LIST_VOLUMES = storage_pool_list_volumes;
    table.STORAGE_POOL_LIST_ALL_VOLUMES = storage_pool_list_all_volumes;
}

}  // namespace helio::virt::daemon
