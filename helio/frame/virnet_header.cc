#include "helio/frame/virnet_header.h"

#include <algorithm>

#include "helio/frame/length_word.h"
#include "helio/xdr/wire.h"

namespace helio::frame {

VirnetHeader read_virnet_header(const std::byte* at) {
    return {xdr::load_u32(at),      xdr::load_u32(at + 4),
            xdr::load_u32(at + 8),  static_cast<VirnetType>(xdr::load_u32(at + 12)),
            xdr::load_u32(at + 16), static_cast<VirnetStatus>(xdr::load_u32(at + 20))};
}

void write_virnet_header(std::byte* at, const VirnetHeader& header) {
    xdr::store_u32(at, header.program);
    xdr::store_u32(at + 4, header.version);
    xdr::store_u32(at + 8, header.procedure);
    xdr::store_u32(at + 12, static_cast<std::uint32_t>(header.type));
    xdr::store_u32(at + 16, header.serial);
    xdr::store_u32(at + 20, static_cast<std::uint32_t>(header.status));
}

bool put_virnet_header(xdr::Writer& out, const VirnetHeader& header) {
    if (!out.ready(VirnetHeader::kSize)) return false;
    std::byte* const at = out.at();
    write_virnet_header(at, header);
    return out.end(at + VirnetHeader::kSize);
}

std::vector<std::byte> make_virnet_message(const VirnetHeader& header, ByteView payload) {
    constexpr std::size_t kHeadSize = LengthWord::kWordSize + VirnetHeader::kSize;
    std::vector<std::byte> message(kHeadSize + payload.size());
    LengthWord::store(message.data(), VirnetHeader::kSize + payload.size());
    write_virnet_header(message.data() + LengthWord::kWordSize, header);
    std::copy(payload.begin(), payload.end(), message.begin() + kHeadSize);
    return message;
}

std::optional<std::size_t> virnet_descriptors(const VirnetHeader& header, ByteView message) {
    if (header.type != VirnetType::call_with_fds && header.type != VirnetType::reply_with_fds)
        [[likely]]
        return 0;
    if (message.size() < VirnetHeader::kSize + 4) return std::nullopt;
    const std::size_t count = xdr::load_u32(message.data() + VirnetHeader::kSize);
    if (count > kVirnetFdsMax) return std::nullopt;
    return count;
}

std::string_view name_of(VirnetType type) {
    switch (type) {
        case VirnetType::call:
            return "CALL";
        case VirnetType::reply:
            return "REPLY";
        case VirnetType::message:
            return "MESSAGE";
        case VirnetType::stream:
            return "STREAM";
        case VirnetType::call_with_fds:
            return "CALL_WITH_FDS";
        case VirnetType::reply_with_fds:
            return "REPLY_WITH_FDS";
        case VirnetType::stream_hole:
            return "STREAM_HOLE";
    }
    return {};
}

}  // namespace helio::frame
