#include "helio/inspect/flow/rdma/roce_queue.h"

#include <algorithm>

#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using PacketKind = RocePacket::Kind;

// How far a number may be from the expected one. Senders go back by no more than what is in
// flight. A number farther away belongs to another connection with the same queue pair, or too much
// is missing to wait for.
constexpr std::uint32_t kPsnReach = 1u << 16;
constexpr std::uint32_t kPsnReachAhead = 4096;
// Ranges of lost numbers that are remembered, in case they are sent again.
constexpr std::size_t kMissedMax = 16;
// Packets before the first one may still come if the capture is out of order.
constexpr std::uint32_t kBeforeFirst = 64;
// The smallest path MTU: every packet of an operation but the last carries at least this.
constexpr std::uint32_t kMtuMin = 256;

std::uint32_t distance(std::uint32_t from, std::uint32_t to) { return (to - from) & kPsnMask; }

// A read request uses as many numbers as its response has packets.
std::uint32_t packets_of(std::uint32_t length, std::uint32_t mtu) {
    return std::max(1u, length / mtu + (length % mtu != 0 ? 1u : 0u));
}

}  // namespace

void RoceQueue::packet(const RocePacket& packet, When when, std::uint64_t clock,
                       std::uint32_t mtu) {
    if (!started_) start(packet.psn);
    const std::uint32_t ahead = distance(next_, packet.psn);
    if (ahead <= slack_) {
        miss(next_, packet.psn);
        in_order(packet, when, mtu);
        drain(mtu);
    } else if (ahead < kPsnReachAhead) {
        hold(packet, when, clock);
    } else if (ahead >= kPsnMask + 1 - kPsnReach) {
        if (take_missed(packet.psn)) run_late(packet, when);
    } else {
        release(mtu);
        if (sending_) end_cut_send();
        start(packet.psn);
        in_order(packet, when, mtu);
    }
}

void RoceQueue::start(std::uint32_t psn) {
    started_ = true;
    next_ = psn;
    slack_ = 0;
    missed_.clear();
    miss((psn - kBeforeFirst) & kPsnMask, psn);
}

void RoceQueue::hold(const RocePacket& packet, When when, std::uint64_t clock) {
    const auto at = std::find_if(early_.begin(), early_.end(), [&](const EarlyPacket& held) {
        return distance(next_, held.packet.psn) >= distance(next_, packet.psn);
    });
    if (at != early_.end() && at->packet.psn == packet.psn) return;
    if (early_.empty()) early_since_ = clock;
    const auto held =
        early_.insert(at, {packet, {packet.payload.begin(), packet.payload.end()}, when});
    held->packet.payload = held->bytes;
}

bool RoceQueue::holds(std::uint32_t xid) const {
    return std::any_of(early_.begin(), early_.end(), [&](const EarlyPacket& held) {
        return held.packet.kind == PacketKind::send && held.packet.first &&
               held.bytes.size() >= 4 && xdr::load_u32(held.bytes.data()) == xid;
    });
}

void RoceQueue::in_order(const RocePacket& packet, When when, std::uint32_t mtu) {
    std::uint32_t numbers = 1;
    slack_ = 0;
    if (packet.kind == PacketKind::read_request) {
        if (mtu != 0)
            numbers = std::min(packets_of(packet.length, mtu), kPsnReach / 2);
        else
            slack_ = std::min(packets_of(packet.length, kMtuMin) - 1, kPsnReach / 2);
    }
    next_ = (packet.psn + numbers) & kPsnMask;
    run(packet, when);
}

// Runs the waiting packets whose turn has come.
void RoceQueue::drain(std::uint32_t mtu) {
    std::size_t done = 0;
    for (; done < early_.size(); ++done) {
        const EarlyPacket& held = early_[done];
        const std::uint32_t ahead = distance(next_, held.packet.psn);
        if (ahead <= slack_) {
            miss(next_, held.packet.psn);
            in_order(held.packet, held.when, mtu);
        } else if (ahead < kPsnReach) {
            break;
        }  // else it is inside a read's range: another connection's
    }
    early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(done));
}

void RoceQueue::give_up(std::uint32_t mtu) {
    miss(next_, early_.front().packet.psn);
    next_ = early_.front().packet.psn;
    slack_ = 0;
    drain(mtu);
}

void RoceQueue::expire(std::uint64_t clock, std::uint32_t mtu) {
    if (early_.empty() || clock - early_since_ < kRoceHoldPackets) return;
    give_up(mtu);
    early_since_ = clock;
}

void RoceQueue::release(std::uint32_t mtu) {
    while (!early_.empty()) give_up(mtu);
}

void RoceQueue::finish(std::uint32_t mtu) {
    release(mtu);
    if (sending_) end_cut_send();
}

void RoceQueue::miss(std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    if (missed_.size() >= kMissedMax) missed_.erase(missed_.begin());
    missed_.emplace_back(from, to);
}

// True once for each number that was given up.
bool RoceQueue::take_missed(std::uint32_t psn) {
    for (auto range = missed_.begin(); range != missed_.end(); ++range) {
        const auto [from, to] = *range;
        if (distance(from, psn) >= distance(from, to)) continue;
        missed_.erase(range);
        miss(from, psn);
        miss((psn + 1) & kPsnMask, to);
        return true;
    }
    return false;
}

void RoceQueue::run(const RocePacket& packet, When when) {
    if (packet.kind == PacketKind::write) write(packet, when);
    if (packet.kind == PacketKind::send) send(packet, when);
}

void RoceQueue::run_late(const RocePacket& packet, When when) {
    if (packet.kind == PacketKind::write) return write(packet, when);
    if (packet.kind != PacketKind::send) return;
    if (packet.first && packet.last)
        assembler_.send(direction_, packet.payload, packet.payload_size, when);
    else  // its message has been emitted without it
        sink_.unread(Unread::lost, packet.payload_size, 0);
}

void RoceQueue::write(const RocePacket& packet, When when) {
    const auto owner = static_cast<std::uint8_t>(1 - direction_);
    if (packet.first) {
        if (!packet.last) {
            write_at_ = (write_at_ + 1) % writes_.size();
            writes_[write_at_] = {packet.psn, packet.payload_size, packet.handle, packet.length,
                                  packet.address};
        }
        return assembler_.moved(owner, packet.handle, packet.address, packet.payload, when);
    }
    const Write* nearest = nullptr;
    for (const Write& begun : writes_) {
        if (begun.step == 0 || distance(begun.psn, packet.psn) >= kPsnReach) continue;
        if (nearest == nullptr ||
            distance(begun.psn, packet.psn) < distance(nearest->psn, packet.psn))
            nearest = &begun;
    }
    if (nearest == nullptr) return sink_.unread(Unread::lost, packet.payload_size, 0);
    const std::uint64_t at = std::uint64_t{distance(nearest->psn, packet.psn)} * nearest->step;
    if (at + packet.payload_size > nearest->length)
        return sink_.unread(Unread::lost, packet.payload_size, 0);
    assembler_.moved(owner, nearest->handle, nearest->address + at, packet.payload, when);
}

void RoceQueue::send(const RocePacket& packet, When when) {
    if (packet.first) {
        if (sending_) end_cut_send();
        if (packet.last)
            return assembler_.send(direction_, packet.payload, packet.payload_size, when);
        sending_ = true;
        send_whole_ = true;
        send_.clear();
        send_size_ = 0;
        send_step_ = packet.payload_size;
        send_next_ = packet.psn;
    }
    if (!sending_) return sink_.unread(Unread::lost, packet.payload_size, 0);
    const std::uint32_t hole = distance(send_next_, packet.psn);
    if (hole != 0) send_whole_ = false;
    send_size_ += std::uint64_t{hole} * send_step_;
    if (send_whole_ && send_.size() + packet.payload.size() <= kRdmaSendBytesMax)
        send_.insert(send_.end(), packet.payload.begin(), packet.payload.end());
    else
        send_whole_ = false;
    if (packet.payload.size() < packet.payload_size) send_whole_ = false;
    send_size_ += packet.payload_size;
    send_next_ = (packet.psn + 1) & kPsnMask;
    send_when_ = when;
    if (packet.last) end_send();
}

void RoceQueue::end_send() {
    sending_ = false;
    assembler_.send(direction_, send_, std::max<std::uint64_t>(send_size_, send_.size()),
                    send_when_);
}

// Its last packets are missing, so its size is unknown; a message counts as cut if it is larger
// than the bytes we have.
void RoceQueue::end_cut_send() {
    sending_ = false;
    assembler_.send(direction_, send_, send_.size() + 1, send_when_);
}

}  // namespace helio::inspect
