// Any header, its call assembled and its reply sent: a second, slower assembler gives the same
// bytes or the same fault, and a reply goes only where the caller offered.
#include <cstdint>

#include "helio/base/assert.h"
#include "testing/frame/rdma_plan.h"

using namespace helio;
using namespace helio::frame;

namespace {

// Small, so that limits are met and inputs are fast.
constexpr RdmaHeaderLimits kLimits{.segments = 24, .write_chunks = 4, .list_bytes = 8192};
constexpr std::size_t kMessageMax = 6000;

std::byte peek(std::uint32_t handle, std::uint64_t address) {
    return static_cast<std::byte>(address * 167 + handle * 13 + (address >> 8));
}

void append_segment(PlanBytes& to, const RdmaSegment& segment) {
    for (std::uint32_t i = 0; i < segment.length; ++i)
        to.push_back(peek(segment.handle, segment.offset + i));
}

struct Model {
    PlanBytes message;
    std::optional<RdmaPlanFault> fault;
};

// Byte by byte: a chunk at its position, otherwise the next byte of the stream.
Model put_together(const RdmaHeader& header, ByteView behind) {
    Model model;
    PlanBytes stream{behind.begin(), behind.end()};
    std::size_t next = 0;  // read segment
    if (header.kind == RdmaKind::no_message) {
        stream.clear();
        for (; next < header.reads.size() && header.reads[next].position == 0; ++next)
            append_segment(stream, header.reads[next].target);
        if (next == 0) return {{}, RdmaPlanFault::no_message};
        if (stream.empty()) return {{}, RdmaPlanFault::empty_chunk};
    }
    std::size_t taken = 0;
    while (next < header.reads.size() || taken < stream.size()) {
        const bool chunk = next < header.reads.size();
        const std::size_t position = chunk ? header.reads[next].position : SIZE_MAX;
        if (position < model.message.size()) return {{}, RdmaPlanFault::position_overlap};
        if (position == model.message.size()) {
            for (; next < header.reads.size() && header.reads[next].position == position; ++next)
                append_segment(model.message, header.reads[next].target);
            model.message.resize(padded(model.message.size()));
        } else if (taken < stream.size()) {
            model.message.push_back(stream[taken++]);
        } else {
            return {{}, RdmaPlanFault::position_beyond};
        }
    }
    if (header.kind == RdmaKind::no_message) model.message.resize(padded(model.message.size()));
    return model;
}

void check_call(const RdmaHeader& header, ByteView behind) {
    RdmaCallPlan plan;
    const auto result = plan_rdma_call(header, behind.size(), kMessageMax, plan);
    const Model model = put_together(header, behind);
    if (!result) {
        HELIO_ASSERT(!to_text(result.error()).empty());
        // A message that is too long may have other faults, too.
        if (result.error().fault == RdmaPlanFault::too_long)
            HELIO_ASSERT(model.fault || model.message.size() == result.error().got);
        else
            HELIO_ASSERT(model.fault == result.error().fault);
        return;
    }
    HELIO_ASSERT(!model.fault && plan.size <= kMessageMax);
    HELIO_ASSERT(plan.fetches.size() <= 2 * header.reads.size());
    HELIO_ASSERT(carry_out(plan, behind, peek) == model.message);
}

// A reply made of these bytes: pieces of up to 63 words and of up to 255 bytes of bulk data in
// turn, each with its size before it.
void check_reply(const RdmaHeader& header, ByteView bytes) {
    RdmaOffer offer;
    offer.take(header);
    std::vector<PlanBytes> pieces;
    while (!bytes.empty()) {
        const bool bulk = pieces.size() % 2 == 1;
        std::size_t size = std::to_integer<std::size_t>(bytes[0]);
        if (!bulk) size = size % 64 * 4;
        bytes = bytes.subspan(1);
        PlanBytes& piece = pieces.emplace_back();
        if (!bulk && pieces.size() > 1) piece.resize(-pieces[pieces.size() - 2].size() % 4);
        const ByteView body = bytes.first(std::min(size, bytes.size()));
        piece.insert(piece.end(), body.begin(), body.end());
        bytes = bytes.subspan(body.size());
    }
    if (pieces.size() % 2 == 0 && !pieces.empty())
        pieces.emplace_back(-pieces.back().size() % 4, std::byte{0});
    std::vector<xdr::Segment> message;
    PlanBytes whole;
    for (const PlanBytes& piece : pieces) {
        message.push_back({piece, false, message.size() % 2 == 1});
        whole.insert(whole.end(), piece.begin(), piece.end());
    }
    const std::size_t inline_max = 40 + header.credits % 1024;
    RdmaReplyPlan plan;
    if (!plan_rdma_reply(offer, message, inline_max, plan)) return;
    const auto reply = carry_out(offer, plan, inline_max);
    HELIO_ASSERT(reply && put_back(message, *reply) == whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView bytes{reinterpret_cast<const std::byte*>(data), size};
    const RdmaPrivateData said = read_rdma_private_data(bytes);
    HELIO_ASSERT(said.send_size >= kRdmaInlineDefault && said.send_size <= kRdmaInlineMax);
    HELIO_ASSERT(said.receive_size >= kRdmaInlineDefault && said.receive_size <= kRdmaInlineMax);

    RdmaHeader header;
    if (!read_rdma_header(bytes, header, kLimits)) return 0;
    if (header.kind != RdmaKind::message && header.kind != RdmaKind::no_message) return 0;
    check_call(header, bytes.subspan(header.size));
    check_reply(header, bytes.subspan(header.size));
    return 0;
}
