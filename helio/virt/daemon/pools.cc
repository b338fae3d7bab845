// Storage pools.
#include <fmt/format.h>

#include "helio/virt/daemon/remote_service_internal.h"

namespace helio::virt::daemon {

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
    std::vector<remote::remote_nonnull_string> names;
    for (const host::PoolKey& key : host.pools(flags)) {
        if (names.size() >= static_cast<std::size_t>(std::max(most, 0))) break;
        names.push_back(kept(call, key.name));
    }
    return {.names = kept(call, names)};
}

}  // namespace

remote::remote_connect_list_all_storage_pools_ret RemoteService::CONNECT_LIST_ALL_STORAGE_POOLS(
    xdr::CallContext& call, const remote::remote_connect_list_all_storage_pools_args& args) {
    const auto keys = host_.pools(args.flags);
    const auto count = static_cast<std::uint32_t>(keys.size());
    if (args.need_results == 0) return {.pools = {}, .ret = count};
    if (keys.size() > remote::REMOTE_STORAGE_POOL_LIST_MAX)
        return refused_too_many<remote::remote_connect_list_all_storage_pools_ret>(
            call, "storage pools", keys.size(), remote::REMOTE_STORAGE_POOL_LIST_MAX);
    std::vector<remote::remote_nonnull_storage_pool> all;
    for (const host::PoolKey& key : keys) all.push_back(to_wire(call, key));
    return {.pools = kept(call, all), .ret = count};
}

remote::remote_connect_num_of_storage_pools_ret RemoteService::CONNECT_NUM_OF_STORAGE_POOLS(
    xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(host_.pools(host::list_networks::kActive).size())};
}

remote::remote_connect_num_of_defined_storage_pools_ret
RemoteService::CONNECT_NUM_OF_DEFINED_STORAGE_POOLS(xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(host_.pools(host::list_networks::kInactive).size())};
}

remote::remote_connect_list_storage_pools_ret RemoteService::CONNECT_LIST_STORAGE_POOLS(
    xdr::CallContext& call, const remote::remote_connect_list_storage_pools_args& args) {
    return pool_names<remote::remote_connect_list_storage_pools_ret>(
        call, host_, host::list_networks::kActive, args.maxnames);
}

remote::remote_connect_list_defined_storage_pools_ret
RemoteService::CONNECT_LIST_DEFINED_STORAGE_POOLS(
    xdr::CallContext& call, const remote::remote_connect_list_defined_storage_pools_args& args) {
    return pool_names<remote::remote_connect_list_defined_storage_pools_ret>(
        call, host_, host::list_networks::kInactive, args.maxnames);
}

remote::remote_storage_pool_lookup_by_name_ret RemoteService::STORAGE_POOL_LOOKUP_BY_NAME(
    xdr::CallContext& call, const remote::remote_storage_pool_lookup_by_name_args& args) {
    return give_pool<remote::remote_storage_pool_lookup_by_name_ret>(call,
                                                                     host_.pool_by_name(args.name));
}

remote::remote_storage_pool_lookup_by_uuid_ret RemoteService::STORAGE_POOL_LOOKUP_BY_UUID(
    xdr::CallContext& call, const remote::remote_storage_pool_lookup_by_uuid_args& args) {
    return give_pool<remote::remote_storage_pool_lookup_by_uuid_ret>(
        call, host_.pool_by_uuid(uuid_of(args.uuid)));
}

remote::remote_storage_pool_lookup_by_volume_ret RemoteService::STORAGE_POOL_LOOKUP_BY_VOLUME(
    xdr::CallContext& call, const remote::remote_storage_pool_lookup_by_volume_args& args) {
    return give_pool<remote::remote_storage_pool_lookup_by_volume_ret>(
        call, host_.pool_by_name(args.vol.pool));
}

remote::remote_storage_pool_lookup_by_target_path_ret
RemoteService::STORAGE_POOL_LOOKUP_BY_TARGET_PATH(
    xdr::CallContext& call, const remote::remote_storage_pool_lookup_by_target_path_args& args) {
    return give_pool<remote::remote_storage_pool_lookup_by_target_path_ret>(
        call, host_.pool_by_path(args.path));
}

remote::remote_storage_pool_get_xml_desc_ret RemoteService::STORAGE_POOL_GET_XML_DESC(
    xdr::CallContext& call, const remote::remote_storage_pool_get_xml_desc_args& args) {
    const auto xml = host_.pool_xml(uuid_of(args.pool.uuid));
    if (!xml) return refused<remote::remote_storage_pool_get_xml_desc_ret>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

remote::remote_storage_pool_get_info_ret RemoteService::STORAGE_POOL_GET_INFO(
    xdr::CallContext& call, const remote::remote_storage_pool_get_info_args& args) {
    const auto info = host_.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote::remote_storage_pool_get_info_ret>(call, info.error());
    return {.state = static_cast<std::uint8_t>(info->state),
            .capacity = info->capacity,
            .allocation = info->allocation,
            .available = info->available};
}

remote::remote_storage_pool_is_active_ret RemoteService::STORAGE_POOL_IS_ACTIVE(
    xdr::CallContext& call, const remote::remote_storage_pool_is_active_args& args) {
    const auto info = host_.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote::remote_storage_pool_is_active_ret>(call, info.error());
    return {.active = info->active};
}

remote::remote_storage_pool_is_persistent_ret RemoteService::STORAGE_POOL_IS_PERSISTENT(
    xdr::CallContext& call, const remote::remote_storage_pool_is_persistent_args& args) {
    const auto info = host_.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote::remote_storage_pool_is_persistent_ret>(call, info.error());
    return {.persistent = info->persistent};
}

remote::remote_storage_pool_get_autostart_ret RemoteService::STORAGE_POOL_GET_AUTOSTART(
    xdr::CallContext& call, const remote::remote_storage_pool_get_autostart_args& args) {
    const auto info = host_.pool_info(uuid_of(args.pool.uuid));
    if (!info) return refused<remote::remote_storage_pool_get_autostart_ret>(call, info.error());
    return {.autostart = info->autostart};
}

void RemoteService::STORAGE_POOL_SET_AUTOSTART(
    xdr::CallContext& call, const remote::remote_storage_pool_set_autostart_args& args) {
    settle_pool(call, host_.set_pool_autostart(uuid_of(args.pool.uuid), args.autostart != 0));
}

void RemoteService::STORAGE_POOL_CREATE(xdr::CallContext& call,
                                        const remote::remote_storage_pool_create_args& args) {
    settle_pool(call, host_.start_pool(uuid_of(args.pool.uuid)));
}

remote::remote_storage_pool_create_xml_ret RemoteService::STORAGE_POOL_CREATE_XML(
    xdr::CallContext& call, const remote::remote_storage_pool_create_xml_args& args) {
    return give_pool<remote::remote_storage_pool_create_xml_ret>(call, host_.create_pool(args.xml));
}

remote::remote_storage_pool_define_xml_ret RemoteService::STORAGE_POOL_DEFINE_XML(
    xdr::CallContext& call, const remote::remote_storage_pool_define_xml_args& args) {
    return give_pool<remote::remote_storage_pool_define_xml_ret>(call, host_.define_pool(args.xml));
}

void RemoteService::STORAGE_POOL_DESTROY(xdr::CallContext& call,
                                         const remote::remote_storage_pool_destroy_args& args) {
    settle_pool(call, host_.destroy_pool(uuid_of(args.pool.uuid)));
}

void RemoteService::STORAGE_POOL_UNDEFINE(xdr::CallContext& call,
                                          const remote::remote_storage_pool_undefine_args& args) {
    settle_pool(call, host_.undefine_pool(uuid_of(args.pool.uuid)));
}

void RemoteService::STORAGE_POOL_BUILD(xdr::CallContext& call,
                                       const remote::remote_storage_pool_build_args& args) {
    settle_pool(call, host_.build_pool(uuid_of(args.pool.uuid)));
}

void RemoteService::STORAGE_POOL_DELETE(xdr::CallContext& call,
                                        const remote::remote_storage_pool_delete_args& args) {
    settle_pool(call, host_.delete_pool(uuid_of(args.pool.uuid)));
}

void RemoteService::STORAGE_POOL_REFRESH(xdr::CallContext& call,
                                         const remote::remote_storage_pool_refresh_args& args) {
    settle_pool(call, host_.refresh_pool(uuid_of(args.pool.uuid)));
}

remote::remote_storage_pool_num_of_volumes_ret RemoteService::STORAGE_POOL_NUM_OF_VOLUMES(
    xdr::CallContext& call, const remote::remote_storage_pool_num_of_volumes_args& args) {
    const auto keys = host_.volumes(uuid_of(args.pool.uuid));
    if (!keys) return refused<remote::remote_storage_pool_num_of_volumes_ret>(call, keys.error());
    return {.num = static_cast<std::int32_t>(keys->size())};
}

remote::remote_storage_pool_list_volumes_ret RemoteService::STORAGE_POOL_LIST_VOLUMES(
    xdr::CallContext& call, const remote::remote_storage_pool_list_volumes_args& args) {
    const auto keys = host_.volumes(uuid_of(args.pool.uuid));
    if (!keys) return refused<remote::remote_storage_pool_list_volumes_ret>(call, keys.error());
    std::vector<remote::remote_nonnull_string> names;
    for (const host::VolumeKey& key : *keys) {
        if (names.size() >= static_cast<std::size_t>(std::max(args.maxnames, 0))) break;
        names.push_back(kept(call, key.name));
    }
    return {.names = kept(call, names)};
}

remote::remote_storage_pool_list_all_volumes_ret RemoteService::STORAGE_POOL_LIST_ALL_VOLUMES(
    xdr::CallContext& call, const remote::remote_storage_pool_list_all_volumes_args& args) {
    using Ret = remote::remote_storage_pool_list_all_volumes_ret;
    const auto keys = host_.volumes(uuid_of(args.pool.uuid));
    if (!keys) return refused<Ret>(call, keys.error());
    const auto count = static_cast<std::uint32_t>(keys->size());
    if (args.need_results == 0) return {.vols = {}, .ret = count};
    if (keys->size() > remote::REMOTE_STORAGE_VOL_LIST_MAX)
        return refused_too_many<Ret>(call, "volumes", keys->size(),
                                     remote::REMOTE_STORAGE_VOL_LIST_MAX);
    std::vector<remote::remote_nonnull_storage_vol> all;
    for (const host::VolumeKey& key : *keys) all.push_back(to_wire(call, key));
    return {.vols = kept(call, all), .ret = count};
}

}  // namespace helio::virt::daemon
