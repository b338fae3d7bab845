#include "helio/inspect/flow/tcp_stream.h"

#include <algorithm>

namespace helio::inspect {
namespace {

// Sequence numbers farther apart than this belong to another connection between the same ports: RFC
// 7323 limits windows to 1 GiB.
constexpr std::uint32_t kFarOff = 1u << 30;

// Data that may precede its SYN in a reordered capture: a few segments. The next connection's
// numbers begin elsewhere (RFC 6528).
constexpr std::uint32_t kLateSyn = 1u << 20;

bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

TcpStream::~TcpStream() { buffers_->release(early_bytes_); }

void TcpStream::slowly(const Segment& segment) {
    if ((segment.flags & kSyn) != 0) {
        // A repeated SYN, or one that comes after its data, is redundant.
        const std::uint32_t passed = next_ - (segment.sequence + 1);
        if (!known_ || passed >= kLateSyn) {
            finish();
            restart(segment.sequence + 1);
            sink_->begin(RecordCutter::Start::seen, origin_of(segment));
        }
        return;
    }
    if (segment.payload_size == 0) return;
    if (!known_) restart(segment.sequence);
    const std::uint32_t ahead = distance(segment.sequence);
    if (ahead != 0 && ahead < kFarOff) return hold(segment);
    const std::uint32_t behind = 0 - ahead;
    if (ahead != 0 && behind >= kFarOff) {
        finish();
        sink_->begin(RecordCutter::Start::missed, origin_of(segment));
        restart(segment.sequence);
        deliver(segment.payload, segment.payload_size, origin_of(segment));
        return;
    }
    if (behind >= segment.payload_size && ahead != 0) return;  // seen before
    const auto seen = std::min<std::size_t>(behind, segment.payload.size());
    deliver(segment.payload.subspan(seen), segment.payload_size - behind, origin_of(segment));
    release_ready();
}

void TcpStream::restart(std::uint32_t next) {
    known_ = true;
    next_ = next;
}

void TcpStream::deliver(ByteView bytes, std::uint32_t size, const RecordCutter::Origin& origin) {
    next_ += size;
    if (!bytes.empty()) sink_->data(bytes, origin);
    if (bytes.size() < size) sink_->gap(size - bytes.size(), Unread::not_captured, origin);
}

void TcpStream::hold(const Segment& segment) {
    const auto origin = std::lower_bound(early_.begin(), early_.end(), segment.sequence,
                                         [](const EarlySegment& one, std::uint32_t sequence) {
                                             return before(one.sequence, sequence);
                                         });
    const bool again = origin != early_.end() && origin->sequence == segment.sequence &&
                       origin->size >= segment.payload_size;
    if (again) return;
    if (!buffers_->hold(segment.payload.size())) {
        // No memory for it: emit everything held, then this segment after a gap.
        finish();
        const std::uint32_t missing = distance(segment.sequence);
        if (missing == 0 || missing >= kFarOff) return slowly(segment);
        next_ = segment.sequence;
        sink_->gap(missing, Unread::too_much_held, origin_of(segment));
        return deliver(segment.payload, segment.payload_size, origin_of(segment));
    }
    early_bytes_ += segment.payload.size();
    early_.insert(origin, {.sequence = segment.sequence,
                           .size = segment.payload_size,
                           .time_ns = segment.time_ns,
                           .packet = segment.packet,
                           .bytes = {segment.payload.begin(), segment.payload.end()}});
    if (early_.size() > kHeldSegmentsMax || early_bytes_ > kHeldBytesMax) give_up_on_missing();
}

// Delivers held segments that are now in sequence.
void TcpStream::release_ready() {
    std::size_t done = 0;
    while (done < early_.size()) {
        EarlySegment& one = early_[done];
        const std::uint32_t ahead = distance(one.sequence);
        if (ahead != 0 && ahead < kFarOff) break;
        ++done;
        buffers_->release(one.bytes.size());
        early_bytes_ -= one.bytes.size();
        const std::uint32_t behind = 0 - ahead;
        if (behind >= one.size) continue;
        const auto seen = std::min<std::size_t>(behind, one.bytes.size());
        deliver(ByteView{one.bytes}.subspan(seen), one.size - behind,
                {one.time_ns, one.packet, flow_, direction_, Carrier::tcp});
    }
    early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(done));
}

void TcpStream::give_up_on_missing() {
    if (early_.empty()) return;
    const EarlySegment& first = early_.front();
    const std::uint32_t missing = distance(first.sequence);
    next_ = first.sequence;
    sink_->gap(missing, Unread::lost,
               {first.time_ns, first.packet, flow_, direction_, Carrier::tcp});
    release_ready();
}

void TcpStream::give_up_on_acknowledged(std::uint32_t sequence) {
    while (early_.size() > kHeldAcknowledgedMax && !before(sequence, early_.front().sequence))
        give_up_on_missing();
}

void TcpStream::finish() {
    while (!early_.empty()) give_up_on_missing();
}

}  // namespace helio::inspect
