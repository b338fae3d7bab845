#include "helio/inspect/flow/rdma/rdma.h"

#include <gtest/gtest.h>

#include "helio/xdr/wire.h"
#include "testing/inspect/catalogue.h"
#include "testing/inspect/rdma_packets.h"

namespace helio::inspect::rdma_test {
namespace {

using namespace for_test;

constexpr std::uint8_t kAsks = 0, kServes = 1;
constexpr std::uint32_t kXid = 0x11223344;

class RdmaAssemblerTest : public ::testing::Test {
 protected:
    void send(std::uint8_t direction, const Bytes& bytes) { send(direction, bytes, bytes.size()); }
    void send(std::uint8_t direction, ByteView bytes, std::size_t size) {
        ++packet_;
        assembler_.send(direction, bytes, size,
                        {packet_ * 1000, static_cast<std::uint64_t>(packet_)});
    }
    void moved(std::uint8_t owner, const ChunkSegment& to, ByteView bytes) {
        ++packet_;
        assembler_.moved(owner, to.handle, to.offset, bytes,
                         {packet_ * 1000, static_cast<std::uint64_t>(packet_)});
    }
    const std::vector<KeptMessage>& messages() const { return sink_.messages; }

    FlowEnds ends_{{kClient, kServer}, 0};
    KeepingSink sink_;
    RdmaShared shared_;
    RdmaAssembler assembler_{sink_, builtin_catalogue(), shared_, ends_, Carrier::roce};
    std::int64_t packet_ = 0;
};

void expect_taken(const TakenOut& taken, std::size_t offset, std::size_t size,
                  TakenOut::Chunk chunk, bool captured) {
    EXPECT_EQ(taken.offset, offset);
    EXPECT_EQ(taken.size, size);
    EXPECT_EQ(taken.chunk, chunk);
    EXPECT_EQ(taken.captured, captured);
}

TEST_F(RdmaAssemblerTest, InlineMessagesAreUsedAsTheyAre) {
    const Bytes header = rdma_header(kXid, kRdmaMsg);
    const Bytes call = read_call(kXid, 512);
    send(kAsks, joined(header, call));
    const Bytes reply = read_reply(kXid, pattern(7));
    send(kServes, joined(header, reply));
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[0].bytes, call);
    EXPECT_EQ(messages()[0].rdma_header, header);
    EXPECT_EQ(messages()[0].message.flow, &ends_);
    EXPECT_EQ(messages()[0].message.direction, kAsks);
    EXPECT_EQ(messages()[0].message.carrier, Carrier::roce);
    EXPECT_EQ(messages()[0].message.packet, 1u);
    EXPECT_EQ(messages()[0].message.time_ns, 1000);
    EXPECT_TRUE(messages()[0].taken_out.empty());
    EXPECT_EQ(messages()[1].bytes, reply);
    EXPECT_EQ(messages()[1].message.direction, kServes);
    EXPECT_FALSE(messages()[1].message.cut());
    EXPECT_EQ(sink_.unread_all(), 0u);
}

// READ: the data goes by RDMA Write into two segments of the client's memory.
TEST_F(RdmaAssemblerTest, WriteChunkIsPutBackAtTheBulkField) {
    const Chunk offered = {{0xa1, 4096, 0x10000}, {0xa2, 4096, 0x90000}};
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg, {.writes = {offered}}), read_call(kXid, 8192)));
    const Bytes data = pattern(5001);
    const Chunk used = {{0xa1, 4096, 0x10000}, {0xa2, 905, 0x90000}};
    moved(kAsks, used[1], ByteView{data}.subspan(4096));
    moved(kAsks, used[0], ByteView{data}.first(1024));
    moved(kAsks, {0xa1, 0, 0x10400}, ByteView{data}.subspan(1024, 3072));
    const Bytes whole = read_reply(kXid, data);
    send(kServes, joined(rdma_header(kXid, kRdmaMsg, {.writes = {used}}),
                         without(whole, kReadDataAt, 5001)));
    ASSERT_EQ(messages().size(), 2u);
    const KeptMessage& reply = messages()[1];
    EXPECT_EQ(reply.bytes, whole);
    EXPECT_EQ(reply.message.size, whole.size());
    ASSERT_EQ(reply.taken_out.size(), 1u);
    expect_taken(reply.taken_out[0], kReadDataAt, 5001, TakenOut::Chunk::write, true);
    EXPECT_EQ(shared_.memory.bytes(), 0u);
}

TEST_F(RdmaAssemblerTest, PaddingWrittenWithTheDataIsNotCounted) {
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg), read_call(kXid, 8192)));
    const Bytes data = pattern(13);
    moved(kAsks, {0xa1, 16, 0}, Bytes(16, std::byte{0xee}));
    moved(kAsks, {0xa1, 16, 0}, data);
    const Bytes whole = read_reply(kXid, data);
    send(kServes, joined(rdma_header(kXid, kRdmaMsg, {.writes = {{{0xa1, 16, 0}}}}),
                         without(whole, kReadDataAt, 13)));
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[1].bytes, whole);
    EXPECT_EQ(messages()[1].taken_out[0].size, 13u);
    EXPECT_EQ(shared_.memory.bytes(), 0u);
}

TEST_F(RdmaAssemblerTest, ZerosStandInForDataThatWasNotCaptured) {
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg), read_call(kXid, 8192)));
    Bytes data = pattern(4000);
    moved(kAsks, {0xa1, 0, 0}, ByteView{data}.first(1000));
    moved(kAsks, {0xa1, 0, 2000}, ByteView{data}.subspan(2000));
    const Bytes reduced = without(read_reply(kXid, data), kReadDataAt, 4000);
    send(kServes, joined(rdma_header(kXid, kRdmaMsg, {.writes = {{{0xa1, 4000, 0}}}}), reduced));
    std::fill(data.begin() + 1000, data.begin() + 2000, std::byte{0});
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[1].bytes, read_reply(kXid, data));
    expect_taken(messages()[1].taken_out[0], kReadDataAt, 4000, TakenOut::Chunk::write, false);
}

TEST_F(RdmaAssemblerTest, ZerosHaveALimit) {
    // Each reply claims 4 MiB that was never sent. At some point they are cut instead.
    std::uint64_t bytes = 0;
    for (std::uint32_t xid = 0; xid < 50; ++xid) {
        const std::uint32_t size = 4u << 20;
        send(kServes, joined(rdma_header(xid, kRdmaMsg, {.writes = {{{0xa1, size, 0}}}}),
                             nfs3_reply(xid).u32(size)));
        ASSERT_EQ(messages().size(), xid + 1);
        EXPECT_EQ(messages().back().message.size, 28u + size);
        bytes += messages().back().bytes.size();
    }
    EXPECT_LT(bytes, 9u << 20);
    EXPECT_TRUE(messages().back().message.cut());
    EXPECT_EQ(messages().back().bytes.size(), 28u);
    expect_taken(messages().back().taken_out[0], 28, 4u << 20, TakenOut::Chunk::write, false);
}

// Without a call there is no type: only the length word helps.
TEST_F(RdmaAssemblerTest, ReplyToNoKnownCallIsPutTogetherByLength) {
    const Bytes data = pattern(3001);
    const Bytes whole = read_reply(kXid, data);  // count has the same value
    moved(kAsks, {0xa1, 3001, 0}, data);
    send(kServes, joined(rdma_header(kXid, kRdmaMsg, {.writes = {{{0xa1, 3001, 0}}}}),
                         without(whole, kReadDataAt, 3001)));
    ASSERT_EQ(messages().size(), 1u);
    EXPECT_TRUE(messages()[0].message.cut());  // ambiguous: two words match
    EXPECT_EQ(messages()[0].message.size, whole.size());

    moved(kAsks, {0xa1, 3001, 0}, data);
    const Bytes other = nfs3_reply(kXid).u32(5).u32(3001).add(data).pad().u32(9);
    send(kServes, joined(rdma_header(kXid, kRdmaMsg, {.writes = {{{0xa1, 3001, 0}}}}),
                         without(other, 32, 3001)));
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[1].bytes, other);
}

TEST_F(RdmaAssemblerTest, ChunksThatWereNotUsedChangeNothing) {
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg,
                                   {.writes = {{{0xa1, 4096, 0}}}, .reply = {{0xa2, 4096, 0}}}),
                       read_call(kXid, 4096)));
    const Bytes reply = nfs3_reply(kXid).u32(70).u32(0);  // NFS3ERR_STALE, no attributes
    send(kServes, joined(rdma_header(kXid, kRdmaMsg, {.writes = {{{0xa1, 0, 0}}}}), reply));
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[0].bytes.size(), 60u);
    EXPECT_EQ(messages()[1].bytes, reply);
    EXPECT_TRUE(messages()[1].taken_out.empty());
}

// WRITE: the server reads the data from the client's memory after it has received the call.
TEST_F(RdmaAssemblerTest, ReadChunkIsPutBackAtItsPosition) {
    const Bytes data = pattern(5001);
    const Bytes whole = write_call(kXid, data);
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg,
                                   {.reads = {{kWriteDataAt, {0xb1, 4096, 0x5000}},
                                              {kWriteDataAt, {0xb2, 905, 0x20000}}}}),
                       without(whole, kWriteDataAt, 5001)));
    EXPECT_TRUE(messages().empty());
    moved(kAsks, {0xb1, 0, 0x5000}, ByteView{data}.first(4000));
    moved(kAsks, {0xb2, 0, 0x20000}, ByteView{data}.subspan(4096));
    EXPECT_TRUE(messages().empty());
    moved(kAsks, {0xb1, 0, 0x5000 + 4000}, ByteView{data}.subspan(4000, 96));
    ASSERT_EQ(messages().size(), 1u);
    EXPECT_EQ(messages()[0].bytes, whole);
    EXPECT_EQ(messages()[0].message.packet, 4u);  // which completed it
    ASSERT_EQ(messages()[0].taken_out.size(), 1u);
    expect_taken(messages()[0].taken_out[0], kWriteDataAt, 5001, TakenOut::Chunk::read, true);
}

TEST_F(RdmaAssemblerTest, TwoReadChunks) {
    const Bytes first = pattern(6, 1);
    const Bytes second = pattern(8, 2);
    // Length, data and padding, twice; then a word.
    const Bytes whole =
        nfs3_call(kXid, 0).u32(6).add(first).pad().u32(8).add(second).u32(0xffffffff);
    moved(kAsks, {1, 0, 0}, first);
    moved(kAsks, {2, 0, 0}, second);
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg, {.reads = {{44, {1, 6, 0}}, {56, {2, 8, 0}}}}),
                       nfs3_call(kXid, 0).u32(6).u32(8).u32(0xffffffff)));
    ASSERT_EQ(messages().size(), 1u);
    EXPECT_EQ(messages()[0].bytes, whole);
    ASSERT_EQ(messages()[0].taken_out.size(), 2u);
    expect_taken(messages()[0].taken_out[0], 44, 6, TakenOut::Chunk::read, true);
    expect_taken(messages()[0].taken_out[1], 56, 8, TakenOut::Chunk::read, true);
    EXPECT_EQ(messages()[0].taken_out[1].chunk_index, 1);
}

TEST_F(RdmaAssemblerTest, CallIsNotLaterThanItsReply) {
    const Bytes data = pattern(100);
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg, {.reads = {{kWriteDataAt, {0xb1, 100, 0}}}}),
                       without(write_call(kXid, data), kWriteDataAt, 100)));
    send(kServes, joined(rdma_header(kXid, kRdmaMsg), nfs3_reply(kXid).u32(28)));
    // The data is missing, so both wait for it.
    for (int i = 0; i < 20; ++i) moved(kAsks, {0xb2, 0, 0}, data);
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[0].bytes, write_call(kXid, Bytes(100)));
    EXPECT_FALSE(messages()[0].taken_out[0].captured);
    EXPECT_EQ(messages()[0].message.packet, 1u);
    EXPECT_EQ(messages()[1].message.direction, kServes);
    EXPECT_EQ(messages()[1].message.packet, 2u);
}

TEST_F(RdmaAssemblerTest, DataMayBeBehindTheReply) {
    const Bytes data = pattern(100);
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg, {.reads = {{kWriteDataAt, {0xb1, 100, 0}}}}),
                       without(write_call(kXid, data), kWriteDataAt, 100)));
    const Bytes reply = joined(rdma_header(kXid, kRdmaMsg), nfs3_reply(kXid).u32(28));
    send(kServes, reply);
    moved(kAsks, {0xb1, 0, 0}, data);
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[0].bytes, write_call(kXid, data));
    EXPECT_TRUE(messages()[0].taken_out[0].captured);
    EXPECT_EQ(messages()[1].message.direction, kServes);
    send(kServes, reply);  // once more: nothing waits now
    EXPECT_EQ(messages().size(), 3u);
    EXPECT_EQ(shared_.waiting_bytes, 0u);
}

TEST_F(RdmaAssemblerTest, CallsThatWaitGoOutAtTheEndAndWhenTheyAreTooMany) {
    for (std::uint32_t xid = 0; xid < kRdmaWaitingMax + 10; ++xid)
        send(kAsks, joined(rdma_header(xid, kRdmaMsg, {.reads = {{40, {0xb1, 100, 0}}}}),
                           nfs3_call(xid, 0)));
    EXPECT_EQ(messages().size(), 10u);
    assembler_.finish();
    ASSERT_EQ(messages().size(), kRdmaWaitingMax + 10);
    EXPECT_EQ(xdr::load_u32(messages().back().bytes.data()), kRdmaWaitingMax + 9);
    EXPECT_EQ(shared_.waiting_bytes, 0u);
}

TEST_F(RdmaAssemblerTest, LongCallIsInTheReadList) {
    const Bytes whole = write_call(kXid, pattern(3000));
    send(kAsks,
         rdma_header(
             kXid, kRdmaNomsg,
             {.reads = {{0, {0xb1, 2000, 0}},
                        {0, {0xb1, static_cast<std::uint32_t>(whole.size()) - 2000, 2000}}}}));
    moved(kAsks, {0xb1, 0, 0}, whole);
    ASSERT_EQ(messages().size(), 1u);
    EXPECT_EQ(messages()[0].bytes, whole);
    expect_taken(messages()[0].taken_out[0], 0, whole.size(), TakenOut::Chunk::read, true);
}

TEST_F(RdmaAssemblerTest, LongReplyIsInTheReplyChunk) {
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg, {.reply = {{0xc1, 65536, 0x1000}}}),
                       nfs3_call(kXid, 17)));
    const Bytes whole = nfs3_reply(kXid).add(pattern(9000));
    moved(kAsks, {0xc1, 0, 0x1000}, whole);
    send(kServes,
         rdma_header(kXid, kRdmaNomsg,
                     {.reply = {{0xc1, static_cast<std::uint32_t>(whole.size()), 0x1000}}}));
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_EQ(messages()[1].bytes, whole);
    expect_taken(messages()[1].taken_out[0], 0, whole.size(), TakenOut::Chunk::reply, true);
    EXPECT_EQ(shared_.memory.bytes(), 0u);
}

TEST_F(RdmaAssemblerTest, MessageInAChunkWithAHoleIsCutThere) {
    const Bytes whole = nfs3_reply(kXid).add(pattern(9000));
    moved(kAsks, {0xc1, 0, 0}, ByteView{whole}.first(1000));
    moved(kAsks, {0xc1, 0, 2000}, ByteView{whole}.subspan(2000));
    send(kServes, rdma_header(kXid, kRdmaNomsg, {.reply = {{0xc1, 9024, 0}}}));
    ASSERT_EQ(messages().size(), 1u);
    EXPECT_EQ(messages()[0].bytes, Bytes(whole.begin(), whole.begin() + 1000));
    EXPECT_EQ(messages()[0].message.size, 9024u);
    EXPECT_EQ(shared_.memory.bytes(), 0u);

    // No part is known: no message, but it is counted.
    const Bytes header = rdma_header(kXid, kRdmaNomsg, {.reply = {{0xc1, 9024, 0}}});
    send(kServes, header);
    EXPECT_EQ(messages().size(), 1u);
    EXPECT_EQ(sink_.unread_of(Unread::lost), header.size() + 9024);
}

// Every prefix, as a snap length could leave it.
TEST_F(RdmaAssemblerTest, EveryTruncation) {
    const Bytes data = pattern(64);
    const Bytes whole = write_call(kXid, data);
    const Bytes sent = joined(rdma_header(kXid, kRdmaMsg, {.reads = {{kWriteDataAt, {1, 64, 0}}}}),
                              without(whole, kWriteDataAt, 64));
    const std::size_t header = sent.size() - kWriteDataAt;
    for (std::size_t size = 0; size < sent.size(); ++size) {
        sink_.messages.clear();
        sink_.unread_bytes[static_cast<std::size_t>(Unread::not_captured)] = 0;
        moved(kAsks, {1, 0, 0}, data);
        send(kAsks, ByteView{sent}.first(size), sent.size());
        assembler_.finish();
        if (messages().empty()) {
            EXPECT_EQ(sink_.unread_of(Unread::not_captured), sent.size()) << size;
            EXPECT_LT(size, header + 24);
            continue;
        }
        ASSERT_EQ(messages().size(), 1u) << size;
        EXPECT_GE(size, header + 12);
        EXPECT_EQ(messages()[0].message.size, whole.size()) << size;
        EXPECT_EQ(messages()[0].bytes,
                  Bytes(whole.begin(), whole.begin() + static_cast<long>(size - header)));
    }
}

TEST_F(RdmaAssemblerTest, WhatIsNoRpcIsCounted) {
    send(kAsks, Bytes(100));
    EXPECT_EQ(sink_.unread_of(Unread::not_rpc), 100u);
    // An RPC message with a different xid than its header.
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg), read_call(kXid + 1, 1)));
    EXPECT_EQ(sink_.unread_of(Unread::not_rpc), 188u);
    // RDMA_ERROR, ERR_CHUNK.
    send(kServes, BytesBuilder{}.u32(kXid).u32(1).u32(32).u32(4).u32(2));
    EXPECT_EQ(sink_.unread_of(Unread::not_rpc), 208u);
    // After a good one it is damage.
    send(kAsks, joined(rdma_header(kXid, kRdmaMsg), read_call(kXid, 1)));
    send(kAsks, Bytes(100));
    EXPECT_EQ(sink_.unread_of(Unread::record_damaged), 100u);
    // A position past the end of the message.
    send(kAsks,
         joined(rdma_header(kXid, kRdmaMsg, {.reads = {{4000, {1, 4, 0}}}}), read_call(kXid, 1)));
    assembler_.finish();
    ASSERT_EQ(messages().size(), 2u);
    EXPECT_TRUE(messages()[1].message.cut());
    EXPECT_EQ(messages()[1].bytes, read_call(kXid, 1));
}

}  // namespace
}  // namespace helio::inspect::rdma_test
