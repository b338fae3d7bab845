// Conversation: both directions of one TCP connection, split into messages by record marks, length
// words or, if the first bytes announce RDMA, MPA frames.
#pragma once

#include <cstdint>
#include <memory>

#include "helio/inspect/flow/flows.h"
#include "helio/inspect/flow/rdma/iwarp.h"
#include "helio/inspect/flow/rdma/rdma.h"
#include "helio/inspect/flow/tcp_stream.h"

namespace helio::inspect {

class Flows::Conversation final : StreamSink {
 public:
    Conversation(MessageSink& sink, const Catalogue& catalogue, RecordBuffers& buffers,
                 RdmaShared& rdma, const FlowEnds& ends)
        : sink_(sink),
          catalogue_(catalogue),
          rdma_(rdma),
          ends_(ends),
          cutters_{{sink, catalogue, buffers}, {sink, catalogue, buffers}},
          streams_{{*this, buffers, ends, 0}, {*this, buffers, ends, 1}} {}

    void segment(const Segment& segment, std::uint8_t direction) {
        constexpr std::uint8_t kAck = 16;
        streams_[direction].segment(segment);
        if ((segment.flags & kAck) != 0) streams_[1 - direction].acknowledged(segment.acknowledged);
    }
    void finish() {
        for (TcpStream& stream : streams_) stream.finish();
        if (iwarp_) iwarp_->finish();
        for (std::uint8_t direction = 0; direction < 2; ++direction)
            cutters_[direction].finish({0, 0, &ends_, direction, Carrier::tcp});
    }

 private:
    void begin(RecordCutter::Start start, const RecordCutter::Origin& origin) override {
        if (iwarp_) iwarp_->finish();
        iwarp_.reset();
        fresh_[origin.direction] = start == RecordCutter::Start::seen;
        cutters_[origin.direction].begin(start, origin);
    }
    void data(ByteView bytes, const RecordCutter::Origin& origin) override {
        if (iwarp_ || fresh_[origin.direction]) {
            fresh_[origin.direction] = false;
            if (!iwarp_ && Iwarp::looks_like(bytes))
                iwarp_ = std::make_unique<Iwarp>(sink_, catalogue_, ends_, &rdma_);
            if (iwarp_) return iwarp_->data(origin.direction, bytes, origin.time_ns, origin.packet);
        }
        cutters_[origin.direction].data(bytes, origin);
    }
    void gap(std::uint64_t size, Unread why, const RecordCutter::Origin& origin) override {
        fresh_[origin.direction] = false;
        if (!iwarp_) return cutters_[origin.direction].gap(size, why, origin);
        sink_.unread(why, size, 0);
        iwarp_->gap(origin.direction, size);
    }

    MessageSink& sink_;
    const Catalogue& catalogue_;
    RdmaShared& rdma_;
    const FlowEnds& ends_;
    RecordCutter cutters_[2];
    TcpStream streams_[2];
    bool fresh_[2] = {false, false};  // nothing read since its SYN
    std::unique_ptr<Iwarp> iwarp_;
};

}  // namespace helio::inspect
