// Dissector: packets → TCP segments and UDP datagrams. Ethernet with any number of VLAN tags
// (802.1Q, 802.1ad), Linux cooked (SLL, SLL2), raw IP, BSD loopback, PPP; IPv4 and IPv6 with
// extension headers; fragments put together. Lengths are checked against what is there, and
// Ethernet's padding is not payload. No checksums: captures made on the sending host do not have
// them yet.
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

// Of all fragments that wait for others, together, and what it takes to keep them. A datagram is at
// most 64 KiB; more than this only waits for what is lost.
inline constexpr std::size_t kFragmentBytesMax = 4u << 20;

// How long fragments wait for others, by the capture's clock: as long as Linux waits
// (net.ipv4.ipfrag_time), so whatever a receiver put together is put together here.
inline constexpr std::chrono::seconds kFragmentWaitMax{30};

struct Segment {
    std::int64_t time_ns = 0;
    std::uint64_t packet = 0;  // of fragments, the one that came last
    bool tcp = false;          // else UDP
    Endpoint source;
    Endpoint destination;
    std::uint32_t sequence = 0;  // TCP
    std::uint32_t acknowledged = 0;
    std::uint8_t flags = 0;  // TCP's, as on the wire: FIN 1, SYN 2, RST 4, ACK 16
    ByteView payload;
    std::uint32_t payload_size = 0;  // on the wire; more than payload.size() when cut
    // Why it is cut, if it is: not_captured or fragments_missing. Nobody has told the sink yet.
    Unread cut_by = Unread::not_captured;
};

class FragmentTable;
struct Datagram;

class Dissector final {
 public:
    // `sink` takes what is no TCP or UDP: unread().
    explicit Dissector(MessageSink& sink);
    ~Dissector();

    // True: `segment` is set; its payload lives until the next call of any of these and as long as
    // the packet.
    bool dissect(const Packet& packet, Segment& segment);
    // After each dissect(), again and again until false: datagrams that were given up because they
    // waited too long or too many waited, of which the first fragment is there, as cut ones. What
    // is not fetched before the next dissect() becomes unread.
    bool left_over(Segment& segment) { return any_left_over_ && next_left_over(segment); }
    // At the end, again and again until false: all that still wait, in the same way.
    bool flush(Segment& segment);

 private:
    // What IP carries.
    struct Part {
        ByteView bytes;             // captured
        std::size_t wire_size = 0;  // of a datagram with fragments missing: at least
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
    // When the oldest of the fragments has waited long enough.
    std::int64_t wait_ends_ns_ = INT64_MAX;
};

}  // namespace helio::inspect
