// Snapshots.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// virDomainSnapshotCreateFlags. The others have no meaning for a host without disks.
constexpr std::uint32_t kSnapshotRedefine = 1, kSnapshotCurrent = 2, kSnapshotForget = 4,
                        kSnapshotHalt = 8, kSnapshotDiskOnly = 16, kSnapshotReuse = 32;
// virDomainSnapshotDeleteFlags
constexpr std::uint32_t kDeleteChildren = 1, kDeleteChildrenOnly = 4;
// virDomainSnapshotRevertFlags
constexpr std::uint32_t kRevertRunning = 1, kRevertPaused = 2;
constexpr std::uint32_t kSnapshotXmlSecure = 1;

remote_nonnull_domain_snapshot snapshot_of(xdr::CallContext& call, std::string_view name,
                                           const remote_nonnull_domain& domain) {
    return {.name = kept(call, name), .dom = domain};
}

// The snapshots of a domain, or the children of a snapshot.
template <class Args>
host::Outcome<std::vector<std::string>> snapshots_of(const Host& host, const Args& args) {
    if constexpr (requires { args.dom; })
        return host.snapshots(object_of(args), args.flags);
    else if constexpr (requires { args.snap; })
        return host.snapshots(object_of(args), args.flags, args.snap.name);
    else
        return host.snapshots(object_of(args), args.flags, args.snapshot.name);
}

template <class Ret, class Args>
Ret count_snapshots(Context& context, xdr::CallContext& call, const Args& args) {
    const auto names = snapshots_of(context.host, args);
    if (!names) return refuse<Ret>(call, args, names.error());
    return {.num = static_cast<std::int32_t>(names->size())};
}

template <class Ret, class Args>
Ret list_snapshot_names(Context& context, xdr::CallContext& call, const Args& args) {
    const auto names = snapshots_of(context.host, args);
    if (!names) return refuse<Ret>(call, args, names.error());
    return {.names = names_of(call, *names, args.maxnames, std::identity())};
}

template <class Ret, class Args>
Ret list_snapshots(Context& context, xdr::CallContext& call, const Args& args) {
    const auto names = snapshots_of(context.host, args);
    if (!names) return refuse<Ret>(call, args, names.error());
    std::vector<remote_nonnull_domain_snapshot> all;
    if (args.need_results != 0)
        for (const std::string& one : *names)
            all.push_back(snapshot_of(call, one, domain_of(args)));
    return {.snapshots = kept(call, all), .ret = static_cast<std::int32_t>(names->size())};
}

remote_domain_snapshot_create_xml_ret domain_snapshot_create_xml(
    Context& context, xdr::CallContext& call, const remote_domain_snapshot_create_xml_args& args) {
    using Returned = remote_domain_snapshot_create_xml_ret;
    const std::uint32_t unknown =
        args.flags & (kSnapshotRedefine | kSnapshotCurrent | kSnapshotReuse);
    if (unknown != 0)
        return fail_call<Returned>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_TEST,
                             fmt::format("unsupported flags (0x{:x}) in snapshots", unknown)));
    const auto name =
        context.host.create_snapshot(object_of(args), args.xml_desc,
                                     {.halt = (args.flags & kSnapshotHalt) != 0,
                                      .disk_only = (args.flags & kSnapshotDiskOnly) != 0,
                                      .forget = (args.flags & kSnapshotForget) != 0});
    if (!name) return refused<Returned>(call, args.dom, name.error());
    return {.snap = snapshot_of(call, *name, args.dom)};
}

remote_domain_snapshot_get_xml_desc_ret domain_snapshot_get_xml_desc(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_get_xml_desc_args& args) {
    using Returned = remote_domain_snapshot_get_xml_desc_ret;
    if ((args.flags & kSnapshotXmlSecure) != 0 && is_read_only(call)) return denied<Returned>(call);
    const auto xml = context.host.snapshot_xml(object_of(args), args.snap.name);
    if (!xml) return refused<Returned>(call, args.snap.dom, xml.error());
    return {.xml = kept(call, *xml)};
}

remote_domain_snapshot_lookup_by_name_ret domain_snapshot_lookup_by_name(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_lookup_by_name_args& args) {
    const auto parent = context.host.snapshot_parent(object_of(args), args.name);
    if (!parent)
        return refused<remote_domain_snapshot_lookup_by_name_ret>(call, args.dom, parent.error());
    return {.snap = {.name = args.name, .dom = args.dom}};
}

bool is_there(const std::string& name) { return !name.empty(); }

remote_domain_snapshot_get_parent_ret domain_snapshot_get_parent(
    Context& context, xdr::CallContext& call, const remote_domain_snapshot_get_parent_args& args) {
    using Returned = remote_domain_snapshot_get_parent_ret;
    const auto parent = context.host.snapshot_parent(object_of(args), args.snap.name);
    if (!parent) return refused<Returned>(call, args.snap.dom, parent.error());
    if (parent->empty())
        return refused<Returned>(
            call, {host::ErrorCode::no_snapshot, host::ErrorSource::test,
                   fmt::format("Domain snapshot not found: snapshot '{}' does not have a parent",
                               args.snap.name)});
    return {.snap = snapshot_of(call, *parent, args.snap.dom)};
}

remote_domain_snapshot_current_ret domain_snapshot_current(
    Context& context, xdr::CallContext& call, const remote_domain_snapshot_current_args& args) {
    using Returned = remote_domain_snapshot_current_ret;
    const auto current = context.host.current_snapshot(object_of(args));
    if (!current) return refused<Returned>(call, args.dom, current.error());
    if (current->empty())
        return refused<Returned>(
            call, {host::ErrorCode::no_snapshot, host::ErrorSource::test,
                   "Domain snapshot not found: the domain does not have a current snapshot"});
    return {.snap = snapshot_of(call, *current, args.dom)};
}

remote_domain_snapshot_is_current_ret domain_snapshot_is_current(
    Context& context, xdr::CallContext& call, const remote_domain_snapshot_is_current_args& args) {
    const auto current = context.host.current_snapshot(object_of(args));
    if (!current)
        return refused<remote_domain_snapshot_is_current_ret>(call, args.snap.dom, current.error());
    return {.current = *current == args.snap.name ? 1 : 0};
}

remote_domain_snapshot_has_metadata_ret domain_snapshot_has_metadata(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_has_metadata_args& args) {
    const auto parent = context.host.snapshot_parent(object_of(args), args.snap.name);
    if (!parent)
        return refused<remote_domain_snapshot_has_metadata_ret>(call, args.snap.dom,
                                                                parent.error());
    return {.metadata = 1};
}

void domain_revert_to_snapshot(Context& context, xdr::CallContext& call,
                               const remote_domain_revert_to_snapshot_args& args) {
    const auto to = (args.flags & kRevertRunning) != 0  ? host::RevertTo::running
                    : (args.flags & kRevertPaused) != 0 ? host::RevertTo::paused
                                                        : host::RevertTo::as_it_was;
    complete(call, args.snap.dom,
             context.host.revert_to_snapshot(object_of(args), args.snap.name, to));
}

void domain_snapshot_delete(Context& context, xdr::CallContext& call,
                            const remote_domain_snapshot_delete_args& args) {
    const auto what = (args.flags & kDeleteChildrenOnly) != 0 ? host::DeleteWhat::children_only
                      : (args.flags & kDeleteChildren) != 0   ? host::DeleteWhat::with_children
                                                              : host::DeleteWhat::one;
    complete(call, args.snap.dom,
             context.host.delete_snapshot(object_of(args), args.snap.name, what));
}

}  // namespace

void add_snapshots(Table& table) {
    table.DOMAIN_SNAPSHOT_CREATE_XML = domain_snapshot_create_xml;
    table.DOMAIN_SNAPSHOT_GET_XML_DESC = domain_snapshot_get_xml_desc;
    table.DOMAIN_SNAPSHOT_NUM = count_snapshots;
    table.DOMAIN_SNAPSHOT_LIST_NAMES = list_snapshot_names;
    table.DOMAIN_LIST_ALL_SNAPSHOTS = list_snapshots;
    table.DOMAIN_SNAPSHOT_NUM_CHILDREN = count_snapshots;
    table.DOMAIN_SNAPSHOT_LIST_CHILDREN_NAMES = list_snapshot_names;
    table.DOMAIN_SNAPSHOT_LIST_ALL_CHILDREN = list_snapshots;
    table.DOMAIN_SNAPSHOT_LOOKUP_BY_NAME = domain_snapshot_lookup_by_name;
    table.DOMAIN_HAS_CURRENT_SNAPSHOT = forward_to<&Host::current_snapshot, is_there>;
    table.DOMAIN_SNAPSHOT_GET_PARENT = domain_snapshot_get_parent;
    table.DOMAIN_SNAPSHOT_CURRENT = domain_snapshot_current;
    table.DOMAIN_SNAPSHOT_IS_CURRENT = domain_snapshot_is_current;
    table.DOMAIN_SNAPSHOT_HAS_METADATA = domain_snapshot_has_metadata;
    table.DOMAIN_REVERT_TO_SNAPSHOT = domain_revert_to_snapshot;
    table.DOMAIN_SNAPSHOT_DELETE = domain_snapshot_delete;
}

}  // namespace helio::virt::daemon
