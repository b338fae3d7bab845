// Domains: life cycle and changes.
#include "helio/virt/daemon/forward_internal.h"

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

void domain_create(Context& context, xdr::CallContext& call,
                   const remote_domain_create_args& args) {
    const auto key = context.host.start_domain(object_of(args));
    if (!key) refused(call, args.dom, key.error());
}

remote_domain_create_with_flags_ret domain_create_with_flags(
    Context& context, xdr::CallContext& call, const remote_domain_create_with_flags_args& args) {
    const auto key = context.host.start_domain(object_of(args), start_from(args.flags));
    if (!key) return refused<remote_domain_create_with_flags_ret>(call, args.dom, key.error());
    return {.dom = to_wire(call, *key)};
}

remote_domain_create_xml_ret domain_create_xml(Context& context, xdr::CallContext& call,
                                               const remote_domain_create_xml_args& args) {
    const auto key = context.host.create_domain(args.xml_desc, start_from(args.flags));
    if (!key) return refused<remote_domain_create_xml_ret>(call, key.error());
    return {.dom = to_wire(call, *key)};
}

template <class Args>
void domain_undefine(Context& context, xdr::CallContext& call, const Args& args) {
    const std::uint32_t flags = flags_of(args);
    complete(call, args.dom,
             context.host.undefine_domain(object_of(args),
                                          {.managed_save = (flags & kUndefineManagedSave) != 0,
                                           .snapshots = (flags & kUndefineSnapshots) != 0}));
}

remote_domain_rename_ret domain_rename(Context& context, xdr::CallContext& call,
                                       const remote_domain_rename_args& args) {
    complete(call, args.dom,
             context.host.rename_domain(object_of(args), text_or_empty(args.new_name)));
    return {.retcode = 0};
}

template <class Args>
void domain_set_memory(Context& context, xdr::CallContext& call, const Args& args) {
    const auto set =
        (flags_of(args) & kMaximum) != 0 ? &Host::set_domain_memory_max : &Host::set_domain_memory;
    complete(
        call, args.dom,
        (context.host.*set)(object_of(args), args.memory, impact_of(args, host::Impact::live)));
}

void domain_set_max_memory(Context& context, xdr::CallContext& call,
                           const remote_domain_set_max_memory_args& args) {
    complete(
        call, args.dom,
        context.host.set_domain_memory_max(object_of(args), args.memory, host::Impact::current));
}

template <class Args>
void domain_set_vcpus(Context& context, xdr::CallContext& call, const Args& args) {
    const auto which =
        (flags_of(args) & kMaximum) != 0 ? host::VcpuCount::maximum : host::VcpuCount::current;
    complete(call, args.dom,
             context.host.set_domain_vcpus(object_of(args), args.nvcpus,
                                           impact_of(args, host::Impact::live), which));
}

void domain_set_metadata(Context& context, xdr::CallContext& call,
                         const remote_domain_set_metadata_args& args) {
    if (args.type < 0 || args.type > static_cast<int>(host::Metadata::element))
        return fail_call<void>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_DOMAIN, "unknown metadata type"));
    complete(
        call, args.dom,
        context.host.set_domain_metadata(object_of(args), static_cast<host::Metadata>(args.type),
                                         optional_text(args.metadata), text_or_empty(args.key),
                                         text_or_empty(args.uri), impact_of(args)));
}

}  // namespace

void add_domain_lifecycle(Table& table) {
    table.DOMAIN_CREATE = domain_create;
    table.DOMAIN_CREATE_WITH_FLAGS = domain_create_with_flags;
    table.DOMAIN_CREATE_XML = domain_create_xml;
    table.DOMAIN_DEFINE_XML = forward_to<&Host::define_domain>;
    table.DOMAIN_DEFINE_XML_FLAGS = forward_to<&Host::define_domain>;
    table.DOMAIN_DESTROY = forward_to<&Host::destroy_domain>;
    table.DOMAIN_DESTROY_FLAGS = forward_to<&Host::destroy_domain>;
    table.DOMAIN_SHUTDOWN = forward_to<&Host::shutdown_domain>;
    table.DOMAIN_SHUTDOWN_FLAGS = forward_to<&Host::shutdown_domain>;
    table.DOMAIN_REBOOT = forward_to<&Host::reboot_domain>;
    table.DOMAIN_RESET = forward_to<&Host::reset_domain>;
    table.DOMAIN_SUSPEND = forward_to<&Host::suspend_domain>;
    table.DOMAIN_RESUME = forward_to<&Host::resume_domain>;
    table.DOMAIN_UNDEFINE = domain_undefine;
    table.DOMAIN_UNDEFINE_FLAGS = domain_undefine;
    table.DOMAIN_MANAGED_SAVE = forward_to<&Host::managed_save_domain>;
    table.DOMAIN_MANAGED_SAVE_REMOVE = forward_to<&Host::remove_managed_save>;
    table.DOMAIN_RENAME = domain_rename;
    table.DOMAIN_SET_AUTOSTART = set_autostart<&Host::set_domain_autostart>;
    table.DOMAIN_SET_MEMORY = domain_set_memory;
    table.DOMAIN_SET_MEMORY_FLAGS = domain_set_memory;
    table.DOMAIN_SET_MAX_MEMORY = domain_set_max_memory;
    table.DOMAIN_SET_VCPUS = domain_set_vcpus;
    table.DOMAIN_SET_VCPUS_FLAGS = domain_set_vcpus;
    table.DOMAIN_SET_METADATA = domain_set_metadata;
}

}  // namespace helio::virt::daemon
