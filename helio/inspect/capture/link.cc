#include "helio/inspect/capture/byte_order_internal.h"
#include "helio/inspect/capture/link_internal.h"

namespace helio::inspect {
namespace {

// LINKTYPE_ of https://www.tcpdump.org/linktypes.html. Raw IP had a different number on each system
// before it got its own, and such captures still exist.
enum : std::uint32_t {
    kLinkNull = 0,
    kLinkEthernet = 1,
    kLinkPpp = 9,
    kLinkRawMostSystems = 12,
    kLinkRawOpenBsd = 14,
    kLinkPppHdlc = 50,
    kLinkRaw = 101,
    kLinkLoop = 108,
    kLinkSll = 113,
    kLinkIpv4 = 228,
    kLinkIpv6 = 229,
    kLinkSll2 = 276,
};

enum : std::uint16_t {
    kTypeIpv4 = 0x0800,
    kTypeVlan = 0x8100,
    kTypeIpv6 = 0x86dd,
    kTypePppoe = 0x8864,
    kTypeProviderVlan = 0x88a8,
    kTypeOldProviderVlan = 0x9100,
    kTypeOlderProviderVlan = 0x9200,
};

constexpr LinkResult none(Unread why) { return {.is_ip = false, .offset = 0, .why = why}; }
constexpr LinkResult ip_at(std::size_t offset) { return {.is_ip = true, .offset = offset}; }

// PPP's protocol field, one or two bytes, possibly after an address (RFC 1661 §2, RFC 1662 §3.1).
LinkResult ppp(ByteView frame, std::size_t at) {
    if (frame.size() >= at + 2 && net16(frame.data() + at) == 0xff03) at += 2;
    if (frame.size() < at + 2) return none(Unread::not_captured);
    std::uint16_t protocol = net8(frame.data() + at++);
    if ((protocol & 1) == 0) {
        protocol = static_cast<std::uint16_t>(protocol << 8 | net8(frame.data() + at++));
    }
    return protocol == 0x0021 || protocol == 0x0057 ? ip_at(at) : none(Unread::not_ip);
}

// `at`: offset of the EtherType.
LinkResult by_type(ByteView frame, std::size_t at) {
    while (frame.size() >= at + 2) {
        const std::uint16_t type = net16(frame.data() + at);
        switch (type) {
            case kTypeIpv4:
            case kTypeIpv6:
                return ip_at(at + 2);
            case kTypeVlan:
            case kTypeProviderVlan:
            case kTypeOldProviderVlan:
            case kTypeOlderProviderVlan:
                at += 4;
                continue;
            case kTypePppoe:
                return ppp(frame, at + 2 + 6);
            default:
                break;
        }
        // Up to 1500 it is IEEE 802.3's length, and what follows may be SNAP: aa-aa-03, three
        // zeros, a type.
        const bool snap = type <= 1500 && frame.size() >= at + 10 &&
                          net32(frame.data() + at + 2) == 0xaaaa0300 &&
                          net16(frame.data() + at + 6) == 0;
        if (!snap) return none(Unread::not_ip);
        at += 8;
    }
    return none(Unread::not_captured);
}

// The address family, in the byte order of the capturing machine (LINKTYPE_NULL) or of the network
// (LINKTYPE_LOOP). Every BSD has its own number for IPv6.
LinkResult loopback(ByteView frame) {
    if (frame.size() < 4) return none(Unread::not_captured);
    std::uint32_t family = net32(frame.data());
    if (family > 0xffff) family = __builtin_bswap32(family);
    switch (family) {
        case 2:
        case 10:
        case 24:
        case 28:
        case 30:
            return ip_at(4);
        default:
            return none(Unread::not_ip);
    }
}

}  // namespace

LinkResult open_link(std::uint32_t link, ByteView frame) {
    switch (link) {
        case kLinkEthernet:
            return by_type(frame, 12);
        case kLinkSll:
            return by_type(frame, 14);
        case kLinkSll2: {
            // SLL2 begins with the EtherType.
            if (frame.size() < 20) return none(Unread::not_captured);
            const std::uint16_t type = net16(frame.data());
            if (type == kTypeIpv4 || type == kTypeIpv6) return ip_at(20);
            const bool tagged = type == kTypeVlan || type == kTypeProviderVlan;
            return tagged ? by_type(frame, 22) : none(Unread::not_ip);
        }
        case kLinkRaw:
        case kLinkRawMostSystems:
        case kLinkRawOpenBsd:
        case kLinkIpv4:
        case kLinkIpv6:
            return ip_at(0);
        case kLinkNull:
        case kLinkLoop:
            return loopback(frame);
        case kLinkPpp:
        case kLinkPppHdlc:
            return ppp(frame, 0);
        default:
            return none(Unread::link_unknown);
    }
}

}  // namespace helio::inspect
