// Devices of domains, and domains in files.
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

host::Impact device_impact(std::uint32_t flags) { return static_cast<host::Impact>(flags & 3); }

void settle_device(xdr::CallContext& call, const remote_nonnull_domain& domain,
                   const host::Outcome<void>& outcome) {
    if (!outcome) refused(call, domain, outcome.error());
}

std::vector<std::byte> map_of(ByteView cpumap) { return {cpumap.begin(), cpumap.end()}; }

// virDomainSaveRestoreFlags
constexpr std::uint32_t kSaveRunning = 2, kSavePaused = 4;
constexpr std::uint32_t kSaveXmlSecure = 1;

std::optional<std::string_view> optional_text(const remote_string& text) {
    if (text == nullptr) return std::nullopt;
    return *text;
}

// A disk by its target or its source.
host::Outcome<std::string> disk_source(const host::Host& host, const host::Uuid& uuid,
                                       std::string_view disk) {
    const auto stats = host.domain_stats(uuid);
    if (!stats) return fail(stats.error());
    for (const host::DiskStats& one : stats->disks)
        if (one.target == disk || (one.source == disk && !disk.empty())) return one.source;
    return fail(host::Error{host::ErrorCode::invalid_argument, host::ErrorSource::test,
                            "invalid argument: invalid path: " + std::string(disk)});
}

void domain_attach_device(Context& context, xdr::CallContext& call,
                          const remote_domain_attach_device_args& args) {
    settle_device(call, args.dom,
                  context.host.change_device(uuid_of(args.dom.uuid), args.xml,
                                             host::DeviceChange::attach, host::Impact::current));
}

void domain_attach_device_flags(Context& context, xdr::CallContext& call,
                                const remote_domain_attach_device_flags_args& args) {
    settle_device(
        call, args.dom,
        context.host.change_device(uuid_of(args.dom.uuid), args.xml, host::DeviceChange::attach,
                                   device_impact(args.flags)));
}

void domain_detach_device(Context& context, xdr::CallContext& call,
                          const remote_domain_detach_device_args& args) {
    settle_device(call, args.dom,
                  context.host.change_device(uuid_of(args.dom.uuid), args.xml,
                                             host::DeviceChange::detach, host::Impact::current));
}

void domain_detach_device_flags(Context& context, xdr::CallContext& call,
                                const remote_domain_detach_device_flags_args& args) {
    settle_device(
        call, args.dom,
        context.host.change_device(uuid_of(args.dom.uuid), args.xml, host::DeviceChange::detach,
                                   device_impact(args.flags)));
}

void domain_detach_device_alias(Context& context, xdr::CallContext& call,
                                const remote_domain_detach_device_alias_args& args) {
    settle_device(call, args.dom,
                  context.host.detach_device_alias(uuid_of(args.dom.uuid), args.alias,
                                                   device_impact(args.flags)));
}

void domain_update_device_flags(Context& context, xdr::CallContext& call,
                                const remote_domain_update_device_flags_args& args) {
    settle_device(
        call, args.dom,
        context.host.change_device(uuid_of(args.dom.uuid), args.xml, host::DeviceChange::update,
                                   device_impact(args.flags)));
}

// ---- Processors ----

void domain_pin_vcpu(Context& context, xdr::CallContext& call,
                     const remote_domain_pin_vcpu_args& args) {
    settle_device(call, args.dom,
                  context.host.pin_vcpu(uuid_of(args.dom.uuid), args.vcpu, map_of(args.cpumap),
                                        host::Impact::live));
}

void domain_pin_vcpu_flags(Context& context, xdr::CallContext& call,
                           const remote_domain_pin_vcpu_flags_args& args) {
    settle_device(call, args.dom,
                  context.host.pin_vcpu(uuid_of(args.dom.uuid), args.vcpu, map_of(args.cpumap),
                                        device_impact(args.flags)));
}

// The counts are the client's: what it gets is no longer than what there is.
remote_domain_get_vcpu_pin_info_ret domain_get_vcpu_pin_info(
    Context& context, xdr::CallContext& call, const remote_domain_get_vcpu_pin_info_args& args) {
    using Returned = remote_domain_get_vcpu_pin_info_ret;
    const auto pins = context.host.vcpu_pins(uuid_of(args.dom.uuid));
    if (!pins) return refused<Returned>(call, args.dom, pins.error());
    if (args.ncpumaps < 0 || args.maplen < 0)
        return fail_call<Returned>(
            call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_RPC, "ncpumaps and maplen are counts"));
    const std::size_t count = std::min(pins->size(), static_cast<std::size_t>(args.ncpumaps));
    const std::size_t width =
        std::min(pins->empty() ? 0 : pins->front().size(), static_cast<std::size_t>(args.maplen));
    std::vector<std::byte> maps;
    for (std::size_t i = 0; i < count; ++i)
        maps.insert(maps.end(), (*pins)[i].begin(),
                    (*pins)[i].begin() + static_cast<std::ptrdiff_t>(width));
    const xdr::Array<std::byte> bytes = kept(call, maps);
    return {.cpumaps = ByteView(bytes.data(), bytes.size()),
            .num = static_cast<std::int32_t>(count)};
}

remote_domain_get_emulator_pin_info_ret domain_get_emulator_pin_info(
    Context& context, xdr::CallContext& call,
    const remote_domain_get_emulator_pin_info_args& args) {
    using Returned = remote_domain_get_emulator_pin_info_ret;
    const auto state = context.host.domain_state(uuid_of(args.dom.uuid));
    if (!state) return refused<Returned>(call, args.dom, state.error());
    const unsigned cpus = context.host.node().cpus;
    std::vector<std::byte> map((cpus + 7) / 8);
    for (unsigned i = 0; i < cpus; ++i) map[i / 8] |= std::byte{1} << (i % 8);
    map.resize(std::min(map.size(), static_cast<std::size_t>(std::max(args.maplen, 0))));
    const xdr::Array<std::byte> bytes = kept(call, map);
    return {.cpumaps = ByteView(bytes.data(), bytes.size()), .ret = 1};
}

// ---- Disks ----

void domain_block_resize(Context& context, xdr::CallContext& call,
                         const remote_domain_block_resize_args& args) {
    constexpr std::uint32_t kSizeInBytes = 1;  // VIR_DOMAIN_BLOCK_RESIZE_BYTES; else KiB
    const auto source = disk_source(context.host, uuid_of(args.dom.uuid), args.disk);
    if (!source) return refused(call, args.dom, source.error());
    std::uint64_t size = args.size;
    if ((args.flags & kSizeInBytes) == 0) {
        if (size > host::kVolumeCapacityMax / 1024)
            return refused(call, {host::ErrorCode::overflow, host::ErrorSource::test,
                                  "numerical overflow: size must be less than 2^50"});
        size *= 1024;
    }
    settle_device(call, args.dom, context.host.resize_volume(*source, size, {.shrink = true}));
}

remote_domain_block_peek_ret domain_block_peek(Context& context, xdr::CallContext& call,
                                               const remote_domain_block_peek_args& args) {
    using Returned = remote_domain_block_peek_ret;
    const auto source = disk_source(context.host, uuid_of(args.dom.uuid), args.path);
    if (!source) return refused<Returned>(call, args.dom, source.error());
    const auto content = context.host.volume_content(*source);
    if (!content) return refused<Returned>(call, content.error());
    if (args.size > REMOTE_DOMAIN_BLOCK_PEEK_BUFFER_MAX)
        return refused_too_many<Returned>(call, "bytes", args.size,
                                          REMOTE_DOMAIN_BLOCK_PEEK_BUFFER_MAX);
    std::byte* const bytes = call.arena().make<std::byte>(args.size);
    if (bytes == nullptr) return call.end_with<Returned>(xdr::Outcome::system_error);
    const std::size_t got = (*content)->read(args.offset, {bytes, args.size});
    if (got < args.size)
        return refused<Returned>(call, {host::ErrorCode::invalid_argument, host::ErrorSource::test,
                                        "invalid argument: the disk ends before that"});
    return {.buffer = ByteView(bytes, got)};
}

// ---- Domains in files ----

void domain_save(Context& context, xdr::CallContext& call, const remote_domain_save_args& args) {
    settle_device(call, args.dom,
                  context.host.save_domain(uuid_of(args.dom.uuid), args.to, std::nullopt,
                                           host::StartAs::running));
}

void domain_save_flags(Context& context, xdr::CallContext& call,
                       const remote_domain_save_flags_args& args) {
    const auto restored_as =
        (args.flags & kSavePaused) != 0 ? host::StartAs::paused : host::StartAs::running;
    settle_device(call, args.dom,
                  context.host.save_domain(uuid_of(args.dom.uuid), args.to,
                                           optional_text(args.dxml), restored_as));
}

void domain_restore(Context& context, xdr::CallContext& call,
                    const remote_domain_restore_args& args) {
    const auto key = context.host.restore_domain(args.from, std::nullopt, std::nullopt);
    if (!key) refused(call, key.error());
}

void domain_restore_flags(Context& context, xdr::CallContext& call,
                          const remote_domain_restore_flags_args& args) {
    std::optional<host::StartAs> how;
    if ((args.flags & kSaveRunning) != 0) how = host::StartAs::running;
    if ((args.flags & kSavePaused) != 0) how = host::StartAs::paused;
    const auto key = context.host.restore_domain(args.from, optional_text(args.dxml), how);
    if (!key) refused(call, key.error());
}

remote_domain_save_image_get_xml_desc_ret domain_save_image_get_xml_desc(
    Context& context, xdr::CallContext& call,
    const remote_domain_save_image_get_xml_desc_args& args) {
    using Returned = remote_domain_save_image_get_xml_desc_ret;
    server::ServerClient& client = server::client_of(call);
    if (client.is_read_only() && (args.flags & kSaveXmlSecure) != 0)
        return client.deny<Returned>(rpc::call_of(call));
    const auto xml = context.host.saved_domain_xml(args.file);
    if (!xml) return refused<Returned>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

}  // namespace

void add_domain_devices(Table& table) {
    table.DOMAIN_ATTACH_DEVICE = domain_attach_device;
    table.DOMAIN_ATTACH_DEVICE_FLAGS = domain_attach_device_flags;
    table.DOMAIN_DETACH_DEVICE = domain_detach_device;
    table.DOMAIN_DETACH_DEVICE_FLAGS = domain_detach_device_flags;
    table.DOMAIN_DETACH_DEVICE_ALIAS = domain_detach_device_alias;
    table.DOMAIN_UPDATE_DEVICE_FLAGS = domain_update_device_flags;
    table.DOMAIN_PIN_VCPU = domain_pin_vcpu;
    table.DOMAIN_PIN_VCPU_FLAGS = domain_pin_vcpu_flags;
    table.DOMAIN_GET_VCPU_PIN_INFO = domain_get_vcpu_pin_info;
    table.DOMAIN_GET_EMULATOR_PIN_INFO = domain_get_emulator_pin_info;
    table.DOMAIN_BLOCK_RESIZE = domain_block_resize;
    table.DOMAIN_BLOCK_PEEK = domain_block_peek;
    table.DOMAIN_SAVE = domain_save;
    table.DOMAIN_SAVE_FLAGS = domain_save_flags;
    table.DOMAIN_RESTORE = domain_restore;
    table.DOMAIN_RESTORE_FLAGS = domain_restore_flags;
    table.DOMAIN_SAVE_IMAGE_GET_XML_DESC = domain_save_image_get_xml_desc;
}

}  // namespace helio::virt::daemon
