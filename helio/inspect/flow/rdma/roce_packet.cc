#include "helio/inspect/flow/rdma/roce_packet.h"

#include <algorithm>

#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using PacketKind = RocePacket::Kind;

struct OpcodeMeaning {
    PacketKind kind = PacketKind::other;
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
constexpr OpcodeMeaning kOperations[] = {
    {PacketKind::send, true, false, 0},                   // 0x00 SEND First
    {PacketKind::send, false, false, 0},                  // SEND Middle
    {PacketKind::send, false, true, 0},                   // SEND Last
    {PacketKind::send, false, true, kImmediate},          // SEND Last with Immediate
    {PacketKind::send, true, true, 0},                    // SEND Only
    {PacketKind::send, true, true, kImmediate},           // SEND Only with Immediate
    {PacketKind::write, true, false, kReth},              // RDMA WRITE First
    {PacketKind::write, false, false, 0},                 // RDMA WRITE Middle
    {PacketKind::write, false, true, 0},                  // 0x08 RDMA WRITE Last
    {PacketKind::write, false, true, kImmediate},         // RDMA WRITE Last with Immediate
    {PacketKind::write, true, true, kReth},               // RDMA WRITE Only
    {PacketKind::write, true, true, kReth + kImmediate},  // RDMA WRITE Only with Immediate
    {PacketKind::read_request, true, true, kReth},        // RDMA READ Request
    {PacketKind::read_response, true, false, kAeth},      // RDMA READ Response First
    {PacketKind::read_response, false, false, 0},         // RDMA READ Response Middle
    {PacketKind::read_response, false, true, kAeth},      // RDMA READ Response Last
    {PacketKind::read_response, true, true, kAeth},       // 0x10 RDMA READ Response Only
    {PacketKind::quiet, true, true, kAeth},               // Acknowledge
    {PacketKind::quiet, true, true, kAeth + kAtomicAck},  // ATOMIC Acknowledge
    {PacketKind::quiet, true, true, kAtomic},             // Compare and Swap
    {PacketKind::quiet, true, true, kAtomic},             // Fetch and Add
    {PacketKind::other, false, false, 0},                 // 0x15, reserved
    {PacketKind::send, false, true, kInvalidate},         // SEND Last with Invalidate
    {PacketKind::send, true, true, kInvalidate},          // SEND Only with Invalidate
};

std::uint8_t octet_at(ByteView bytes, std::size_t at) {
    return std::to_integer<std::uint8_t>(bytes[at]);
}

}  // namespace

bool read_roce(ByteView bytes, std::uint32_t size, RocePacket& packet) {
    packet = {};
    if (bytes.size() < kBthSize || size < kBthSize + kIcrcSize) return false;
    const std::uint8_t opcode = octet_at(bytes, 0);
    const std::uint32_t padding = (octet_at(bytes, 1) >> 4) & 3u;
    const std::uint8_t version = octet_at(bytes, 1) & 0xf;
    if (version != 0) return false;
    packet.queue = xdr::load_u32(bytes.data() + 4) & kPsnMask;
    packet.psn = xdr::load_u32(bytes.data() + 8) & kPsnMask;
    if (opcode >= std::size(kOperations)) return true;

    const OpcodeMeaning& operation = kOperations[opcode];
    const std::size_t headers = kBthSize + operation.extended;
    if (bytes.size() < headers || size < headers + padding + kIcrcSize) return false;
    packet.kind = operation.kind;
    packet.first = operation.first;
    packet.last = operation.last;
    if (operation.kind == PacketKind::read_request ||
        (operation.kind == PacketKind::write && operation.first)) {
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
