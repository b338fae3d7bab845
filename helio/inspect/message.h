// Message: one RPC message found in a capture or in pasted text: its bytes, complete or cut, and
// where they came from. The bytes are borrowed until the sink's call returns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "helio/base/bytes.h"

namespace helio::inspect {

struct Endpoint {
    std::array<std::byte, 16> address{};  // IPv4 in the first four bytes
    std::uint16_t port = 0;
    bool v6 = false;

    // Called for each packet, so four comparisons rather than a memcmp call.
    friend bool operator==(const Endpoint& a, const Endpoint& b) {
        std::uint64_t left[2];
        std::uint64_t right[2];
        std::memcpy(left, a.address.data(), sizeof left);
        std::memcpy(right, b.address.data(), sizeof right);
        return ((left[0] ^ right[0]) | (left[1] ^ right[1])) == 0 && a.port == b.port &&
               a.v6 == b.v6;
    }
};
// "192.0.2.1:2049", "[2001:db8::1]:2049"
std::string to_string(const Endpoint& endpoint);
// Without the port.
std::string address_of(const Endpoint& endpoint);

// A conversation: two endpoints and their transport. Flows makes and owns it; `number` counts from
// 0 in the order they were seen.
struct FlowEnds {
    Endpoint ends[2];
    std::uint32_t number = 0;
};

enum class Carrier : std::uint8_t {
    text,    // pasted
    stream,  // bytes of a file without packets
    tcp,
    udp,
    roce,   // RDMA over UDP port 4791
    iwarp,  // RDMA over TCP
};
std::string_view name(Carrier carrier);

// The format of the header.
enum class Shape : std::uint8_t {
    onc,     // RFC 5531
    virnet,  // libvirt's, without its length word
};

// Data that RDMA moved separately from the message and that was put back (or replaced by zeros if
// it was not captured).
struct TakenOut {
    std::uint32_t offset = 0;  // in Message::bytes
    std::uint32_t size = 0;    // without padding
    enum class Chunk : std::uint8_t { read, write, reply } chunk = Chunk::read;
    std::uint16_t chunk_index = 0;  // in its list
    bool captured = false;          // the bytes are real
};

struct Message {
    std::int64_t time_ns = 0;        // since 1970; of the packet that completed it
    std::uint64_t packet = 0;        // number of that packet in its file, from 1; 0: no packets
    const FlowEnds* flow = nullptr;  // null for text and streams
    std::uint8_t direction = 0;      // index into flow->ends of the sender
    Carrier carrier = Carrier::text;
    Shape shape = Shape::onc;
    ByteView bytes;          // from the xid on (virnet: from the program on)
    std::uint64_t size = 0;  // as sent; more than bytes.size(): cut
    ByteView rdma_header;    // before the message; empty without RDMA
    std::span<const TakenOut> taken_out;

    bool shortened = false;  // it was captured completely, but not kept completely

    bool cut() const { return bytes.size() < size && !shortened; }
};

// Why bytes of a capture did not become messages. Each is a line of the ledger.
enum class Unread : std::uint8_t {
    link_unknown,         // packets of a link layer we do not read
    not_ip,               // ARP and so on
    not_tcp_udp,          // other protocols over IP
    packet_damaged,       // headers that contradict themselves
    fragments_missing,    // IP fragments of incomplete datagrams
    not_rpc,              // streams and datagrams in which no RPC message was found
    before_first_record,  // a stream joined in the middle: up to the first record
    lost,                 // segments that are not in the capture
    not_captured,         // packets cut by the snap length
    skipped_to_resync,    // after a loss, up to the next plausible record
    record_damaged,       // marks or headers that no peer would accept
    too_much_held,        // dropped to bound memory
};
inline constexpr std::size_t kUnreadKinds = static_cast<std::size_t>(Unread::too_much_held) + 1;
// "lost segments": for people.
std::string_view name(Unread why);

// Receives messages, in the order of the capture.
class MessageSink {
 public:
    virtual ~MessageSink() = default;
    virtual void message(const Message& message) = 0;
    // Bytes (of payload, if there is one) that are in no message; `packets` if whole packets are
    // meant.
    virtual void unread(Unread why, std::uint64_t bytes, std::uint64_t packets) = 0;
};

}  // namespace helio::inspect
