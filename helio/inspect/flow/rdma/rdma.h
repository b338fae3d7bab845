// RdmaAssembler: makes RPC messages, as they would be over TCP, from the Sends and the transferred
// memory of two ends. On any fabric, RPC-over-RDMA (RFC 8166) sends a header with lists of chunks;
// the chunks' data moves separately by RDMA Read and Write. The assembler puts it back: into calls
// by the positions of the read list, into replies at the @bulk fields of the result's type.
//
//     server → client   RDMA Write …, RDMA Write     moved()
//     server → client   Send: write list, reply      send() → Message, whole
//
// A call waits until the server has read its data, and so does its reply if that comes first,
// because captures are not always in order. The wait is short.
//
// Bytes missing from the capture become zeros, up to a limit; beyond it, or if the message itself
// is in a chunk with a hole, the message is cut there.
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

// Calls whose procedure is remembered, to assemble their replies; for all flows.
inline constexpr std::size_t kRdmaCallsMax = 16u << 10;
// Calls of one pair of ends whose data is pending. Linux grants 128 credits.
inline constexpr std::size_t kRdmaWaitingMax = 256;
// Bytes of waiting calls, all flows: far more than that many inline parts of 4 KiB.
inline constexpr std::size_t kRdmaWaitingBytesMax = 8u << 20;
// A Send: RFC 8797 §4 allows inline parts of up to 256 KiB. Longer ones are cut.
inline constexpr std::size_t kRdmaSendBytesMax = 256u << 10;
// Zeros that replace uncaptured bytes: this many, plus kRdmaZerosFactor for each captured byte.
// Only forged headers claim more.
inline constexpr std::uint64_t kRdmaZerosMax = 4u << 20;
inline constexpr std::uint64_t kRdmaZerosFactor = 16;

// State shared by all assemblers of a capture.
class RdmaShared final {
 public:
    RdmaMemory memory;
    std::size_t waiting_bytes = 0;
    std::uint64_t zeros = 0;  // zeros substituted
    std::uint64_t seen = 0;   // bytes received

    std::uint32_t new_pair() { return pairs_++; }
    // `caller`: a number unique to that end.
    void remember(std::uint32_t caller, std::uint32_t xid, const Procedure& procedure);
    const Procedure* called(std::uint32_t caller, std::uint32_t xid) const;

 private:
    std::uint32_t pairs_ = 0;
    std::unordered_map<std::uint64_t, const Procedure*> calls_;
    std::deque<std::uint64_t> order_;  // oldest first
};

class RdmaAssembler final {
 public:
    // Position in the capture.
    struct When {
        std::int64_t time_ns = 0;
        std::uint64_t packet = 0;
    };

    RdmaAssembler(MessageSink& sink, const Catalogue& catalogue, RdmaShared& shared,
                  const FlowEnds& ends, Carrier carrier);

    // A Send by `direction`: all its bytes, or the first of `size`.
    void send(std::uint8_t direction, ByteView bytes, std::uint64_t size, When when);
    // Bytes of `owner`'s memory, as written or read by the other end.
    void moved(std::uint8_t owner, std::uint32_t handle, std::uint64_t offset, ByteView bytes,
               When when);
    // Emits waiting calls with the data they have.
    void finish();

 private:
    struct Sent {  // a parsed Send; views into its bytes
        std::uint8_t direction = 0;
        When when;
        const frame::RdmaHeader* header = nullptr;
        ByteView header_bytes;
        ByteView inlined;
        std::uint64_t inlined_size = 0;
    };
    struct PendingCall {
        std::uint8_t direction = 0;
        When when;  // of the latest part
        std::vector<std::byte> bytes;
        std::uint64_t size = 0;
        frame::RdmaHeader header;
        std::size_t segment = 0;  // the first that is incomplete,
        std::uint64_t known = 0;  // and how much of it is known
        // Its reply came before its data was complete.
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
        std::size_t at = 0;  // after its length word
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

    // The message being assembled.
    std::vector<std::byte> whole_;
    std::uint64_t whole_size_ = 0;  // its real size; more than whole_ if cut
    std::vector<TakenOut> taken_;
    std::vector<frame::RdmaSegment> segments_;
    reflect::Tree tree_;
};

}  // namespace helio::inspect
