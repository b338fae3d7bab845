// Dissector: packets → TCP segments and UDP datagrams. Ethernet with any number of VLAN tags (802.1Q, 802.1ad), Linux
// cooked (SLL, SLL2), raw IP, BSD loopback; IPv4 and IPv6 with extension headers; fragments put together. Lengths are
// checked against what is there, and Ethernet's padding is not payload. No checksums: captures made on the sending host
// do not have them yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "helio/base/bytes.h"
#include "helio/inspect/capture/reader.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// Of all fragments that wait for others, together. A datagram is at most 64 KiB; more than this only
// waits for what is lost.
inline constexpr std::size_t kFragmentBytesMax = 4u << 20;

struct Segment {
    std::int64_t time_ns = 0;
    std::uint64_t packet = 0;
    bool tcp = false;  // else UDP
    Endpoint source;
    Endpoint destination;
    std::uint32_t sequence = 0;  // TCP
    std::uint32_t acknowledged = 0;
    std::uint8_t flags = 0;  // TCP's, as on the wire: FIN 1, SYN 2, RST 4, ACK 16
    ByteView payload;
    std::uint32_t payload_size = 0;  // on the wire; more than payload.size() when cut
};

class Dissector final {
 public:
    // `sink` takes what is no TCP or UDP: unread().
    explicit Dissector(MessageSink& sink);
    ~Dissector();

    // True: `segment` is set; its payload lives until the next call and as long as the packet.
    bool dissect(const Packet& packet, Segment& segment);
    // At the end, again and again until false: datagrams of which the first fragment is there but not all
    // others, as cut ones.
    bool flush(Segment& segment);

 private:
    class Fragments;
    MessageSink& sink_;
    std::unique_ptr<Fragments> fragments_;
};

}  // namespace helio::inspect
