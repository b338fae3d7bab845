// RPC-over-RDMA headers, RFC 8166 §4: every word of the vectors by its name, and the vectors
// encoded from values.
#include <gtest/gtest.h>

#include "schema/rpcrdma.h"
#include "tests/rfc_vectors/vectors.h"

namespace helio::vectors::rdma_headers_test {
namespace {

using rpcrdma::rdma_msg;
using rpcrdma::xdr_rdma_segment;
using xdr::Arena;
using xdr::Mode;
using xdr::Reader;
using xdr::to_hex;

class RdmaHeaders : public testing::Test {
 protected:
    const rdma_msg& decoded(const Vector& vector, std::uint32_t xid, rpcrdma::rdma_proc proc) {
        bytes_ = vector.bytes;
        Reader in{bytes_, arena_, Mode::strict};
        EXPECT_TRUE(decode_rdma_msg(in, msg_) && in.finish()) << to_string(in.error());
        EXPECT_EQ(msg_.rdma_xid, xid);
        EXPECT_EQ(msg_.rdma_vers, rpcrdma::RPCRDMA_VERSION);
        EXPECT_EQ(msg_.rdma_credit, 32u);
        EXPECT_EQ(msg_.rdma_body.proc(), proc);
        return msg_;
    }

    // A header to fill in, as the vectors begin.
    static rdma_msg begun(std::uint32_t xid) {
        rdma_msg msg;
        msg.rdma_xid = xid;
        msg.rdma_vers = rpcrdma::RPCRDMA_VERSION;
        msg.rdma_credit = 32;
        return msg;
    }

    std::string encoded(const rdma_msg& msg) {
        xdr::Writer out{arena_};
        EXPECT_TRUE(encode_rdma_msg(out, msg)) << to_string(out.error());
        return to_hex(out.joined());
    }

    Arena arena_;
    Bytes bytes_;
    rdma_msg msg_;
};

TEST_F(RdmaHeaders, WithoutChunks) {
    const rdma_msg& msg = decoded(rdma_msg_plain(), 0x8f0a71c7, rpcrdma::RDMA_MSG);
    const rpcrdma::rpc_rdma_header& chunks = msg.rdma_body.rdma_msg();
    EXPECT_EQ(chunks.rdma_reads, nullptr);
    EXPECT_EQ(chunks.rdma_writes, nullptr);
    EXPECT_EQ(chunks.rdma_reply, nullptr);

    rdma_msg made = begun(0x8f0a71c7);
    made.rdma_body.emplace_rdma_msg(rpcrdma::RDMA_MSG);
    EXPECT_EQ(encoded(made), to_hex(rdma_msg_plain().bytes));
}

TEST_F(RdmaHeaders, WithAReadList) {
    const rdma_msg& msg = decoded(rdma_msg_read_list(), 0x8f0a71c8, rpcrdma::RDMA_MSG);
    const rpcrdma::rpc_rdma_header& chunks = msg.rdma_body.rdma_msg();
    ASSERT_NE(chunks.rdma_reads, nullptr);
    EXPECT_EQ(chunks.rdma_reads->entry.position, 152u);
    EXPECT_EQ(chunks.rdma_reads->entry.target.handle, 0x00b0c0d0u);
    EXPECT_EQ(chunks.rdma_reads->entry.target.length, 4096u);
    EXPECT_EQ(chunks.rdma_reads->entry.target.offset, 0xffff88810c1e0000u);
    EXPECT_EQ(chunks.rdma_reads->next, nullptr);
    EXPECT_EQ(chunks.rdma_writes, nullptr);
    EXPECT_EQ(chunks.rdma_reply, nullptr);

    rpcrdma::xdr_read_list data;
    data.entry = {152, {0x00b0c0d0, 4096, 0xffff88810c1e0000}};
    rdma_msg made = begun(0x8f0a71c8);
    made.rdma_body.emplace_rdma_msg(rpcrdma::RDMA_MSG).rdma_reads = &data;
    EXPECT_EQ(encoded(made), to_hex(rdma_msg_read_list().bytes));
}

TEST_F(RdmaHeaders, WithAWriteListAndAReplyChunk) {
    const rdma_msg& msg =
        decoded(rdma_msg_write_list_and_reply_chunk(), 0x8f0a71c9, rpcrdma::RDMA_MSG);
    const rpcrdma::rpc_rdma_header& chunks = msg.rdma_body.rdma_msg();
    EXPECT_EQ(chunks.rdma_reads, nullptr);
    const rpcrdma::xdr_write_list* const first = chunks.rdma_writes;
    ASSERT_NE(first, nullptr);
    ASSERT_EQ(first->entry.target.size(), 2u);
    EXPECT_EQ(first->entry.target[0], (xdr_rdma_segment{0x1001, 4096, 0xffff888100000000}));
    EXPECT_EQ(first->entry.target[1], (xdr_rdma_segment{0x1002, 2048, 0xffff888100010000}));
    const rpcrdma::xdr_write_list* const second = first->next;
    ASSERT_NE(second, nullptr);
    ASSERT_EQ(second->entry.target.size(), 1u);
    EXPECT_EQ(second->entry.target[0], (xdr_rdma_segment{0x1003, 1024, 0xffff888100020000}));
    EXPECT_EQ(second->next, nullptr);
    ASSERT_NE(chunks.rdma_reply, nullptr);
    ASSERT_EQ(chunks.rdma_reply->target.size(), 1u);
    EXPECT_EQ(chunks.rdma_reply->target[0], (xdr_rdma_segment{0x1004, 65536, 0xffff888100030000}));

    const xdr_rdma_segment pieces[] = {{0x1001, 4096, 0xffff888100000000},
                                       {0x1002, 2048, 0xffff888100010000},
                                       {0x1003, 1024, 0xffff888100020000},
                                       {0x1004, 65536, 0xffff888100030000}};
    const rpcrdma::xdr_write_list last{{{pieces + 2, 1}}, nullptr};
    const rpcrdma::xdr_write_list head{{{pieces, 2}}, &last};
    const rpcrdma::xdr_write_chunk reply{{pieces + 3, 1}};
    rdma_msg made = begun(0x8f0a71c9);
    made.rdma_body.emplace_rdma_msg(rpcrdma::RDMA_MSG) = {nullptr, &head, &reply};
    EXPECT_EQ(encoded(made), to_hex(rdma_msg_write_list_and_reply_chunk().bytes));
}

TEST_F(RdmaHeaders, WithTheCallInAChunk) {
    const rdma_msg& msg = decoded(rdma_nomsg(), 0x8f0a71ca, rpcrdma::RDMA_NOMSG);
    const rpcrdma::rpc_rdma_header_nomsg& chunks = msg.rdma_body.rdma_nomsg();
    ASSERT_NE(chunks.rdma_reads, nullptr);
    EXPECT_EQ(chunks.rdma_reads->entry.position, 0u);
    EXPECT_EQ(chunks.rdma_reads->entry.target,
              (xdr_rdma_segment{0x2001, 6144, 0xffff888200000000}));
    EXPECT_EQ(chunks.rdma_reads->next, nullptr);
    EXPECT_EQ(chunks.rdma_writes, nullptr);
    ASSERT_NE(chunks.rdma_reply, nullptr);
    ASSERT_EQ(chunks.rdma_reply->target.size(), 1u);
    EXPECT_EQ(chunks.rdma_reply->target[0], (xdr_rdma_segment{0x2002, 65536, 0xffff888200010000}));
}

TEST_F(RdmaHeaders, ObsoleteKindsStillHaveTheirLayout) {
    const rdma_msg& padded = decoded(rdma_msgp(), 0x8f0a71cb, rpcrdma::RDMA_MSGP);
    EXPECT_EQ(padded.rdma_body.rdma_msgp().rdma_align, 4096u);
    EXPECT_EQ(padded.rdma_body.rdma_msgp().rdma_thresh, 1024u);
    const rdma_msg& done = decoded(rdma_done(), 0x8f0a71cc, rpcrdma::RDMA_DONE);
    EXPECT_TRUE(done.rdma_body.has_nothing());
}

TEST_F(RdmaHeaders, Errors) {
    const rdma_msg& version = decoded(rdma_error_version(), 0x8f0a71cd, rpcrdma::RDMA_ERROR);
    ASSERT_EQ(version.rdma_body.rdma_error().err(), rpcrdma::ERR_VERS);
    EXPECT_EQ(version.rdma_body.rdma_error().range(), (rpcrdma::rpc_rdma_errvers{1, 1}));
    const rdma_msg& chunk = decoded(rdma_error_chunk(), 0x8f0a71ce, rpcrdma::RDMA_ERROR);
    EXPECT_EQ(chunk.rdma_body.rdma_error().err(), rpcrdma::ERR_CHUNK);

    rdma_msg made = begun(0x8f0a71cd);
    made.rdma_body.emplace_rdma_error(rpcrdma::RDMA_ERROR).emplace_range(rpcrdma::ERR_VERS) = {1,
                                                                                               1};
    EXPECT_EQ(encoded(made), to_hex(rdma_error_version().bytes));
    made = begun(0x8f0a71ce);
    made.rdma_body.emplace_rdma_error(rpcrdma::RDMA_ERROR).set(rpcrdma::ERR_CHUNK);
    EXPECT_EQ(encoded(made), to_hex(rdma_error_chunk().bytes));
}

}  // namespace
}  // namespace helio::vectors::rdma_headers_test
