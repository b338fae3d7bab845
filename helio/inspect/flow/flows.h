// Flows: segments and datagrams → RPC messages. Keeps a state for each conversation, finds out by
// content what it carries (ONC RPC by record marks, libvirt, RPC-over-RDMA, something else), and
// hands every message to the sink, in the order their last bytes were captured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "helio/inspect/capture/segment.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/flow/record_cutter.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// Conversations that are followed at once; a capture of a port scan has more, and nothing in them.
inline constexpr std::size_t kFlowsMax = 65536;

class Roce;
class RdmaShared;

class Flows final {
 public:
    struct Options {
        // Bytes of each message in pieces that are kept; more are only counted.
        std::size_t keep_max = kRecordSizeMax;
    };

    Flows(MessageSink& sink, const Catalogue& catalogue, Options options);
    Flows(MessageSink& sink, const Catalogue& catalogue) : Flows(sink, catalogue, Options{}) {}
    ~Flows();

    void segment(const Segment& segment);
    // The capture ends: what is held is handed on.
    void finish();

    std::size_t count() const { return flows_.size(); }

 private:
    class Conversation;
    struct Flow {
        FlowEnds ends;
        std::uint64_t hash = 0;
        std::unique_ptr<Conversation> conversation;  // TCP only
    };
    struct Slot {
        std::uint64_t hash = 0;
        Flow* flow = nullptr;
    };

    Flow* find(const Segment& segment, std::uint8_t& direction);
    Flow* add(const Segment& segment, std::uint64_t hash, std::size_t slot);
    void grow();
    void datagram(const Segment& segment, const Flow& flow, std::uint8_t direction);

    MessageSink& sink_;
    const Catalogue& catalogue_;
    RecordBuffers buffers_;
    std::deque<Flow> flows_;
    std::vector<Slot> slots_;  // open addressing; a power of two
    std::unique_ptr<Roce> roce_;
    std::unique_ptr<RdmaShared> rdma_;  // of all iWARP connections
};

}  // namespace helio::inspect
