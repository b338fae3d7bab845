// Snapshots.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// virDomainSnapshotCreateFlags. Those that are not here mean nothing to a host without disks.
constexpr std::uint32_t kSnapshotRedefine = 1, kSnapshotCurrent = 2, kSnapshotForget = 4,
                        kSnapshotHalt = 8, kSnapshotDiskOnly = 16, kSnapshotReuse = 32;
// virDomainSnapshotDeleteFlags
constexpr std::uint32_t kDeleteChildren = 1, kDeleteChildrenOnly = 4;
// virDomainSnapshotRevertFlags
constexpr std::uint32_t kRevertRunning = 1, kRevertPaused = 2;
constexpr std::uint32_t kSnapshotXmlSecure = 1;

host::Uuid domain_of(const remote_nonnull_domain_snapshot& snapshot) {
    return uuid_of(snapshot.dom.uuid);
}

remote_nonnull_domain_snapshot snapshot_of(xdr::CallContext& call, std::string_view name,
                                           const remote_nonnull_domain& domain) {
    return {.name = kept(call, name), .dom = domain};
}

using SnapshotNames = host::Outcome<std::vector<std::string>>;

template <class Returned>
Returned give_names(xdr::CallContext& call, const remote_nonnull_domain& domain,
                    const SnapshotNames& names, std::int32_t most) {
    if (!names) return refused<Returned>(call, domain, names.error());
    std::vector<std::string_view> views;
    for (const std::string& one : *names) {
        if (static_cast<std::int64_t>(views.size()) >= most) break;
        views.push_back(kept(call, one));
    }
    return {.names = kept(call, views)};
}

template <class Returned>
Returned give_count(xdr::CallContext& call, const remote_nonnull_domain& domain,
                    const SnapshotNames& names) {
    if (!names) return refused<Returned>(call, domain, names.error());
    return {.num = static_cast<std::int32_t>(names->size())};
}

template <class Returned>
Returned give_snapshots(xdr::CallContext& call, const remote_nonnull_domain& domain,
                        const SnapshotNames& names, bool wanted) {
    if (!names) return refused<Returned>(call, domain, names.error());
    std::vector<remote_nonnull_domain_snapshot> all;
    if (wanted)
        for (const std::string& one : *names) all.push_back(snapshot_of(call, one, domain));
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
        context.host.create_snapshot(uuid_of(args.dom.uuid), args.xml_desc,
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
    server::ServerClient& client = server::client_of(call);
    if (client.is_read_only() && (args.flags & kSnapshotXmlSecure) != 0)
        return client.deny<Returned>(rpc::call_of(call));
    const auto xml = context.host.snapshot_xml(domain_of(args.snap), args.snap.name);
    if (!xml) return refused<Returned>(call, args.snap.dom, xml.error());
    return {.xml = kept(call, *xml)};
}

remote_domain_snapshot_num_ret domain_snapshot_num(Context& context, xdr::CallContext& call,
                                                   const remote_domain_snapshot_num_args& args) {
    return give_count<remote_domain_snapshot_num_ret>(
        call, args.dom, context.host.snapshots(uuid_of(args.dom.uuid), args.flags));
}

remote_domain_snapshot_list_names_ret domain_snapshot_list_names(
    Context& context, xdr::CallContext& call, const remote_domain_snapshot_list_names_args& args) {
    return give_names<remote_domain_snapshot_list_names_ret>(
        call, args.dom, context.host.snapshots(uuid_of(args.dom.uuid), args.flags), args.maxnames);
}

remote_domain_list_all_snapshots_ret domain_list_all_snapshots(
    Context& context, xdr::CallContext& call, const remote_domain_list_all_snapshots_args& args) {
    return give_snapshots<remote_domain_list_all_snapshots_ret>(
        call, args.dom, context.host.snapshots(uuid_of(args.dom.uuid), args.flags),
        args.need_results != 0);
}

remote_domain_snapshot_num_children_ret domain_snapshot_num_children(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_num_children_args& args) {
    return give_count<remote_domain_snapshot_num_children_ret>(
        call, args.snap.dom,
        context.host.snapshots(domain_of(args.snap), args.flags, args.snap.name));
}

remote_domain_snapshot_list_children_names_ret domain_snapshot_list_children_names(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_list_children_names_args& args) {
    return give_names<remote_domain_snapshot_list_children_names_ret>(
        call, args.snap.dom,
        context.host.snapshots(domain_of(args.snap), args.flags, args.snap.name), args.maxnames);
}

remote_domain_snapshot_list_all_children_ret domain_snapshot_list_all_children(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_list_all_children_args& args) {
    return give_snapshots<remote_domain_snapshot_list_all_children_ret>(
        call, args.snapshot.dom,
        context.host.snapshots(domain_of(args.snapshot), args.flags, args.snapshot.name),
        args.need_results != 0);
}

remote_domain_snapshot_lookup_by_name_ret domain_snapshot_lookup_by_name(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_lookup_by_name_args& args) {
    const auto parent = context.host.snapshot_parent(uuid_of(args.dom.uuid), args.name);
    if (!parent)
        return refused<remote_domain_snapshot_lookup_by_name_ret>(call, args.dom, parent.error());
    return {.snap = {.name = args.name, .dom = args.dom}};
}

remote_domain_has_current_snapshot_ret domain_has_current_snapshot(
    Context& context, xdr::CallContext& call, const remote_domain_has_current_snapshot_args& args) {
    const auto current = context.host.current_snapshot(uuid_of(args.dom.uuid));
    if (!current)
        return refused<remote_domain_has_current_snapshot_ret>(call, args.dom, current.error());
    return {.result = current->empty() ? 0 : 1};
}

remote_domain_snapshot_get_parent_ret domain_snapshot_get_parent(
    Context& context, xdr::CallContext& call, const remote_domain_snapshot_get_parent_args& args) {
    using Returned = remote_domain_snapshot_get_parent_ret;
    const auto parent = context.host.snapshot_parent(domain_of(args.snap), args.snap.name);
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
    const auto current = context.host.current_snapshot(uuid_of(args.dom.uuid));
    if (!current) return refused<Returned>(call, args.dom, current.error());
    if (current->empty())
        return refused<Returned>(
            call, {host::ErrorCode::no_snapshot, host::ErrorSource::test,
                   "Domain snapshot not found: the domain does not have a current snapshot"});
    return {.snap = snapshot_of(call, *current, args.dom)};
}

remote_domain_snapshot_is_current_ret domain_snapshot_is_current(
    Context& context, xdr::CallContext& call, const remote_domain_snapshot_is_current_args& args) {
    const auto current = context.host.current_snapshot(domain_of(args.snap));
    if (!current)
        return refused<remote_domain_snapshot_is_current_ret>(call, args.snap.dom, current.error());
    return {.current = *current == args.snap.name ? 1 : 0};
}

remote_domain_snapshot_has_metadata_ret domain_snapshot_has_metadata(
    Context& context, xdr::CallContext& call,
    const remote_domain_snapshot_has_metadata_args& args) {
    const auto parent = context.host.snapshot_parent(domain_of(args.snap), args.snap.name);
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
    const auto done = context.host.revert_to_snapshot(domain_of(args.snap), args.snap.name, to);
    if (!done) refused(call, args.snap.dom, done.error());
}

void domain_snapshot_delete(Context& context, xdr::CallContext& call,
                            const remote_domain_snapshot_delete_args& args) {
    const auto what = (args.flags & kDeleteChildrenOnly) != 0 ? host::DeleteWhat::children_only
                      : (args.flags & kDeleteChildren) != 0   ? host::DeleteWhat::with_children
                                                              : host::DeleteWhat::one;
    const auto done = context.host.delete_snapshot(domain_of(args.snap), args.snap.name, what);
    if (!done) refused(call, args.snap.dom, done.error());
}

}  // namespace

void add_snapshots(Table& table) {
    table.DOMAIN_SNAPSHOT_CREATE_XML = domain_snapshot_create_xml;
    table.DOMAIN_SNAPSHOT_GET_XML_DESC = domain_snapshot_get_xml_desc;
    table.DOMAIN_SNAPSHOT_NUM = domain_snapshot_num;
    table.DOMAIN_SNAPSHOT_LIST_NAMES = domain_snapshot_list_names;
    table.DOMAIN_LIST_ALL_SNAPSHOTS = domain_list_all_snapshots;
    table.DOMAIN_SNAPSHOT_NUM_CHILDREN = domain_snapshot_num_children;
    table.DOMAIN_SNAPSHOT_LIST_CHILDREN_NAMES = domain_snapshot_list_children_names;
    table.DOMAIN_SNAPSHOT_LIST_ALL_CHILDREN = domain_snapshot_list_all_children;
    table.DOMAIN_SNAPSHOT_LOOKUP_BY_NAME = domain_snapshot_lookup_by_name;
    table.DOMAIN_HAS_CURRENT_SNAPSHOT = domain_has_current_snapshot;
    table.DOMAIN_SNAPSHOT_GET_PARENT = domain_snapshot_get_parent;
    table.DOMAIN_SNAPSHOT_CURRENT = domain_snapshot_current;
    table.DOMAIN_SNAPSHOT_IS_CURRENT = domain_snapshot_is_current;
    table.DOMAIN_SNAPSHOT_HAS_METADATA = domain_snapshot_has_metadata;
    table.DOMAIN_REVERT_TO_SNAPSHOT = domain_revert_to_snapshot;
    table.DOMAIN_SNAPSHOT_DELETE = domain_snapshot_delete;
}

}  // namespace helio::virt::daemon
