#include "helio/inspect/capture/segment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/inspect/segments.h"

namespace helio::inspect::segment_test {

using namespace helio::inspect::for_test;

namespace {

const Bytes kSegmentPayload = pattern(100, 3);
const TcpFields kTcpFields{
    .sequence = 0x01020304, .acknowledged = 0xa0b0c0d0, .flags = kAck | kPush};

Bytes tcp4() { return ipv4(kClient, kServer, tcp(kClient, kServer, kTcpFields, kSegmentPayload)); }
Bytes udp4() {
    return ipv4(kClient, kServer, udp(kClient, kServer, kSegmentPayload),
                {.protocol = kProtocolUdp});
}
Bytes tcp6() {
    return ipv6(kClient6, kServer6, tcp(kClient6, kServer6, kTcpFields, kSegmentPayload));
}

Bytes behind(ByteView head, ByteView ip) { return BytesBuilder{}.add(head).add(ip); }

void expect_tcp(const Dissection& got, const Endpoint& from, const Endpoint& to,
                const std::string& what) {
    ASSERT_EQ(got.segments().size(), 1u) << what;
    const Segment& segment = got.only().segment;
    EXPECT_TRUE(segment.tcp) << what;
    EXPECT_EQ(segment.source, from) << what;
    EXPECT_EQ(segment.destination, to) << what;
    EXPECT_EQ(segment.sequence, kTcpFields.sequence) << what;
    EXPECT_EQ(segment.acknowledged, kTcpFields.acknowledged) << what;
    EXPECT_EQ(segment.flags, kTcpFields.flags) << what;
    EXPECT_EQ(segment.payload_size, kSegmentPayload.size()) << what;
    EXPECT_EQ(got.only().payload, kSegmentPayload) << what;
    EXPECT_EQ(got.sink().packets(), 0u) << what;
}

struct LinkRow {
    std::string name;
    std::uint32_t link;
    Bytes head;
};

std::vector<LinkRow> links_of_ipv4() {
    const Bytes addresses = pattern(12);
    const auto ether = [&] { return BytesBuilder{}.add(addresses); };
    return {
        {"Ethernet", 1, ether().u16(0x0800)},
        {"VLAN", 1, ether().u16(0x8100).u16(7).u16(0x0800)},
        {"QinQ", 1, ether().u16(0x88a8).u16(7).u16(0x8100).u16(8).u16(0x0800)},
        {"old QinQ", 1, ether().u16(0x9100).u16(7).u16(0x8100).u16(8).u16(0x0800)},
        {"SNAP", 1, ether().u16(148).u32(0xaaaa0300).u16(0).u16(0x0800)},
        {"PPPoE", 1, ether().u16(0x8864).u32(0x11000001).u16(142).u16(0x0021)},
        {"SLL", 113, BytesBuilder{}.u16(0).u16(1).u16(6).add(pattern(8)).u16(0x0800)},
        {"SLL, VLAN", 113,
         BytesBuilder{}.u16(0).u16(1).u16(6).add(pattern(8)).u16(0x8100).u16(7).u16(0x0800)},
        {"SLL2", 276, BytesBuilder{}.u16(0x0800).u16(0).u32(2).u16(1).u8(0).u8(6).add(pattern(8))},
        {"SLL2, VLAN", 276,
         BytesBuilder{}
             .u16(0x8100)
             .u16(0)
             .u32(2)
             .u16(1)
             .u8(0)
             .u8(6)
             .add(pattern(8))
             .u16(7)
             .u16(0x0800)},
        {"raw", 101, {}},
        {"raw of most systems", 12, {}},
        {"raw of OpenBSD", 14, {}},
        {"IPv4", 228, {}},
        {"loopback, little-endian", 0, BytesBuilder{true}.u32(2)},
        {"loopback, big-endian", 0, BytesBuilder{}.u32(2)},
        {"loopback of OpenBSD", 108, BytesBuilder{}.u32(2)},
        {"PPP", 9, BytesBuilder{}.u16(0x0021)},
        {"PPP with address", 9, BytesBuilder{}.u16(0xff03).u16(0x0021)},
        {"PPP, short protocol", 50, BytesBuilder{}.u16(0xff03).u8(0x21)},
    };
}

TEST(Dissector, ReadsIpv4OverEveryLink) {
    for (const LinkRow& row : links_of_ipv4()) {
        Dissection got{row.link};
        got.feed(behind(row.head, tcp4()));
        expect_tcp(got, kClient, kServer, row.name);
    }
}

TEST(Dissector, ReadsIpv6OverEveryKindOfLink) {
    const LinkRow rows[] = {
        {"Ethernet", 1, BytesBuilder{}.zeros(12).u16(0x86dd)},
        {"VLAN", 1, BytesBuilder{}.zeros(12).u16(0x8100).u16(7).u16(0x86dd)},
        {"SLL", 113, BytesBuilder{}.zeros(14).u16(0x86dd)},
        {"SLL2", 276, BytesBuilder{}.u16(0x86dd).zeros(18)},
        {"raw", 101, {}},
        {"IPv6", 229, {}},
        {"loopback of FreeBSD", 0, BytesBuilder{true}.u32(28)},
        {"loopback of macOS", 0, BytesBuilder{true}.u32(30)},
        {"loopback of OpenBSD", 108, BytesBuilder{}.u32(24)},
        {"PPP", 9, BytesBuilder{}.u16(0xff03).u16(0x0057)},
    };
    for (const LinkRow& row : rows) {
        Dissection got{row.link};
        got.feed(behind(row.head, tcp6()));
        expect_tcp(got, kClient6, kServer6, row.name);
    }
}

TEST(Dissector, ReadsUdp) {
    Dissection got;
    got.feed(ethernet(udp4()), 77);
    ASSERT_EQ(got.segments().size(), 1u);
    const Segment& segment = got.only().segment;
    EXPECT_FALSE(segment.tcp);
    EXPECT_EQ(segment.time_ns, 77);
    EXPECT_EQ(segment.packet, 1u);
    EXPECT_EQ(segment.source, kClient);
    EXPECT_EQ(segment.destination, kServer);
    EXPECT_EQ(segment.payload_size, 100u);
    EXPECT_EQ(got.only().payload, kSegmentPayload);
}

TEST(Dissector, PaddingIsNoPayload) {
    for (const Bytes& ip :
         {ipv4(kClient, kServer, tcp(kClient, kServer, {}, {})),
          ipv4(kClient, kServer, udp(kClient, kServer, {}), {.protocol = kProtocolUdp})}) {
        Dissection got;
        got.feed(ethernet(ip));
        ASSERT_EQ(got.segments().size(), 1u);
        EXPECT_EQ(got.only().segment.payload_size, 0u);
        EXPECT_TRUE(got.only().payload.empty());
    }
}

TEST(Dissector, OptionsAreNoPayload) {
    TcpFields fields = kTcpFields;
    fields.option_words = 10;
    Dissection got;
    got.feed(ethernet(ipv4(kClient, kServer, tcp(kClient, kServer, fields, kSegmentPayload),
                           {.option_words = 10})));
    expect_tcp(got, kClient, kServer, "options of IP and TCP");
}

// Captured before segmentation offload: IP's length is zero.
TEST(Dissector, WithoutALengthAllOfThePacketCounts) {
    const Bytes large = pattern(70'000);
    Bytes v4 = ethernet(ipv4(kClient, kServer, tcp(kClient, kServer, {}, large)));
    v4[16] = v4[17] = std::byte{0};
    Bytes v6 = ethernet(ipv6(kClient6, kServer6, tcp(kClient6, kServer6, {}, large)));
    v6[18] = v6[19] = std::byte{0};
    for (const Bytes& frame : {v4, v6}) {
        Dissection got;
        got.feed(frame);
        ASSERT_EQ(got.segments().size(), 1u);
        EXPECT_EQ(got.only().segment.payload_size, large.size());
        EXPECT_EQ(got.only().payload, large);
        Dissection cut;
        cut.feed(ByteView{frame}.first(200), frame.size(), 0);
        EXPECT_EQ(cut.only().segment.payload_size, large.size());
    }
}

TEST(Dissector, PassesExtensionHeaders) {
    const Bytes segment = tcp(kClient6, kServer6, kTcpFields, kSegmentPayload);
    const Bytes chain = BytesBuilder{}
                            .u8(43)
                            .u8(0)
                            .zeros(6)  // hop-by-hop, 8 bytes; routing is next
                            .u8(60)
                            .u8(2)
                            .zeros(22)  // routing, 24 bytes
                            .u8(51)
                            .u8(1)
                            .zeros(14)  // destination options, 16 bytes
                            .u8(44)
                            .u8(4)
                            .zeros(22)  // authentication, 24 bytes
                            .u8(135)
                            .u8(0)
                            .u16(0)
                            .u32(99)  // fragment header of an atomic fragment
                            .u8(6)
                            .u8(0)
                            .zeros(6)  // mobility
                            .add(segment);
    Dissection got;
    got.feed(ethernet(ipv6(kClient6, kServer6, chain, 0)));
    expect_tcp(got, kClient6, kServer6, "a chain of extension headers");

    Dissection v4;
    v4.feed(ethernet(ipv4(kClient, kServer,
                          BytesBuilder{}
                              .u8(6)
                              .u8(4)
                              .zeros(22)
                              .add(tcp(kClient, kServer, kTcpFields, kSegmentPayload))
                              .bytes(),
                          {.protocol = 51})));
    expect_tcp(v4, kClient, kServer, "authentication in IPv4");
}

TEST(Dissector, ACutPacketGivesWhatIsThere) {
    for (const Bytes& frame :
         {ethernet(tcp4()), ethernet(udp4()), ethernet(tcp6()), ethernet(tcp4(), {7, 8}, 0x88a8)}) {
        const std::size_t heads = frame.size() - kSegmentPayload.size();
        for (std::size_t size = 0; size < frame.size(); ++size) {
            Dissection got;
            got.feed(ByteView{frame}.first(size), frame.size(), 0);
            if (size < heads) {
                ASSERT_TRUE(got.segments().empty()) << size;
                ASSERT_EQ(got.sink().packets(Unread::not_captured), 1u) << size;
                continue;
            }
            ASSERT_EQ(got.segments().size(), 1u) << size;
            ASSERT_EQ(got.only().segment.payload_size, kSegmentPayload.size()) << size;
            ASSERT_EQ(got.only().segment.cut_by, Unread::not_captured);
            ASSERT_EQ(got.only().payload,
                      Bytes(kSegmentPayload.begin(), kSegmentPayload.begin() + size - heads));
        }
    }
}

// The capture program did not record the packet's original length, but IP has it.
TEST(Dissector, IpKnowsThatAPacketIsCut) {
    const Bytes frame = ethernet(tcp4());
    Dissection got;
    got.feed(ByteView{frame}.first(100));
    EXPECT_EQ(got.only().segment.payload_size, kSegmentPayload.size());
    EXPECT_EQ(got.only().payload.size(), 46u);
}

TEST(Dissector, CountsWhatItCannotRead) {
    struct Row {
        std::string name;
        std::uint32_t link;
        Bytes frame;
        Unread why;
    };
    const Bytes good = ethernet(tcp4());
    const auto with = [&](std::size_t at, unsigned value) {
        Bytes frame = good;
        frame[at] = static_cast<std::byte>(value);
        return frame;
    };
    Bytes udp_too_long = ethernet(udp4());
    udp_too_long[14 + 20 + 5] = std::byte{109};
    Bytes udp_too_short = ethernet(udp4());
    udp_too_short[14 + 20 + 5] = std::byte{7};
    const Bytes no_head = ipv6(kClient6, kServer6, BytesBuilder{}.u8(6).u8(9).zeros(6).bytes(), 60);
    const Row rows[] = {
        {"IEEE 802.11", 105, good, Unread::link_unknown},
        {"a link of snoop", 0xffff0012, good, Unread::link_unknown},
        {"ARP", 1, BytesBuilder{}.zeros(12).u16(0x0806).zeros(46), Unread::not_ip},
        {"spanning tree", 1, BytesBuilder{}.zeros(12).u16(38).u32(0x42420300).zeros(42),
         Unread::not_ip},
        {"AppleTalk on a loopback", 0, BytesBuilder{true}.u32(16).zeros(40), Unread::not_ip},
        {"LCP", 9, BytesBuilder{}.u16(0xff03).u16(0xc021).zeros(10), Unread::not_ip},
        {"ICMP", 1, with(23, 1), Unread::not_tcp_udp},
        {"hop-by-hop in IPv4", 1, with(23, 0), Unread::not_tcp_udp},
        {"IP of version 5", 1, with(14, 0x55), Unread::packet_damaged},
        {"an IP header of four words", 1, with(14, 0x44), Unread::packet_damaged},
        {"IP's length less than its header", 1, with(17, 19), Unread::packet_damaged},
        {"a TCP header of four words", 1, with(46, 0x40), Unread::packet_damaged},
        {"UDP longer than IP", 1, udp_too_long, Unread::packet_damaged},
        {"UDP shorter than its header", 1, udp_too_short, Unread::packet_damaged},
        {"an extension header longer than IP", 101, no_head, Unread::packet_damaged},
        {"TCP in ten bytes", 101, ipv4(kClient, kServer, pattern(10)), Unread::packet_damaged},
        {"an empty packet", 101, {}, Unread::not_captured},
    };
    for (const Row& row : rows) {
        Dissection got{row.link};
        got.feed(row.frame);
        EXPECT_TRUE(got.segments().empty()) << row.name;
        EXPECT_EQ(got.sink().packets(row.why), 1u) << row.name;
        EXPECT_EQ(got.sink().packets(), 1u) << row.name;
    }
}

TEST(Dissector, ATcpHeaderThatIsLongerThanItsSegmentIsDamaged) {
    Bytes frame = ethernet(ipv4(kClient, kServer, tcp(kClient, kServer, {}, pattern(8))));
    frame[46] = std::byte{0xf0};
    Dissection got;
    got.feed(frame);
    EXPECT_TRUE(got.segments().empty());
    EXPECT_EQ(got.sink().packets(Unread::packet_damaged), 1u);
}

// Whatever is wrong, a packet becomes one segment or one ledger entry, or waits for others.
TEST(Dissector, AnyBitMayBeWrong) {
    const Bytes v6 = ethernet(
        ipv6(kClient6, kServer6,
             BytesBuilder{}
                 .u8(44)
                 .u8(0)
                 .zeros(6)
                 .add(ipv6_fragment(6, 5, 0, true, tcp(kClient6, kServer6, {}, pattern(12))))
                 .bytes(),
             0));
    for (Bytes frame : {ethernet(tcp4(), {7}), ethernet(udp4()), v6}) {
        const std::size_t heads = std::min<std::size_t>(frame.size(), 120);
        for (std::size_t bit = 0; bit < 8 * heads; ++bit) {
            const auto mask = static_cast<std::byte>(1u << bit % 8);
            frame[bit / 8] ^= mask;
            Dissection got;
            got.feed(frame);
            got.flush();
            ASSERT_EQ(got.segments().size() + got.sink().packets(), 1u) << bit;
            for (const KeptSegment& kept : got.segments()) {
                ASSERT_LE(kept.payload.size(), kept.segment.payload_size);
            }
            frame[bit / 8] ^= mask;
        }
    }
}

}  // namespace
}  // namespace helio::inspect::segment_test
