// Volumes, and the streams that fill and empty them.
#include <fmt/format.h>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

constexpr std::uint32_t kSparseStream = 1;  // of uploads and downloads
// virStorageVolResizeFlags.
constexpr std::uint32_t kResizeDelta = 2, kResizeShrink = 4;
constexpr std::uint32_t kInfoPhysical = 1;  // VIR_STORAGE_VOL_GET_PHYSICAL

void settle_volume(xdr::CallContext& call, const host::Outcome<void>& outcome) {
    if (!outcome) refused(call, outcome.error());
}

template <class Returned>
Returned give_volume(xdr::CallContext& call, const host::Outcome<host::VolumeKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.vol = to_wire(call, *key)};
}

template <class Returned>
Returned give_volume_info(xdr::CallContext& call, const host::Outcome<host::VolumeInfo>& info) {
    if (!info) return refused<Returned>(call, info.error());
    return {.type = static_cast<std::int8_t>(info->type),
            .capacity = info->capacity,
            .allocation = info->allocation};
}

// Bytes of a volume on their way down. It may shrink or be deleted meanwhile: then that was all.
class Download final : public server::StreamEnd {
 public:
    Download(std::shared_ptr<const host::VolumeContent> content, std::uint64_t offset,
             std::uint64_t length, bool sparse)
        : content_(std::move(content)), at_(offset), left_(length), sparse_(sparse) {}

    Piece next(std::size_t bytes_max) override {
        Piece piece;
        piece.kind = Piece::Kind::end;
        std::uint64_t size = std::min<std::uint64_t>(left_, bytes_max);
        if (sparse_ && left_ > 0) {
            const auto extent = content_->extent(at_);
            if (extent.size == 0) return piece;
            if (!extent.data) {
                piece.kind = Piece::Kind::hole;
                piece.length = std::min(extent.size, left_);
                advance(piece.length);
                return piece;
            }
            size = std::min(size, extent.size);
        }
        if (size == 0) return piece;
        buffer_.resize(static_cast<std::size_t>(size));
        const std::size_t got = content_->read(at_, buffer_);
        if (got == 0) return piece;
        piece.kind = Piece::Kind::bytes;
        piece.bytes = ByteView(buffer_.data(), got);
        advance(got);
        return piece;
    }

 private:
    void advance(std::uint64_t bytes) {
        at_ += bytes;
        left_ -= bytes;
    }
    std::shared_ptr<const host::VolumeContent> content_;
    std::uint64_t at_;
    std::uint64_t left_;
    bool sparse_;
    std::vector<std::byte> buffer_;
};

// And on their way up. A volume is a file: it grows when more comes than it was made for.
class Upload final : public server::StreamEnd {
 public:
    Upload(std::shared_ptr<host::VolumeContent> content, std::uint64_t offset, std::uint64_t length)
        : content_(std::move(content)), at_(offset), left_(length) {}

    Failure take(ByteView bytes) override {
        if (bytes.size() > left_) return no_room();
        grow(bytes.size());
        if (content_->write(at_, bytes) < bytes.size()) return no_room();
        advance(bytes.size());
        return {};
    }
    Failure take_hole(std::uint64_t length) override {
        if (length > left_ || length > host::kVolumeCapacityMax - at_) return no_room();
        grow(length);
        content_->punch(at_, length);
        advance(length);
        return {};
    }

 private:
    void grow(std::uint64_t bytes) {
        if (at_ + bytes > content_->capacity()) content_->resize(at_ + bytes);
    }
    void advance(std::uint64_t bytes) {
        at_ += bytes;
        left_ -= bytes;
    }
    static Failure no_room() {
        return virt_error(VIR_ERR_SYSTEM_ERROR, VIR_FROM_STREAMS,
                          "cannot write to stream: No space left on device");
    }
    std::shared_ptr<host::VolumeContent> content_;
    std::uint64_t at_;
    std::uint64_t left_;
};

// Where a stream ends that begins at `offset` and is `length` long, or as long as it likes.
std::uint64_t bytes_from(std::uint64_t offset, std::uint64_t length, std::uint64_t end) {
    const std::uint64_t most = end - std::min(offset, end);
    return length == 0 ? most : std::min(length, most);
}

void open_volume_stream(xdr::CallContext& call, std::unique_ptr<server::StreamEnd> end) {
    if (!server::client_of(call).open_stream(rpc::call_of(call), std::move(end)))
        fail_call<void>(call, virt_error(VIR_ERR_OPERATION_FAILED, VIR_FROM_STREAMS,
                                         "too many streams are open"));
}

void refuse_offset(xdr::CallContext& call, std::uint64_t offset, std::uint64_t size) {
    fail_call<void>(
        call,
        virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_STORAGE,
                   fmt::format("the volume has {} bytes, and {} is behind its end", size, offset)));
}

remote_storage_vol_lookup_by_name_ret storage_vol_lookup_by_name(
    Context& context, xdr::CallContext& call, const remote_storage_vol_lookup_by_name_args& args) {
    return give_volume<remote_storage_vol_lookup_by_name_ret>(
        call, context.host.volume_by_name(uuid_of(args.pool.uuid), args.name));
}

remote_storage_vol_lookup_by_key_ret storage_vol_lookup_by_key(
    Context& context, xdr::CallContext& call, const remote_storage_vol_lookup_by_key_args& args) {
    return give_volume<remote_storage_vol_lookup_by_key_ret>(call,
                                                             context.host.volume_by_key(args.key));
}

remote_storage_vol_lookup_by_path_ret storage_vol_lookup_by_path(
    Context& context, xdr::CallContext& call, const remote_storage_vol_lookup_by_path_args& args) {
    auto key = context.host.volume_by_key(args.path);
    if (!key)  // the same thing, under the name it was asked for by
        key.error().message = fmt::format(
            "Storage volume not found: no storage vol with matching path '{}'", args.path);
    return give_volume<remote_storage_vol_lookup_by_path_ret>(call, key);
}

remote_storage_vol_get_info_ret storage_vol_get_info(Context& context, xdr::CallContext& call,
                                                     const remote_storage_vol_get_info_args& args) {
    return give_volume_info<remote_storage_vol_get_info_ret>(
        call, context.host.volume_info(args.vol.key));
}

remote_storage_vol_get_info_flags_ret storage_vol_get_info_flags(
    Context& context, xdr::CallContext& call, const remote_storage_vol_get_info_flags_args& args) {
    auto info = context.host.volume_info(args.vol.key);
    if (info && (args.flags & kInfoPhysical) != 0) info->capacity = info->allocation;
    return give_volume_info<remote_storage_vol_get_info_flags_ret>(call, info);
}

remote_storage_vol_get_xml_desc_ret storage_vol_get_xml_desc(
    Context& context, xdr::CallContext& call, const remote_storage_vol_get_xml_desc_args& args) {
    const auto xml = context.host.volume_xml(args.vol.key);
    if (!xml) return refused<remote_storage_vol_get_xml_desc_ret>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

remote_storage_vol_get_path_ret storage_vol_get_path(Context& context, xdr::CallContext& call,
                                                     const remote_storage_vol_get_path_args& args) {
    const auto key = context.host.volume_by_key(args.vol.key);
    if (!key) return refused<remote_storage_vol_get_path_ret>(call, key.error());
    return {.name = kept(call, key->key)};
}

remote_storage_vol_create_xml_ret storage_vol_create_xml(
    Context& context, xdr::CallContext& call, const remote_storage_vol_create_xml_args& args) {
    return give_volume<remote_storage_vol_create_xml_ret>(
        call, context.host.create_volume(uuid_of(args.pool.uuid), args.xml));
}

remote_storage_vol_create_xml_from_ret storage_vol_create_xml_from(
    Context& context, xdr::CallContext& call, const remote_storage_vol_create_xml_from_args& args) {
    return give_volume<remote_storage_vol_create_xml_from_ret>(
        call, context.host.clone_volume(uuid_of(args.pool.uuid), args.xml, args.clonevol.key));
}

void storage_vol_delete(Context& context, xdr::CallContext& call,
                        const remote_storage_vol_delete_args& args) {
    settle_volume(call, context.host.delete_volume(args.vol.key));
}

void storage_vol_wipe(Context& context, xdr::CallContext& call,
                      const remote_storage_vol_wipe_args& args) {
    settle_volume(call, context.host.wipe_volume(args.vol.key));
}

void storage_vol_wipe_pattern(Context& context, xdr::CallContext& call,
                              const remote_storage_vol_wipe_pattern_args& args) {
    settle_volume(call, context.host.wipe_volume(args.vol.key));
}

void storage_vol_resize(Context& context, xdr::CallContext& call,
                        const remote_storage_vol_resize_args& args) {
    settle_volume(call, context.host.resize_volume(args.vol.key, args.capacity,
                                                   {.delta = (args.flags & kResizeDelta) != 0,
                                                    .shrink = (args.flags & kResizeShrink) != 0}));
}

void storage_vol_download(Context& context, xdr::CallContext& call,
                          const remote_storage_vol_download_args& args) {
    auto content = context.host.volume_content(args.vol.key);
    if (!content) return refused(call, content.error());
    const std::uint64_t size = (*content)->capacity();
    if (args.offset > size) return refuse_offset(call, args.offset, size);
    const std::uint64_t length = bytes_from(args.offset, args.length, size);
    open_volume_stream(call, std::make_unique<Download>(std::move(*content), args.offset, length,
                                                        (args.flags & kSparseStream) != 0));
}

void storage_vol_upload(Context& context, xdr::CallContext& call,
                        const remote_storage_vol_upload_args& args) {
    auto content = context.host.volume_content(args.vol.key);
    if (!content) return refused(call, content.error());
    if (args.offset > host::kVolumeCapacityMax)
        return refuse_offset(call, args.offset, host::kVolumeCapacityMax);
    const std::uint64_t length = bytes_from(args.offset, args.length, host::kVolumeCapacityMax);
    open_volume_stream(call, std::make_unique<Upload>(std::move(*content), args.offset, length));
}

}  // namespace

void add_volumes(Table& table) {
    table.STORAGE_VOL_LOOKUP_BY_NAME = storage_vol_lookup_by_name;
    table.STORAGE_VOL_LOOKUP_BY_KEY = storage_vol_lookup_by_key;
    table.STORAGE_VOL_LOOKUP_BY_PATH = storage_vol_lookup_by_path;
    table.STORAGE_VOL_GET_INFO = storage_vol_get_info;
    table.STORAGE_VOL_GET_INFO_FLAGS = storage_vol_get_info_flags;
    table.STORAGE_VOL_GET_XML_DESC = storage_vol_get_xml_desc;
    table.STORAGE_VOL_GET_PATH = storage_vol_get_path;
    table.STORAGE_VOL_CREATE_XML = storage_vol_create_xml;
    table.STORAGE_VOL_CREATE_XML_FROM = storage_vol_create_xml_from;
    table.STORAGE_VOL_DELETE = storage_vol_delete;
    table.STORAGE_VOL_WIPE = storage_vol_wipe;
    table.STORAGE_VOL_WIPE_PATTERN = storage_vol_wipe_pattern;
    table.STORAGE_VOL_RESIZE = storage_vol_resize;
    table.STORAGE_VOL_DOWNLOAD = storage_vol_download;
    table.STORAGE_VOL_UPLOAD = storage_vol_upload;
}

}  // namespace helio::virt::daemon
