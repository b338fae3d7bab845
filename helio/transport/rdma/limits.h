// Limits of both sides of an RPC-over-RDMA connection.
#pragma once

#include <cstddef>
#include <cstdint>

namespace helio::transport::rdma {

// IANA's port for NFS over RDMA.
inline constexpr std::uint16_t kRdmaPort = 20049;
// Messages up to this size are sent inline; longer ones use chunks. The same as in Linux: a call's
// header, a handle and a name fit, and so does a small reply.
inline constexpr std::size_t kRdmaInlineBytes = 4096;
// Calls in flight on a connection. Each costs a receive buffer of kRdmaInlineBytes.
inline constexpr std::uint32_t kRdmaCredits = 64;
// Room that a client provides for bulk results: the most that NFS servers move at once.
inline constexpr std::size_t kRdmaBulkBytes = 1u << 20;

}  // namespace helio::transport::rdma
