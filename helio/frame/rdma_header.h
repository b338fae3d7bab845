// RdmaHeader: the header of every RPC message on an RDMA connection (RFC 8166 §4), parsed into a
// checked list of chunks. Nothing is used before everything is checked: counts, sums, order and
// alignment of positions, ends of segments in the peer's memory. No I/O.
//
//     xid | version | credits | kind | read list | write list | reply chunk | the RPC message …
//
// rdma_message.h interprets positions in the message, and decides which side may name which memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/result.h"

namespace helio::frame {

inline constexpr std::uint32_t kRdmaVersion = 1;

// Segments of all lists of one header. They are sent inline, mostly in 4 KiB, where 255 of them
// would fit; Linux makes at most 16 of a chunk.
inline constexpr std::size_t kRdmaSegmentsMax = 1024;
// Write chunks: one for each piece of data in a reply. NFS has one, a COMPOUND rarely more.
inline constexpr std::size_t kRdmaWriteChunksMax = 64;
// Bytes of one list, or of the reply chunk. NFS clients move 1 MiB at once, at most 4.
inline constexpr std::uint64_t kRdmaListBytesMax = 16u << 20;

struct RdmaHeaderLimits {
    std::size_t segments = kRdmaSegmentsMax;
    std::size_t write_chunks = kRdmaWriteChunksMax;
    std::uint64_t list_bytes = kRdmaListBytesMax;
};

// RFC 8166 §3.4.3: a piece of the requester's memory.
struct RdmaSegment {
    std::uint32_t handle = 0;
    std::uint32_t length = 0;
    std::uint64_t offset = 0;

    bool operator==(const RdmaSegment&) const = default;
};

// Adjacent segments with the same position are one chunk.
struct RdmaReadSegment {
    std::uint32_t position = 0;  // in the assembled message; 0: it is the message
    RdmaSegment target;

    bool operator==(const RdmaReadSegment&) const = default;
};

enum class RdmaKind : std::uint8_t {
    message = 0,     // RDMA_MSG: the RPC message follows
    no_message = 1,  // RDMA_NOMSG: it is in a chunk
    padded = 2,      // RDMA_MSGP: obsolete
    done = 3,        // RDMA_DONE: obsolete
    error = 4,       // RDMA_ERROR
};

struct RdmaHeader {
    std::uint32_t xid = 0;
    std::uint32_t version = 0;
    std::uint32_t credits = 0;
    RdmaKind kind = RdmaKind::message;
    std::size_t size = 0;  // of the header; the message follows it

    std::vector<RdmaReadSegment> reads;
    // Write chunk i is segments [write_ends[i - 1], write_ends[i]).
    std::vector<RdmaSegment> write_segments;
    std::vector<std::uint32_t> write_ends;
    bool has_reply = false;  // there is a reply chunk, possibly without segments
    std::vector<RdmaSegment> reply;

    // For `error`: ERR_VERS (1) with the peer's versions, or ERR_CHUNK (2).
    std::uint32_t error_code = 0;
    std::uint32_t version_low = 0;
    std::uint32_t version_high = 0;

    std::size_t write_count() const { return write_ends.size(); }
    std::span<const RdmaSegment> write(std::size_t chunk) const {
        const std::size_t begin = chunk == 0 ? 0 : write_ends[chunk - 1];
        return std::span{write_segments}.subspan(begin, write_ends[chunk] - begin);
    }
    // There is nothing in any list.
    bool is_plain() const { return reads.empty() && write_ends.empty() && !has_reply; }
    // The message is in the read list, at position zero.
    bool message_in_reads() const { return !reads.empty() && reads.front().position == 0; }
};

// Bytes of all segments together. Cannot overflow: segments are counted, and each is below 4 GiB.
std::uint64_t bytes_of(std::span<const RdmaSegment> segments);

enum class RdmaFault : std::uint8_t {
    truncated,  // the bytes end inside the header
    version,    // not version 1
    kind,       // not a kind of RFC 8166
    presence,   // a word that must be 0 or 1 is neither
    too_many_segments,
    too_many_chunks,
    position_alignment,  // not a multiple of four
    position_order,      // below the position of the previous segment
    position_zero,       // a message in the read list, and another one inline
    segment_end,         // offset + length is past the end of a 64-bit address
    list_too_long,       // more bytes than a list may have
    error_code,          // neither ERR_VERS nor ERR_CHUNK
};

struct RdmaHeaderError {
    RdmaFault fault = RdmaFault::truncated;
    std::uint32_t offset = 0;  // of the wrong word; for `truncated`, of the missing one
    std::uint64_t got = 0;
    std::uint64_t limit = 0;

    bool operator==(const RdmaHeaderError&) const = default;
};

// `header` keeps its memory between calls. After an error, xid, version, credits and kind are set
// if the fault comes after them: an answer needs them (RFC 8166 §4.5).
Result<void, RdmaHeaderError> read_rdma_header(ByteView bytes, RdmaHeader& header,
                                               const RdmaHeaderLimits& limits = {});

// "a position of 6 at byte 20: positions are multiples of 4"
std::string to_text(const RdmaHeaderError& error);

}  // namespace helio::frame
