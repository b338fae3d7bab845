// Golden vectors: messages written by hand from field notes and the RFCs' structs, one field per
// line. Never recorded from our own encoder: they test it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helio/xdr/error.h"
#include "testing/xdr/bytes.h"

namespace helio::vectors {

using xdr::Bytes;

// A word with few allowed values: a wrong value, and the fault for it.
struct GuardedWord {
    std::uint32_t offset;
    std::uint32_t bad;  // the smallest invalid value; the top bit is always invalid
    xdr::Fault fault;
};

// One value of one type. A message is several of them, consecutive or nested: RFC 5531 leaves
// arguments and credentials to other schemas.
struct Vector {
    std::string name;
    const char* schema;
    const char* type;
    Bytes bytes;
    std::vector<GuardedWord> guarded;
};

// RFC 5531, RFC 1813 (rpc_vectors.cc).
Vector null_call();             // the 40 bytes of "do nothing", NFS version 2
Vector read_call_header();      // a READ as a Linux client sent it: envelope with credential …
Vector read_call_credential();  // … the credential's body
Vector read_call_arguments();   // … and what follows the envelope
Vector getattr_call_header();
Vector getattr_call_credential();
Vector getattr_call_arguments();
Vector getattr_reply_header();
Vector getattr_reply_results();

// RFC 8166 (rdma_vectors.cc).
Vector rdma_msg_plain();
Vector rdma_msg_read_list();
Vector rdma_msg_write_list_and_reply_chunk();
Vector rdma_nomsg();
Vector rdma_msgp();
Vector rdma_done();
Vector rdma_error_version();
Vector rdma_error_chunk();

std::vector<Vector> all();

// Consecutive values.
Bytes message(std::initializer_list<Vector> parts);

}  // namespace helio::vectors
