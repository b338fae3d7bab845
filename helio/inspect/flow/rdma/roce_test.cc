#include "helio/inspect/flow/rdma/roce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "helio/inspect/capture/reader.h"
#include "helio/inspect/flow/rdma/roce_packet.h"
#include "helio/inspect/flow/rdma/roce_queue.h"
#include "helio/inspect/head.h"
#include "testing/inspect/catalogue.h"
#include "testing/inspect/rdma_packets.h"

namespace helio::inspect::roce_test {
namespace {

using namespace for_test;
using Kind = RocePacket::Kind;

constexpr std::uint32_t kXid = 0x55667788;
constexpr std::size_t kMtu = 256;

// BTH with padding, extended headers, payload, ICRC.
Bytes packet(std::uint8_t opcode, std::uint32_t queue, std::uint32_t psn, const Bytes& extended,
             ByteView payload) {
    BytesBuilder out;
    const std::size_t padding = padded(payload.size()) - payload.size();
    out.u8(opcode).u8(padding << 4).u16(0xffff).u32(queue).u32(psn & kPsnMask);
    return out.add(extended).add(payload).zeros(padding).u32(0xdeadbeef);
}

struct Sent {
    std::uint8_t direction = 0;
    Bytes bytes;
};

// Both ends' packets, numbered as an adapter does; the client's numbers are about to wrap.
class Wire {
 public:
    void send(std::uint8_t direction, const Bytes& bytes, std::size_t mtu = 4096) {
        pieces(direction, 0x00, 0x01, 0x02, 0x04, {}, bytes, mtu);
    }
    void write(std::uint8_t direction, const ChunkSegment& to, const Bytes& bytes) {
        const Bytes reth = BytesBuilder{}.u64(to.offset).u32(to.handle).u32(bytes.size());
        pieces(direction, 0x06, 0x07, 0x08, 0x0a, reth, bytes, kMtu);
    }
    // A read by `direction`, and the other end's response.
    void read(std::uint8_t direction, const ChunkSegment& from, const Bytes& bytes) {
        const Bytes reth = BytesBuilder{}.u64(from.offset).u32(from.handle).u32(bytes.size());
        const Bytes aeth = BytesBuilder{}.u32(0x1f000001);
        const std::uint32_t psn = psn_[direction];
        add(direction, 0x0c, psn, reth, {});
        const std::size_t count = std::max<std::size_t>(1, (bytes.size() + kMtu - 1) / kMtu);
        for (std::size_t i = 0; i < count; ++i) {
            const ByteView part =
                ByteView{bytes}.subspan(i * kMtu, std::min(kMtu, bytes.size() - i * kMtu));
            const bool first = i == 0, last = i + 1 == count;
            const std::uint8_t opcode = first && last ? 0x10 : first ? 0x0d : last ? 0x0f : 0x0e;
            add(static_cast<std::uint8_t>(1 - direction), opcode,
                psn + static_cast<std::uint32_t>(i), first || last ? aeth : Bytes{}, part);
        }
        psn_[direction] += static_cast<std::uint32_t>(count);
    }
    void acknowledge(std::uint8_t direction) {
        add(direction, 0x11, psn_[1 - direction] - 1, BytesBuilder{}.u32(0x1f000001), {});
    }

    std::vector<Sent> packets;

 private:
    void pieces(std::uint8_t direction, std::uint8_t first, std::uint8_t middle, std::uint8_t last,
                std::uint8_t only, const Bytes& extended, const Bytes& bytes, std::size_t mtu) {
        for (std::size_t at = 0; at < std::max<std::size_t>(bytes.size(), 1); at += mtu) {
            const bool ends = at + mtu >= bytes.size();
            const std::uint8_t opcode = at == 0 ? (ends ? only : first) : (ends ? last : middle);
            add(direction, opcode, psn_[direction]++, at == 0 ? extended : Bytes{},
                ByteView{bytes}.subspan(at, std::min(mtu, bytes.size() - at)));
        }
    }
    void add(std::uint8_t direction, std::uint8_t opcode, std::uint32_t psn, const Bytes& extended,
             ByteView payload) {
        packets.push_back({direction, packet(opcode, 0x11u + direction, psn, extended, payload)});
    }

    std::uint32_t psn_[2] = {0xfffffa, 1000};
};

class Listener {
 public:
    void hear(const Sent& sent, std::size_t snap_length = 65536) {
        Segment segment;
        segment.time_ns = segment.packet = ++packet_;
        segment.source = sent.direction == 0 ? client : server;
        segment.destination = sent.direction == 0 ? server : client;
        segment.source.port = static_cast<std::uint16_t>(50000 + sent.direction);
        segment.destination.port = kRocePort;
        segment.payload_size = static_cast<std::uint32_t>(sent.bytes.size());
        segment.payload = ByteView{sent.bytes}.first(std::min(sent.bytes.size(), snap_length));
        if (Roce::looks_like(segment)) roce.datagram(segment);
    }
    const std::vector<KeptMessage>& hear_all(const std::vector<Sent>& packets,
                                             std::size_t snap_length = 65536) {
        for (const Sent& sent : packets) hear(sent, snap_length);
        roce.finish();
        return sink.messages;
    }

    Endpoint client = kClient, server = kServer;
    KeepingSink sink;
    Roce roce{sink, builtin_catalogue()};

 private:
    std::uint32_t packet_ = 0;
};

const Bytes kReadData = pattern(1501, 1);
const Bytes kWriteData = pattern(1302, 2);

// One of each: inline, a READ with a write chunk, a WRITE with a read chunk, a long reply, a long
// call, and a Send of several packets.
Wire conversation() {
    Wire wire;
    const auto xid = [](std::uint32_t i) { return kXid + i; };
    wire.send(0, joined(rdma_header(xid(0), kRdmaMsg), nfs3_call(xid(0), 0)));
    wire.acknowledge(1);
    wire.send(1, joined(rdma_header(xid(0), kRdmaMsg), nfs3_reply(xid(0))));
    wire.acknowledge(0);

    const ChunkSegment sink{0xa1, 1501, 0xffff000012345678};
    wire.send(0,
              joined(rdma_header(xid(1), kRdmaMsg, {.writes = {{sink}}}), read_call(xid(1), 2000)));
    wire.write(1, sink, kReadData);
    wire.send(1, joined(rdma_header(xid(1), kRdmaMsg, {.writes = {{sink}}}),
                        without(read_reply(xid(1), kReadData), kReadDataAt, 1501)));

    const ChunkSegment source{0xb1, 1302, 0x1000};
    wire.send(0, joined(rdma_header(xid(2), kRdmaMsg, {.reads = {{kWriteDataAt, source}}}),
                        without(write_call(xid(2), kWriteData), kWriteDataAt, 1302)));
    wire.read(1, source, kWriteData);
    wire.send(1, joined(rdma_header(xid(2), kRdmaMsg), nfs3_reply(xid(2)).u32(0)));

    const ChunkSegment room{0xc1, 624, 0x2000};
    wire.send(0, joined(rdma_header(xid(3), kRdmaMsg, {.reply = {room}}), nfs3_call(xid(3), 0)));
    wire.write(1, room, nfs3_reply(xid(3)).add(pattern(600, 3)));
    wire.send(1, rdma_header(xid(3), kRdmaNomsg, {.reply = {room}}));

    const ChunkSegment long_call{0xd1, 640, 0x3000};
    wire.send(0, rdma_header(xid(4), kRdmaNomsg, {.reads = {{0, long_call}}}));
    wire.read(1, long_call, nfs3_call(xid(4), 0).add(pattern(600, 4)));
    wire.send(1, joined(rdma_header(xid(4), kRdmaMsg), nfs3_reply(xid(4)).add(pattern(600, 5))),
              kMtu);
    return wire;
}

std::vector<Bytes> conversation_messages() {
    const auto xid = [](std::uint32_t i) { return kXid + i; };
    return {nfs3_call(xid(0), 0),
            nfs3_reply(xid(0)),
            read_call(xid(1), 2000),
            read_reply(xid(1), kReadData),
            write_call(xid(2), kWriteData),
            nfs3_reply(xid(2)).u32(0),
            nfs3_call(xid(3), 0),
            nfs3_reply(xid(3)).add(pattern(600, 3)),
            nfs3_call(xid(4), 0).add(pattern(600, 4)),
            nfs3_reply(xid(4)).add(pattern(600, 5))};
}

std::vector<Bytes> bytes_of(const std::vector<KeptMessage>& messages) {
    std::vector<Bytes> out;
    for (const KeptMessage& one : messages) out.push_back(one.bytes);
    return out;
}

TEST(RocePacket, HeadersOfEachOperation) {
    struct Row {
        std::uint8_t opcode;
        Kind kind;
        bool first, last;
        std::size_t extended;
    };
    for (const Row& row : std::vector<Row>{{0x00, Kind::send, true, false, 0},
                                           {0x01, Kind::send, false, false, 0},
                                           {0x02, Kind::send, false, true, 0},
                                           {0x03, Kind::send, false, true, 4},
                                           {0x05, Kind::send, true, true, 4},
                                           {0x06, Kind::write, true, false, 16},
                                           {0x0b, Kind::write, true, true, 20},
                                           {0x0c, Kind::read_request, true, true, 16},
                                           {0x0d, Kind::read_response, true, false, 4},
                                           {0x0e, Kind::read_response, false, false, 0},
                                           {0x11, Kind::quiet, true, true, 4},
                                           {0x16, Kind::send, false, true, 4},
                                           {0x17, Kind::send, true, true, 4},
                                           {0x64, Kind::other, false, false, 0},
                                           {0x81, Kind::other, false, false, 0}}) {
        const Bytes extended = BytesBuilder{}.u64(0x1122334455667788).u32(0xaabb).u32(77).u64(0);
        const Bytes data = pattern(10);
        const Bytes bytes = packet(
            row.opcode, 0x123456, 0xabcdef,
            Bytes(extended.begin(), extended.begin() + static_cast<long>(row.extended)), data);
        RocePacket got;
        ASSERT_TRUE(read_roce(bytes, static_cast<std::uint32_t>(bytes.size()), got));
        EXPECT_EQ(got.kind, row.kind) << int{row.opcode};
        EXPECT_EQ(got.queue, 0x123456u);
        EXPECT_EQ(got.psn, 0xabcdefu);
        if (row.kind == Kind::other) continue;
        EXPECT_EQ(got.first, row.first);
        EXPECT_EQ(got.last, row.last);
        EXPECT_EQ(got.payload_size, 10u);
        EXPECT_EQ(Bytes(got.payload.begin(), got.payload.end()), data);
        if (row.extended >= 16) {
            EXPECT_EQ(got.address, 0x1122334455667788u);
            EXPECT_EQ(got.handle, 0xaabbu);
            EXPECT_EQ(got.length, 77u);
        }
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const ByteView cut = ByteView{bytes}.first(size);
            const bool headers = size >= kBthSize + row.extended;
            // Once as cut by a snap length, once as a datagram that is really that short.
            EXPECT_EQ(read_roce(cut, static_cast<std::uint32_t>(bytes.size()), got), headers);
            if (headers) {
                EXPECT_EQ(got.payload_size, 10u);
                EXPECT_EQ(got.payload.size(),
                          std::min<std::size_t>(10, size - kBthSize - row.extended));
            }
            EXPECT_EQ(read_roce(cut, static_cast<std::uint32_t>(size), got),
                      size >= kBthSize + row.extended + 2 + kIcrcSize);
        }
    }
}

TEST(Roce, EveryKindOfMessage) {
    Listener listener;
    const std::vector<KeptMessage>& messages = listener.hear_all(conversation().packets);
    EXPECT_EQ(bytes_of(messages), conversation_messages());
    EXPECT_EQ(listener.sink.unread_all(), 0u);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        EXPECT_EQ(messages[i].message.direction, i % 2);
        EXPECT_EQ(messages[i].message.carrier, Carrier::roce);
        EXPECT_EQ(messages[i].message.flow->ends[0].port, kRocePort);
        EXPECT_EQ(address_of(messages[i].message.flow->ends[0]), "10.0.0.1");
        for (const TakenOut& taken : messages[i].taken_out) EXPECT_TRUE(taken.captured);
    }
}

TEST(Roce, OneAddressThatTalksToItself) {
    Listener listener;
    listener.server = listener.client;
    EXPECT_EQ(bytes_of(listener.hear_all(conversation().packets)), conversation_messages());
}

TEST(Roce, PacketsSentTwiceCountOnce) {
    const std::vector<Sent> packets = conversation().packets;
    for (std::size_t i = 0; i < packets.size(); ++i) {
        for (const std::size_t later : {i + 1, i + 5, packets.size()}) {
            std::vector<Sent> twice = packets;
            twice.insert(twice.begin() + static_cast<long>(std::min(later, twice.size())),
                         packets[i]);
            Listener listener;
            EXPECT_EQ(bytes_of(listener.hear_all(twice)), conversation_messages()) << i;
            EXPECT_EQ(listener.sink.unread_all(), 0u) << i;
        }
    }
}

// Every packet arrives a few places late.
TEST(Roce, PacketsOutOfOrder) {
    const std::vector<Sent> packets = conversation().packets;
    std::vector<Bytes> all = conversation_messages();
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i + 3 < packets.size(); ++i) {
        for (const long places : {1, 2, 3}) {
            std::vector<Sent> mixed = packets;
            const auto from = mixed.begin() + static_cast<long>(i);
            std::rotate(from, from + 1, from + 1 + places);
            Listener listener;
            std::vector<Bytes> got = bytes_of(listener.hear_all(mixed));
            std::sort(got.begin(), got.end());
            EXPECT_TRUE(got == all) << i << " by " << places;
            EXPECT_EQ(listener.sink.unread_all(), 0u) << i << " by " << places;
        }
    }
}

// With any one packet missing, the other messages are unchanged, and this one is cut or has zeros.
TEST(Roce, AnyPacketMayBeLost) {
    const std::vector<Sent> packets = conversation().packets;
    const std::vector<Bytes> all = conversation_messages();
    for (std::size_t i = 0; i < packets.size(); ++i) {
        std::vector<Sent> less = packets;
        less.erase(less.begin() + static_cast<long>(i));
        Listener listener;
        const std::vector<KeptMessage>& messages = listener.hear_all(less);
        std::size_t same = 0;
        for (const KeptMessage& one : messages) {
            const auto whole = std::find(all.begin(), all.end(), one.bytes);
            if (whole != all.end()) {
                ++same;
                continue;
            }
            const bool marked = std::any_of(one.taken_out.begin(), one.taken_out.end(),
                                            [](const TakenOut& taken) { return !taken.captured; });
            EXPECT_TRUE(one.message.cut() || marked) << i;
        }
        EXPECT_GE(same, all.size() - 2) << i;
        EXPECT_GE(messages.size(), all.size() - 1) << i;
    }
}

// Lost before the capture and retransmitted: the receiver drops everything after a gap, and the
// sender goes back.
TEST(Roce, SentAgainFromTheLostPacketOn) {
    Wire wire = conversation();
    std::vector<Sent> packets = wire.packets;
    const auto write = std::find_if(packets.begin(), packets.end(), [](const Sent& sent) {
        return sent.bytes[0] == std::byte{0x07};
    });
    const std::vector<Sent> again(write, write + 4);
    packets.insert(write + 4, again.begin(), again.end());
    packets.erase(std::find_if(packets.begin(), packets.end(),
                               [](const Sent& sent) { return sent.bytes[0] == std::byte{0x07}; }));
    Listener listener;
    EXPECT_EQ(bytes_of(listener.hear_all(packets)), conversation_messages());
}

TEST(Roce, AGapIsGivenUpAfterAWhile) {
    Wire wire;
    for (std::uint32_t i = 0; i < kRoceHoldPackets + 10; ++i)
        wire.send(0, joined(rdma_header(i, kRdmaMsg), nfs3_call(i, 0)));
    wire.packets.erase(wire.packets.begin() + 3);
    Listener listener;
    for (const Sent& sent : wire.packets) listener.hear(sent);
    EXPECT_EQ(listener.sink.messages.size(), kRoceHoldPackets + 9);
}

TEST(Roce, TheReplyDoesNotComeBeforeTheCallThatWaited) {
    Wire wire;
    wire.send(0, joined(rdma_header(1, kRdmaMsg), nfs3_call(1, 0)));
    wire.send(0, joined(rdma_header(2, kRdmaMsg), nfs3_call(2, 0)));  // dropped below
    wire.send(0, joined(rdma_header(3, kRdmaMsg), nfs3_call(3, 0)));
    wire.send(1, joined(rdma_header(3, kRdmaMsg), nfs3_reply(3)));
    wire.packets.erase(wire.packets.begin() + 1);
    Listener listener;
    for (const Sent& sent : wire.packets) listener.hear(sent);
    ASSERT_EQ(listener.sink.messages.size(), 3u);
    EXPECT_EQ(listener.sink.messages[1].message.direction, 0);
    EXPECT_EQ(listener.sink.messages[2].message.direction, 1);
}

TEST(Roce, PacketsCutByTheSnapLength) {
    const std::vector<Bytes> all = conversation_messages();
    for (const std::size_t snap_length : {0u, 1u, 11u, 12u, 16u, 40u, 60u, 100u, 150u, 200u}) {
        Listener listener;
        const std::vector<KeptMessage>& messages =
            listener.hear_all(conversation().packets, snap_length);
        for (const KeptMessage& one : messages) {
            // All of it is right except zeros that are marked as such.
            EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Bytes& whole) {
                return whole.size() == one.message.size &&
                       std::equal(one.bytes.begin(), one.bytes.begin() + 12, whole.begin());
            })) << snap_length;
        }
        if (snap_length >= 150) {
            EXPECT_EQ(messages.size(), all.size());
        }
    }
}

TEST(Roce, OtherTransportsAreNotRpc) {
    Listener listener;
    listener.hear({0, packet(0x64, 1, 0, Bytes(8), Bytes(256))});
    EXPECT_EQ(listener.sink.unread_of(Unread::not_rpc), 280u);
    EXPECT_EQ(listener.sink.unread_packets[static_cast<std::size_t>(Unread::not_rpc)], 1u);
    Segment segment;
    const Bytes bytes = packet(0x04, 1, 0, {}, Bytes(16));
    segment.payload = bytes;
    segment.payload_size = static_cast<std::uint32_t>(bytes.size());
    segment.destination.port = kRocePort;
    EXPECT_TRUE(Roce::looks_like(segment));
    segment.destination.port = 2049;
    EXPECT_FALSE(Roce::looks_like(segment));
}

}  // namespace
}  // namespace helio::inspect::roce_test
