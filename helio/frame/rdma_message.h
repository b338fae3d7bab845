// How RPC-over-RDMA messages are assembled and split: plans, without I/O. The owner of the memory
// and the queue pair executes them.
//
// A call arrives as bytes after its header and as chunks that are still in the caller's memory:
//
//     header | head of the call | tail          read list: position, segments
//                               ^ position
//     →  head of the call | the chunk's bytes, padded | tail
//
// A reply is sent as bytes after its header, with bulk data (fields that the schema marks @bulk,
// RFC 8267) in the write chunks that the caller offered, or completely in the reply chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/result.h"
#include "helio/frame/rdma_header.h"
#include "helio/xdr/writer.h"

namespace helio::frame {

// ---- Calls that arrive ----

// Bytes of the caller's memory, and where they go in the message.
struct RdmaFetch {
    RdmaSegment from;
    std::size_t to = 0;
};
// Bytes after the header, and where they go.
struct RdmaMove {
    std::size_t from = 0;  // in what followed the header
    std::size_t to = 0;
    std::size_t size = 0;
};

struct RdmaCallPlan {
    std::size_t size = 0;  // of the assembled message
    std::vector<RdmaFetch> fetches;
    std::vector<RdmaMove> moves;
    std::vector<RdmaMove> zeros;  // `to` and `size`: padding after chunks
};

enum class RdmaPlanFault : std::uint8_t {
    no_message,        // RDMA_NOMSG without a chunk at position zero; a kind that carries no call
    position_beyond,   // a chunk's position is past the end of the message around it
    position_overlap,  // a chunk's position is inside the previous chunk
    empty_chunk,       // the chunk at position zero has no bytes
    too_long,          // the message would have more bytes than it may
};
struct RdmaPlanError {
    RdmaPlanFault fault = RdmaPlanFault::no_message;
    std::uint64_t got = 0;
    std::uint64_t limit = 0;

    bool operator==(const RdmaPlanError&) const = default;
};
std::string to_text(const RdmaPlanError& error);

// Plans how to assemble the message of `header`; `inline_size` bytes followed the header. `plan`
// keeps its memory between calls and is invalid after a fault. A position counts bytes of the
// assembled message (RFC 8166 §3.4.4), and a chunk whose length is not a multiple of four is padded
// (§3.4.5.2 lets senders omit padding). A chunk at position zero is the message itself
// (RDMA_NOMSG), and others may be within it; bytes after the header are then ignored. Fetches,
// moves and zeros each ascend, and together write every byte below `size` once. An empty chunk at
// another position adds nothing: an empty WRITE has nothing to fetch.
Result<void, RdmaPlanError> plan_rdma_call(const RdmaHeader& header, std::size_t inline_size,
                                           std::size_t message_bytes_max, RdmaCallPlan& plan);

// ---- Replies that leave ----

// The caller's offer, copied from its header, since the reply may come much later.
struct RdmaOffer {
    std::uint32_t xid = 0;
    std::vector<RdmaSegment> write_segments;
    std::vector<std::uint32_t> write_ends;
    bool has_reply = false;
    std::vector<RdmaSegment> reply;
    // A key that the reply may invalidate: the caller's handle, if all segments of its lists,
    // including the read list, have the same one (as in Linux's server; its client does the rest).
    std::optional<std::uint32_t> invalidate;

    // From a header that was read; keeps its memory.
    void take(const RdmaHeader& header);
    std::uint64_t write_bytes() const;  // of all write chunks
    std::uint64_t reply_bytes() const;  // of the reply chunk
    std::span<const RdmaSegment> write(std::size_t chunk) const {
        const std::size_t begin = chunk == 0 ? 0 : write_ends[chunk - 1];
        return std::span{write_segments}.subspan(begin, write_ends[chunk] - begin);
    }
    // Bytes of a reply's header. The write list is always given back, the reply chunk only when it
    // was used.
    std::size_t header_size_with_reply_chunk() const;
    std::size_t header_size_without_reply_chunk() const;
};

// Bytes of ours and the place in the caller's memory where they go.
struct RdmaStore {
    ByteView from;
    std::uint32_t handle = 0;
    std::uint64_t offset = 0;
};

struct RdmaReplyPlan {
    // Written before anything is sent: bulk data into write chunks, without padding.
    std::vector<RdmaStore> bulk;
    // The rest of the message, without bulk data and its padding, in order.
    std::vector<ByteView> rest;
    std::size_t rest_size = 0;
    // The rest follows the header, or is in the reply chunk (RDMA_NOMSG).
    bool in_reply_chunk = false;
    // For the lists returned in the reply: bytes used of each segment of the offer.
    std::vector<std::uint32_t> write_used;
    std::vector<std::uint32_t> reply_used;
};

enum class RdmaReplyFault : std::uint8_t {
    bulk_too_long,   // more data than its write chunk takes
    reply_too_long,  // more than goes inline, and no reply chunk that takes it; or its header alone
                     // is
};

// Plans how a reply of these segments (those marked `bulk` may be sent separately) reaches a caller
// that offered `offer` and receives `inline_max` bytes, including the header. A marked segment is
// one complete piece of bulk data, followed by its XDR padding in the message. The first piece goes
// to the first write chunk, and so on; an offered chunk must be used (RFC 8166 §3.4.6). If there is
// none, or an empty one, by which the caller requests this, the data stays in the message. A reply
// that fits goes inline, even if a reply chunk was offered. The plan keeps its memory and points
// into the message; after a fault it is invalid, and the answer is ERR_CHUNK.
Result<void, RdmaReplyFault> plan_rdma_reply(const RdmaOffer& offer,
                                             std::span<const xdr::Segment> message,
                                             std::size_t inline_max, RdmaReplyPlan& plan);
// Where the rest goes in the reply chunk: `message` is contiguous by then, and no longer than the
// chunk. Appends to `out`.
void store_in_reply_chunk(const RdmaOffer& offer, ByteView message, std::vector<RdmaStore>& out);

// ---- Headers that leave. They write at most `to.size()` bytes and return how many; the size
// needed
// ---- when that is not enough, and then nothing was written.
std::size_t write_rdma_reply_header(const RdmaOffer& offer, const RdmaReplyPlan& plan,
                                    std::uint32_t credits, std::span<std::byte> to);

struct RdmaCallHeader {
    std::uint32_t xid = 0;
    std::uint32_t credits = 0;
    bool no_message = false;  // RDMA_NOMSG: the message is in the reads, at position zero
    std::span<const RdmaReadSegment> reads = {};
    std::span<const RdmaSegment> write = {};  // one write chunk; empty: none
    std::span<const RdmaSegment> reply = {};  // empty: none
};
std::size_t write_rdma_call_header(const RdmaCallHeader& header, std::span<std::byte> to);

// RDMA_ERROR (RFC 8166 §4.5): ERR_VERS with the versions we support, or ERR_CHUNK, which is two
// words shorter. `version` is the caller's own, whatever it was.
inline constexpr std::size_t kRdmaErrorSize = 28;
std::size_t write_rdma_error(std::uint32_t xid, std::uint32_t version, std::uint32_t credits,
                             bool is_version, std::span<std::byte> to);

// ---- RFC 8797: private data at connection setup ----

// Inline bytes by default (RFC 8166 §3.3.2), and the largest value that can be announced.
inline constexpr std::size_t kRdmaInlineDefault = 1024;
inline constexpr std::size_t kRdmaInlineMax = 256u << 10;

struct RdmaPrivateData {
    bool remote_invalidation = false;
    // Announced in multiples of 1024 from 1024 to kRdmaInlineMax: the first is rounded up, the
    // second down.
    std::size_t send_size = kRdmaInlineDefault;     // the largest message its sender sends
    std::size_t receive_size = kRdmaInlineDefault;  // and receives
};
inline constexpr std::size_t kRdmaPrivateDataSize = 8;
void write_rdma_private_data(const RdmaPrivateData& data,
                             std::span<std::byte, kRdmaPrivateDataSize> to);
// Data of another version or protocol is ignored: the defaults apply. Bytes after the first eight
// are padding by the connection manager.
RdmaPrivateData read_rdma_private_data(ByteView bytes);

}  // namespace helio::frame
