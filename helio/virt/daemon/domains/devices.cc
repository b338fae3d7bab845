// Devices of domains, and domains saved to files.
#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// virDomainSaveRestoreFlags
constexpr std::uint32_t kSaveRunning = 2, kSavePaused = 4;
constexpr std::uint32_t kSaveXmlSecure = 1;

// The source of a disk that is named by its target or its source.
host::Outcome<std::string> disk_source(const host::Host& host, const host::Uuid& uuid,
                                       std::string_view disk) {
    const auto stats = host.domain_stats(uuid);
    if (!stats) return fail(stats.error());
    for (const host::DiskStats& one : stats->disks)
        if (one.target == disk || (one.source == disk && !disk.empty())) return one.source;
    return fail(host::Error{host::ErrorCode::invalid_argument, host::ErrorSource::test,
                            "invalid argument: invalid path: " + std::string(disk)});
}

template <host::DeviceChange Change, class Args>
void change_device(Context& context, xdr::CallContext& call, const Args& args) {
    complete(call, args.dom,
             context.host.change_device(object_of(args), args.xml, Change, impact_of(args)));
}

void domain_detach_device_alias(Context& context, xdr::CallContext& call,
                                const remote_domain_detach_device_alias_args& args) {
    complete(call, args.dom,
             context.host.detach_device_alias(object_of(args), args.alias, impact_of(args)));
}

// ---- Processors ----

template <class Args>
void domain_pin_vcpu(Context& context, xdr::CallContext& call, const Args& args) {
    complete(
        call, args.dom,
        context.host.pin_vcpu(object_of(args), args.vcpu, {args.cpumap.begin(), args.cpumap.end()},
                              impact_of(args, host::Impact::live)));
}

// The client's counts are limits: the result is no longer than what the host has.
remote_domain_get_vcpu_pin_info_ret domain_get_vcpu_pin_info(
    Context& context, xdr::CallContext& call, const remote_domain_get_vcpu_pin_info_args& args) {
    using Returned = remote_domain_get_vcpu_pin_info_ret;
    const auto pins = context.host.vcpu_pins(object_of(args));
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
    return {.cpumaps = kept_bytes(call, maps), .num = static_cast<std::int32_t>(count)};
}

remote_domain_get_emulator_pin_info_ret domain_get_emulator_pin_info(
    Context& context, xdr::CallContext& call,
    const remote_domain_get_emulator_pin_info_args& args) {
    using Returned = remote_domain_get_emulator_pin_info_ret;
    const auto state = context.host.domain_state(object_of(args));
    if (!state) return refused<Returned>(call, args.dom, state.error());
    std::vector<std::byte> map = all_cpus(context.host.node().cpus);
    map.resize(std::min(map.size(), static_cast<std::size_t>(std::max(args.maplen, 0))));
    return {.cpumaps = kept_bytes(call, map), .ret = 1};
}

// ---- Disks ----

void domain_block_resize(Context& context, xdr::CallContext& call,
                         const remote_domain_block_resize_args& args) {
    constexpr std::uint32_t kSizeInBytes = 1;  // VIR_DOMAIN_BLOCK_RESIZE_BYTES; else KiB
    const auto source = disk_source(context.host, object_of(args), args.disk);
    if (!source) return refused(call, args.dom, source.error());
    std::uint64_t size = args.size;
    if ((args.flags & kSizeInBytes) == 0) {
        if (size > host::kVolumeCapacityMax / 1024)
            return refused(call, {host::ErrorCode::overflow, host::ErrorSource::test,
                                  "numerical overflow: size must be less than 2^50"});
        size *= 1024;
    }
    complete(call, args.dom, context.host.resize_volume(*source, size, {.shrink = true}));
}

remote_domain_block_peek_ret domain_block_peek(Context& context, xdr::CallContext& call,
                                               const remote_domain_block_peek_args& args) {
    using Returned = remote_domain_block_peek_ret;
    const auto source = disk_source(context.host, object_of(args), args.path);
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

// ---- Domains saved to files ----

// Older procedures have no XML that replaces the domain's own.
template <class Args>
std::optional<std::string_view> replacement_xml(const Args& args) {
    if constexpr (requires { args.dxml; })
        return optional_text(args.dxml);
    else
        return std::nullopt;
}

template <class Args>
void domain_save(Context& context, xdr::CallContext& call, const Args& args) {
    const auto restored_as =
        (flags_of(args) & kSavePaused) != 0 ? host::StartAs::paused : host::StartAs::running;
    complete(
        call, args.dom,
        context.host.save_domain(object_of(args), args.to, replacement_xml(args), restored_as));
}

template <class Args>
void domain_restore(Context& context, xdr::CallContext& call, const Args& args) {
    std::optional<host::StartAs> how;
    if ((flags_of(args) & kSaveRunning) != 0) how = host::StartAs::running;
    if ((flags_of(args) & kSavePaused) != 0) how = host::StartAs::paused;
    const auto key = context.host.restore_domain(args.from, replacement_xml(args), how);
    if (!key) refused(call, key.error());
}

remote_domain_save_image_get_xml_desc_ret domain_save_image_get_xml_desc(
    Context& context, xdr::CallContext& call,
    const remote_domain_save_image_get_xml_desc_args& args) {
    using Returned = remote_domain_save_image_get_xml_desc_ret;
    if ((args.flags & kSaveXmlSecure) != 0 && is_read_only(call)) return denied<Returned>(call);
    const auto xml = context.host.saved_domain_xml(args.file);
    if (!xml) return refused<Returned>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

}  // namespace

void add_domain_devices(Table& table) {
    table.DOMAIN_ATTACH_DEVICE = change_device<host::DeviceChange::attach>;
    table.DOMAIN_ATTACH_DEVICE_FLAGS = change_device<host::DeviceChange::attach>;
    table.DOMAIN_DETACH_DEVICE = change_device<host::DeviceChange::detach>;
    table.DOMAIN_DETACH_DEVICE_FLAGS = change_device<host::DeviceChange::detach>;
    table.DOMAIN_DETACH_DEVICE_ALIAS = domain_detach_device_alias;
    table.DOMAIN_UPDATE_DEVICE_FLAGS = change_device<host::DeviceChange::update>;
    table.DOMAIN_PIN_VCPU = domain_pin_vcpu;
    table.DOMAIN_PIN_VCPU_FLAGS = domain_pin_vcpu;
    table.DOMAIN_GET_VCPU_PIN_INFO = domain_get_vcpu_pin_info;
    table.DOMAIN_GET_EMULATOR_PIN_INFO = domain_get_emulator_pin_info;
    table.DOMAIN_BLOCK_RESIZE = domain_block_resize;
    table.DOMAIN_BLOCK_PEEK = domain_block_peek;
    table.DOMAIN_SAVE = domain_save;
    table.DOMAIN_SAVE_FLAGS = domain_save;
    table.DOMAIN_RESTORE = domain_restore;
    table.DOMAIN_RESTORE_FLAGS = domain_restore;
    table.DOMAIN_SAVE_IMAGE_GET_XML_DESC = domain_save_image_get_xml_desc;
}

}  // namespace helio::virt::daemon
