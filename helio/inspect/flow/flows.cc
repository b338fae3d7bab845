#include "helio/inspect/flow/flows.h"

#include <cstring>

#include "helio/base/hash.h"
#include "helio/inspect/flow/conversation_internal.h"
#include "helio/inspect/flow/rdma/roce.h"
#include "helio/inspect/head.h"

namespace helio::inspect {
namespace {

std::uint64_t hash_of(const Endpoint& end) {
    std::uint64_t words[2];
    std::memcpy(words, end.address.data(), sizeof words);
    return folded_product(folded_product(words[0] + end.port) + words[1]);
}

// The same for both directions. The last bit separates TCP from UDP, whose ports are independent.
std::uint64_t hash_of(const Segment& segment) {
    const std::uint64_t ends =
        folded_product(hash_of(segment.source) + hash_of(segment.destination));
    return (ends & ~std::uint64_t{1}) | (segment.tcp ? 1 : 0);
}

}  // namespace

Flows::Flows(MessageSink& sink, const Catalogue& catalogue, Options options)
    : sink_(sink),
      catalogue_(catalogue),
      buffers_(options.keep_max),
      slots_(256),
      roce_(std::make_unique<Roce>(sink, catalogue)),
      rdma_(std::make_unique<RdmaShared>()) {}

Flows::~Flows() = default;

void Flows::segment(const Segment& segment) {
    if (!segment.tcp && Roce::looks_like(segment)) return roce_->datagram(segment);
    std::uint8_t direction = 0;
    Flow* const flow = find(segment, direction);
    if (flow == nullptr) return sink_.unread(Unread::too_much_held, segment.payload_size, 1);
    if (segment.tcp)
        flow->conversation->segment(segment, direction);
    else
        datagram(segment, *flow, direction);
}

void Flows::datagram(const Segment& segment, const Flow& flow, std::uint8_t direction) {
    if (!plausible(segment.payload, segment.payload_size, catalogue_))
        return sink_.unread(Unread::not_rpc, segment.payload_size, 1);
    if (segment.payload.size() < segment.payload_size)
        sink_.unread(segment.cut_by, segment.payload_size - segment.payload.size(), 0);
    sink_.message({.time_ns = segment.time_ns,
                   .packet = segment.packet,
                   .flow = &flow.ends,
                   .direction = direction,
                   .carrier = Carrier::udp,
                   .shape = Shape::onc,
                   .bytes = segment.payload,
                   .size = segment.payload_size,
                   .rdma_header = {},
                   .taken_out = {},
                   .shortened = false});
}

// Our own hash table: boost::unordered_flat_set with a transparent hash takes 85 more instructions
// per packet (callgrind); a bulk-data capture takes 440 in total.
Flows::Flow* Flows::find(const Segment& segment, std::uint8_t& direction) {
    const std::uint64_t hash = hash_of(segment);
    std::size_t at = static_cast<std::size_t>(hash >> 8) & (slots_.size() - 1);
    for (;; at = (at + 1) & (slots_.size() - 1)) {
        const Slot& slot = slots_[at];
        if (slot.flow == nullptr) return add(segment, hash, at);
        if (slot.hash != hash) continue;
        const Endpoint* const ends = slot.flow->ends.ends;
        if (ends[0] == segment.source && ends[1] == segment.destination) {
            direction = 0;
            return slot.flow;
        }
        if (ends[1] == segment.source && ends[0] == segment.destination) {
            direction = 1;
            return slot.flow;
        }
    }
}

Flows::Flow* Flows::add(const Segment& segment, std::uint64_t hash, std::size_t slot) {
    if (flows_.size() >= kFlowsMax) return nullptr;
    Flow& flow = flows_.emplace_back();
    flow.ends = {{segment.source, segment.destination},
                 static_cast<std::uint32_t>(flows_.size() - 1)};
    flow.hash = hash;
    if (segment.tcp)
        flow.conversation =
            std::make_unique<Conversation>(sink_, catalogue_, buffers_, *rdma_, flow.ends);
    slots_[slot] = {hash, &flow};
    if (flows_.size() * 2 > slots_.size()) grow();
    return &flow;
}

void Flows::grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (Flow& flow : flows_) {
        std::size_t at = static_cast<std::size_t>(flow.hash >> 8) & (larger.size() - 1);
        while (larger[at].flow != nullptr) at = (at + 1) & (larger.size() - 1);
        larger[at] = {flow.hash, &flow};
    }
    slots_ = std::move(larger);
}

void Flows::finish() {
    roce_->finish();
    for (Flow& flow : flows_)
        if (flow.conversation) flow.conversation->finish();
}

}  // namespace helio::inspect
