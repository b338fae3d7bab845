// RdmaAssembler: Sends and moved memory of two ends → RPC messages as they would have been over
// TCP. Whatever the fabric, RPC-over-RDMA (RFC 8166) sends a header with lists of chunks, and what
// the chunks hold moves by RDMA Read and Write beside it. Here it is put back in its place: into
// calls by the positions of the read list, into replies at the @bulk fields of the result's type.
//
//     server → client   RDMA Write …, RDMA Write     moved()
//     server → client   Send: write list, reply      send() → Message, whole
//
// A call whose data the server has yet to read waits for it, and so does its reply, if that comes
// first: captures are not always in order. But it does not wait long.
//
// Bytes that are not in the capture are zeros as long as there are not too many of them; a message
// that has lost more, or whose very text is in a chunk with a hole, is cut there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/frame/rdma_header.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/flow/rdma/rdma_memory.h"
#include "helio/inspect/head.h"
#include "helio/inspect/message.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

// Calls of which it is remembered what was called, so that replies can be put together; all flows.
inline constexpr std::size_t kRdmaCallsMax = 16u << 10;
// Calls of one pair of ends whose data is still on its way. Linux grants 128 credits.
inline constexpr std::size_t kRdmaWaitingMax = 256;
// Bytes of waiting calls, all flows: far more than that many inline parts, which are 4 KiB.
inline constexpr std::size_t kRdmaWaitingBytesMax = 8u << 20;
// A Send: RFC 8797 §4 lets ends announce inline parts of up to 256 KiB. Of longer ones, the
// beginning.
inline constexpr std::size_t kRdmaSendBytesMax = 256u << 10;
// Zeros that stand in for bytes that were not captured: as many as this and kRdmaZerosFactor for
// each byte that was. More is claimed only by headers that promise what nobody sent.
inline constexpr std::uint64_t kRdmaZerosMax = 4u << 20;
inline constexpr std::uint64_t kRdmaZerosFactor = 16;

// What all assemblers of a capture hold together.
class RdmaShared final {
 public:
    RdmaMemory memory;
    std::size_t waiting_bytes = 0;
    std::uint64_t zeros = 0;  // that stood in
    std::uint64_t seen = 0;   // bytes that came in

    std::uint32_t new_pair() { return pairs_++; }
    // `caller`: a number that is that end's alone.
    void remember(std::uint32_t caller, std::uint32_t xid, const Procedure& procedure);
    const Procedure* called(std::uint32_t caller, std::uint32_t xid) const;

 private:
    std::uint32_t pairs_ = 0;
    std::unordered_map<std::uint64_t, const Procedure*> calls_;
    std::deque<std::uint64_t> order_;  // oldest first
};

class RdmaAssembler final {
 public:
    // Where in the capture something was seen.
    struct When {
        std::int64_t time_ns = 0;
        std::uint64_t packet = 0;
    };

    RdmaAssembler(MessageSink& sink, const Catalogue& catalogue, RdmaShared& shared,
                  const FlowEnds& ends, Carrier carrier);

    // A Send by `direction`: all its bytes, or the first ones of `size`.
    void send(std::uint8_t direction, ByteView bytes, std::uint64_t size, When when);
    // Bytes of the memory of `owner`, who was written to or read from.
    void moved(std::uint8_t owner, std::uint32_t handle, std::uint64_t offset, ByteView bytes,
               When when);
    // Calls that wait go out with what there is.
    void finish();

 private:
    struct Sent {  // a Send taken apart; views into its bytes
        std::uint8_t direction = 0;
        When when;
        const frame::RdmaHeader* header = nullptr;
        ByteView header_bytes;
        ByteView inlined;
        std::uint64_t inlined_size = 0;
    };
    struct PendingCall {
        std::uint8_t direction = 0;
        When when;  // of what came last
        std::vector<std::byte> bytes;
        std::uint64_t size = 0;
        frame::RdmaHeader header;
        std::size_t segment = 0;  // the first that is not known wholly,
        std::uint64_t known = 0;  // and how much of it is
        // A reply that came before it was complete.
        bool answered = false;
        std::uint64_t answered_at = 0;  // by events_
        When reply_when{};
        std::vector<std::byte> reply{};
        std::uint64_t reply_size = 0;
    };

    std::uint32_t end_number(std::uint8_t direction) const { return pair_ * 2 + direction; }
    RdmaMemory::Registration registration(std::uint8_t owner,
                                          const frame::RdmaSegment& segment) const {
        return {end_number(owner), segment.handle};
    }
    void refuse(Unread why, std::uint64_t bytes) { sink_.unread(why, bytes, 0); }
    Unread why_refused(ByteView bytes, std::uint64_t size) const;

    void take(std::uint8_t direction, ByteView bytes, std::uint64_t size, When when);
    void call(const Sent& sent, ByteView bytes, std::uint64_t size);
    void reply(const Sent& sent, ByteView bytes, std::uint64_t size);
    bool complete(PendingCall& call);
    void release(std::list<PendingCall>::iterator call);
    void tick();

    void begin(ByteView inlined, std::uint64_t size);
    void begin_in_chunk(std::uint8_t owner, std::span<const frame::RdmaSegment> segments,
                        TakenOut::Chunk chunk);
    void emit_call(const Sent& sent);
    void put_reads_back(const Sent& sent);
    void put_writes_back(const Sent& sent);
    void insert(std::uint8_t owner, std::span<const frame::RdmaSegment> segments, std::size_t at,
                std::uint32_t size, TakenOut taken);
    void leave_out(std::uint8_t owner, std::span<const frame::RdmaSegment> segments,
                   TakenOut taken);
    void emit(const Sent& sent);
    struct Bulk {
        std::size_t at = 0;  // behind its length word
        std::uint32_t size = 0;
    };
    std::optional<Bulk> bulk_in_reply(const Sent& sent, std::size_t chunk, std::uint64_t size);
    std::optional<Bulk> bulk_by_type(const idl::Type& result, std::size_t body, std::size_t chunk);
    std::optional<Bulk> bulk_by_length(std::size_t body, std::uint64_t size) const;

    MessageSink& sink_;
    const Catalogue& catalogue_;
    RdmaShared& shared_;
    const FlowEnds& ends_;
    Carrier carrier_;
    std::uint32_t pair_;
    bool seen_rpc_ = false;

    frame::RdmaHeader header_;
    std::list<PendingCall> waiting_;  // oldest first
    std::size_t answered_ = 0;        // of those
    std::uint64_t events_ = 0;

    // The message being put together.
    std::vector<std::byte> whole_;
    std::uint64_t whole_size_ = 0;  // what it was; more than whole_ when cut
    std::vector<TakenOut> taken_;
    std::vector<frame::RdmaSegment> segments_;
    reflect::Tree tree_;
};

}  // namespace helio::inspect
