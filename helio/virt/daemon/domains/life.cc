// Domains: life cycle and changes.
#include "helio/virt/daemon/remote_service_internal.h"

namespace helio::virt::daemon {

namespace {

constexpr std::uint32_t kStartPaused = 1;          // VIR_DOMAIN_START_PAUSED
constexpr std::uint32_t kUndefineManagedSave = 1;  // VIR_DOMAIN_UNDEFINE_MANAGED_SAVE
constexpr std::uint32_t kUndefineSnapshots = 2;    // VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA
constexpr std::uint32_t kMaximum = 4;  // of virDomainVcpuFlags and virDomainMemoryModFlags

host::Impact impact_from(std::uint32_t flags) { return static_cast<host::Impact>(flags & 3); }

// The end of a procedure without results.
void settle(xdr::CallContext& call, const remote::remote_nonnull_domain& domain,
            const host::Outcome<void>& outcome) {
    if (!outcome) refused(call, domain, outcome.error());
}

// And of one that gives a domain.
template <class Returned>
Returned give(xdr::CallContext& call, const host::Outcome<host::DomainKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

}  // namespace

void RemoteService::DOMAIN_CREATE(xdr::CallContext& call,
                                  const remote::remote_domain_create_args& args) {
    const auto key = host_.start_domain(uuid_of(args.dom.uuid));
    if (!key) refused(call, args.dom, key.error());
}

remote::remote_domain_create_with_flags_ret RemoteService::DOMAIN_CREATE_WITH_FLAGS(
    xdr::CallContext& call, const remote::remote_domain_create_with_flags_args& args) {
    const auto key = host_.start_domain(uuid_of(args.dom.uuid), (args.flags & kStartPaused) != 0);
    if (!key)
        return refused<remote::remote_domain_create_with_flags_ret>(call, args.dom, key.error());
    return {.dom = to_wire(call, *key)};
}

remote::remote_domain_create_xml_ret RemoteService::DOMAIN_CREATE_XML(
    xdr::CallContext& call, const remote::remote_domain_create_xml_args& args) {
    return give<remote::remote_domain_create_xml_ret>(
        call, host_.create_domain(args.xml_desc, (args.flags & kStartPaused) != 0));
}

remote::remote_domain_define_xml_ret RemoteService::DOMAIN_DEFINE_XML(
    xdr::CallContext& call, const remote::remote_domain_define_xml_args& args) {
    return give<remote::remote_domain_define_xml_ret>(call, host_.define_domain(args.xml));
}

remote::remote_domain_define_xml_flags_ret RemoteService::DOMAIN_DEFINE_XML_FLAGS(
    xdr::CallContext& call, const remote::remote_domain_define_xml_flags_args& args) {
    return give<remote::remote_domain_define_xml_flags_ret>(call, host_.define_domain(args.xml));
}

void RemoteService::DOMAIN_DESTROY(xdr::CallContext& call,
                                   const remote::remote_domain_destroy_args& args) {
    settle(call, args.dom, host_.destroy_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_DESTROY_FLAGS(xdr::CallContext& call,
                                         const remote::remote_domain_destroy_flags_args& args) {
    settle(call, args.dom, host_.destroy_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_SHUTDOWN(xdr::CallContext& call,
                                    const remote::remote_domain_shutdown_args& args) {
    settle(call, args.dom, host_.shutdown_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_SHUTDOWN_FLAGS(xdr::CallContext& call,
                                          const remote::remote_domain_shutdown_flags_args& args) {
    settle(call, args.dom, host_.shutdown_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_REBOOT(xdr::CallContext& call,
                                  const remote::remote_domain_reboot_args& args) {
    settle(call, args.dom, host_.reboot_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_RESET(xdr::CallContext& call,
                                 const remote::remote_domain_reset_args& args) {
    settle(call, args.dom, host_.reset_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_SUSPEND(xdr::CallContext& call,
                                   const remote::remote_domain_suspend_args& args) {
    settle(call, args.dom, host_.suspend_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_RESUME(xdr::CallContext& call,
                                  const remote::remote_domain_resume_args& args) {
    settle(call, args.dom, host_.resume_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_UNDEFINE(xdr::CallContext& call,
                                    const remote::remote_domain_undefine_args& args) {
    settle(call, args.dom, host_.undefine_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_UNDEFINE_FLAGS(xdr::CallContext& call,
                                          const remote::remote_domain_undefine_flags_args& args) {
    settle(call, args.dom,
           host_.undefine_domain(uuid_of(args.dom.uuid), (args.flags & kUndefineManagedSave) != 0,
                                 (args.flags & kUndefineSnapshots) != 0));
}

void RemoteService::DOMAIN_MANAGED_SAVE(xdr::CallContext& call,
                                        const remote::remote_domain_managed_save_args& args) {
    settle(call, args.dom, host_.managed_save_domain(uuid_of(args.dom.uuid)));
}

void RemoteService::DOMAIN_MANAGED_SAVE_REMOVE(
    xdr::CallContext& call, const remote::remote_domain_managed_save_remove_args& args) {
    settle(call, args.dom, host_.remove_managed_save(uuid_of(args.dom.uuid)));
}

remote::remote_domain_rename_ret RemoteService::DOMAIN_RENAME(
    xdr::CallContext& call, const remote::remote_domain_rename_args& args) {
    settle(call, args.dom,
           host_.rename_domain(uuid_of(args.dom.uuid),
                               args.new_name != nullptr ? *args.new_name : std::string_view()));
    return {.retcode = 0};
}

void RemoteService::DOMAIN_SET_AUTOSTART(xdr::CallContext& call,
                                         const remote::remote_domain_set_autostart_args& args) {
    settle(call, args.dom, host_.set_domain_autostart(uuid_of(args.dom.uuid), args.autostart != 0));
}

void RemoteService::DOMAIN_SET_MEMORY(xdr::CallContext& call,
                                      const remote::remote_domain_set_memory_args& args) {
    settle(call, args.dom,
           host_.set_domain_memory(uuid_of(args.dom.uuid), args.memory, host::Impact::live));
}

void RemoteService::DOMAIN_SET_MEMORY_FLAGS(
    xdr::CallContext& call, const remote::remote_domain_set_memory_flags_args& args) {
    const host::Uuid uuid = uuid_of(args.dom.uuid);
    const host::Impact impact = impact_from(args.flags);
    settle(call, args.dom,
           (args.flags & kMaximum) != 0 ? host_.set_domain_memory_max(uuid, args.memory, impact)
                                        : host_.set_domain_memory(uuid, args.memory, impact));
}

void RemoteService::DOMAIN_SET_MAX_MEMORY(xdr::CallContext& call,
                                          const remote::remote_domain_set_max_memory_args& args) {
    settle(call, args.dom,
           host_.set_domain_memory_max(uuid_of(args.dom.uuid), args.memory, host::Impact::current));
}

void RemoteService::DOMAIN_SET_VCPUS(xdr::CallContext& call,
                                     const remote::remote_domain_set_vcpus_args& args) {
    settle(call, args.dom,
           host_.set_domain_vcpus(uuid_of(args.dom.uuid), args.nvcpus, host::Impact::live, false));
}

void RemoteService::DOMAIN_SET_VCPUS_FLAGS(xdr::CallContext& call,
                                           const remote::remote_domain_set_vcpus_flags_args& args) {
    settle(call, args.dom,
           host_.set_domain_vcpus(uuid_of(args.dom.uuid), args.nvcpus, impact_from(args.flags),
                                  (args.flags & kMaximum) != 0));
}

void RemoteService::DOMAIN_SET_METADATA(xdr::CallContext& call,
                                        const remote::remote_domain_set_metadata_args& args) {
    if (args.type < 0 || args.type > static_cast<int>(host::Metadata::element))
        return fail_call<void>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_DOMAIN, "unknown metadata type"));
    const auto text_of = [](remote::remote_string text) {
        return text != nullptr ? *text : std::string_view();
    };
    std::optional<std::string_view> text;
    if (args.metadata != nullptr) text = *args.metadata;
    settle(call, args.dom,
           host_.set_domain_metadata(uuid_of(args.dom.uuid), static_cast<host::Metadata>(args.type),
                                     text, text_of(args.key), text_of(args.uri),
                                     impact_from(args.flags)));
}

}  // namespace helio::virt::daemon
