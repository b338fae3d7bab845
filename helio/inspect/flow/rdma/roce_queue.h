// RoceQueue: what one end sends to one queue pair of the other, in the order of its packet sequence
// numbers. Repeated packets are dropped; one that comes too early waits a while for those before
// it, because captures are not always in order, and then they are given up as lost. What is given
// up may still come, sent again: it is taken then.
//
// Sends are put together of their packets; what RDMA Write moves is handed on as it comes.
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

// A packet that came too early waits for as many others of the capture.
inline constexpr std::uint64_t kRoceHoldPackets = 256;

class RoceQueue final {
 public:
    using When = RdmaAssembler::When;

    RoceQueue(RdmaAssembler& assembler, MessageSink& sink, std::uint8_t direction)
        : assembler_(assembler), sink_(sink), direction_(direction) {}

    // `clock` counts packets; `mtu` is the payload of a packet that has others behind it, 0 while
    // none was seen. Not for read responses, which have the numbers of the other end's requests.
    void packet(const RocePacket& packet, When when, std::uint64_t clock, std::uint32_t mtu);
    std::uint8_t direction() const { return direction_; }
    bool holds() const { return !held_.empty(); }
    // A packet that waits begins a Send with this xid.
    bool holds(std::uint32_t xid) const;
    // Nobody waits longer than kRoceHoldPackets.
    void expire(std::uint64_t clock, std::uint32_t mtu);
    // Nobody waits longer.
    void release(std::uint32_t mtu);
    // The end of the capture.
    void finish(std::uint32_t mtu);

 private:
    struct Held {
        RocePacket packet;  // its payload is in `bytes`
        std::vector<std::byte> bytes;
        When when;
    };
    struct Write {  // the first packet says where all go
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
    bool was_missed(std::uint32_t psn);

    void run(const RocePacket& packet, When when);
    void run_late(const RocePacket& packet, When when);
    void write(const RocePacket& packet, When when);
    void send(const RocePacket& packet, When when);
    void end_send(std::uint64_t size);

    RdmaAssembler& assembler_;
    MessageSink& sink_;
    std::uint8_t direction_;

    bool started_ = false;
    std::uint32_t next_ = 0;   // the number that is expected
    std::uint32_t slack_ = 0;  // or one of so many behind it: a read whose packets are not counted
    std::vector<Held> held_;   // in their order
    std::uint64_t held_since_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> missed_;  // [first, second), oldest first

    std::array<Write, 4> writes_;  // the latest
    std::size_t write_at_ = 0;

    bool sending_ = false;
    bool send_whole_ = false;  // no hole so far
    std::vector<std::byte> send_;
    std::uint64_t send_size_ = 0;
    std::uint32_t send_step_ = 0;
    std::uint32_t send_next_ = 0;
    When send_when_;
};

}  // namespace helio::inspect
