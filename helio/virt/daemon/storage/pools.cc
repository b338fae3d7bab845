// Storage pools.
#include <fmt/format.h>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

void settle_pool(xdr::CallContext& call, const host::Outcome<void>& outcome) {
    if (!outcome) refused(call, outcome.error());
}

template <class Returned>
Returned give_pool(xdr::CallContext& call, const host::Outcome<host::PoolKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.pool = to_wire(call, *key)};
}

template <class Returned>
Returned pool_names(xdr::CallContext& call, const host::Host& host, std::uint32_t flags,
                    std::int32_t most) {
    std::vector<remote_nonnull_string> names;
    for (const host::PoolKey& key : host.pools(flags)) {
        if (names.size() >= static_cast<std::size_t>(std::max(most, 0))) break;
        names.push_back(kept(call, key.name));
    }
    return {.names = kept(call, names)};
}

remote_connect_list_all_storage_pools_ret connect_list_all_storage_pools(
    Context& context, xdr::CallContext& call,
    const remote_connect_list_all_storage_pools_args& args) {
    const auto keys = context.host.pools(args.flags);
    const auto count = static_cast<std::uint32_t>(keys.size());
    if (args.need_results == 0) return {.pools = {}, .ret = count};
    if (keys.size() > REMOTE_STORAGE_POOL_LIST_MAX)
        return refused_too_many<remote_connect_list_all_storage_pools_ret>(
            call, "storage pools", keys.size(), REMOTE_STORAGE_POOL_LIST_MAX);
    std::vector<remote_nonnull_storage_pool> all;
    for (const host::PoolKey& key : keys) all.push_back(to_wire(call, key));
    return {.pools = kept(call, all), .ret = count};
}

remote_connect_num_of_storage_pools_ret connect_num_of_storage_pools(Context& context,
                                                                     xdr::CallContext&) {
    return {.num =
                static_cast<std::int32_t>(context.host.pools(host::list_networks::kActive).size())};
}

remote_connect_num_of_defined_storage_pools_ret connect_num_of_defined_storage_pools(
    Context& context, xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(
                context.host.pools(host::list_networks::kInactive).size())};
}

remote_connect_list_storage_pools_ret connect_list_storage_pools(
    Context& context, xdr::CallContext& call, const remote_connect_list_storage_pools_args& args) {
    return pool_names<remote_connect_list_storage_pools_ret>(
        call, context.host, host::list_networks::kActive, args.maxnames);
}

remote_connect_list_defined_storage_pools_ret connect_list_defined_storage_pools(
    Context& context, xdr::CallContext& call,
    const remote_connect_list_defined_storage_pools_args& args) {
    return pool_names<remote_connect_list_defined_storage_pools_ret>(
        call, context.host, host::list_networks::kInactive, args.maxnames);
}

remote_storage_pool_lookup_by_name_ret storage_pool_lookup_by_name(
    Context& context, xdr::CallContext& call, const remote_storage_pool_lookup_by_name_args& args) {
    return give_pool<remote_storage_pool_lookup_by_name_ret>(call,
                                                             context.host.pool_by_name(args.name));
}

remote_storage_pool_lookup_by_uuid_ret storage_pool_lookup_by_uuid(
    Context& context, xdr::CallContext& call, const remote_storage_pool_lookup_by_uuid_args& args) {
    return give_pool<remote_storage_pool_lookup_by_uuid_ret>(
        call, context.host.pool_by_uuid(uuid_of(args.uuid)));
}

remote_storage_pool_lookup_by_volume_ret storage_pool_lookup_by_volume(
    Context& context, xdr::CallContext& call,
    const remote_storage_pool_lookup_by_volume_args& args) {
    return give_pool<remote_storage_pool_lookup_by_volume_ret>(
        call, context.host.pool_by_name(args.vol.pool));
}

remote_storage_pool_lookup_by_target_path_ret storage_pool_lookup_by_target_path(
    Context& context, xdr::CallContext& call,
    const remote_storage_pool_lookup_by_target_path_args& args) {
    return give_pool<remote_storage_pool_lookup_by_target_path_ret>(
        call, context.host.pool_by_path(args.path));
}

remote_storage_pool_get_xml_desc_ret storage_pool_get_xml_desc(
    Context& context, xdr::CallContext& call, const remote_storage_pool_get_xml_desc_args& args) {
    const auto xml = context.host.pool_xml(uuid_of(args.pool.uuid));
    if (!xml) return refused<remote_storage_pool_get_xml_desc_ret>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

remote_storage_pool_get_info_ret storage_pool_get_info(
    Context& context, xdr::CallContext& call, const remote_storage_pool_get_info_args& args) {
    const auto info = context.host.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote_storage_pool_get_info_ret>(call, info.error());
    return {.state = static_cast<std::uint8_t>(info->state),
            .capacity = info->capacity,
            .allocation = info->allocation,
            .available = info->available};
}

remote_storage_pool_is_active_ret storage_pool_is_active(
    Context& context, xdr::CallContext& call, const remote_storage_pool_is_active_args& args) {
    const auto info = context.host.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote_storage_pool_is_active_ret>(call, info.error());
    return {.active = info->active};
}

remote_storage_pool_is_persistent_ret storage_pool_is_persistent(
    Context& context, xdr::CallContext& call, const remote_storage_pool_is_persistent_args& args) {
    const auto info = context.host.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote_storage_pool_is_persistent_ret>(call, info.error());
    return {.persistent = info->persistent};
}

remote_storage_pool_get_autostart_ret storage_pool_get_autostart(
    Context& context, xdr::CallContext& call, const remote_storage_pool_get_autostart_args& args) {
    const auto info = context.host.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote_storage_pool_get_autostart_ret>(call, info.error());
    return {.autostart = info->autostart};
}

void storage_pool_set_autostart(Context& context, xdr::CallContext& call,
                                const remote_storage_pool_set_autostart_args& args) {
    settle_pool(call,
                context.host.set_pool_autostart(uuid_of(args.pool.uuid), args.autostart != 0));
}

void storage_pool_create(Context& context, xdr::CallContext& call,
                         const remote_storage_pool_create_args& args) {
    settle_pool(call, context.host.start_pool(uuid_of(args.pool.uuid)));
}

remote_storage_pool_create_xml_ret storage_pool_create_xml(
    Context& context, xdr::CallContext& call, const remote_storage_pool_create_xml_args& args) {
    return give_pool<remote_storage_pool_create_xml_ret>(call, context.host.create_pool(args.xml));
}

remote_storage_pool_define_xml_ret storage_pool_define_xml(
    Context& context, xdr::CallContext& call, const remote_storage_pool_define_xml_args& args) {
    return give_pool<remote_storage_pool_define_xml_ret>(call, context.host.define_pool(args.xml));
}

void storage_pool_destroy(Context& context, xdr::CallContext& call,
                          const remote_storage_pool_destroy_args& args) {
    settle_pool(call, context.host.destroy_pool(uuid_of(args.pool.uuid)));
}

void storage_pool_undefine(Context& context, xdr::CallContext& call,
                           const remote_storage_pool_undefine_args& args) {
    settle_pool(call, context.host.undefine_pool(uuid_of(args.pool.uuid)));
}

void storage_pool_build(Context& context, xdr::CallContext& call,
                        const remote_storage_pool_build_args& args) {
    settle_pool(call, context.host.build_pool(uuid_of(args.pool.uuid)));
}

void storage_pool_delete(Context& context, xdr::CallContext& call,
                         const remote_storage_pool_delete_args& args) {
    settle_pool(call, context.host.delete_pool(uuid_of(args.pool.uuid)));
}

void storage_pool_refresh(Context& context, xdr::CallContext& call,
                          const remote_storage_pool_refresh_args& args) {
    settle_pool(call, context.host.refresh_pool(uuid_of(args.pool.uuid)));
}

remote_storage_pool_num_of_volumes_ret storage_pool_num_of_volumes(
    Context& context, xdr::CallContext& call, const remote_storage_pool_num_of_volumes_args& args) {
    const auto keys = context.host.volumes(uuid_of(args.pool.uuid));
    if (!keys) return refused<remote_storage_pool_num_of_volumes_ret>(call, keys.error());
    return {.num = static_cast<std::int32_t>(keys->size())};
}

remote_storage_pool_list_volumes_ret storage_pool_list_volumes(
    Context& context, xdr::CallContext& call, const remote_storage_pool_list_volumes_args& args) {
    const auto keys = context.host.volumes(uuid_of(args.pool.uuid));
    if (!keys) return refused<remote_storage_pool_list_volumes_ret>(call, keys.error());
    std::vector<remote_nonnull_string> names;
    for (const host::VolumeKey& key : *keys) {
        if (names.size() >= static_cast<std::size_t>(std::max(args.maxnames, 0))) break;
        names.push_back(kept(call, key.name));
    }
    return {.names = kept(call, names)};
}

remote_storage_pool_list_all_volumes_ret storage_pool_list_all_volumes(
    Context& context, xdr::CallContext& call,
    const remote_storage_pool_list_all_volumes_args& args) {
    using Ret = remote_storage_pool_list_all_volumes_ret;
    const auto keys = context.host.volumes(uuid_of(args.pool.uuid));
    if (!keys) return refused<Ret>(call, keys.error());
    const auto count = static_cast<std::uint32_t>(keys->size());
    if (args.need_results == 0) return {.vols = {}, .ret = count};
    if (keys->size() > REMOTE_STORAGE_VOL_LIST_MAX)
        return refused_too_many<Ret>(call, "volumes", keys->size(), REMOTE_STORAGE_VOL_LIST_MAX);
    std::vector<remote_nonnull_storage_vol> all;
    for (const host::VolumeKey& key : *keys) all.push_back(to_wire(call, key));
    return {.vols = kept(call, all), .ret = count};
}

}  // namespace

void add_pools(Table& table) {
    table.CONNECT_LIST_ALL_STORAGE_POOLS = connect_list_all_storage_pools;
    table.CONNECT_NUM_OF_STORAGE_POOLS = connect_num_of_storage_pools;
    table.CONNECT_NUM_OF_DEFINED_STORAGE_POOLS = connect_num_of_defined_storage_pools;
    table.CONNECT_LIST_STORAGE_POOLS = connect_list_storage_pools;
    table.CONNECT_LIST_DEFINED_STORAGE_POOLS = connect_list_defined_storage_pools;
    table.STORAGE_POOL_LOOKUP_BY_NAME = storage_pool_lookup_by_name;
    table.STORAGE_POOL_LOOKUP_BY_UUID = storage_pool_lookup_by_uuid;
    table.STORAGE_POOL_LOOKUP_BY_VOLUME = storage_pool_lookup_by_volume;
    table.STORAGE_POOL_LOOKUP_BY_TARGET_PATH = storage_pool_lookup_by_target_path;
    table.STORAGE_POOL_GET_XML_DESC = storage_pool_get_xml_desc;
    table.STORAGE_POOL_GET_INFO = storage_pool_get_info;
    table.STORAGE_POOL_IS_ACTIVE = storage_pool_is_active;
    table.STORAGE_POOL_IS_PERSISTENT = storage_pool_is_persistent;
    table.STORAGE_POOL_GET_AUTOSTART = storage_pool_get_autostart;
    table.STORAGE_POOL_SET_AUTOSTART = storage_pool_set_autostart;
    table.STORAGE_POOL_CREATE = storage_pool_create;
    table.STORAGE_POOL_CREATE_XML = storage_pool_create_xml;
    table.STORAGE_POOL_DEFINE_XML = storage_pool_define_xml;
    table.STORAGE_POOL_DESTROY = storage_pool_destroy;
    table.STORAGE_POOL_UNDEFINE = storage_pool_undefine;
    table.STORAGE_POOL_BUILD = storage_pool_build;
    table.STORAGE_POOL_DELETE = storage_pool_delete;
    table.STORAGE_POOL_REFRESH = storage_pool_refresh;
    table.STORAGE_POOL_NUM_OF_VOLUMES = storage_pool_num_of_volumes;
    table.STORAGE_POOL_LIST_VOLUMES = storage_pool_list_volumes;
    table.STORAGE_POOL_LIST_ALL_VOLUMES = storage_pool_list_all_volumes;
}

}  // namespace helio::virt::daemon
