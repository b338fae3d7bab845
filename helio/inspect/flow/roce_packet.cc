#include "helio/inspect/flow/roce_packet.h"

#include <algorithm>

#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using Kind = RocePacket::Kind;

struct Operation {
    Kind kind = Kind::other;
    bool first = false;
    bool last = false;
    std::uint8_t extended = 0;  // bytes of headers between BTH and payload
};

constexpr std::uint8_t kReth = 16;
constexpr std::uint8_t kAeth = 4;
constexpr std::uint8_t kImmediate = 4;
constexpr std::uint8_t kInvalidate = 4;
constexpr std::uint8_t kAtomicAck = 8;
constexpr std::uint8_t kAtomic = 28;

// By opcode; the upper three bits, the transport, are 0 for reliable connections.
constexpr Operation kOperations[] = {
    {Kind::send, true, false, 0},                   // 0x00 SEND First
    {Kind::send, false, false, 0},                  // SEND Middle
    {Kind::send, false, true, 0},                   // SEND Last
    {Kind::send, false, true, kImmediate},          // SEND Last with Immediate
    {Kind::send, true, true, 0},                    // SEND Only
    {Kind::send, true, true, kImmediate},           // SEND Only with Immediate
    {Kind::write, true, false, kReth},              // RDMA WRITE First
    {Kind::write, false, false, 0},                 // RDMA WRITE Middle
    {Kind::write, false, true, 0},                  // 0x08 RDMA WRITE Last
    {Kind::write, false, true, kImmediate},         // RDMA WRITE Last with Immediate
    {Kind::write, true, true, kReth},               // RDMA WRITE Only
    {Kind::write, true, true, kReth + kImmediate},  // RDMA WRITE Only with Immediate
    {Kind::read_request, true, true, kReth},        // RDMA READ Request
    {Kind::read_response, true, false, kAeth},      // RDMA READ Response First
    {Kind::read_response, false, false, 0},         // RDMA READ Response Middle
    {Kind::read_response, false, true, kAeth},      // RDMA READ Response Last
    {Kind::read_response, true, true, kAeth},       // 0x10 RDMA READ Response Only
    {Kind::quiet, true, true, kAeth},               // Acknowledge
    {Kind::quiet, true, true, kAeth + kAtomicAck},  // ATOMIC Acknowledge
    {Kind::quiet, true, true, kAtomic},             // Compare and Swap
    {Kind::quiet, true, true, kAtomic},             // Fetch and Add
    {Kind::other, false, false, 0},                 // 0x15, reserved
    {Kind::send, false, true, kInvalidate},         // SEND Last with Invalidate
    {Kind::send, true, true, kInvalidate},          // SEND Only with Invalidate
};

std::uint8_t byte_at(ByteView bytes, std::size_t at) {
    return std::to_integer<std::uint8_t>(bytes[at]);
}

}  // namespace

bool read_roce(ByteView bytes, std::uint32_t size, RocePacket& packet) {
    packet = {};
    if (bytes.size() < kBthSize || size < kBthSize + kIcrcSize) return false;
    const std::uint8_t opcode = byte_at(bytes, 0);
    const std::uint32_t padding = (byte_at(bytes, 1) >> 4) & 3u;
    const std::uint8_t version = byte_at(bytes, 1) & 0xf;
    if (version != 0) return false;
    packet.queue = xdr::load_u32(bytes.data() + 4) & kPsnMask;
    packet.psn = xdr::load_u32(bytes.data() + 8) & kPsnMask;
    if (opcode >= std::size(kOperations)) return true;

    const Operation& operation = kOperations[opcode];
    const std::size_t headers = kBthSize + operation.extended;
    if (bytes.size() < headers || size < headers + padding + kIcrcSize) return false;
    packet.kind = operation.kind;
    packet.first = operation.first;
    packet.last = operation.last;
    if (operation.kind == Kind::read_request ||
        (operation.kind == Kind::write && operation.first)) {
        packet.address = xdr::load_u64(bytes.data() + kBthSize);
        packet.handle = xdr::load_u32(bytes.data() + kBthSize + 8);
        packet.length = xdr::load_u32(bytes.data() + kBthSize + 12);
    }
    packet.payload_size = static_cast<std::uint32_t>(size - headers - padding - kIcrcSize);
    packet.payload = bytes.subspan(headers);
    packet.payload =
        packet.payload.first(std::min<std::size_t>(packet.payload.size(), packet.payload_size));
    return true;
}

}  // namespace helio::inspect
