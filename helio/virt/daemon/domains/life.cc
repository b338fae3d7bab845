// Domains: life cycle and changes.
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

constexpr std::uint32_t kStartPaused = 1;          // VIR_DOMAIN_START_PAUSED
constexpr std::uint32_t kUndefineManagedSave = 1;  // VIR_DOMAIN_UNDEFINE_MANAGED_SAVE
constexpr std::uint32_t kUndefineSnapshots = 2;    // VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA
constexpr std::uint32_t kMaximum = 4;  // of virDomainVcpuFlags and virDomainMemoryModFlags

host::StartAs start_from(std::uint32_t flags) {
    return (flags & kStartPaused) != 0 ? host::StartAs::paused : host::StartAs::running;
}
host::Impact impact_from(std::uint32_t flags) { return static_cast<host::Impact>(flags & 3); }

// The end of a procedure without results.
void settle(xdr::CallContext& call, const remote_nonnull_domain& domain,
            const host::Outcome<void>& outcome) {
    if (!outcome) refused(call, domain, outcome.error());
}

// And of one that gives a domain.
template <class Returned>
Returned give(xdr::CallContext& call, const host::Outcome<host::DomainKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

void domain_create(Context& context, xdr::CallContext& call,
                   const remote_domain_create_args& args) {
    const auto key = context.host.start_domain(uuid_of(args.dom.uuid));
    if (!key) refused(call, args.dom, key.error());
}

remote_domain_create_with_flags_ret domain_create_with_flags(
    Context& context, xdr::CallContext& call, const remote_domain_create_with_flags_args& args) {
    const auto key = context.host.start_domain(uuid_of(args.dom.uuid), start_from(args.flags));
    if (!key) return refused<remote_domain_create_with_flags_ret>(call, args.dom, key.error());
    return {.dom = to_wire(call, *key)};
}

remote_domain_create_xml_ret domain_create_xml(Context& context, xdr::CallContext& call,
                                               const remote_domain_create_xml_args& args) {
    return give<remote_domain_create_xml_ret>(
        call, context.host.create_domain(args.xml_desc, start_from(args.flags)));
}

remote_domain_define_xml_ret domain_define_xml(Context& context, xdr::CallContext& call,
                                               const remote_domain_define_xml_args& args) {
    return give<remote_domain_define_xml_ret>(call, context.host.define_domain(args.xml));
}

remote_domain_define_xml_flags_ret domain_define_xml_flags(
    Context& context, xdr::CallContext& call, const remote_domain_define_xml_flags_args& args) {
    return give<remote_domain_define_xml_flags_ret>(call, context.host.define_domain(args.xml));
}

void domain_destroy(Context& context, xdr::CallContext& call,
                    const remote_domain_destroy_args& args) {
    settle(call, args.dom, context.host.destroy_domain(uuid_of(args.dom.uuid)));
}

void domain_destroy_flags(Context& context, xdr::CallContext& call,
                          const remote_domain_destroy_flags_args& args) {
    settle(call, args.dom, context.host.destroy_domain(uuid_of(args.dom.uuid)));
}

void domain_shutdown(Context& context, xdr::CallContext& call,
                     const remote_domain_shutdown_args& args) {
    settle(call, args.dom, context.host.shutdown_domain(uuid_of(args.dom.uuid)));
}

void domain_shutdown_flags(Context& context, xdr::CallContext& call,
                           const remote_domain_shutdown_flags_args& args) {
    settle(call, args.dom, context.host.shutdown_domain(uuid_of(args.dom.uuid)));
}

void domain_reboot(Context& context, xdr::CallContext& call,
                   const remote_domain_reboot_args& args) {
    settle(call, args.dom, context.host.reboot_domain(uuid_of(args.dom.uuid)));
}

void domain_reset(Context& context, xdr::CallContext& call, const remote_domain_reset_args& args) {
    settle(call, args.dom, context.host.reset_domain(uuid_of(args.dom.uuid)));
}

void domain_suspend(Context& context, xdr::CallContext& call,
                    const remote_domain_suspend_args& args) {
    settle(call, args.dom, context.host.suspend_domain(uuid_of(args.dom.uuid)));
}

void domain_resume(Context& context, xdr::CallContext& call,
                   const remote_domain_resume_args& args) {
    settle(call, args.dom, context.host.resume_domain(uuid_of(args.dom.uuid)));
}

void domain_undefine(Context& context, xdr::CallContext& call,
                     const remote_domain_undefine_args& args) {
    settle(call, args.dom, context.host.undefine_domain(uuid_of(args.dom.uuid)));
}

void domain_undefine_flags(Context& context, xdr::CallContext& call,
                           const remote_domain_undefine_flags_args& args) {
    settle(call, args.dom,
           context.host.undefine_domain(uuid_of(args.dom.uuid),
                                        {.managed_save = (args.flags & kUndefineManagedSave) != 0,
                                         .snapshots = (args.flags & kUndefineSnapshots) != 0}));
}

void domain_managed_save(Context& context, xdr::CallContext& call,
                         const remote_domain_managed_save_args& args) {
    settle(call, args.dom, context.host.managed_save_domain(uuid_of(args.dom.uuid)));
}

void domain_managed_save_remove(Context& context, xdr::CallContext& call,
                                const remote_domain_managed_save_remove_args& args) {
    settle(call, args.dom, context.host.remove_managed_save(uuid_of(args.dom.uuid)));
}

remote_domain_rename_ret domain_rename(Context& context, xdr::CallContext& call,
                                       const remote_domain_rename_args& args) {
    settle(
        call, args.dom,
        context.host.rename_domain(uuid_of(args.dom.uuid),
                                   args.new_name != nullptr ? *args.new_name : std::string_view()));
    return {.retcode = 0};
}

void domain_set_autostart(Context& context, xdr::CallContext& call,
                          const remote_domain_set_autostart_args& args) {
    settle(call, args.dom,
           context.host.set_domain_autostart(uuid_of(args.dom.uuid), args.autostart != 0));
}

void domain_set_memory(Context& context, xdr::CallContext& call,
                       const remote_domain_set_memory_args& args) {
    settle(call, args.dom,
           context.host.set_domain_memory(uuid_of(args.dom.uuid), args.memory, host::Impact::live));
}

void domain_set_memory_flags(Context& context, xdr::CallContext& call,
                             const remote_domain_set_memory_flags_args& args) {
    const host::Uuid uuid = uuid_of(args.dom.uuid);
    const host::Impact impact = impact_from(args.flags);
    settle(call, args.dom,
           (args.flags & kMaximum) != 0
               ? context.host.set_domain_memory_max(uuid, args.memory, impact)
               : context.host.set_domain_memory(uuid, args.memory, impact));
}

void domain_set_max_memory(Context& context, xdr::CallContext& call,
                           const remote_domain_set_max_memory_args& args) {
    settle(call, args.dom,
           context.host.set_domain_memory_max(uuid_of(args.dom.uuid), args.memory,
                                              host::Impact::current));
}

void domain_set_vcpus(Context& context, xdr::CallContext& call,
                      const remote_domain_set_vcpus_args& args) {
    settle(call, args.dom,
           context.host.set_domain_vcpus(uuid_of(args.dom.uuid), args.nvcpus, host::Impact::live,
                                         host::VcpuCount::current));
}

void domain_set_vcpus_flags(Context& context, xdr::CallContext& call,
                            const remote_domain_set_vcpus_flags_args& args) {
    settle(call, args.dom,
           context.host.set_domain_vcpus(
               uuid_of(args.dom.uuid), args.nvcpus, impact_from(args.flags),
               (args.flags & kMaximum) != 0 ? host::VcpuCount::maximum : host::VcpuCount::current));
}

void domain_set_metadata(Context& context, xdr::CallContext& call,
                         const remote_domain_set_metadata_args& args) {
    if (args.type < 0 || args.type > static_cast<int>(host::Metadata::element))
        return fail_call<void>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_DOMAIN, "unknown metadata type"));
    const auto text_of = [](remote_string text) {
        return text != nullptr ? *text : std::string_view();
    };
    std::optional<std::string_view> text;
    if (args.metadata != nullptr) text = *args.metadata;
    settle(call, args.dom,
           context.host.set_domain_metadata(
               uuid_of(args.dom.uuid), static_cast<host::Metadata>(args.type), text,
               text_of(args.key), text_of(args.uri), impact_from(args.flags)));
}

}  // namespace

void add_domain_lifecycle(Table& table) {
    table.DOMAIN_CREATE = domain_create;
    table.DOMAIN_CREATE_WITH_FLAGS = domain_create_with_flags;
    table.DOMAIN_CREATE_XML = domain_create_xml;
    table.DOMAIN_DEFINE_XML = domain_define_xml;
    table.DOMAIN_DEFINE_XML_FLAGS = domain_define_xml_flags;
    table.DOMAIN_DESTROY = domain_destroy;
    table.DOMAIN_DESTROY_FLAGS = domain_destroy_flags;
    table.DOMAIN_SHUTDOWN = domain_shutdown;
    table.DOMAIN_SHUTDOWN_FLAGS = domain_shutdown_flags;
    table.DOMAIN_REBOOT = domain_reboot;
    table.DOMAIN_RESET = domain_reset;
    table.DOMAIN_SUSPEND = domain_suspend;
    table.DOMAIN_RESUME = domain_resume;
    table.DOMAIN_UNDEFINE = domain_undefine;
    table.DOMAIN_UNDEFINE_FLAGS = domain_undefine_flags;
    table.DOMAIN_MANAGED_SAVE = domain_managed_save;
    table.DOMAIN_MANAGED_SAVE_REMOVE = domain_managed_save_remove;
    table.DOMAIN_RENAME = domain_rename;
    table.DOMAIN_SET_AUTOSTART = domain_set_autostart;
    table.DOMAIN_SET_MEMORY = domain_set_memory;
    table.DOMAIN_SET_MEMORY_FLAGS = domain_set_memory_flags;
    table.DOMAIN_SET_MAX_MEMORY = domain_set_max_memory;
    table.DOMAIN_SET_VCPUS = domain_set_vcpus;
    table.DOMAIN_SET_VCPUS_FLAGS = domain_set_vcpus_flags;
    table.DOMAIN_SET_METADATA = domain_set_metadata;
}

}  // namespace helio::virt::daemon
