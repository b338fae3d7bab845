#include "helio/inspect/capture/segment.h"

#include <algorithm>
#include <cstring>

#include "helio/inspect/capture/byte_order_internal.h"
#include "helio/inspect/capture/fragments_internal.h"
#include "helio/inspect/capture/link_internal.h"

namespace helio::inspect {
namespace {

constexpr std::uint32_t kPlainEthernet = 1;
constexpr std::size_t kEthernetHeadSize = 14;
constexpr std::size_t kIpv4HeadSize = 20;  // without options
constexpr std::size_t kIpv6HeadSize = 40;
constexpr std::size_t kTcpHeadSize = 20;  // without options
constexpr std::size_t kUdpHeadSize = 8;

// IANA's protocol numbers; those of IPv6's extension headers are among them.
enum : std::uint8_t {
    kHopByHop = 0,
    kTcp = 6,
    kUdp = 17,
    kRouting = 43,
    kFragment = 44,
    kAuthentication = 51,
    kDestinationOptions = 60,
    kMobility = 135,
};

void set_v4(Endpoint& end, const std::byte* address, std::uint16_t port) {
    // In whole words: the next comparison reads whole words, and a processor forwards a store only
    // to a load of the same word.
    std::uint64_t words[2] = {0, 0};
    std::memcpy(words, address, 4);
    std::memcpy(end.address.data(), words, sizeof words);
    end.port = port;
    end.v6 = false;
}

void set_v6(Endpoint& end, const std::byte* address) {
    std::memcpy(end.address.data(), address, 16);
    end.port = 0;
    end.v6 = true;
}

std::size_t tcp_head_size(const std::byte* segment) { return (net8(segment + 12) >> 4) * 4u; }

// From the sequence number to the flags.
void set_tcp(Segment& segment, const std::byte* head) {
    segment.tcp = true;
    segment.sequence = net32(head + 4);
    segment.acknowledged = net32(head + 8);
    segment.flags = net8(head + 13);
}

// The fast path: Ethernet, unfragmented IPv4 without options, TCP with its whole header captured.
// That is nearly every packet of a large capture. False: use the slow path; nothing was reported.
inline bool dissect_usual(const Packet& packet, Segment& segment) {
    const std::byte* frame = packet.bytes.data();
    const std::size_t size = packet.bytes.size();
    if (packet.link != kPlainEthernet || size < kEthernetHeadSize + kIpv4HeadSize + kTcpHeadSize ||
        net32(frame + 12) >> 8 != 0x080045) {
        return false;
    }
    const std::byte* ip = frame + kEthernetHeadSize;
    if (net8(ip + 9) != kTcp || (net16(ip + 6) & 0x3fff) != 0) return false;
    const std::byte* tcp = ip + kIpv4HeadSize;
    const std::size_t heads = kIpv4HeadSize + tcp_head_size(tcp);
    const std::size_t total = net16(ip + 2);
    const std::size_t captured = std::min(size - kEthernetHeadSize, total);
    if (heads < kIpv4HeadSize + kTcpHeadSize || heads > captured) return false;
    set_v4(segment.source, ip + 12, net16(tcp));
    set_v4(segment.destination, ip + 16, net16(tcp + 2));
    set_tcp(segment, tcp);
    segment.payload = {ip + heads, captured - heads};
    segment.payload_size = static_cast<std::uint32_t>(total - heads);
    return true;
}

}  // namespace

Dissector::Dissector(MessageSink& sink)
    : sink_(sink), fragments_(std::make_unique<FragmentTable>(sink)) {}
Dissector::~Dissector() = default;

bool Dissector::dissect(const Packet& packet, Segment& segment) {
    if (packet.time_ns > wait_ends_ns_ || any_left_over_) [[unlikely]]
        settle(packet.time_ns);
    segment.time_ns = packet.time_ns;
    segment.packet = packet.number;
    segment.cut_by = Unread::not_captured;
    if (dissect_usual(packet, segment)) [[likely]]
        return true;
    return dissect_other(packet, segment);
}

bool Dissector::dissect_other(const Packet& packet, Segment& segment) {
    const LinkResult link = open_link(packet.link, packet.bytes);
    if (!link.is_ip) {
        const bool cut = link.why == Unread::not_captured;
        return refuse(link.why, cut ? packet.original_size : packet.bytes.size());
    }
    if (link.offset >= packet.bytes.size()) {
        return refuse(Unread::not_captured, packet.original_size);
    }
    const ByteView bytes = packet.bytes.subspan(link.offset);
    const std::size_t wire_size = packet.original_size - link.offset;
    // The link layer's protocol may be wrong (BSD's family numbers, LINKTYPE_RAW); IP's version is
    // not.
    switch (net8(bytes.data()) >> 4) {
        case 4:
            return ipv4(bytes, wire_size, segment);
        case 6:
            return ipv6(bytes, wire_size, segment);
        default:
            return refuse(Unread::packet_damaged, bytes.size());
    }
}

// RFC 791 §3.1.
bool Dissector::ipv4(ByteView bytes, std::size_t wire_size, Segment& segment) {
    if (bytes.size() < kIpv4HeadSize) return refuse(Unread::not_captured, wire_size);
    const std::byte* head = bytes.data();
    const std::size_t head_size = (net8(head) & 15) * 4u;
    std::size_t total = net16(head + 2);
    // Captured before segmentation offload: the length does not fit in its field, or is not filled
    // in.
    if (total == 0) total = std::min(wire_size, kPacketSizeMax);
    if (head_size < kIpv4HeadSize || total < head_size) {
        return refuse(Unread::packet_damaged, bytes.size());
    }
    if (bytes.size() < head_size) return refuse(Unread::not_captured, total - head_size);
    const std::size_t captured = std::min(bytes.size(), total);
    set_v4(segment.source, head + 12, 0);
    set_v4(segment.destination, head + 16, 0);
    const Part part{.bytes = bytes.subspan(head_size, captured - head_size),
                    .wire_size = total - head_size,
                    .protocol = net8(head + 9)};
    const std::uint32_t place = net16(head + 6);
    if ((place & 0x3fff) == 0) return upper(part, segment);
    const bool more = (place & 0x2000) != 0;
    return fragment(part, net16(head + 4), (place & 0x1fff) * 8 | (more ? 1 : 0), segment);
}

// RFC 8200 §3.
bool Dissector::ipv6(ByteView bytes, std::size_t wire_size, Segment& segment) {
    if (bytes.size() < kIpv6HeadSize) return refuse(Unread::not_captured, wire_size);
    const std::byte* head = bytes.data();
    std::size_t size = net16(head + 4);
    // A jumbogram (RFC 2675): Linux makes them before segmentation offload.
    if (size == 0) {
        size = std::min(std::max(wire_size, kIpv6HeadSize) - kIpv6HeadSize, kPacketSizeMax);
    }
    const std::size_t captured = std::min(bytes.size() - kIpv6HeadSize, size);
    set_v6(segment.source, head + 8);
    set_v6(segment.destination, head + 24);
    return upper({.bytes = bytes.subspan(kIpv6HeadSize, captured),
                  .wire_size = size,
                  .protocol = net8(head + 6),
                  .v6 = true},
                 segment);
}

// Skips extension headers up to TCP or UDP. Each takes at least eight bytes, so this ends.
bool Dissector::upper(Part part, Segment& segment) {
    for (;;) {
        const bool extension =
            part.v6 && (part.protocol == kHopByHop || part.protocol == kRouting ||
                        part.protocol == kFragment || part.protocol == kDestinationOptions ||
                        part.protocol == kMobility);
        if (part.protocol == kTcp) return tcp(part, segment);
        if (part.protocol == kUdp) return udp(part, segment);
        if (!extension && part.protocol != kAuthentication) {
            return refuse(Unread::not_tcp_udp, part.wire_size);
        }
        if (part.wire_size < 8) return refuse(Unread::packet_damaged, part.bytes.size());
        if (part.bytes.size() < 8) return refuse(segment.cut_by, part.wire_size);
        const std::byte* head = part.bytes.data();
        std::size_t size = (net8(head + 1) + 1) * 8u;
        const std::uint32_t place = net16(head + 2);
        const std::uint32_t id = net32(head + 4);
        const bool is_fragment = extension && part.protocol == kFragment;
        if (is_fragment) size = 8;
        if (part.protocol == kAuthentication) size = (net8(head + 1) + 2) * 4u;  // RFC 4302 §2.2
        if (size < 8 || size > part.wire_size) {
            return refuse(Unread::packet_damaged, part.bytes.size());
        }
        if (size > part.bytes.size()) return refuse(segment.cut_by, part.wire_size - size);
        part.protocol = net8(head);
        part.bytes = part.bytes.subspan(size);
        part.wire_size -= size;
        // Offset 0 and no more fragments: an atomic fragment (RFC 6946).
        if (is_fragment && (place & 0xfff9) != 0) {
            return fragment(part, id, place & 0xfff9, segment);
        }
    }
}

// RFC 9293 §3.1.
bool Dissector::tcp(const Part& part, Segment& segment) {
    if (part.wire_size < kTcpHeadSize) return refuse(Unread::packet_damaged, part.bytes.size());
    if (part.bytes.size() < kTcpHeadSize) return refuse(segment.cut_by, part.wire_size);
    const std::byte* head = part.bytes.data();
    const std::size_t head_size = tcp_head_size(head);
    if (head_size < kTcpHeadSize || head_size > part.wire_size) {
        return refuse(Unread::packet_damaged, part.bytes.size());
    }
    segment.source.port = net16(head);
    segment.destination.port = net16(head + 2);
    set_tcp(segment, head);
    segment.payload = part.bytes.subspan(std::min(head_size, part.bytes.size()));
    segment.payload_size = static_cast<std::uint32_t>(part.wire_size - head_size);
    return true;
}

// RFC 768.
bool Dissector::udp(const Part& part, Segment& segment) {
    if (part.wire_size < kUdpHeadSize) return refuse(Unread::packet_damaged, part.bytes.size());
    if (part.bytes.size() < kUdpHeadSize) return refuse(segment.cut_by, part.wire_size);
    const std::byte* head = part.bytes.data();
    std::size_t size = net16(head + 4);
    if (size == 0) size = part.wire_size;  // RFC 2675 §4
    // If fragments are missing, UDP's length is more reliable. Otherwise a receiver takes no more
    // than IP delivered.
    const bool some_missing = segment.cut_by == Unread::fragments_missing;
    if (size < kUdpHeadSize || (size > part.wire_size && !some_missing)) {
        return refuse(Unread::packet_damaged, part.bytes.size());
    }
    segment.tcp = false;
    segment.source.port = net16(head);
    segment.destination.port = net16(head + 2);
    segment.sequence = segment.acknowledged = 0;
    segment.flags = 0;
    segment.payload = part.bytes.first(std::min(part.bytes.size(), size)).subspan(kUdpHeadSize);
    segment.payload_size = static_cast<std::uint32_t>(size - kUdpHeadSize);
    return true;
}

// `offset_and_more`: offset in bytes, a multiple of eight, plus 1 if more fragments follow.
bool Dissector::fragment(const Part& part, std::uint32_t id, std::uint32_t offset_and_more,
                         Segment& segment) {
    const std::size_t offset = offset_and_more & ~std::uint32_t{7};
    const bool more = (offset_and_more & 1) != 0;
    // IP never fragments a fragment.
    if (part.wire_size == 0 || (more && part.wire_size % 8 != 0) ||
        offset + part.wire_size > kDatagramSizeMax || part.from_fragments) {
        return refuse(Unread::packet_damaged, part.bytes.size());
    }
    const FragmentKey key{.source = segment.source.address,
                          .destination = segment.destination.address,
                          .id = id,
                          .protocol = part.v6 ? std::uint8_t{0} : part.protocol,
                          .v6 = part.v6};
    const Datagram* whole = fragments_->add({.key = key,
                                             .offset = offset,
                                             .wire_size = part.wire_size,
                                             .more = more,
                                             .protocol = part.protocol,
                                             .bytes = part.bytes,
                                             .time_ns = segment.time_ns,
                                             .packet = segment.packet});
    watch_fragments();
    if (whole == nullptr) return false;
    return upper({.bytes = whole->prefix(),
                  .wire_size = whole->size,
                  .protocol = whole->protocol,
                  .v6 = part.v6,
                  .from_fragments = true},
                 segment);
}

bool Dissector::left_over_part(const Datagram& datagram, Segment& segment) {
    segment.time_ns = datagram.time_ns;
    segment.packet = datagram.packet;
    segment.cut_by = Unread::fragments_missing;
    segment.source = {.address = datagram.key.source, .v6 = datagram.key.v6};
    segment.destination = {.address = datagram.key.destination, .v6 = datagram.key.v6};
    return upper({.bytes = datagram.prefix(),
                  .wire_size = datagram.wire_size(),
                  .protocol = datagram.protocol,
                  .v6 = datagram.key.v6,
                  .from_fragments = true},
                 segment);
}

bool Dissector::next_left_over(Segment& segment) {
    while (const Datagram* datagram = fragments_->next_given_up()) {
        if (left_over_part(*datagram, segment)) return true;
    }
    any_left_over_ = false;
    return false;
}

bool Dissector::flush(Segment& segment) {
    fragments_->give_up_all();
    watch_fragments();
    return next_left_over(segment);
}

void Dissector::settle(std::int64_t now_ns) {
    fragments_->forget_given_up();
    fragments_->give_up_old(now_ns);
    watch_fragments();
}

void Dissector::watch_fragments() {
    any_left_over_ = fragments_->any_given_up();
    wait_ends_ns_ = fragments_->wait_ends_ns();
}

bool Dissector::refuse(Unread why, std::uint64_t bytes) {
    sink_.unread(why, bytes, 1);
    return false;
}

}  // namespace helio::inspect
