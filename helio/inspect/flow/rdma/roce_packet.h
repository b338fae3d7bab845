// RocePacket: the transport headers of RoCEv2, an InfiniBand packet as a UDP datagram to port 4791
// (InfiniBand Architecture Specification 1, chapter 9 and annex A17):
//
//     BTH 12 | RETH 16 | AETH 4 | ImmDt or IETH 4 | payload | 0 to 3 bytes of padding | ICRC 4
//
// Which of those in the middle are there depends on the operation. Read here are the ones of
// reliable connections, which are all that RPC-over-RDMA uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"

namespace helio::inspect {

inline constexpr std::uint16_t kRocePort = 4791;
inline constexpr std::size_t kBthSize = 12;
inline constexpr std::size_t kIcrcSize = 4;
// Packet sequence numbers have 24 bits and go round.
inline constexpr std::uint32_t kPsnMask = 0xffffff;

struct RocePacket {
    enum class Kind : std::uint8_t {
        send,
        write,
        read_request,
        read_response,
        quiet,  // acknowledgements and atomic operations: nothing of RPC is in them
        other,  // not of a reliable connection: management, congestion notices
    };
    Kind kind = Kind::other;
    bool first = false;  // of the packets of one operation
    bool last = false;
    std::uint32_t queue = 0;  // the receiver's queue pair
    std::uint32_t psn = 0;
    // Of a read request and the first packet of a write.
    std::uint64_t address = 0;
    std::uint32_t handle = 0;
    std::uint32_t length = 0;  // of the whole operation

    ByteView payload;                // as much as was captured of
    std::uint32_t payload_size = 0;  // what was sent
};

// A datagram's payload, all or the beginning of `size` bytes. False: cut within the headers, or
// they contradict the size.
bool read_roce(ByteView bytes, std::uint32_t size, RocePacket& packet);

}  // namespace helio::inspect
