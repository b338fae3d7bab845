// RoceQueue: the packets that one end sends to one queue pair of the other, in the order of their
// packet sequence numbers. Repeated packets are dropped. A packet that comes early waits for those
// before it, because captures are not always in order; after kRoceHoldPackets they count as lost.
// Lost packets that are sent again later are still used.
//
// Sends are assembled from their packets; data of RDMA Writes is passed on as it comes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "helio/inspect/flow/rdma/rdma.h"
#include "helio/inspect/flow/rdma/roce_packet.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// How many packets of the capture an early packet waits for those before it.
inline constexpr std::uint64_t kRoceHoldPackets = 256;

class RoceQueue final {
 public:
    using When = RdmaAssembler::When;

    RoceQueue(RdmaAssembler& assembler, MessageSink& sink, std::uint8_t direction)
        : assembler_(assembler), sink_(sink), direction_(direction) {}

    // `clock` counts packets of the capture. `mtu` is the payload size of packets that are not
    // last, 0 until one was seen. Not for read responses, which carry the other end's numbers.
    void packet(const RocePacket& packet, When when, std::uint64_t clock, std::uint32_t mtu);
    std::uint8_t direction() const { return direction_; }
    bool holds() const { return !early_.empty(); }
    // A waiting packet begins a Send with this xid.
    bool holds(std::uint32_t xid) const;
    // Gives up on packets that others have waited for longer than kRoceHoldPackets.
    void expire(std::uint64_t clock, std::uint32_t mtu);
    // Gives up on all missing packets.
    void release(std::uint32_t mtu);
    // The end of the capture.
    void finish(std::uint32_t mtu);

 private:
    struct EarlyPacket {
        RocePacket packet;  // its payload is in `bytes`
        std::vector<std::byte> bytes;
        When when;
    };
    struct Write {  // its first packet says where it goes
        std::uint32_t psn = 0;
        std::uint32_t step = 0;  // 0: none
        std::uint32_t handle = 0;
        std::uint32_t length = 0;
        std::uint64_t address = 0;
    };

    void start(std::uint32_t psn);
    void hold(const RocePacket& packet, When when, std::uint64_t clock);
    void in_order(const RocePacket& packet, When when, std::uint32_t mtu);
    void drain(std::uint32_t mtu);
    void give_up(std::uint32_t mtu);
    void miss(std::uint32_t from, std::uint32_t to);
    bool take_missed(std::uint32_t psn);

    void run(const RocePacket& packet, When when);
    void run_late(const RocePacket& packet, When when);
    void write(const RocePacket& packet, When when);
    void send(const RocePacket& packet, When when);
    void end_send();
    void end_cut_send();

    RdmaAssembler& assembler_;
    MessageSink& sink_;
    std::uint8_t direction_;

    bool started_ = false;
    std::uint32_t next_ = 0;          // the expected number
    std::uint32_t slack_ = 0;         // or up to this many later: after a read of unknown size
    std::vector<EarlyPacket> early_;  // by number
    std::uint64_t early_since_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> missed_;  // [first, second), oldest first

    std::array<Write, 4> writes_;  // the latest
    std::size_t write_at_ = 0;

    bool sending_ = false;
    bool send_whole_ = false;  // no packet of it is missing so far
    std::vector<std::byte> send_;
    std::uint64_t send_size_ = 0;
    std::uint32_t send_step_ = 0;
    std::uint32_t send_next_ = 0;
    When send_when_;
};

}  // namespace helio::inspect
