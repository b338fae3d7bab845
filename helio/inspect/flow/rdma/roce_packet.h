// RocePacket: the transport headers of RoCEv2, an InfiniBand packet as a UDP datagram to port 4791
// (InfiniBand Architecture Specification 1, chapter 9 and annex A17):
//
//     BTH 12 | RETH 16 | AETH 4 | ImmDt or IETH 4 | payload | 0 to 3 bytes of padding | ICRC 4
//
// The operation decides which of the middle headers are present. Only reliable connections are
// read, the only kind that RPC-over-RDMA uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"

namespace helio::inspect {

inline constexpr std::uint16_t kRocePort = 4791;
inline constexpr std::size_t kBthSize = 12;
inline constexpr std::size_t kIcrcSize = 4;
// Packet sequence numbers have 24 bits and wrap around.
inline constexpr std::uint32_t kPsnMask = 0xffffff;

struct RocePacket {
    enum class Kind : std::uint8_t {
        send,
        write,
        read_request,
        read_response,
        quiet,  // acknowledgements and atomic operations: no RPC in them
        other,  // not of a reliable connection: management, congestion notices
    };
    Kind kind = Kind::other;
    bool first = false;  // of the packets of one operation
    bool last = false;
    std::uint32_t queue = 0;  // the receiver's queue pair
    std::uint32_t psn = 0;
    // In read requests and the first packet of a write.
    std::uint64_t address = 0;
    std::uint32_t handle = 0;
    std::uint32_t length = 0;  // of the whole operation

    ByteView payload;                // the captured part
    std::uint32_t payload_size = 0;  // as sent
};

// Parses a datagram's payload, possibly cut; `size` is the size sent. False: the headers are cut,
// or contradict the size.
bool read_roce(ByteView bytes, std::uint32_t size, RocePacket& packet);

}  // namespace helio::inspect
