// Volumes, and the streams that upload and download them.
#include <fmt/format.h>

#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

constexpr std::uint32_t kSparseStream = 1;  // of uploads and downloads
// virStorageVolResizeFlags.
constexpr std::uint32_t kResizeDelta = 2, kResizeShrink = 4;
constexpr std::uint32_t kInfoPhysical = 1;  // VIR_STORAGE_VOL_GET_PHYSICAL

template <class Returned>
Returned give_volume(xdr::CallContext& call, const host::Outcome<host::VolumeKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.vol = to_wire(call, *key)};
}

// Sends the bytes of a volume. The stream ends early if the volume shrinks or is deleted.
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

// Receives the bytes of a volume. Like a file, the volume grows if it is too small.
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

// The length of a stream that begins at `offset`: at most up to `end`, which is also what a length
// of 0 asks for.
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
        call, virt_error(VIR_ERR_INVALID_ARG, VIR_FROM_STORAGE,
                         fmt::format("the volume has {} bytes, and offset {} is beyond its end",
                                     size, offset)));
}

remote_storage_vol_lookup_by_name_ret storage_vol_lookup_by_name(
    Context& context, xdr::CallContext& call, const remote_storage_vol_lookup_by_name_args& args) {
    return give_volume<remote_storage_vol_lookup_by_name_ret>(
        call, context.host.volume_by_name(object_of(args), args.name));
}

remote_storage_vol_lookup_by_path_ret storage_vol_lookup_by_path(
    Context& context, xdr::CallContext& call, const remote_storage_vol_lookup_by_path_args& args) {
    auto key = context.host.volume_by_key(args.path);
    if (!key)  // a key is a path here, but the message must say path
        key.error().message = fmt::format(
            "Storage volume not found: no storage vol with matching path '{}'", args.path);
    return give_volume<remote_storage_vol_lookup_by_path_ret>(call, key);
}

template <class Ret, class Args>
Ret storage_vol_get_info(Context& context, xdr::CallContext& call, const Args& args) {
    const auto info = context.host.volume_info(args.vol.key);
    if (!info) return refused<Ret>(call, info.error());
    const bool physical = (flags_of(args) & kInfoPhysical) != 0;
    return {.type = static_cast<std::int8_t>(info->type),
            .capacity = physical ? info->allocation : info->capacity,
            .allocation = info->allocation};
}

remote_storage_vol_create_xml_ret storage_vol_create_xml(
    Context& context, xdr::CallContext& call, const remote_storage_vol_create_xml_args& args) {
    return give_volume<remote_storage_vol_create_xml_ret>(
        call, context.host.create_volume(object_of(args), args.xml));
}

remote_storage_vol_create_xml_from_ret storage_vol_create_xml_from(
    Context& context, xdr::CallContext& call, const remote_storage_vol_create_xml_from_args& args) {
    return give_volume<remote_storage_vol_create_xml_from_ret>(
        call, context.host.clone_volume(object_of(args), args.xml, args.clonevol.key));
}

void storage_vol_resize(Context& context, xdr::CallContext& call,
                        const remote_storage_vol_resize_args& args) {
    const auto done = context.host.resize_volume(
        args.vol.key, args.capacity,
        {.delta = (args.flags & kResizeDelta) != 0, .shrink = (args.flags & kResizeShrink) != 0});
    if (!done) refused(call, done.error());
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
    table.STORAGE_VOL_LOOKUP_BY_KEY = forward_to<&Host::volume_by_key>;
    table.STORAGE_VOL_LOOKUP_BY_PATH = storage_vol_lookup_by_path;
    table.STORAGE_VOL_GET_INFO = storage_vol_get_info;
    table.STORAGE_VOL_GET_INFO_FLAGS = storage_vol_get_info;
    table.STORAGE_VOL_GET_XML_DESC = forward_to<&Host::volume_xml>;
    table.STORAGE_VOL_GET_PATH = forward_to<&Host::volume_by_key, &host::VolumeKey::key>;
    table.STORAGE_VOL_CREATE_XML = storage_vol_create_xml;
    table.STORAGE_VOL_CREATE_XML_FROM = storage_vol_create_xml_from;
    table.STORAGE_VOL_DELETE = forward_to<&Host::delete_volume>;
    table.STORAGE_VOL_WIPE = forward_to<&Host::wipe_volume>;
    table.STORAGE_VOL_WIPE_PATTERN = forward_to<&Host::wipe_volume>;
    table.STORAGE_VOL_RESIZE = storage_vol_resize;
    table.STORAGE_VOL_DOWNLOAD = storage_vol_download;
    table.STORAGE_VOL_UPLOAD = storage_vol_upload;
}

}  // namespace helio::virt::daemon
