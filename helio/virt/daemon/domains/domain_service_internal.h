// Procedures of domains beyond their life cycle: snapshots, devices, saved images, and what is
// asked of the guest inside. A part of RemoteService.
#pragma once

#include "helio/virt/daemon/wire_internal.h"
#include "helio/virt/host/host.h"
#include "schema/remote_service.h"

namespace helio::virt::daemon {

class DomainService : public remote::REMOTE_PROTOCOL_VERSION::Service {
 public:
    explicit DomainService(host::Host& host) : host_(host) {}

    // ---- Snapshots ----
    remote::remote_domain_snapshot_create_xml_ret DOMAIN_SNAPSHOT_CREATE_XML(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_create_xml_args& args) override;
    remote::remote_domain_snapshot_get_xml_desc_ret DOMAIN_SNAPSHOT_GET_XML_DESC(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_get_xml_desc_args& args) override;
    remote::remote_domain_snapshot_num_ret DOMAIN_SNAPSHOT_NUM(
        xdr::CallContext& call, const remote::remote_domain_snapshot_num_args& args) override;
    remote::remote_domain_snapshot_list_names_ret DOMAIN_SNAPSHOT_LIST_NAMES(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_list_names_args& args) override;
    remote::remote_domain_list_all_snapshots_ret DOMAIN_LIST_ALL_SNAPSHOTS(
        xdr::CallContext& call, const remote::remote_domain_list_all_snapshots_args& args) override;
    remote::remote_domain_snapshot_num_children_ret DOMAIN_SNAPSHOT_NUM_CHILDREN(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_num_children_args& args) override;
    remote::remote_domain_snapshot_list_children_names_ret DOMAIN_SNAPSHOT_LIST_CHILDREN_NAMES(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_list_children_names_args& args) override;
    remote::remote_domain_snapshot_list_all_children_ret DOMAIN_SNAPSHOT_LIST_ALL_CHILDREN(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_list_all_children_args& args) override;
    remote::remote_domain_snapshot_lookup_by_name_ret DOMAIN_SNAPSHOT_LOOKUP_BY_NAME(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_lookup_by_name_args& args) override;
    remote::remote_domain_has_current_snapshot_ret DOMAIN_HAS_CURRENT_SNAPSHOT(
        xdr::CallContext& call,
        const remote::remote_domain_has_current_snapshot_args& args) override;
    remote::remote_domain_snapshot_get_parent_ret DOMAIN_SNAPSHOT_GET_PARENT(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_get_parent_args& args) override;
    remote::remote_domain_snapshot_current_ret DOMAIN_SNAPSHOT_CURRENT(
        xdr::CallContext& call, const remote::remote_domain_snapshot_current_args& args) override;
    remote::remote_domain_snapshot_is_current_ret DOMAIN_SNAPSHOT_IS_CURRENT(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_is_current_args& args) override;
    remote::remote_domain_snapshot_has_metadata_ret DOMAIN_SNAPSHOT_HAS_METADATA(
        xdr::CallContext& call,
        const remote::remote_domain_snapshot_has_metadata_args& args) override;
    void DOMAIN_REVERT_TO_SNAPSHOT(
        xdr::CallContext& call, const remote::remote_domain_revert_to_snapshot_args& args) override;
    void DOMAIN_SNAPSHOT_DELETE(xdr::CallContext& call,
                                const remote::remote_domain_snapshot_delete_args& args) override;

    // ---- Devices ----
    void DOMAIN_ATTACH_DEVICE(xdr::CallContext& call,
                              const remote::remote_domain_attach_device_args& args) override;
    void DOMAIN_ATTACH_DEVICE_FLAGS(
        xdr::CallContext& call,
        const remote::remote_domain_attach_device_flags_args& args) override;
    void DOMAIN_DETACH_DEVICE(xdr::CallContext& call,
                              const remote::remote_domain_detach_device_args& args) override;
    void DOMAIN_DETACH_DEVICE_FLAGS(
        xdr::CallContext& call,
        const remote::remote_domain_detach_device_flags_args& args) override;
    void DOMAIN_DETACH_DEVICE_ALIAS(
        xdr::CallContext& call,
        const remote::remote_domain_detach_device_alias_args& args) override;
    void DOMAIN_UPDATE_DEVICE_FLAGS(
        xdr::CallContext& call,
        const remote::remote_domain_update_device_flags_args& args) override;
    void DOMAIN_PIN_VCPU(xdr::CallContext& call,
                         const remote::remote_domain_pin_vcpu_args& args) override;
    void DOMAIN_PIN_VCPU_FLAGS(xdr::CallContext& call,
                               const remote::remote_domain_pin_vcpu_flags_args& args) override;
    remote::remote_domain_get_vcpu_pin_info_ret DOMAIN_GET_VCPU_PIN_INFO(
        xdr::CallContext& call, const remote::remote_domain_get_vcpu_pin_info_args& args) override;
    remote::remote_domain_get_emulator_pin_info_ret DOMAIN_GET_EMULATOR_PIN_INFO(
        xdr::CallContext& call,
        const remote::remote_domain_get_emulator_pin_info_args& args) override;
    void DOMAIN_BLOCK_RESIZE(xdr::CallContext& call,
                             const remote::remote_domain_block_resize_args& args) override;
    remote::remote_domain_block_peek_ret DOMAIN_BLOCK_PEEK(
        xdr::CallContext& call, const remote::remote_domain_block_peek_args& args) override;

    // ---- Shares, limits and rates ----
    remote::remote_domain_get_scheduler_parameters_ret DOMAIN_GET_SCHEDULER_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_get_scheduler_parameters_args& args) override;
    remote::remote_domain_get_scheduler_parameters_flags_ret DOMAIN_GET_SCHEDULER_PARAMETERS_FLAGS(
        xdr::CallContext& call,
        const remote::remote_domain_get_scheduler_parameters_flags_args& args) override;
    void DOMAIN_SET_SCHEDULER_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_set_scheduler_parameters_args& args) override;
    void DOMAIN_SET_SCHEDULER_PARAMETERS_FLAGS(
        xdr::CallContext& call,
        const remote::remote_domain_set_scheduler_parameters_flags_args& args) override;
    remote::remote_domain_get_memory_parameters_ret DOMAIN_GET_MEMORY_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_get_memory_parameters_args& args) override;
    void DOMAIN_SET_MEMORY_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_set_memory_parameters_args& args) override;
    remote::remote_domain_get_blkio_parameters_ret DOMAIN_GET_BLKIO_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_get_blkio_parameters_args& args) override;
    void DOMAIN_SET_BLKIO_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_set_blkio_parameters_args& args) override;
    remote::remote_domain_get_numa_parameters_ret DOMAIN_GET_NUMA_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_get_numa_parameters_args& args) override;
    void DOMAIN_SET_NUMA_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_set_numa_parameters_args& args) override;
    remote::remote_domain_get_interface_parameters_ret DOMAIN_GET_INTERFACE_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_get_interface_parameters_args& args) override;
    void DOMAIN_SET_INTERFACE_PARAMETERS(
        xdr::CallContext& call,
        const remote::remote_domain_set_interface_parameters_args& args) override;
    remote::remote_domain_get_block_io_tune_ret DOMAIN_GET_BLOCK_IO_TUNE(
        xdr::CallContext& call, const remote::remote_domain_get_block_io_tune_args& args) override;
    void DOMAIN_SET_BLOCK_IO_TUNE(
        xdr::CallContext& call, const remote::remote_domain_set_block_io_tune_args& args) override;

    // ---- Saved images ----
    void DOMAIN_SAVE(xdr::CallContext& call, const remote::remote_domain_save_args& args) override;
    void DOMAIN_SAVE_FLAGS(xdr::CallContext& call,
                           const remote::remote_domain_save_flags_args& args) override;
    void DOMAIN_RESTORE(xdr::CallContext& call,
                        const remote::remote_domain_restore_args& args) override;
    void DOMAIN_RESTORE_FLAGS(xdr::CallContext& call,
                              const remote::remote_domain_restore_flags_args& args) override;
    remote::remote_domain_save_image_get_xml_desc_ret DOMAIN_SAVE_IMAGE_GET_XML_DESC(
        xdr::CallContext& call,
        const remote::remote_domain_save_image_get_xml_desc_args& args) override;

    // ---- Guests ----
    remote::remote_domain_screenshot_ret DOMAIN_SCREENSHOT(
        xdr::CallContext& call, const remote::remote_domain_screenshot_args& args) override;
    void DOMAIN_SEND_KEY(xdr::CallContext& call,
                         const remote::remote_domain_send_key_args& args) override;
    void DOMAIN_SEND_PROCESS_SIGNAL(
        xdr::CallContext& call,
        const remote::remote_domain_send_process_signal_args& args) override;
    void DOMAIN_INJECT_NMI(xdr::CallContext& call,
                           const remote::remote_domain_inject_nmi_args& args) override;
    void DOMAIN_CORE_DUMP(xdr::CallContext& call,
                          const remote::remote_domain_core_dump_args& args) override;
    void DOMAIN_CORE_DUMP_WITH_FORMAT(
        xdr::CallContext& call,
        const remote::remote_domain_core_dump_with_format_args& args) override;
    remote::remote_domain_fsfreeze_ret DOMAIN_FSFREEZE(
        xdr::CallContext& call, const remote::remote_domain_fsfreeze_args& args) override;
    remote::remote_domain_fsthaw_ret DOMAIN_FSTHAW(
        xdr::CallContext& call, const remote::remote_domain_fsthaw_args& args) override;
    void DOMAIN_FSTRIM(xdr::CallContext& call,
                       const remote::remote_domain_fstrim_args& args) override;
    remote::remote_domain_get_fsinfo_ret DOMAIN_GET_FSINFO(
        xdr::CallContext& call, const remote::remote_domain_get_fsinfo_args& args) override;
    void DOMAIN_ABORT_JOB(xdr::CallContext& call,
                          const remote::remote_domain_abort_job_args& args) override;

 protected:
    host::Host& host_;
};

}  // namespace helio::virt::daemon
