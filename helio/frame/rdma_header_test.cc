#include "helio/frame/rdma_header.h"

#include <gtest/gtest.h>

#include "testing/xdr/bytes.h"

namespace helio::frame::rdma_header_test {
namespace {

using xdr::Bytes;
using xdr::hex;

// RFC 8166 §4.3, written out by hand from the struct.
const Bytes kEverything =
    hex("11223344 00000001 00000020 00000001"   // xid, version, credits, RDMA_NOMSG
        "00000001 00000000"                     // a read segment at position 0
        "0000aaaa 00001000 0000000100000000"    // handle, length, offset
        "00000001 00000000"                     // another segment of that chunk
        "0000aaab 00000200 0000000200000000"    //
        "00000001 00000074"                     // one at position 116
        "0000aaac 00000007 00000003fffffff9"    //
        "00000000"                              // no more of them
        "00000001 00000002"                     // a write chunk of two segments
        "0000bbbb 00001000 1000000000000000"    //
        "0000bbbc 00000001 2000000000000000"    //
        "00000001 00000000"                     // an empty one
        "00000000"                              // no more of them
        "00000001 00000001"                     // a reply chunk of one segment
        "0000cccc 00002000 ffffffffffffdfff");  // which ends where the address space does
const Bytes kPlain =
    hex("11223344 00000001 00000020 00000000"  // RDMA_MSG
        "00000000 00000000 00000000"           // neither reads nor writes nor a reply chunk
        "11223344 00000000");                  // the RPC message

RdmaHeaderError error_of(const Bytes& bytes, const RdmaHeaderLimits& limits = {}) {
    RdmaHeader header;
    const auto result = read_rdma_header(bytes, header, limits);
    EXPECT_FALSE(result);
    return result ? RdmaHeaderError{} : result.error();
}

TEST(RdmaHeader, PlainMessage) {
    RdmaHeader header;
    ASSERT_TRUE(read_rdma_header(kPlain, header));
    EXPECT_EQ(header.xid, 0x11223344u);
    EXPECT_EQ(header.version, 1u);
    EXPECT_EQ(header.credits, 32u);
    EXPECT_EQ(header.kind, RdmaKind::message);
    EXPECT_EQ(header.size, 28u);
    EXPECT_TRUE(header.reads.empty());
    EXPECT_EQ(header.write_count(), 0u);
    EXPECT_FALSE(header.has_reply);
    EXPECT_FALSE(header.message_in_reads());
}

TEST(RdmaHeader, EveryList) {
    RdmaHeader header;
    ASSERT_TRUE(read_rdma_header(kEverything, header));
    EXPECT_EQ(header.kind, RdmaKind::no_message);
    EXPECT_EQ(header.size, kEverything.size());
    const std::vector<RdmaReadSegment> reads = {{0, {0xaaaa, 0x1000, 0x100000000}},
                                                {0, {0xaaab, 0x200, 0x200000000}},
                                                {116, {0xaaac, 7, 0x3fffffff9}}};
    EXPECT_EQ(header.reads, reads);
    EXPECT_TRUE(header.message_in_reads());
    ASSERT_EQ(header.write_count(), 2u);
    ASSERT_EQ(header.write(0).size(), 2u);
    EXPECT_EQ(header.write(0)[1], (RdmaSegment{0xbbbc, 1, 0x2000000000000000}));
    EXPECT_EQ(bytes_of(header.write(0)), 0x1001u);
    EXPECT_TRUE(header.write(1).empty());
    EXPECT_TRUE(header.has_reply);
    EXPECT_EQ(header.reply, (std::vector<RdmaSegment>{{0xcccc, 0x2000, 0xffffffffffffdfff}}));

    // Reading into a header that held another leaves nothing of that.
    ASSERT_TRUE(read_rdma_header(kPlain, header));
    EXPECT_TRUE(header.reads.empty() && header.reply.empty() && header.write_segments.empty());
    EXPECT_FALSE(header.has_reply);
}

TEST(RdmaHeader, RejectsEveryTruncation) {
    for (std::size_t size = 0; size < kEverything.size(); ++size) {
        const Bytes cut{kEverything.begin(), kEverything.begin() + static_cast<long>(size)};
        const RdmaHeaderError error = error_of(cut);
        EXPECT_EQ(error.fault, RdmaFault::truncated) << size;
        EXPECT_EQ(error.offset, size / 4 * 4) << size;
        EXPECT_EQ(error.got, size);
    }
}

TEST(RdmaHeader, Errors) {
    RdmaHeader header;
    const Bytes versions =
        hex("11223344 00000001 00000020 00000004 00000001 00000001 00000002");  // ERR_VERS, 1 to 2
    ASSERT_TRUE(read_rdma_header(versions, header));
    EXPECT_EQ(header.kind, RdmaKind::error);
    EXPECT_EQ(header.error_code, 1u);
    EXPECT_EQ(header.version_low, 1u);
    EXPECT_EQ(header.version_high, 2u);
    EXPECT_EQ(header.size, 28u);
    ASSERT_TRUE(read_rdma_header(hex("11223344 00000001 00000020 00000004 00000002"),
                                 header));  // ERR_CHUNK
    EXPECT_EQ(header.error_code, 2u);
    EXPECT_EQ(error_of(hex("11223344 00000001 00000020 00000004 00000003")).fault,
              RdmaFault::error_code);
}

TEST(RdmaHeader, ObsoleteKindsAreNamed) {
    RdmaHeader header;
    ASSERT_TRUE(read_rdma_header(hex("11223344 00000001 00000020 00000003"), header));
    EXPECT_EQ(header.kind, RdmaKind::done);
    ASSERT_TRUE(read_rdma_header(
        hex("11223344 00000001 00000020 00000002 00000010 00000400 00000000 00000000 00000000"),
        header));
    EXPECT_EQ(header.kind, RdmaKind::padded);
    EXPECT_EQ(header.size, 36u);
}

struct Wrong {
    const char* what;
    Bytes bytes;
    RdmaHeaderError error;
    const char* text;
};

TEST(RdmaHeader, Faults) {
    const std::string start = "11223344 00000001 00000020 ";
    const std::string segment = " 0000aaaa 00000010 0000000000001000 ";
    const std::vector<Wrong> table = {
        {"version",
         hex("11223344 00000002 00000020 00000000"),
         {RdmaFault::version, 4, 2, 1},
         "version 2; only 1 is known"},
        {"kind", hex(start + "00000005"), {RdmaFault::kind, 12, 5, 4}, "message type 5 at byte 12"},
        {"presence",
         hex(start + "00000000 00000002"),
         {RdmaFault::presence, 16, 2, 1},
         "2 where 0 or 1 says whether more follows at byte 16"},
        {"position in the middle of a word",
         hex(start + "00000000 00000001 00000006" + segment),
         {RdmaFault::position_alignment, 20, 6, 4},
         "a position of 6 at byte 20: positions are multiples of 4"},
        {"positions that go back",
         hex(start + "00000000 00000001 00000010" + segment + "00000001 0000000c" + segment),
         {RdmaFault::position_order, 44, 12, 16},
         "a position of 12 behind one of 16 at byte 44"},
        {"position 0 before an inline message",
         hex(start + "00000000 00000001 00000000" + segment),
         {RdmaFault::position_zero, 20, 0, 0},
         "position 0 at byte 20, though the message follows the header"},
        {"a segment past the end of memory",
         hex(start + "00000000 00000001 00000010 0000aaaa 00000010 fffffffffffffff0"),
         {RdmaFault::segment_end, 32, 16, 15},
         "a segment of 16 bytes at byte 32 that runs past the end of memory"},
        {"lengths that add up to too much",
         hex(start + "00000000 00000001 00000010 0000aaaa ffffffff 0000000000000000"),
         {RdmaFault::list_too_long, 28, 0xffffffff, kRdmaListBytesMax},
         "chunks of 4294967295 bytes, more than 16777216, at byte 28"},
        {"a count of segments that nobody could send",
         hex(start + "00000000 00000000 00000001 ffffffff"),
         {RdmaFault::too_many_segments, 24, 0xffffffff, kRdmaSegmentsMax},
         "4294967295 segments, more than 1024, at byte 24"},
    };
    for (const Wrong& row : table) {
        const RdmaHeaderError error = error_of(row.bytes);
        EXPECT_EQ(error, row.error) << row.what << ": " << to_text(error);
        EXPECT_EQ(to_text(error), row.text);
    }
}

TEST(RdmaHeader, LimitsHold) {
    RdmaHeader header;
    // Three read segments, two of write chunks, one of the reply: six; 0x1207 bytes are read.
    EXPECT_TRUE(read_rdma_header(kEverything, header, {.segments = 6}));
    EXPECT_EQ(error_of(kEverything, {.segments = 5}).fault, RdmaFault::too_many_segments);
    EXPECT_EQ(error_of(kEverything, {.segments = 2}).offset, 64u);
    EXPECT_TRUE(read_rdma_header(kEverything, header, {.write_chunks = 2}));
    EXPECT_EQ(error_of(kEverything, {.write_chunks = 1}).fault, RdmaFault::too_many_chunks);
    EXPECT_TRUE(read_rdma_header(kEverything, header, {.list_bytes = 0x2000}));
    EXPECT_EQ(error_of(kEverything, {.list_bytes = 0x1fff}).fault, RdmaFault::list_too_long);
    EXPECT_EQ(error_of(kEverything, {.list_bytes = 0x1206}).offset, 76u);
}

TEST(RdmaHeader, WhatAnAnswerNeedsIsThereAfterAFault) {
    RdmaHeader header;
    EXPECT_FALSE(read_rdma_header(hex("11223344 00000007 00000020"), header));
    EXPECT_EQ(header.xid, 0x11223344u);
    EXPECT_EQ(header.version, 7u);
    EXPECT_EQ(header.credits, 32u);
}

}  // namespace
}  // namespace helio::frame::rdma_header_test
