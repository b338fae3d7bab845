// Dissector: extracts TCP segments and UDP datagrams from packets. It understands Ethernet with any
// number of VLAN tags (802.1Q, 802.1ad), Linux cooked (SLL, SLL2), raw IP, BSD loopback, PPP; IPv4
// and IPv6 with extension headers; fragments are reassembled. Lengths are checked against the bytes
// captured, and Ethernet padding is not payload. Checksums are not checked: captures made on the
// sending host do not have them yet.
//
//     while (reader.next(packet)) {
//         if (dissector.dissect(packet, segment)) take(segment);
//         while (dissector.left_over(segment)) take(segment);
//     }
//     while (dissector.flush(segment)) take(segment);
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "helio/base/bytes.h"
#include "helio/inspect/capture/reader.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// Memory for all incomplete datagrams, with overhead. A datagram is at most 64 KiB; anything beyond
// this limit is probably waiting for a lost fragment.
inline constexpr std::size_t kFragmentBytesMax = 4u << 20;

// How long fragments wait for others, by the capture's clock. Linux waits as long
// (net.ipv4.ipfrag_time), so we reassemble whatever a receiver could.
inline constexpr std::chrono::seconds kFragmentWaitMax{30};

struct Segment {
    std::int64_t time_ns = 0;
    std::uint64_t packet = 0;  // number of the packet; for fragments, of the last to arrive
    bool tcp = false;          // else UDP
    Endpoint source;
    Endpoint destination;
    std::uint32_t sequence = 0;  // TCP
    std::uint32_t acknowledged = 0;
    std::uint8_t flags = 0;  // TCP's, as on the wire: FIN 1, SYN 2, RST 4, ACK 16
    ByteView payload;
    std::uint32_t payload_size = 0;  // on the wire; more than payload.size() if cut
    // Why it is cut, if it is: not_captured or fragments_missing. Not yet reported to the sink.
    Unread cut_by = Unread::not_captured;
};

class FragmentTable;
struct Datagram;

class Dissector final {
 public:
    // `sink` counts packets that are neither TCP nor UDP: unread().
    explicit Dissector(MessageSink& sink);
    ~Dissector();

    // True: `segment` is set. Its payload is valid while the packet is, and until the next call of
    // any of these functions.
    bool dissect(const Packet& packet, Segment& segment);
    // Call after each dissect() until it returns false. Returns, as cut segments, datagrams that
    // were given up for lack of time or memory if their first fragment is present. Those not
    // fetched before the next dissect() count as unread.
    bool left_over(Segment& segment) { return any_left_over_ && next_left_over(segment); }
    // Call at the end until it returns false: all incomplete datagrams, in the same way.
    bool flush(Segment& segment);

 private:
    // IP's payload.
    struct Part {
        ByteView bytes;             // captured
        std::size_t wire_size = 0;  // a lower bound if fragments are missing
        std::uint8_t protocol = 0;
        bool v6 = false;
        bool from_fragments = false;
    };

    bool dissect_other(const Packet& packet, Segment& segment);
    bool ipv4(ByteView bytes, std::size_t wire_size, Segment& segment);
    bool ipv6(ByteView bytes, std::size_t wire_size, Segment& segment);
    bool upper(Part part, Segment& segment);
    bool tcp(const Part& part, Segment& segment);
    bool udp(const Part& part, Segment& segment);
    bool fragment(const Part& part, std::uint32_t id, std::uint32_t offset_and_more,
                  Segment& segment);
    bool left_over_part(const Datagram& datagram, Segment& segment);
    bool next_left_over(Segment& segment);
    void settle(std::int64_t now_ns);
    void watch_fragments();
    // Always false.
    bool refuse(Unread why, std::uint64_t bytes);

    MessageSink& sink_;
    std::unique_ptr<FragmentTable> fragments_;
    bool any_left_over_ = false;
    // When the oldest fragment's wait ends.
    std::int64_t wait_ends_ns_ = INT64_MAX;
};

}  // namespace helio::inspect
