// RPC-over-RDMA headers, RFC 8166 §4. Every entry of a list follows a presence word of 1, and a 0
// ends the list.
#include "tests/rfc_vectors/vectors.h"

namespace helio::vectors {

using xdr::Fault;
using xdr::hex;

namespace {
constexpr GuardedWord kProc{12, 5, Fault::bad_enum};
constexpr GuardedWord presence(std::uint32_t offset) { return {offset, 2, Fault::bad_bool}; }
}  // namespace

// Before a small call: no chunks at all.
Vector rdma_msg_plain() {
    return {"rdma_msg_plain",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71c7"    // rdma_xid: that of the call behind it
                "00000001"    // rdma_vers
                "00000020"    // rdma_credit: 32 calls asked for
                "00000000"    // proc: RDMA_MSG
                "00000000"    // rdma_reads: none
                "00000000"    // rdma_writes: none
                "00000000"),  // rdma_reply: none
            {kProc, presence(16), presence(20), presence(24)}};
}

// A WRITE whose data the server has to fetch. It belongs at byte 152 of the call: after an envelope
// of 88, a handle of 40 with its length, offset, count, stable and the data's own length.
Vector rdma_msg_read_list() {
    return {"rdma_msg_read_list",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71c8"          // rdma_xid
                "00000001"          // rdma_vers
                "00000020"          // rdma_credit
                "00000000"          // proc: RDMA_MSG
                "00000001"          // rdma_reads: an entry follows
                "00000098"          // position: 152
                "00b0c0d0"          // handle
                "00001000"          // length: 4096
                "ffff88810c1e0000"  // offset
                "00000000"          // end of rdma_reads
                "00000000"          // rdma_writes: none
                "00000000"),        // rdma_reply: none
            {kProc, presence(16), presence(40), presence(44), presence(48)}};
}

// A call with room for two data items of the reply, the first in two pieces, and for the rest of
// it.
Vector rdma_msg_write_list_and_reply_chunk() {
    return {"rdma_msg_write_list_and_reply_chunk",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71c9"            // rdma_xid
                "00000001"            // rdma_vers
                "00000020"            // rdma_credit
                "00000000"            // proc: RDMA_MSG
                "00000000"            // rdma_reads: none
                "00000001"            // rdma_writes: an entry follows
                "00000002"            // target: two segments
                "00001001"            // handle
                "00001000"            // length: 4096
                "ffff888100000000"    // offset
                "00001002"            // handle
                "00000800"            // length: 2048
                "ffff888100010000"    // offset
                "00000001"            // another entry follows
                "00000001"            // target: one segment
                "00001003"            // handle
                "00000400"            // length: 1024
                "ffff888100020000"    // offset
                "00000000"            // end of rdma_writes
                "00000001"            // rdma_reply: there is one
                "00000001"            // target: one segment
                "00001004"            // handle
                "00010000"            // length: 65536
                "ffff888100030000"),  // offset
            {kProc, presence(16), presence(20), presence(60), presence(84), presence(88)}};
}

// A call too long for a message: all of it is fetched, which is what position 0 means.
Vector rdma_nomsg() {
    return {"rdma_nomsg",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71ca"            // rdma_xid
                "00000001"            // rdma_vers
                "00000020"            // rdma_credit
                "00000001"            // proc: RDMA_NOMSG
                "00000001"            // rdma_reads: an entry follows
                "00000000"            // position: 0, the call itself
                "00002001"            // handle
                "00001800"            // length: 6144
                "ffff888200000000"    // offset
                "00000000"            // end of rdma_reads
                "00000000"            // rdma_writes: none
                "00000001"            // rdma_reply: there is one
                "00000001"            // target: one segment
                "00002002"            // handle
                "00010000"            // length: 65536
                "ffff888200010000"),  // offset
            {kProc, presence(16), presence(40), presence(44), presence(48)}};
}

// Obsolete, RFC 8166 §4.2.4, but it still has a layout.
Vector rdma_msgp() {
    return {"rdma_msgp",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71cb"    // rdma_xid
                "00000001"    // rdma_vers
                "00000020"    // rdma_credit
                "00000002"    // proc: RDMA_MSGP
                "00001000"    // rdma_align: 4096
                "00000400"    // rdma_thresh: 1024
                "00000000"    // rdma_reads: none
                "00000000"    // rdma_writes: none
                "00000000"),  // rdma_reply: none
            {kProc, presence(24), presence(28), presence(32)}};
}

Vector rdma_done() {
    return {"rdma_done",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71cc"    // rdma_xid
                "00000001"    // rdma_vers
                "00000020"    // rdma_credit
                "00000003"),  // proc: RDMA_DONE
            {kProc}};
}

Vector rdma_error_version() {
    return {"rdma_error_version",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71cd"    // rdma_xid
                "00000001"    // rdma_vers
                "00000020"    // rdma_credit: 32 calls granted
                "00000004"    // proc: RDMA_ERROR
                "00000001"    // err: ERR_VERS
                "00000001"    // rdma_vers_low
                "00000001"),  // rdma_vers_high
            {kProc, {16, 3, Fault::bad_enum}}};
}

Vector rdma_error_chunk() {
    return {"rdma_error_chunk",
            "rpcrdma",
            "rdma_msg",
            hex("8f0a71ce"    // rdma_xid
                "00000001"    // rdma_vers
                "00000020"    // rdma_credit
                "00000004"    // proc: RDMA_ERROR
                "00000002"),  // err: ERR_CHUNK
            {kProc, {16, 3, Fault::bad_enum}}};
}

}  // namespace helio::vectors
