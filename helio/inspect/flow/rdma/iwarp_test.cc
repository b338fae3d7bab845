#include "helio/inspect/flow/rdma/iwarp.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/inspect/catalogue.h"
#include "testing/inspect/rdma_packets.h"

namespace helio::inspect::iwarp_test {
namespace {

using namespace for_test;

constexpr std::uint32_t kXid = 0x55667788;
constexpr std::size_t kPartSize = 400;  // of a DDP segment

// RFC 5044 §7.1: key, flags, revision, private data.
Bytes opening(bool request, std::uint8_t flags, ByteView private_data = {}) {
    return BytesBuilder{}
        .add(text_bytes(request ? "MPA ID Req Frame" : "MPA ID Rep Frame"))
        .u8(flags)
        .u8(1)
        .u16(private_data.size())
        .add(private_data);
}

// RFC 5044 §4.1: length, the segment, padding, CRC (0: not used).
Bytes frame(const Bytes& segment) {
    return BytesBuilder{}.u16(segment.size()).add(segment).pad().u32(0);
}

struct Piece {
    std::uint8_t direction = 0;
    Bytes bytes;  // one frame, or an opening
};

class Wire {
 public:
    void add(std::uint8_t direction, const Bytes& bytes) { pieces.push_back({direction, bytes}); }

    // RFC 5041 §4.3 and RFC 5040 §5: untagged, queue 0.
    void send(std::uint8_t direction, const Bytes& bytes, std::uint8_t operation = 3) {
        ++sends_[direction];
        for (std::size_t at = 0; at == 0 || at < bytes.size(); at += kPartSize) {
            const std::size_t size = std::min(kPartSize, bytes.size() - at);
            BytesBuilder segment;
            segment.u8(at + size == bytes.size() ? 0x41 : 0x01).u8(0x40u | operation);
            segment.u32(0).u32(0).u32(sends_[direction]).u32(at);
            add(direction, frame(segment.add(ByteView{bytes}.subspan(at, size))));
        }
    }
    // RFC 5041 §4.2: tagged. Operation 0: RDMA Write; 2: Read Response.
    void tagged(std::uint8_t direction, std::uint8_t operation, std::uint32_t tag,
                std::uint64_t offset, const Bytes& bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += kPartSize) {
            const std::size_t size = std::min(kPartSize, bytes.size() - at);
            BytesBuilder segment;
            segment.u8(at + size == bytes.size() ? 0xc1 : 0x81).u8(0x40u | operation);
            segment.u32(tag).u64(offset + at);
            add(direction, frame(segment.add(ByteView{bytes}.subspan(at, size))));
        }
    }
    // RFC 5040 §4.4: queue 1; then the other end's response.
    void read(std::uint8_t direction, const ChunkSegment& from, const Bytes& bytes) {
        ++reads_[direction];
        const std::uint32_t sink_tag = 0x777;
        const std::uint64_t sink_offset = 0x40000 * reads_[direction];
        BytesBuilder segment;
        segment.u8(0x41).u8(0x41).u32(0).u32(1).u32(reads_[direction]).u32(0);
        segment.u32(sink_tag).u64(sink_offset).u32(bytes.size());
        segment.u32(from.handle).u64(from.offset);
        add(direction, frame(segment));
        tagged(static_cast<std::uint8_t>(1 - direction), 2, sink_tag, sink_offset, bytes);
    }

    std::vector<Piece> pieces;

 private:
    std::uint32_t sends_[2] = {0, 0};
    std::uint32_t reads_[2] = {0, 0};
};

const Bytes kReadData = pattern(1501, 1);
const Bytes kWriteData = pattern(1302, 2);

Wire conversation() {
    Wire wire;
    wire.add(0, opening(true, 0x40, pattern(8)));
    wire.add(1, opening(false, 0x40, pattern(5)));
    wire.send(0, joined(rdma_header(kXid, kRdmaMsg), nfs3_call(kXid, 0)));
    wire.send(1, joined(rdma_header(kXid, kRdmaMsg), nfs3_reply(kXid)));

    const ChunkSegment sink{0xa1, 1501, 0xffff000012345678};
    wire.send(0, joined(rdma_header(kXid + 1, kRdmaMsg, {.writes = {{sink}}}),
                        read_call(kXid + 1, 2000)));
    wire.tagged(1, 0, sink.handle, sink.offset, kReadData);
    wire.send(1,
              joined(rdma_header(kXid + 1, kRdmaMsg, {.writes = {{sink}}}),
                     without(read_reply(kXid + 1, kReadData), kReadDataAt, 1501)),
              4);  // with Invalidate

    const ChunkSegment source{0xb1, 1302, 0x1000};
    wire.send(0, joined(rdma_header(kXid + 2, kRdmaMsg, {.reads = {{kWriteDataAt, source}}}),
                        without(write_call(kXid + 2, kWriteData), kWriteDataAt, 1302)));
    wire.read(1, source, kWriteData);
    wire.send(1, joined(rdma_header(kXid + 2, kRdmaMsg), nfs3_reply(kXid + 2).add(pattern(1000))));
    return wire;
}

std::vector<Bytes> conversation_messages() {
    return {nfs3_call(kXid, 0),
            nfs3_reply(kXid),
            read_call(kXid + 1, 2000),
            read_reply(kXid + 1, kReadData),
            write_call(kXid + 2, kWriteData),
            nfs3_reply(kXid + 2).add(pattern(1000))};
}

class Listener {
 public:
    void hear(const Piece& piece) { hear(piece.direction, piece.bytes); }
    void hear(std::uint8_t direction, ByteView bytes) {
        ++packet_;
        iwarp.data(direction, bytes, packet_, static_cast<std::uint64_t>(packet_));
    }
    std::vector<Bytes> messages() {
        iwarp.finish();
        std::vector<Bytes> out;
        for (const KeptMessage& one : sink.messages) out.push_back(one.bytes);
        return out;
    }

    FlowEnds ends{{kClient, kServer}, 0};
    KeepingSink sink;
    Iwarp iwarp{sink, builtin_catalogue(), ends};

 private:
    std::int64_t packet_ = 0;
};

TEST(Iwarp, LooksLike) {
    EXPECT_TRUE(Iwarp::looks_like(opening(true, 0)));
    EXPECT_TRUE(Iwarp::looks_like(opening(false, 0)));
    for (const Piece& piece : conversation().pieces) {
        const bool tagged = (piece.bytes[2] & std::byte{0x80}) != std::byte{0};
        const bool begins_send =
            piece.bytes[0] == std::byte{'M'} ||
            (!tagged && (piece.bytes[3] & std::byte{0x0f}) >= std::byte{3} &&
             piece.bytes[19] == std::byte{0} && piece.bytes[18] == std::byte{0});
        EXPECT_EQ(Iwarp::looks_like(piece.bytes), begins_send);
    }
    // RPC records are not recognised as iWARP, whatever their size.
    Bytes record = joined(Bytes(4, std::byte{0x80}), read_call(1, 2));
    for (unsigned size = 0; size < 0x10000; ++size) {
        record[2] = static_cast<std::byte>(size >> 8);
        record[3] = static_cast<std::byte>(size);
        ASSERT_FALSE(Iwarp::looks_like(record)) << size;
    }
}

TEST(Iwarp, EveryKindOfMessage) {
    Listener listener;
    for (const Piece& piece : conversation().pieces) listener.hear(piece);
    EXPECT_EQ(listener.messages(), conversation_messages());
    EXPECT_EQ(listener.sink.unread_all(), 0u);
    for (std::size_t i = 0; i < listener.sink.messages.size(); ++i) {
        const KeptMessage& one = listener.sink.messages[i];
        EXPECT_EQ(one.message.direction, i % 2);
        EXPECT_EQ(one.message.carrier, Carrier::iwarp);
        EXPECT_EQ(one.message.flow, &listener.ends);
        for (const TakenOut& taken : one.taken_out) EXPECT_TRUE(taken.captured);
    }
}

// Whatever the TCP segment boundaries.
TEST(Iwarp, PiecesOfAnySize) {
    for (const std::size_t size : {1u, 2u, 3u, 7u, 19u, 21u, 64u, 1000u}) {
        Listener listener;
        for (const Piece& piece : conversation().pieces)
            for (std::size_t at = 0; at < piece.bytes.size(); at += size)
                listener.hear(piece.direction, ByteView{piece.bytes}.subspan(
                                                   at, std::min(size, piece.bytes.size() - at)));
        EXPECT_EQ(listener.messages(), conversation_messages()) << size;
        EXPECT_EQ(listener.sink.unread_all(), 0u) << size;
    }
    // Each end's bytes in one piece.
    Listener listener;
    Bytes said;
    for (const Piece& piece : conversation().pieces)
        if (piece.direction == 0) said = joined(said, piece.bytes);
    listener.hear(0, said);
    EXPECT_EQ(listener.messages().size(), 3u);
}

TEST(Iwarp, JoinedInTheMiddle) {
    const std::vector<Piece> pieces = conversation().pieces;
    Listener listener;
    for (std::size_t i = 2; i < pieces.size(); ++i) listener.hear(pieces[i]);
    EXPECT_EQ(listener.messages(), conversation_messages());
}

TEST(Iwarp, MarkersAreNotRead) {
    Listener listener;
    listener.hear(0, opening(true, 0x80));
    Wire wire;
    wire.send(1, joined(rdma_header(kXid, kRdmaMsg), nfs3_reply(kXid)));
    for (const Piece& piece : wire.pieces) listener.hear(piece);
    EXPECT_TRUE(listener.messages().empty());
    EXPECT_EQ(listener.sink.unread_of(Unread::not_rpc), 20 + wire.pieces[0].bytes.size());
}

// Any one frame is lost: the others are read, and affected messages are cut or marked.
TEST(Iwarp, AnyFrameMayBeLost) {
    const std::vector<Piece> pieces = conversation().pieces;
    const std::vector<Bytes> all = conversation_messages();
    for (std::size_t lost = 0; lost < pieces.size(); ++lost) {
        Listener listener;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (i == lost)
                listener.iwarp.gap(pieces[i].direction, pieces[i].bytes.size());
            else
                listener.hear(pieces[i]);
        }
        const std::vector<Bytes> got = listener.messages();
        EXPECT_GE(got.size(), all.size() - 1) << lost;
        std::size_t same = 0;
        for (const KeptMessage& one : listener.sink.messages) {
            if (std::find(all.begin(), all.end(), one.bytes) != all.end()) {
                ++same;
                continue;
            }
            EXPECT_TRUE(one.message.cut() || !one.taken_out[0].captured) << lost;
        }
        EXPECT_GE(same, all.size() - 2) << lost;
    }
}

// The end of each frame was not captured, for every length.
TEST(Iwarp, CutByTheSnapLength) {
    const std::vector<Piece> pieces = conversation().pieces;
    const std::vector<Bytes> all = conversation_messages();
    for (std::size_t snap_length = 1; snap_length < 420; ++snap_length) {
        Listener listener;
        for (const Piece& piece : pieces) {
            const std::size_t there = std::min(snap_length, piece.bytes.size());
            listener.hear(piece.direction, ByteView{piece.bytes}.first(there));
            if (there < piece.bytes.size())
                listener.iwarp.gap(piece.direction, piece.bytes.size() - there);
        }
        const std::vector<Bytes> got = listener.messages();
        for (const KeptMessage& one : listener.sink.messages)
            EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Bytes& whole) {
                return std::equal(one.bytes.begin(), one.bytes.begin() + 12, whole.begin());
            })) << snap_length;
        if (snap_length > 150) {
            EXPECT_EQ(got.size(), all.size()) << snap_length;
        }
    }
}

// A gap that ends within a frame: the next frame is found wherever it begins.
TEST(Iwarp, FindsTheNextFrame) {
    Wire wire;
    for (std::uint32_t xid = 0; xid < 4; ++xid)
        wire.send(0, joined(rdma_header(xid, kRdmaMsg), read_call(xid, 512)));
    Bytes stream;
    for (const Piece& piece : wire.pieces) stream = joined(stream, piece.bytes);
    const std::size_t size = wire.pieces[0].bytes.size();
    for (std::size_t gap = 1; gap < size * 2; ++gap) {
        Listener listener;
        listener.hear(0, ByteView{stream}.first(30));
        listener.iwarp.gap(0, gap);
        listener.hear(0, ByteView{stream}.subspan(30 + gap));
        const std::vector<Bytes> got = listener.messages();
        const std::size_t whole_after =
            3 - (30 + gap > size ? (30 + gap - size + size - 1) / size : 0);
        ASSERT_GE(got.size(), whole_after) << gap;
        EXPECT_EQ(got.back(), read_call(3, 512)) << gap;
    }
}

}  // namespace
}  // namespace helio::inspect::iwarp_test
