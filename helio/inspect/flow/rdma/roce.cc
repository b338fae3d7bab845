#include "helio/inspect/flow/rdma/roce.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "helio/inspect/flow/rdma/roce_packet.h"
#include "helio/inspect/flow/rdma/roce_queue.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using PacketKind = RocePacket::Kind;

// Pending reads of one end. Adapters usually allow 16 at once on a queue pair.
constexpr std::size_t kReadsMax = 64;
// Packets of a response: 4 MiB with only 1 KiB each.
constexpr std::uint32_t kResponsePacketsMax = 4096;
// Response packets whose request has not been seen, and the largest payload of one: InfiniBand's
// maximum MTU.
constexpr std::size_t kEarlyMax = 16;
constexpr std::size_t kMtuMax = 4096;
// Flow numbers from here on are RoCE's, apart from those of flows with ports.
constexpr std::uint32_t kFirstNumber = 1u << 31;

}  // namespace

class Roce::Pair final {
 public:
    using When = RdmaAssembler::When;

    Pair(MessageSink& sink, const Catalogue& catalogue, RdmaShared& shared, const FlowEnds& ends)
        : sink_(sink), ends_(ends), assembler_(sink, catalogue, shared, ends_, Carrier::roce) {}

    // By the sender. A host that talks to itself uses two queue pairs.
    std::uint8_t direction_of(const Segment& segment, const RocePacket& packet) {
        if (ends_.ends[0] != ends_.ends[1])
            return segment.source.address == ends_.ends[0].address ? 0 : 1;
        if (queues_.empty()) first_queue_ = packet.queue;
        return packet.queue == first_queue_ ? 0 : 1;
    }

    // `queues`: number of queues over all pairs.
    void packet(const RocePacket& packet, std::uint8_t direction, When when, std::uint64_t clock,
                std::size_t& queues) {
        if (packet.kind == PacketKind::read_response) return response(packet, direction, when);
        if (packet.first && !packet.last) mtu_ = packet.payload_size;
        if (packet.kind == PacketKind::read_request) request(packet, direction);
        if (packet.kind == PacketKind::send && packet.first && packet.payload.size() >= 4)
            release_call(static_cast<std::uint8_t>(1 - direction),
                         xdr::load_u32(packet.payload.data()));
        const auto key = std::pair{direction, packet.queue};
        auto queue = queues_.find(key);
        if (queue == queues_.end()) {
            if (queues >= kRoceQueuesMax)
                return sink_.unread(Unread::too_much_held, packet.payload_size, 1);
            ++queues;
            queue = queues_.try_emplace(key, assembler_, sink_, direction).first;
        }
        queue->second.packet(packet, when, clock, mtu_);
        if (queue->second.holds() &&
            std::find(holding_.begin(), holding_.end(), &queue->second) == holding_.end())
            holding_.push_back(&queue->second);
    }

    bool holds() const { return !holding_.empty(); }
    void expire(std::uint64_t clock) {
        for (RoceQueue* const queue : holding_) queue->expire(clock, mtu_);
        std::erase_if(holding_, [](const RoceQueue* queue) { return !queue->holds(); });
    }
    void finish() {
        for (auto& [key, queue] : queues_) queue.finish(mtu_);
        while (!early_.empty()) drop_early();
        assembler_.finish();
    }

 private:
    struct Read {
        std::uint32_t psn = 0;
        std::uint32_t handle = 0;
        std::uint32_t length = 0;
        std::uint64_t address = 0;
        std::vector<bool> answered;  // by packet of the response
    };

    struct Early {
        RocePacket packet;  // its payload is in `bytes`
        std::vector<std::byte> bytes;
        std::uint8_t direction = 0;
        When when;
    };

    // An answered call has been received: it need not wait for earlier packets.
    void release_call(std::uint8_t direction, std::uint32_t xid) {
        for (RoceQueue* const queue : holding_)
            if (queue->direction() == direction && queue->holds(xid)) queue->release(mtu_);
    }

    // After a loss, a read or its rest is requested again: that request is already known.
    void request(const RocePacket& packet, std::uint8_t direction) {
        std::deque<Read>& reads = reads_[direction];
        for (const Read& read : reads) {
            const std::uint64_t at = packet.address - read.address;
            const std::uint32_t index = (packet.psn - read.psn) & kPsnMask;
            if (read.handle == packet.handle && index < kResponsePacketsMax &&
                at == std::uint64_t{index} * mtu_ && at + packet.length == read.length)
                return;
        }
        if (reads.size() >= kReadsMax) reads.pop_front();
        reads.push_back({packet.psn, packet.handle, packet.length, packet.address, {}});
        const std::deque<Early> early = std::exchange(early_, {});
        for (const Early& one : early) response(one.packet, one.direction, one.when);
    }

    // A response has the sequence numbers of its request from the other end.
    void response(const RocePacket& packet, std::uint8_t direction, When when) {
        if (packet.first && !packet.last) mtu_ = packet.payload_size;
        std::deque<Read>& reads = reads_[1 - direction];
        for (auto read = reads.rbegin(); read != reads.rend(); ++read) {
            const std::uint32_t index = (packet.psn - read->psn) & kPsnMask;
            if (index >= kResponsePacketsMax) continue;
            // All packets but the last have the same size, and the last ends where the read does.
            // Otherwise it is the last packet of another read.
            std::uint64_t at = std::uint64_t{index} * packet.payload_size;
            if (packet.last && packet.payload_size <= read->length)
                at = read->length - packet.payload_size;
            if (at + packet.payload_size > read->length || (at == 0) != (index == 0)) continue;
            if (mtu_ != 0 && at != std::uint64_t{index} * mtu_) continue;
            if (index >= read->answered.size()) read->answered.resize(index + 1);
            if (read->answered[index]) return;  // sent again
            read->answered[index] = true;
            return assembler_.moved(direction, read->handle, read->address + at, packet.payload,
                                    when);
        }
        if (packet.payload.size() > kMtuMax)
            return sink_.unread(Unread::lost, packet.payload_size, 0);
        if (early_.size() >= kEarlyMax) drop_early();
        early_.push_back({packet, {packet.payload.begin(), packet.payload.end()}, direction, when});
        early_.back().packet.payload = early_.back().bytes;
    }

    void drop_early() {
        sink_.unread(Unread::lost, early_.front().packet.payload_size, 0);
        early_.pop_front();
    }

    MessageSink& sink_;
    FlowEnds ends_;
    RdmaAssembler assembler_;
    std::uint32_t mtu_ = 0;
    std::uint32_t first_queue_ = 0;
    std::map<std::pair<std::uint8_t, std::uint32_t>, RoceQueue> queues_;
    std::vector<RoceQueue*> holding_;
    std::deque<Read> reads_[2];  // by requester; the latest at the end
    std::deque<Early> early_;
};

Roce::Roce(MessageSink& sink, const Catalogue& catalogue) : sink_(sink), catalogue_(catalogue) {}
Roce::~Roce() = default;

bool Roce::looks_like(const Segment& segment) {
    if (segment.tcp || segment.destination.port != kRocePort || segment.payload.size() < 2)
        return false;
    // Packets are padded to words, and the version in the second byte is 0.
    return segment.payload_size >= kBthSize + kIcrcSize && segment.payload_size % 4 == 0 &&
           (segment.payload[1] & std::byte{0x0f}) == std::byte{0};
}

Roce::Address Roce::address_of(const Endpoint& end) {
    Address address{};
    std::copy(end.address.begin(), end.address.end(), address.begin());
    address.back() = static_cast<std::byte>(end.v6 ? 1 : 0);
    return address;
}

Roce::Pair* Roce::pair_of(const Segment& segment) {
    Addresses key{address_of(segment.source), address_of(segment.destination)};
    if (key.second < key.first) std::swap(key.first, key.second);
    const auto found = pairs_.find(key);
    if (found != pairs_.end()) return found->second.get();
    if (pairs_.size() >= kRocePairsMax) return nullptr;
    FlowEnds ends;
    ends.ends[0] = segment.source;
    ends.ends[1] = segment.destination;
    ends.ends[0].port = ends.ends[1].port = kRocePort;
    ends.number = kFirstNumber + static_cast<std::uint32_t>(pairs_.size());
    return pairs_.emplace(key, std::make_unique<Pair>(sink_, catalogue_, shared_, ends))
        .first->second.get();
}

void Roce::datagram(const Segment& segment) {
    ++clock_;
    RocePacket packet;
    if (!read_roce(segment.payload, segment.payload_size, packet)) {
        const bool cut = segment.payload.size() < segment.payload_size;
        return sink_.unread(cut ? Unread::not_captured : Unread::packet_damaged,
                            segment.payload_size, 1);
    }
    if (packet.kind == PacketKind::other)
        return sink_.unread(Unread::not_rpc, segment.payload_size, 1);
    if (packet.kind == PacketKind::quiet) return;
    Pair* const pair = pair_of(segment);
    if (pair == nullptr) return sink_.unread(Unread::too_much_held, segment.payload_size, 1);
    pair->packet(packet, pair->direction_of(segment, packet), {segment.time_ns, segment.packet},
                 clock_, queues_);
    if (pair->holds() && std::find(holding_.begin(), holding_.end(), pair) == holding_.end())
        holding_.push_back(pair);
    for (Pair* const waiting : holding_) waiting->expire(clock_);
    std::erase_if(holding_, [](const Pair* waiting) { return !waiting->holds(); });
}

void Roce::finish() {
    for (auto& [addresses, pair] : pairs_) pair->finish();
    // Nothing in the capture explains these bytes.
    const std::size_t left = shared_.memory.bytes();
    if (left > 0) sink_.unread(Unread::lost, left, 0);
}

}  // namespace helio::inspect
