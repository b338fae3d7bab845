// Executes plans of rdma_message.h on bytes in memory, for tests and fuzz targets, and detects
// bytes written twice, never, or outside; headers that do not match; and replies longer than their
// caller receives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "helio/frame/rdma_message.h"

namespace helio::frame {

using PlanBytes = std::vector<std::byte>;

// The message that a plan makes; nothing if some byte was not written exactly once. `peek` is the
// caller's memory: (handle, address) → byte.
template <class Peek>
std::optional<PlanBytes> carry_out(const RdmaCallPlan& plan, ByteView behind_header, Peek&& peek) {
    PlanBytes message(plan.size);
    std::vector<bool> written(plan.size);
    bool right = true;
    const auto put = [&](std::size_t to, std::byte value) {
        right = right && to < plan.size && !written[to];
        if (!right) return;
        written[to] = true;
        message[to] = value;
    };
    for (const RdmaFetch& fetch : plan.fetches) {
        right = right && fetch.from.length != 0;
        for (std::uint32_t i = 0; right && i < fetch.from.length; ++i)
            put(fetch.to + i, peek(fetch.from.handle, fetch.from.offset + i));
    }
    for (const RdmaMove& move : plan.moves) {
        right = right && move.size != 0 && move.from <= behind_header.size() &&
                move.size <= behind_header.size() - move.from;
        for (std::size_t i = 0; right && i < move.size; ++i)
            put(move.to + i, behind_header[move.from + i]);
    }
    for (const RdmaMove& zero : plan.zeros) {
        right = right && zero.size >= 1 && zero.size <= 3;
        for (std::size_t i = 0; right && i < zero.size; ++i) put(zero.to + i, std::byte{0});
    }
    if (!right || std::find(written.begin(), written.end(), false) != written.end()) return {};
    return message;
}

// The caller's view after the reply.
struct CarriedReply {
    RdmaHeader header;              // as the caller reads it
    PlanBytes rest;                 // of the message, from after the header or from the reply chunk
    std::vector<PlanBytes> chunks;  // contents of each write chunk
};

// Removes the stores for these segments from the front of `stores`; there must be one for each
// segment of which bytes are used.
inline bool take_stores(std::span<const RdmaSegment> offered, std::span<const RdmaSegment> returned,
                        std::span<const RdmaStore>& stores, PlanBytes& out) {
    if (offered.size() != returned.size()) return false;
    for (std::size_t i = 0; i < offered.size(); ++i) {
        if (returned[i].handle != offered[i].handle || returned[i].offset != offered[i].offset ||
            returned[i].length > offered[i].length)
            return false;
        if (returned[i].length == 0) continue;
        if (stores.empty() || stores[0].handle != offered[i].handle ||
            stores[0].offset != offered[i].offset || stores[0].from.size() != returned[i].length)
            return false;
        out.insert(out.end(), stores[0].from.begin(), stores[0].from.end());
        stores = stores.subspan(1);
    }
    return true;
}

inline std::optional<CarriedReply> carry_out(const RdmaOffer& offer, const RdmaReplyPlan& plan,
                                             std::size_t inline_max) {
    constexpr std::uint32_t kCredits = 17;
    PlanBytes header(offer.header_size_with_reply_chunk());
    header.resize(write_rdma_reply_header(offer, plan, kCredits, header));
    CarriedReply reply;
    const RdmaHeaderLimits no_limits{SIZE_MAX, SIZE_MAX, UINT64_MAX};
    if (!read_rdma_header(header, reply.header, no_limits)) return {};
    const RdmaHeader& read = reply.header;
    if (read.size != header.size() || read.xid != offer.xid || read.credits != kCredits ||
        !read.reads.empty() || read.write_ends != offer.write_ends)
        return {};

    std::span<const RdmaStore> stores = plan.bulk;
    for (std::size_t i = 0; i < read.write_count(); ++i)
        if (!take_stores(offer.write(i), read.write(i), stores, reply.chunks.emplace_back()))
            return {};
    if (!stores.empty()) return {};

    PlanBytes rest;
    for (const ByteView piece : plan.rest) {
        if (piece.empty()) return {};
        rest.insert(rest.end(), piece.begin(), piece.end());
    }
    if (rest.size() != plan.rest_size) return {};
    const std::size_t sent = header.size() + (plan.in_reply_chunk ? 0 : rest.size());
    if (sent > inline_max) return {};
    if (plan.in_reply_chunk) {
        std::vector<RdmaStore> to_reply;
        store_in_reply_chunk(offer, rest, to_reply);
        std::span<const RdmaStore> left = to_reply;
        if (read.kind != RdmaKind::no_message || !read.has_reply ||
            !take_stores(offer.reply, read.reply, left, reply.rest) || !left.empty())
            return {};
    } else {
        if (read.kind != RdmaKind::message || read.has_reply) return {};
        reply.rest = std::move(rest);
    }
    return reply;
}

// The reply as assembled by a caller that knows where its bulk data goes: only sizes and marks of
// `layout` are used.
inline PlanBytes put_back(std::span<const xdr::Segment> layout, const CarriedReply& reply) {
    PlanBytes message;
    ByteView rest = reply.rest;
    std::size_t chunk = 0;
    std::size_t end = 0;  // where the layout ends so far
    for (const xdr::Segment& segment : layout) {
        end += segment.size();
        if (segment.bulk && chunk < reply.chunks.size()) {
            const PlanBytes& data = reply.chunks[chunk++];
            message.insert(message.end(), data.begin(), data.end());
            if (!data.empty()) message.resize(message.size() + padded(data.size()) - data.size());
        }
        if (message.size() >= end) continue;
        const std::size_t size = std::min(end - message.size(), rest.size());
        message.insert(message.end(), rest.begin(), rest.begin() + static_cast<long>(size));
        rest = rest.subspan(size);
    }
    message.insert(message.end(), rest.begin(), rest.end());  // empty if all is well
    return message;
}

}  // namespace helio::frame
