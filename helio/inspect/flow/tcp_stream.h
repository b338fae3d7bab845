// TcpStream: puts the segments of one direction of a connection in order, with gaps where bytes are
// not in the capture. Segments may come out of order, twice, overlapping, cut, or not at all; the
// stream may be joined in the middle. The first copy of a byte wins, as in the receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/capture/segment.h"
#include "helio/inspect/flow/record_cutter.h"

namespace helio::inspect {

// Segments held after a missing one. Networks reorder packets by a few places; a retransmission
// comes within a window, which the byte limit covers.
inline constexpr std::size_t kHeldSegmentsMax = 4096;
inline constexpr std::size_t kHeldBytesMax = 8u << 20;
// The receiver has acknowledged the missing bytes, so only the capture lacks them, or has them
// later: captures of two interfaces reorder packets by at most this many places.
inline constexpr std::size_t kHeldAcknowledgedMax = 64;

// Takes the bytes of both directions.
class StreamSink {
 public:
    virtual ~StreamSink() = default;
    // A new connection between the same ends; Start::seen: its first byte comes next.
    virtual void begin(RecordCutter::Start start, const RecordCutter::Origin& origin) = 0;
    virtual void data(ByteView bytes, const RecordCutter::Origin& origin) = 0;
    virtual void gap(std::uint64_t size, Unread why, const RecordCutter::Origin& origin) = 0;
};

class TcpStream final {
 public:
    TcpStream(StreamSink& sink, RecordBuffers& buffers, const FlowEnds& flow,
              std::uint8_t direction)
        : sink_(&sink), buffers_(&buffers), flow_(&flow), direction_(direction) {}
    ~TcpStream();
    TcpStream(TcpStream&&) = delete;

    void segment(const Segment& segment) {
        // Nearly always: the next bytes, nothing missing, nothing cut.
        if (segment.sequence == next_ && known_ && early_.empty() && (segment.flags & kSyn) == 0 &&
            segment.payload.size() == segment.payload_size) [[likely]] {
            next_ += segment.payload_size;
            if (segment.payload_size != 0) sink_->data(segment.payload, origin_of(segment));
            return;
        }
        slowly(segment);
    }
    // The other end has received everything before this.
    void acknowledged(std::uint32_t sequence) {
        if (!early_.empty()) [[unlikely]]
            give_up_on_acknowledged(sequence);
    }
    // The stream ends: passes on everything held.
    void finish();

 private:
    static constexpr std::uint8_t kSyn = 2;

    struct EarlySegment {
        std::uint32_t sequence = 0;
        std::uint32_t size = 0;  // on the wire
        std::int64_t time_ns = 0;
        std::uint64_t packet = 0;
        std::vector<std::byte> bytes;
    };

    RecordCutter::Origin origin_of(const Segment& segment) const {
        return {segment.time_ns, segment.packet, flow_, direction_, Carrier::tcp};
    }
    void slowly(const Segment& segment);
    void restart(std::uint32_t next);
    void deliver(ByteView bytes, std::uint32_t size, const RecordCutter::Origin& origin);
    void hold(const Segment& segment);
    void release_ready();
    void give_up_on_missing();
    void give_up_on_acknowledged(std::uint32_t sequence);
    std::uint32_t distance(std::uint32_t sequence) const { return sequence - next_; }

    StreamSink* sink_;
    RecordBuffers* buffers_;
    const FlowEnds* flow_;
    std::uint8_t direction_;
    bool known_ = false;
    std::uint32_t next_ = 0;
    std::size_t early_bytes_ = 0;
    std::vector<EarlySegment> early_;  // by sequence
};

}  // namespace helio::inspect
