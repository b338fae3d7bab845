// The remote program over a simulated host: libvirt's procedures, each a few lines from the wire's
// words to the host's and back. Called by all threads at once; what belongs to one client is in its
// ClientState. Procedures that are not here are answered as a driver without them would.
#pragma once

#include "helio/virt/daemon/domains/domain_service_internal.h"
#include "helio/virt/daemon/event_hub_internal.h"
#include "helio/virt/daemon/wire_internal.h"
#include "helio/virt/host/host.h"
#include "schema/remote_service.h"

namespace helio::virt::daemon {

class RemoteService final : public DomainService {
 public:
    RemoteService(host::Host& host, EventHub& events) : DomainService(host), events_(events) {}

    // ---- The connection and the node ----
    void CONNECT_OPEN(xdr::CallContext& call,
                      const remote::remote_connect_open_args& args) override;
    void CONNECT_CLOSE(xdr::CallContext& call) override;
    remote::remote_connect_get_type_ret CONNECT_GET_TYPE(xdr::CallContext& call) override;
    remote::remote_connect_get_version_ret CONNECT_GET_VERSION(xdr::CallContext& call) override;
    remote::remote_connect_get_lib_version_ret CONNECT_GET_LIB_VERSION(
        xdr::CallContext& call) override;
    remote::remote_connect_get_max_vcpus_ret CONNECT_GET_MAX_VCPUS(
        xdr::CallContext& call, const remote::remote_connect_get_max_vcpus_args& args) override;
    remote::remote_node_get_info_ret NODE_GET_INFO(xdr::CallContext& call) override;
    remote::remote_connect_get_capabilities_ret CONNECT_GET_CAPABILITIES(
        xdr::CallContext& call) override;
    remote::remote_connect_get_hostname_ret CONNECT_GET_HOSTNAME(xdr::CallContext& call) override;
    remote::remote_connect_get_uri_ret CONNECT_GET_URI(xdr::CallContext& call) override;
    remote::remote_connect_get_sysinfo_ret CONNECT_GET_SYSINFO(
        xdr::CallContext& call, const remote::remote_connect_get_sysinfo_args& args) override;
    remote::remote_connect_supports_feature_ret CONNECT_SUPPORTS_FEATURE(
        xdr::CallContext& call, const remote::remote_connect_supports_feature_args& args) override;
    remote::remote_connect_is_secure_ret CONNECT_IS_SECURE(xdr::CallContext& call) override;
    void CONNECT_REGISTER_CLOSE_CALLBACK(xdr::CallContext& call) override;
    void CONNECT_UNREGISTER_CLOSE_CALLBACK(xdr::CallContext& call) override;
    remote::remote_auth_list_ret AUTH_LIST(xdr::CallContext& call) override;
    remote::remote_auth_sasl_init_ret AUTH_SASL_INIT(xdr::CallContext& call) override;
    remote::remote_auth_sasl_start_ret AUTH_SASL_START(
        xdr::CallContext& call, const remote::remote_auth_sasl_start_args& args) override;
    remote::remote_auth_sasl_step_ret AUTH_SASL_STEP(
        xdr::CallContext& call, const remote::remote_auth_sasl_step_args& args) override;
    remote::remote_node_get_free_memory_ret NODE_GET_FREE_MEMORY(xdr::CallContext& call) override;
    remote::remote_node_get_cells_free_memory_ret NODE_GET_CELLS_FREE_MEMORY(
        xdr::CallContext& call,
        const remote::remote_node_get_cells_free_memory_args& args) override;
    remote::remote_node_get_cpu_stats_ret NODE_GET_CPU_STATS(
        xdr::CallContext& call, const remote::remote_node_get_cpu_stats_args& args) override;
    remote::remote_node_get_memory_stats_ret NODE_GET_MEMORY_STATS(
        xdr::CallContext& call, const remote::remote_node_get_memory_stats_args& args) override;
    remote::remote_node_get_cpu_map_ret NODE_GET_CPU_MAP(
        xdr::CallContext& call, const remote::remote_node_get_cpu_map_args& args) override;

    // ---- Domains: lists and lookups ----
    remote::remote_connect_list_all_domains_ret CONNECT_LIST_ALL_DOMAINS(
        xdr::CallContext& call, const remote::remote_connect_list_all_domains_args& args) override;
    remote::remote_connect_num_of_domains_ret CONNECT_NUM_OF_DOMAINS(
        xdr::CallContext& call) override;
    remote::remote_connect_list_domains_ret CONNECT_LIST_DOMAINS(
        xdr::CallContext& call, const remote::remote_connect_list_domains_args& args) override;
    remote::remote_connect_num_of_defined_domains_ret CONNECT_NUM_OF_DEFINED_DOMAINS(
        xdr::CallContext& call) override;
    remote::remote_connect_list_defined_domains_ret CONNECT_LIST_DEFINED_DOMAINS(
        xdr::CallContext& call,
        const remote::remote_connect_list_defined_domains_args& args) override;
    remote::remote_domain_lookup_by_id_ret DOMAIN_LOOKUP_BY_ID(
        xdr::CallContext& call, const remote::remote_domain_lookup_by_id_args& args) override;
    remote::remote_domain_lookup_by_name_ret DOMAIN_LOOKUP_BY_NAME(
        xdr::CallContext& call, const remote::remote_domain_lookup_by_name_args& args) override;
    remote::remote_domain_lookup_by_uuid_ret DOMAIN_LOOKUP_BY_UUID(
        xdr::CallContext& call, const remote::remote_domain_lookup_by_uuid_args& args) override;

    // ---- Domains: questions ----
    remote::remote_domain_get_info_ret DOMAIN_GET_INFO(
        xdr::CallContext& call, const remote::remote_domain_get_info_args& args) override;
    remote::remote_domain_get_state_ret DOMAIN_GET_STATE(
        xdr::CallContext& call, const remote::remote_domain_get_state_args& args) override;
    remote::remote_domain_get_xml_desc_ret DOMAIN_GET_XML_DESC(
        xdr::CallContext& call, const remote::remote_domain_get_xml_desc_args& args) override;
    remote::remote_domain_get_os_type_ret DOMAIN_GET_OS_TYPE(
        xdr::CallContext& call, const remote::remote_domain_get_os_type_args& args) override;
    remote::remote_domain_get_max_memory_ret DOMAIN_GET_MAX_MEMORY(
        xdr::CallContext& call, const remote::remote_domain_get_max_memory_args& args) override;
    remote::remote_domain_get_max_vcpus_ret DOMAIN_GET_MAX_VCPUS(
        xdr::CallContext& call, const remote::remote_domain_get_max_vcpus_args& args) override;
    remote::remote_domain_get_vcpus_ret DOMAIN_GET_VCPUS(
        xdr::CallContext& call, const remote::remote_domain_get_vcpus_args& args) override;
    remote::remote_domain_get_vcpus_flags_ret DOMAIN_GET_VCPUS_FLAGS(
        xdr::CallContext& call, const remote::remote_domain_get_vcpus_flags_args& args) override;
    remote::remote_domain_is_active_ret DOMAIN_IS_ACTIVE(
        xdr::CallContext& call, const remote::remote_domain_is_active_args& args) override;
    remote::remote_domain_is_persistent_ret DOMAIN_IS_PERSISTENT(
        xdr::CallContext& call, const remote::remote_domain_is_persistent_args& args) override;
    remote::remote_domain_is_updated_ret DOMAIN_IS_UPDATED(
        xdr::CallContext& call, const remote::remote_domain_is_updated_args& args) override;
    remote::remote_domain_get_autostart_ret DOMAIN_GET_AUTOSTART(
        xdr::CallContext& call, const remote::remote_domain_get_autostart_args& args) override;
    remote::remote_domain_has_managed_save_image_ret DOMAIN_HAS_MANAGED_SAVE_IMAGE(
        xdr::CallContext& call,
        const remote::remote_domain_has_managed_save_image_args& args) override;
    remote::remote_domain_get_metadata_ret DOMAIN_GET_METADATA(
        xdr::CallContext& call, const remote::remote_domain_get_metadata_args& args) override;
    remote::remote_domain_get_scheduler_type_ret DOMAIN_GET_SCHEDULER_TYPE(
        xdr::CallContext& call, const remote::remote_domain_get_scheduler_type_args& args) override;
    remote::remote_domain_get_control_info_ret DOMAIN_GET_CONTROL_INFO(
        xdr::CallContext& call, const remote::remote_domain_get_control_info_args& args) override;
    remote::remote_domain_get_job_info_ret DOMAIN_GET_JOB_INFO(
        xdr::CallContext& call, const remote::remote_domain_get_job_info_args& args) override;
    remote::remote_domain_get_hostname_ret DOMAIN_GET_HOSTNAME(
        xdr::CallContext& call, const remote::remote_domain_get_hostname_args& args) override;
    remote::remote_domain_interface_addresses_ret DOMAIN_INTERFACE_ADDRESSES(
        xdr::CallContext& call,
        const remote::remote_domain_interface_addresses_args& args) override;
    remote::remote_domain_block_stats_ret DOMAIN_BLOCK_STATS(
        xdr::CallContext& call, const remote::remote_domain_block_stats_args& args) override;
    remote::remote_domain_interface_stats_ret DOMAIN_INTERFACE_STATS(
        xdr::CallContext& call, const remote::remote_domain_interface_stats_args& args) override;
    remote::remote_domain_memory_stats_ret DOMAIN_MEMORY_STATS(
        xdr::CallContext& call, const remote::remote_domain_memory_stats_args& args) override;
    remote::remote_domain_get_block_info_ret DOMAIN_GET_BLOCK_INFO(
        xdr::CallContext& call, const remote::remote_domain_get_block_info_args& args) override;
    remote::remote_connect_get_all_domain_stats_ret CONNECT_GET_ALL_DOMAIN_STATS(
        xdr::CallContext& call,
        const remote::remote_connect_get_all_domain_stats_args& args) override;

    // ---- Domains: life cycle and changes ----
    void DOMAIN_CREATE(xdr::CallContext& call,
                       const remote::remote_domain_create_args& args) override;
    remote::remote_domain_create_with_flags_ret DOMAIN_CREATE_WITH_FLAGS(
        xdr::CallContext& call, const remote::remote_domain_create_with_flags_args& args) override;
    remote::remote_domain_create_xml_ret DOMAIN_CREATE_XML(
        xdr::CallContext& call, const remote::remote_domain_create_xml_args& args) override;
    remote::remote_domain_define_xml_ret DOMAIN_DEFINE_XML(
        xdr::CallContext& call, const remote::remote_domain_define_xml_args& args) override;
    remote::remote_domain_define_xml_flags_ret DOMAIN_DEFINE_XML_FLAGS(
        xdr::CallContext& call, const remote::remote_domain_define_xml_flags_args& args) override;
    void DOMAIN_DESTROY(xdr::CallContext& call,
                        const remote::remote_domain_destroy_args& args) override;
    void DOMAIN_DESTROY_FLAGS(xdr::CallContext& call,
                              const remote::remote_domain_destroy_flags_args& args) override;
    void DOMAIN_SHUTDOWN(xdr::CallContext& call,
                         const remote::remote_domain_shutdown_args& args) override;
    void DOMAIN_SHUTDOWN_FLAGS(xdr::CallContext& call,
                               const remote::remote_domain_shutdown_flags_args& args) override;
    void DOMAIN_REBOOT(xdr::CallContext& call,
                       const remote::remote_domain_reboot_args& args) override;
    void DOMAIN_RESET(xdr::CallContext& call,
                      const remote::remote_domain_reset_args& args) override;
    void DOMAIN_SUSPEND(xdr::CallContext& call,
                        const remote::remote_domain_suspend_args& args) override;
    void DOMAIN_RESUME(xdr::CallContext& call,
                       const remote::remote_domain_resume_args& args) override;
    void DOMAIN_UNDEFINE(xdr::CallContext& call,
                         const remote::remote_domain_undefine_args& args) override;
    void DOMAIN_UNDEFINE_FLAGS(xdr::CallContext& call,
                               const remote::remote_domain_undefine_flags_args& args) override;
    void DOMAIN_MANAGED_SAVE(xdr::CallContext& call,
                             const remote::remote_domain_managed_save_args& args) override;
    void DOMAIN_MANAGED_SAVE_REMOVE(
        xdr::CallContext& call,
        const remote::remote_domain_managed_save_remove_args& args) override;
    remote::remote_domain_rename_ret DOMAIN_RENAME(
        xdr::CallContext& call, const remote::remote_domain_rename_args& args) override;
    void DOMAIN_SET_AUTOSTART(xdr::CallContext& call,
                              const remote::remote_domain_set_autostart_args& args) override;
    void DOMAIN_SET_MEMORY(xdr::CallContext& call,
                           const remote::remote_domain_set_memory_args& args) override;
    void DOMAIN_SET_MEMORY_FLAGS(xdr::CallContext& call,
                                 const remote::remote_domain_set_memory_flags_args& args) override;
    void DOMAIN_SET_MAX_MEMORY(xdr::CallContext& call,
                               const remote::remote_domain_set_max_memory_args& args) override;
    void DOMAIN_SET_VCPUS(xdr::CallContext& call,
                          const remote::remote_domain_set_vcpus_args& args) override;
    void DOMAIN_SET_VCPUS_FLAGS(xdr::CallContext& call,
                                const remote::remote_domain_set_vcpus_flags_args& args) override;
    void DOMAIN_SET_METADATA(xdr::CallContext& call,
                             const remote::remote_domain_set_metadata_args& args) override;
    remote::remote_domain_list_all_checkpoints_ret DOMAIN_LIST_ALL_CHECKPOINTS(
        xdr::CallContext& call,
        const remote::remote_domain_list_all_checkpoints_args& args) override;
    void DOMAIN_OPEN_CONSOLE(xdr::CallContext& call,
                             const remote::remote_domain_open_console_args& args) override;

    // ---- Networks ----
    remote::remote_connect_list_all_networks_ret CONNECT_LIST_ALL_NETWORKS(
        xdr::CallContext& call, const remote::remote_connect_list_all_networks_args& args) override;
    remote::remote_connect_num_of_networks_ret CONNECT_NUM_OF_NETWORKS(
        xdr::CallContext& call) override;
    remote::remote_connect_list_networks_ret CONNECT_LIST_NETWORKS(
        xdr::CallContext& call, const remote::remote_connect_list_networks_args& args) override;
    remote::remote_connect_num_of_defined_networks_ret CONNECT_NUM_OF_DEFINED_NETWORKS(
        xdr::CallContext& call) override;
    remote::remote_connect_list_defined_networks_ret CONNECT_LIST_DEFINED_NETWORKS(
        xdr::CallContext& call,
        const remote::remote_connect_list_defined_networks_args& args) override;
    remote::remote_network_lookup_by_name_ret NETWORK_LOOKUP_BY_NAME(
        xdr::CallContext& call, const remote::remote_network_lookup_by_name_args& args) override;
    remote::remote_network_lookup_by_uuid_ret NETWORK_LOOKUP_BY_UUID(
        xdr::CallContext& call, const remote::remote_network_lookup_by_uuid_args& args) override;
    remote::remote_network_get_xml_desc_ret NETWORK_GET_XML_DESC(
        xdr::CallContext& call, const remote::remote_network_get_xml_desc_args& args) override;
    remote::remote_network_get_autostart_ret NETWORK_GET_AUTOSTART(
        xdr::CallContext& call, const remote::remote_network_get_autostart_args& args) override;
    void NETWORK_UPDATE(xdr::CallContext& call,
                        const remote::remote_network_update_args& args) override;
    void NETWORK_SET_AUTOSTART(xdr::CallContext& call,
                               const remote::remote_network_set_autostart_args& args) override;
    remote::remote_network_get_bridge_name_ret NETWORK_GET_BRIDGE_NAME(
        xdr::CallContext& call, const remote::remote_network_get_bridge_name_args& args) override;
    remote::remote_network_is_active_ret NETWORK_IS_ACTIVE(
        xdr::CallContext& call, const remote::remote_network_is_active_args& args) override;
    remote::remote_network_is_persistent_ret NETWORK_IS_PERSISTENT(
        xdr::CallContext& call, const remote::remote_network_is_persistent_args& args) override;
    void NETWORK_CREATE(xdr::CallContext& call,
                        const remote::remote_network_create_args& args) override;
    remote::remote_network_create_xml_ret NETWORK_CREATE_XML(
        xdr::CallContext& call, const remote::remote_network_create_xml_args& args) override;
    remote::remote_network_define_xml_ret NETWORK_DEFINE_XML(
        xdr::CallContext& call, const remote::remote_network_define_xml_args& args) override;
    remote::remote_network_define_xml_flags_ret NETWORK_DEFINE_XML_FLAGS(
        xdr::CallContext& call, const remote::remote_network_define_xml_flags_args& args) override;
    void NETWORK_DESTROY(xdr::CallContext& call,
                         const remote::remote_network_destroy_args& args) override;
    void NETWORK_UNDEFINE(xdr::CallContext& call,
                          const remote::remote_network_undefine_args& args) override;
    remote::remote_network_get_dhcp_leases_ret NETWORK_GET_DHCP_LEASES(
        xdr::CallContext& call, const remote::remote_network_get_dhcp_leases_args& args) override;

    // ---- Storage pools ----
    remote::remote_connect_list_all_storage_pools_ret CONNECT_LIST_ALL_STORAGE_POOLS(
        xdr::CallContext& call,
        const remote::remote_connect_list_all_storage_pools_args& args) override;
    remote::remote_connect_num_of_storage_pools_ret CONNECT_NUM_OF_STORAGE_POOLS(
        xdr::CallContext& call) override;
    remote::remote_connect_list_storage_pools_ret CONNECT_LIST_STORAGE_POOLS(
        xdr::CallContext& call,
        const remote::remote_connect_list_storage_pools_args& args) override;
    remote::remote_connect_num_of_defined_storage_pools_ret CONNECT_NUM_OF_DEFINED_STORAGE_POOLS(
        xdr::CallContext& call) override;
    remote::remote_connect_list_defined_storage_pools_ret CONNECT_LIST_DEFINED_STORAGE_POOLS(
        xdr::CallContext& call,
        const remote::remote_connect_list_defined_storage_pools_args& args) override;
    remote::remote_storage_pool_lookup_by_name_ret STORAGE_POOL_LOOKUP_BY_NAME(
        xdr::CallContext& call,
        const remote::remote_storage_pool_lookup_by_name_args& args) override;
    remote::remote_storage_pool_lookup_by_uuid_ret STORAGE_POOL_LOOKUP_BY_UUID(
        xdr::CallContext& call,
        const remote::remote_storage_pool_lookup_by_uuid_args& args) override;
    remote::remote_storage_pool_lookup_by_volume_ret STORAGE_POOL_LOOKUP_BY_VOLUME(
        xdr::CallContext& call,
        const remote::remote_storage_pool_lookup_by_volume_args& args) override;
    remote::remote_storage_pool_lookup_by_target_path_ret STORAGE_POOL_LOOKUP_BY_TARGET_PATH(
        xdr::CallContext& call,
        const remote::remote_storage_pool_lookup_by_target_path_args& args) override;
    remote::remote_storage_pool_get_xml_desc_ret STORAGE_POOL_GET_XML_DESC(
        xdr::CallContext& call, const remote::remote_storage_pool_get_xml_desc_args& args) override;
    remote::remote_storage_pool_get_info_ret STORAGE_POOL_GET_INFO(
        xdr::CallContext& call, const remote::remote_storage_pool_get_info_args& args) override;
    remote::remote_storage_pool_is_active_ret STORAGE_POOL_IS_ACTIVE(
        xdr::CallContext& call, const remote::remote_storage_pool_is_active_args& args) override;
    remote::remote_storage_pool_is_persistent_ret STORAGE_POOL_IS_PERSISTENT(
        xdr::CallContext& call,
        const remote::remote_storage_pool_is_persistent_args& args) override;
    remote::remote_storage_pool_get_autostart_ret STORAGE_POOL_GET_AUTOSTART(
        xdr::CallContext& call,
        const remote::remote_storage_pool_get_autostart_args& args) override;
    void STORAGE_POOL_SET_AUTOSTART(
        xdr::CallContext& call,
        const remote::remote_storage_pool_set_autostart_args& args) override;
    void STORAGE_POOL_CREATE(xdr::CallContext& call,
                             const remote::remote_storage_pool_create_args& args) override;
    remote::remote_storage_pool_create_xml_ret STORAGE_POOL_CREATE_XML(
        xdr::CallContext& call, const remote::remote_storage_pool_create_xml_args& args) override;
    remote::remote_storage_pool_define_xml_ret STORAGE_POOL_DEFINE_XML(
        xdr::CallContext& call, const remote::remote_storage_pool_define_xml_args& args) override;
    void STORAGE_POOL_DESTROY(xdr::CallContext& call,
                              const remote::remote_storage_pool_destroy_args& args) override;
    void STORAGE_POOL_UNDEFINE(xdr::CallContext& call,
                               const remote::remote_storage_pool_undefine_args& args) override;
    void STORAGE_POOL_BUILD(xdr::CallContext& call,
                            const remote::remote_storage_pool_build_args& args) override;
    void STORAGE_POOL_DELETE(xdr::CallContext& call,
                             const remote::remote_storage_pool_delete_args& args) override;
    void STORAGE_POOL_REFRESH(xdr::CallContext& call,
                              const remote::remote_storage_pool_refresh_args& args) override;
    remote::remote_storage_pool_num_of_volumes_ret STORAGE_POOL_NUM_OF_VOLUMES(
        xdr::CallContext& call,
        const remote::remote_storage_pool_num_of_volumes_args& args) override;
    remote::remote_storage_pool_list_volumes_ret STORAGE_POOL_LIST_VOLUMES(
        xdr::CallContext& call, const remote::remote_storage_pool_list_volumes_args& args) override;
    remote::remote_storage_pool_list_all_volumes_ret STORAGE_POOL_LIST_ALL_VOLUMES(
        xdr::CallContext& call,
        const remote::remote_storage_pool_list_all_volumes_args& args) override;

    // ---- Volumes ----
    remote::remote_storage_vol_lookup_by_name_ret STORAGE_VOL_LOOKUP_BY_NAME(
        xdr::CallContext& call,
        const remote::remote_storage_vol_lookup_by_name_args& args) override;
    remote::remote_storage_vol_lookup_by_key_ret STORAGE_VOL_LOOKUP_BY_KEY(
        xdr::CallContext& call, const remote::remote_storage_vol_lookup_by_key_args& args) override;
    remote::remote_storage_vol_lookup_by_path_ret STORAGE_VOL_LOOKUP_BY_PATH(
        xdr::CallContext& call,
        const remote::remote_storage_vol_lookup_by_path_args& args) override;
    remote::remote_storage_vol_get_info_ret STORAGE_VOL_GET_INFO(
        xdr::CallContext& call, const remote::remote_storage_vol_get_info_args& args) override;
    remote::remote_storage_vol_get_info_flags_ret STORAGE_VOL_GET_INFO_FLAGS(
        xdr::CallContext& call,
        const remote::remote_storage_vol_get_info_flags_args& args) override;
    remote::remote_storage_vol_get_xml_desc_ret STORAGE_VOL_GET_XML_DESC(
        xdr::CallContext& call, const remote::remote_storage_vol_get_xml_desc_args& args) override;
    remote::remote_storage_vol_get_path_ret STORAGE_VOL_GET_PATH(
        xdr::CallContext& call, const remote::remote_storage_vol_get_path_args& args) override;
    remote::remote_storage_vol_create_xml_ret STORAGE_VOL_CREATE_XML(
        xdr::CallContext& call, const remote::remote_storage_vol_create_xml_args& args) override;
    remote::remote_storage_vol_create_xml_from_ret STORAGE_VOL_CREATE_XML_FROM(
        xdr::CallContext& call,
        const remote::remote_storage_vol_create_xml_from_args& args) override;
    void STORAGE_VOL_DELETE(xdr::CallContext& call,
                            const remote::remote_storage_vol_delete_args& args) override;
    void STORAGE_VOL_WIPE(xdr::CallContext& call,
                          const remote::remote_storage_vol_wipe_args& args) override;
    void STORAGE_VOL_WIPE_PATTERN(
        xdr::CallContext& call, const remote::remote_storage_vol_wipe_pattern_args& args) override;
    void STORAGE_VOL_RESIZE(xdr::CallContext& call,
                            const remote::remote_storage_vol_resize_args& args) override;
    void STORAGE_VOL_UPLOAD(xdr::CallContext& call,
                            const remote::remote_storage_vol_upload_args& args) override;
    void STORAGE_VOL_DOWNLOAD(xdr::CallContext& call,
                              const remote::remote_storage_vol_download_args& args) override;

    // ---- Secrets ----
    remote::remote_connect_num_of_secrets_ret CONNECT_NUM_OF_SECRETS(
        xdr::CallContext& call) override;
    remote::remote_connect_list_secrets_ret CONNECT_LIST_SECRETS(
        xdr::CallContext& call, const remote::remote_connect_list_secrets_args& args) override;
    remote::remote_connect_list_all_secrets_ret CONNECT_LIST_ALL_SECRETS(
        xdr::CallContext& call, const remote::remote_connect_list_all_secrets_args& args) override;
    remote::remote_secret_lookup_by_uuid_ret SECRET_LOOKUP_BY_UUID(
        xdr::CallContext& call, const remote::remote_secret_lookup_by_uuid_args& args) override;
    remote::remote_secret_lookup_by_usage_ret SECRET_LOOKUP_BY_USAGE(
        xdr::CallContext& call, const remote::remote_secret_lookup_by_usage_args& args) override;
    remote::remote_secret_define_xml_ret SECRET_DEFINE_XML(
        xdr::CallContext& call, const remote::remote_secret_define_xml_args& args) override;
    remote::remote_secret_get_xml_desc_ret SECRET_GET_XML_DESC(
        xdr::CallContext& call, const remote::remote_secret_get_xml_desc_args& args) override;
    void SECRET_SET_VALUE(xdr::CallContext& call,
                          const remote::remote_secret_set_value_args& args) override;
    remote::remote_secret_get_value_ret SECRET_GET_VALUE(
        xdr::CallContext& call, const remote::remote_secret_get_value_args& args) override;
    void SECRET_UNDEFINE(xdr::CallContext& call,
                         const remote::remote_secret_undefine_args& args) override;

    // ---- Events ----
    remote::remote_connect_domain_event_callback_register_any_ret
    CONNECT_DOMAIN_EVENT_CALLBACK_REGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_domain_event_callback_register_any_args& args) override;
    void CONNECT_DOMAIN_EVENT_CALLBACK_DEREGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_domain_event_callback_deregister_any_args& args) override;
    remote::remote_connect_network_event_register_any_ret CONNECT_NETWORK_EVENT_REGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_network_event_register_any_args& args) override;
    void CONNECT_NETWORK_EVENT_DEREGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_network_event_deregister_any_args& args) override;
    remote::remote_connect_storage_pool_event_register_any_ret
    CONNECT_STORAGE_POOL_EVENT_REGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_storage_pool_event_register_any_args& args) override;
    void CONNECT_STORAGE_POOL_EVENT_DEREGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_storage_pool_event_deregister_any_args& args) override;
    remote::remote_connect_domain_event_register_ret CONNECT_DOMAIN_EVENT_REGISTER(
        xdr::CallContext& call) override;
    remote::remote_connect_domain_event_deregister_ret CONNECT_DOMAIN_EVENT_DEREGISTER(
        xdr::CallContext& call) override;
    void CONNECT_DOMAIN_EVENT_REGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_domain_event_register_any_args& args) override;
    void CONNECT_DOMAIN_EVENT_DEREGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_domain_event_deregister_any_args& args) override;

    // ---- What there is none of, and what follows from the rest ----
    remote::remote_node_get_security_model_ret NODE_GET_SECURITY_MODEL(
        xdr::CallContext& call) override;
    remote::remote_domain_get_security_label_ret DOMAIN_GET_SECURITY_LABEL(
        xdr::CallContext& call, const remote::remote_domain_get_security_label_args& args) override;
    remote::remote_domain_get_messages_ret DOMAIN_GET_MESSAGES(
        xdr::CallContext& call, const remote::remote_domain_get_messages_args& args) override;
    remote::remote_domain_get_job_stats_ret DOMAIN_GET_JOB_STATS(
        xdr::CallContext& call, const remote::remote_domain_get_job_stats_args& args) override;
    remote::remote_domain_get_disk_errors_ret DOMAIN_GET_DISK_ERRORS(
        xdr::CallContext& call, const remote::remote_domain_get_disk_errors_args& args) override;
    remote::remote_interface_lookup_by_name_ret INTERFACE_LOOKUP_BY_NAME(
        xdr::CallContext& call, const remote::remote_interface_lookup_by_name_args& args) override;
    remote::remote_node_device_lookup_by_name_ret NODE_DEVICE_LOOKUP_BY_NAME(
        xdr::CallContext& call,
        const remote::remote_node_device_lookup_by_name_args& args) override;
    remote::remote_nwfilter_lookup_by_name_ret NWFILTER_LOOKUP_BY_NAME(
        xdr::CallContext& call, const remote::remote_nwfilter_lookup_by_name_args& args) override;
    remote::remote_connect_list_all_interfaces_ret CONNECT_LIST_ALL_INTERFACES(
        xdr::CallContext& call,
        const remote::remote_connect_list_all_interfaces_args& args) override;
    remote::remote_connect_list_all_node_devices_ret CONNECT_LIST_ALL_NODE_DEVICES(
        xdr::CallContext& call,
        const remote::remote_connect_list_all_node_devices_args& args) override;
    remote::remote_connect_list_all_nwfilters_ret CONNECT_LIST_ALL_NWFILTERS(
        xdr::CallContext& call,
        const remote::remote_connect_list_all_nwfilters_args& args) override;
    remote::remote_connect_list_all_nwfilter_bindings_ret CONNECT_LIST_ALL_NWFILTER_BINDINGS(
        xdr::CallContext& call,
        const remote::remote_connect_list_all_nwfilter_bindings_args& args) override;
    remote::remote_connect_num_of_interfaces_ret CONNECT_NUM_OF_INTERFACES(
        xdr::CallContext& call) override;
    remote::remote_connect_num_of_defined_interfaces_ret CONNECT_NUM_OF_DEFINED_INTERFACES(
        xdr::CallContext& call) override;
    remote::remote_node_num_of_devices_ret NODE_NUM_OF_DEVICES(
        xdr::CallContext& call, const remote::remote_node_num_of_devices_args& args) override;
    remote::remote_connect_num_of_nwfilters_ret CONNECT_NUM_OF_NWFILTERS(
        xdr::CallContext& call) override;
    remote::remote_connect_get_cpu_model_names_ret CONNECT_GET_CPU_MODEL_NAMES(
        xdr::CallContext& call,
        const remote::remote_connect_get_cpu_model_names_args& args) override;
    remote::remote_network_list_all_ports_ret NETWORK_LIST_ALL_PORTS(
        xdr::CallContext& call, const remote::remote_network_list_all_ports_args& args) override;
    remote::remote_connect_node_device_event_register_any_ret
    CONNECT_NODE_DEVICE_EVENT_REGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_node_device_event_register_any_args& args) override;
    void CONNECT_NODE_DEVICE_EVENT_DEREGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_node_device_event_deregister_any_args& args) override;
    remote::remote_connect_secret_event_register_any_ret CONNECT_SECRET_EVENT_REGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_secret_event_register_any_args& args) override;
    void CONNECT_SECRET_EVENT_DEREGISTER_ANY(
        xdr::CallContext& call,
        const remote::remote_connect_secret_event_deregister_any_args& args) override;
    remote::remote_domain_block_stats_flags_ret DOMAIN_BLOCK_STATS_FLAGS(
        xdr::CallContext& call, const remote::remote_domain_block_stats_flags_args& args) override;
    remote::remote_domain_get_cpu_stats_ret DOMAIN_GET_CPU_STATS(
        xdr::CallContext& call, const remote::remote_domain_get_cpu_stats_args& args) override;
    remote::remote_domain_get_time_ret DOMAIN_GET_TIME(
        xdr::CallContext& call, const remote::remote_domain_get_time_args& args) override;
    remote::remote_connect_get_domain_capabilities_ret CONNECT_GET_DOMAIN_CAPABILITIES(
        xdr::CallContext& call,
        const remote::remote_connect_get_domain_capabilities_args& args) override;

 private:
    EventHub& events_;
};

}  // namespace helio::virt::daemon
